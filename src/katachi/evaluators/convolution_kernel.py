# pyright: reportArgumentType=false
"""A trained convolutional net without torch, many positions a call.

A 3x3 convolution is computed in tiles of 3x3 outputs (Winograd's way, F(3x3, 3x3)): each tile of
5x5 inputs is turned into 25 numbers a channel, these are multiplied by turned weights, 25 matrix
products in place of 81, and turned back. A 9x9 board is nine tiles without a rest.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from katachi._jit import kernel
from katachi.evaluators.scratch import PerThread

Array = npt.NDArray[np.float32]
SIDE = 3
TILE = 5
PLACES = TILE * TILE
TILES_AT_ONCE = 100
"""So that what a layer reads and writes stays in the second cache."""
_WEIGHT_TURN = np.array(
    [
        [1 / 2, 0, 0],
        [-1 / 2, -1 / 2, -1 / 2],
        [-1 / 6, 1 / 6, -1 / 6],
        [1 / 6, 1 / 3, 2 / 3],
        [0, 0, 1],
    ]
)
"""[5, 3]: of the weights, for the points 0, 1, -1, 2 and infinity; those of inputs and outputs are
spelt out in the kernels."""


class ConvolutionKernel:
    """A net that gives the logits of many boards of any one size."""

    def __init__(self, arrays: Mapping[str, Array]) -> None:
        """Takes the weights as `Convolution.arrays` names them."""
        count = sum(name.endswith(".weight") for name in arrays) - 1
        self._layers = [
            (_turn_weights(arrays[f"layers.{number}.weight"]), arrays[f"layers.{number}.bias"])
            for number in range(count)
        ]
        output = np.ascontiguousarray(arrays["output.weight"][:, :, 0, 0].T)
        self._output = output, arrays["output.bias"]
        self.planes = arrays["layers.0.weight"].shape[1]
        self.outputs = len(arrays["output.bias"])
        self._rooms: PerThread[dict[int, _Room]] = PerThread(dict)

    def logits(self, planes: Array) -> Array:
        """Logits [B, outputs, N, N] of planes [B, C, N, N]; raises ValueError for another number of
        them."""
        if planes.ndim != 4 or planes.shape[1] != self.planes:
            raise ValueError(f"planes of shape [B, {self.planes}, N, N], not {planes.shape}")
        boards, _, size, _ = planes.shape
        found = np.empty((boards, self.outputs, size, size), np.float32)
        room = self._room(size)
        planes = np.ascontiguousarray(planes, np.float32)
        for first in range(0, boards, len(room.seen)):
            part = slice(first, first + len(room.seen))
            self._write_logits(planes[part], room, found[part])
        return found

    def ownership(self, planes: Array) -> Array:
        """The chance [B, N, N] that each point will be Black's: the first output."""
        with np.errstate(over="ignore"):  # a point that is surely White's
            return np.asarray(1.0 / (1.0 + np.exp(-self.logits(planes)[:, 0])), np.float32)

    def _write_logits(self, planes: Array, room: "_Room", found: Array) -> None:
        """The same of boards that there is room for. Between two products is one kernel: a thread
        that comes back to Python waits for others that are there."""
        boards, _, size, _ = planes.shape
        tiles, seen = boards * tiles_across(size) ** 2, room.seen[:boards]
        turned = room.turned_first
        turn_planes(planes, room.shown, turned, room.tile)
        for number, (weights, bias) in enumerate(self._layers):
            np.matmul(turned[:, :tiles], weights, out=room.made[:, :tiles])
            turned = room.turned
            if number + 1 < len(self._layers):
                turn_layer(room.made, bias, seen, turned, (size, number), room.tile)
            else:
                turn_back(room.made, bias, seen, room.rectified, (size, number), room.tile)
        weights, bias = self._output
        products = np.matmul(room.rectified[:boards], weights, out=room.products[:boards])
        np.add(products, bias, out=found.transpose(0, 2, 3, 1))

    def _room(self, size: int) -> "_Room":
        """This thread's memory for boards of a size."""
        rooms = self._rooms.get()
        if size not in rooms:
            widths = self.planes, len(self._layers[0][1]), self.outputs
            rooms[size] = _new_room(size, widths)
        return rooms[size]


class _Room(NamedTuple):
    """Memory for as many boards as are taken at once; frames of zeros are never written."""

    shown: Array
    """[B, P, P, planes]: the planes, in a frame."""
    seen: Array
    """[B, P, P, width]: what the layers add to, in a frame."""
    turned_first: Array
    """[25, tiles, planes]."""
    turned: Array
    """[25, tiles, width]."""
    made: Array
    """[25, tiles, width]."""
    tile: Array
    """[5, 5, planes or width]."""
    rectified: Array
    """[B, N, N, width]: what the last layer has seen, negative numbers as 0."""
    products: Array
    """[B, N, N, outputs]."""


def tiles_across(size: int) -> int:
    """How many tiles lie side by side on a board."""
    return -(-size // SIDE)


def _new_room(size: int, widths: tuple[int, int, int]) -> _Room:
    """Memory for boards of a size and so many planes, channels and outputs."""
    planes, width, outputs = widths
    across = tiles_across(size)
    boards = max(1, TILES_AT_ONCE // across**2)
    side, tiles = SIDE * across + 2, boards * across**2
    return _Room(
        np.zeros((boards, side, side, planes), np.float32),
        np.zeros((boards, side, side, width), np.float32),
        np.zeros((PLACES, tiles, planes), np.float32),
        np.zeros((PLACES, tiles, width), np.float32),
        np.zeros((PLACES, tiles, width), np.float32),
        np.zeros((TILE, TILE, max(planes, width)), np.float32),
        np.zeros((boards, size, size, width), np.float32),
        np.zeros((boards, size, size, outputs), np.float32),
    )


def _turn_weights(weights: Array) -> Array:
    """[25, seen, made] from [made, seen, 3, 3]."""
    made, seen = weights.shape[:2]
    wide = weights.astype(np.float64)
    turned = np.einsum("ia,jb,msab->ijsm", _WEIGHT_TURN, _WEIGHT_TURN, wide)
    return np.ascontiguousarray(turned.reshape(PLACES, seen, made), np.float32)


@kernel
def turn_planes(planes: Array, shown: Array, turned: Array, tile: Array) -> None:
    """Writes planes [B, C, N, N] into boards shown [B, P, P, C] and turns these."""
    channels, size = planes.shape[1], planes.shape[2]
    for board in range(len(planes)):
        for row in range(size):
            for col in range(size):
                for c in range(channels):
                    shown[board, row + 1, col + 1, c] = planes[board, c, row, col]
        turn_inputs(shown, board, size, turned, tile, np.float32(-np.inf))


@kernel
def turn_layer(
    made: Array, bias: Array, seen: Array, turned: Array, counts: tuple[int, int], tile: Array
) -> None:
    """Turns products [25, tiles, C] back into boards seen [B, P, P, C], and these, negative numbers
    as 0, into the inputs of the next layer. `counts` are the size and the number of the layer."""
    size, number = counts
    for board in range(len(seen)):
        turn_outputs(made, bias, seen[board], (board, size, number), tile)
        turn_inputs(seen, board, size, turned, tile, np.float32(0.0))


@kernel
def turn_back(
    made: Array, bias: Array, seen: Array, rectified: Array, counts: tuple[int, int], tile: Array
) -> None:
    """The same of the last layer; what it has seen, negative numbers as 0, without the frame."""
    size, number = counts
    for board in range(len(seen)):
        turn_outputs(made, bias, seen[board], (board, size, number), tile)
        for row in range(size):
            for col in range(size):
                for c in range(seen.shape[3]):
                    value = seen[board, row + 1, col + 1, c]
                    rectified[board, row, col, c] = max(value, np.float32(0.0))


@kernel
def turn_inputs(
    seen: Array, board: int, size: int, turned: Array, tile: Array, least: np.float32
) -> None:
    """Writes the turned tiles [25, tiles, C] of one of the boards seen [B, P, P, C]; inputs below
    `least` count as that."""
    across = (size + SIDE - 1) // SIDE
    channels = seen.shape[3]
    two, three = np.float32(2), np.float32(3)
    for row in range(across):
        for col in range(across):
            place = (board * across + row) * across + col
            top, left = SIDE * row, SIDE * col
            for step in range(TILE):
                at = left + step
                for c in range(channels):
                    a0 = max(seen[board, top, at, c], least)
                    a1 = max(seen[board, top + 1, at, c], least)
                    a2 = max(seen[board, top + 2, at, c], least)
                    a3 = max(seen[board, top + 3, at, c], least)
                    a4 = max(seen[board, top + 4, at, c], least)
                    tile[step, 0, c] = two * (a0 - a2) + a3 - a1
                    tile[step, 1, c] = a3 - a2 - two * a1
                    tile[step, 2, c] = two * a1 - three * a2 + a3
                    tile[step, 3, c] = a3 - a1
                    tile[step, 4, c] = a4 - a2 - two * (a3 - a1)
            for step in range(TILE):
                first = TILE * step
                for c in range(channels):
                    a0, a1, a2 = tile[0, step, c], tile[1, step, c], tile[2, step, c]
                    a3, a4 = tile[3, step, c], tile[4, step, c]
                    turned[first, place, c] = two * (a0 - a2) + a3 - a1
                    turned[first + 1, place, c] = a3 - a2 - two * a1
                    turned[first + 2, place, c] = two * a1 - three * a2 + a3
                    turned[first + 3, place, c] = a3 - a1
                    turned[first + 4, place, c] = a4 - a2 - two * (a3 - a1)


@kernel
def turn_outputs(
    made: Array, bias: Array, seen: Array, counts: tuple[int, int, int], tile: Array
) -> None:
    """Turns products [25, tiles, C] back into a board seen [P, P, C], with the bias: added to what
    is there, or in its place by the first layer. `counts` are the number of the board, its size and
    the number of the layer."""
    board, size, number = counts
    across = (size + SIDE - 1) // SIDE
    channels = seen.shape[2]
    two, four = np.float32(2), np.float32(4)
    kept = np.float32(number > 0)
    for row in range(across):
        for col in range(across):
            place = (board * across + row) * across + col
            for step in range(TILE):
                for c in range(channels):
                    a0, a1 = made[step, place, c], made[TILE + step, place, c]
                    a2, a3 = made[10 + step, place, c], made[15 + step, place, c]
                    tile[step, 0, c] = a0 + a1 + a2 + a3
                    tile[step, 1, c] = a1 - a2 + two * a3
                    tile[step, 2, c] = a1 + a2 + four * a3 + made[20 + step, place, c]
            for step in range(min(SIDE, size - SIDE * row)):
                for c in range(channels):
                    a0, a1, a2 = tile[0, step, c], tile[1, step, c], tile[2, step, c]
                    a3, a4 = tile[3, step, c], tile[4, step, c]
                    tile[0, 3, c] = a0 + a1 + a2 + a3 + bias[c]
                    tile[1, 3, c] = a1 - a2 + two * a3 + bias[c]
                    tile[2, 3, c] = a1 + a2 + four * a3 + a4 + bias[c]
                at = SIDE * row + step + 1
                for over in range(min(SIDE, size - SIDE * col)):
                    across_at = SIDE * col + over + 1
                    for c in range(channels):
                        old = kept * seen[at, across_at, c]
                        seen[at, across_at, c] = old + tile[over, 3, c]
