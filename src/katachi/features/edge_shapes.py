"""Shapes of 3x3 points with the edge of the board in them, one number for each way to see them.

Two shapes are one if a turn or a mirror carries the first onto the second; if that works only with
the colours exchanged, they count with opposite signs. A shape that is its own opposite says nothing
about who is ahead, and has no number.
"""

from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from katachi.rules.point import STRIDE
from katachi.rules.symmetry import INVERTED_COLORS, SYMMETRIES, apply_to_grid

CELLS_OF_SHAPE = 9
STATES = 4
"""Of a point: empty, black, white, beyond the edge; as `katachi.rules.color` numbers them."""
CODES = STATES**CELLS_OF_SHAPE
OFFSETS = tuple(row * STRIDE + col for row in (-1, 0, 1) for col in (-1, 0, 1))
"""From the middle of a shape to its points, the first worth 1 in a code, the next 4 and so on."""
_EDGE = 3


class EdgeShapes(NamedTuple):
    """The shape behind every code."""

    number: npt.NDArray[np.int16]
    """[CODES]: its number, or -1."""
    sign: npt.NDArray[np.int8]
    """[CODES]: -1 where its colours are exchanged."""
    total: int


@cache
def edge_shapes() -> EdgeShapes:
    """All shapes that a board of at least three lines can hold."""
    codes = np.arange(CODES)
    digits = np.stack([codes // STATES**place % STATES for place in range(CELLS_OF_SHAPE)])
    own = _smallest_images(digits)
    other = _smallest_images(INVERTED_COLORS[digits])
    canonical, is_known = np.minimum(own, other), _is_on_board(digits) & (own != other)
    numbers = np.unique(canonical[is_known])
    index = np.where(is_known, np.searchsorted(numbers, canonical), -1).astype(np.int16)
    sign = np.where(own < other, 1, -1).astype(np.int8)
    return EdgeShapes(index, sign, len(numbers))


def _smallest_images(digits: npt.NDArray[np.generic]) -> npt.NDArray[np.int64]:
    """[CODES]: the smallest code among the eight images of each shape."""
    factor = STATES ** np.arange(CELLS_OF_SHAPE).reshape(3, 3)
    images = [
        np.asarray(apply_to_grid(factor, symmetry), np.int64).reshape(-1) @ digits.astype(np.int64)
        for symmetry in range(SYMMETRIES)
    ]
    return np.asarray(np.min(images, axis=0), np.int64)


def _is_on_board(digits: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
    """[CODES]: whether the edge points are those of no edge, of a side or of a corner."""
    is_edge = (digits == _EDGE).reshape(3, 3, -1)
    rows, cols = is_edge.all(axis=1), is_edge.all(axis=0)
    is_line = ~rows[1] & ~cols[1] & ~(rows[0] & rows[2]) & ~(cols[0] & cols[2])
    return np.asarray(is_line & (is_edge == (rows[:, None] | cols[None, :])).all(axis=(0, 1)))
