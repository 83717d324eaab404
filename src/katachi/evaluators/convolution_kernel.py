"""A trained convolutional net without torch: matrix products of NumPy, many positions a call."""

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float32]
SIDE = 3


class ConvolutionKernel:
    """A net that gives the logits of many boards of any one size."""

    def __init__(self, arrays: Mapping[str, Array]) -> None:
        """Takes the weights as `Convolution.arrays` names them."""
        count = sum(name.endswith(".weight") for name in arrays) - 1
        self._layers = [
            (_by_places(arrays[f"layers.{number}.weight"]), arrays[f"layers.{number}.bias"])
            for number in range(count)
        ]
        self._output = arrays["output.weight"][:, :, 0, 0].T, arrays["output.bias"]
        self.planes = arrays["layers.0.weight"].shape[1]
        self.outputs = len(self._output[1])

    def logits(self, planes: Array) -> Array:
        """Logits [B, outputs, N, N] of planes [B, C, N, N]; raises ValueError for another number of
        them."""
        if planes.ndim != 4 or planes.shape[1] != self.planes:
            raise ValueError(f"planes of shape [B, {self.planes}, N, N], not {planes.shape}")
        first, *others = self._layers
        seen = _convolve(planes.transpose(0, 2, 3, 1), *first)
        for layer in others:
            seen = seen + _convolve(np.maximum(seen, 0), *layer)
        weights, bias = self._output
        found = np.maximum(seen, 0) @ weights + bias
        return np.ascontiguousarray(found.transpose(0, 3, 1, 2))

    def ownership(self, planes: Array) -> Array:
        """The chance [B, N, N] that each point will be Black's: the first output."""
        with np.errstate(over="ignore"):  # a point that is surely White's
            return np.asarray(1.0 / (1.0 + np.exp(-self.logits(planes)[:, 0])), np.float32)


def _by_places(weights: Array) -> Array:
    """[9, seen, made] from [made, seen, 3, 3]."""
    made, seen = weights.shape[:2]
    return np.ascontiguousarray(weights.transpose(2, 3, 1, 0).reshape(SIDE * SIDE, seen, made))


def _convolve(seen: Array, weights: Array, bias: Array) -> Array:
    """[B, N, N, made] of seen [B, N, N, C]: a product for each of nine places."""
    boards, size = seen.shape[:2]
    framed = np.pad(seen, ((0, 0), (1, 1), (1, 1), (0, 0)))
    found = np.empty((boards, size, size, len(bias)), np.float32)
    found[:] = bias
    for place in range(SIDE * SIDE):
        row, col = divmod(place, SIDE)
        found += framed[:, row : row + size, col : col + size] @ weights[place]
    return found
