"""What cells see is what the planes show around them."""

import numpy as np
import pytest

from katachi.nets.cell_inputs import fill_inputs, fill_rims
from katachi.nets.lanes import Floats

pytestmark = pytest.mark.kernel

SIZE, BOARDS = 4, 10


def inputs_of(planes: Floats, windowed: int) -> Floats:
    """[1, inputs + 1, size, size, boards], plane by plane and shift by shift."""
    around = np.pad(planes, ((0, 0), (0, 0), (1, 1), (1, 1)))
    rows = [
        around[:, plane, down : down + SIZE, right : right + SIZE]
        for plane in range(windowed)
        for down in range(3)
        for right in range(3)
    ]
    rows += [planes[:, plane] for plane in range(windowed, planes.shape[1])]
    return np.moveaxis(np.stack([*rows, np.ones_like(rows[0])]), 1, -1)[None]


def random_planes() -> Floats:
    return np.random.default_rng(0).random((BOARDS, 3, SIZE, SIZE), np.float32)


def test_windows_and_planes_are_rows_of_inputs_and_ones_come_last() -> None:
    planes = random_planes()
    found = np.empty((1, 9 * 2 + 2, SIZE, SIZE, BOARDS), np.float32)
    fill_inputs(planes, 2, found)
    np.testing.assert_array_equal(found, inputs_of(planes, 2))


def test_missing_boards_are_zeros() -> None:
    found = np.empty((2, 9 + 3, SIZE, SIZE, BOARDS), np.float32)
    fill_inputs(random_planes(), 1, found)
    assert not found[1, :-1].any()


def test_a_rim_is_the_corners_and_edges_of_the_inputs() -> None:
    inputs = inputs_of(random_planes(), 1)
    corners = np.empty((1, 4, inputs.shape[1], BOARDS), np.float32)
    edges = np.empty((1, 4, inputs.shape[1], SIZE, BOARDS), np.float32)
    fill_rims(np.ascontiguousarray(inputs), corners, edges)
    sides = (inputs[:, :, 0], inputs[:, :, -1], inputs[:, :, :, 0], inputs[:, :, :, -1])
    np.testing.assert_array_equal(edges, np.stack(sides, 1))
    starts = [inputs[:, :, row, column] for row in (0, -1) for column in (0, -1)]
    np.testing.assert_array_equal(corners, np.stack(starts, 1))
