"""Convolutions in tiles are those of the definition."""

import numpy as np
import numpy.typing as npt
import pytest

from katachi.evaluators.convolution_kernel import TILES_AT_ONCE, ConvolutionKernel, tiles_across

Array = npt.NDArray[np.float32]


def random_arrays(planes: int, width: int, layers: int, outputs: int) -> dict[str, Array]:
    source = np.random.default_rng(planes + width)
    arrays: dict[str, Array] = {}
    for number in range(layers):
        seen = width if number else planes
        arrays[f"layers.{number}.weight"] = source.normal(
            scale=(9 * seen) ** -0.5, size=(width, seen, 3, 3)
        ).astype(np.float32)
        arrays[f"layers.{number}.bias"] = source.normal(size=width).astype(np.float32)
    arrays["output.weight"] = source.normal(size=(outputs, width, 1, 1)).astype(np.float32)
    arrays["output.bias"] = source.normal(size=outputs).astype(np.float32)
    return arrays


def convolve(seen: npt.NDArray[np.float64], weights: Array, bias: Array) -> npt.NDArray[np.float64]:
    """[B, made, N, N]: the definition, in double precision."""
    size = seen.shape[2]
    framed = np.pad(seen, ((0, 0), (0, 0), (1, 1), (1, 1)))
    found = np.zeros((len(seen), len(bias), size, size)) + bias[:, None, None]
    for row in range(3):
        for col in range(3):
            part = framed[:, :, row : row + size, col : col + size]
            found += np.einsum("bsyx,ms->bmyx", part, weights[:, :, row, col])
    return found


def obvious_logits(arrays: dict[str, Array], planes: Array) -> npt.NDArray[np.float64]:
    """What `katachi.nets.convolution` says."""
    layers = sum(name.startswith("layers.") for name in arrays) // 2
    seen = convolve(planes.astype(np.float64), arrays["layers.0.weight"], arrays["layers.0.bias"])
    for number in range(1, layers):
        name = f"layers.{number}"
        seen = seen + convolve(
            np.maximum(seen, 0), arrays[f"{name}.weight"], arrays[f"{name}.bias"]
        )
    output = arrays["output.weight"][:, :, 0, 0]
    found = np.einsum("bsyx,ms->bmyx", np.maximum(seen, 0), output)
    return np.asarray(found + arrays["output.bias"][:, None, None])


def boards_at_once(size: int) -> int:
    return max(1, TILES_AT_ONCE // tiles_across(size) ** 2)


@pytest.mark.kernel
@pytest.mark.parametrize("size", [2, 3, 4, 5])
def test_logits_of_small_boards_are_those_of_the_definition(size: int) -> None:
    check_logits(size, 3)


@pytest.mark.parametrize("size", [5, 9, 13, 19])
@pytest.mark.parametrize("more", [-1, 0, 1])
def test_logits_are_those_of_the_definition_around_a_full_chunk(size: int, more: int) -> None:
    check_logits(size, max(1, boards_at_once(size) + more))


def check_logits(size: int, boards: int) -> None:
    arrays = random_arrays(5, 8, 3, 3)
    kernel = ConvolutionKernel(arrays)
    planes = np.random.default_rng(boards).normal(size=(boards, 5, size, size)).astype(np.float32)
    expected = obvious_logits(arrays, planes)
    found = kernel.logits(planes)
    np.testing.assert_allclose(found, expected, atol=2e-4)
    np.testing.assert_array_equal(kernel.logits(planes), found)
    chances = 1.0 / (1.0 + np.exp(-expected[:, 0]))
    np.testing.assert_allclose(kernel.ownership(planes), chances, atol=1e-4)


def test_boards_of_several_sizes_do_not_disturb_each_other() -> None:
    arrays = random_arrays(2, 4, 2, 1)
    kernel = ConvolutionKernel(arrays)
    source = np.random.default_rng(1)
    for size in (9, 5, 13, 9, 4):
        planes = source.normal(size=(2, 2, size, size)).astype(np.float32)
        np.testing.assert_allclose(kernel.logits(planes), obvious_logits(arrays, planes), atol=1e-4)


def test_another_number_of_planes_is_refused() -> None:
    kernel = ConvolutionKernel(random_arrays(2, 4, 2, 1))
    with pytest.raises(ValueError, match="planes of shape"):
        kernel.logits(np.zeros((1, 3, 9, 9), np.float32))


def test_no_boards_have_no_logits() -> None:
    kernel = ConvolutionKernel(random_arrays(2, 4, 2, 1))
    assert kernel.logits(np.zeros((0, 2, 9, 9), np.float32)).shape == (0, 1, 9, 9)
