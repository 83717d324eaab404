"""The eight symmetries of the board and the exchange of colours, as tables."""

from functools import cache

import numpy as np
import numpy.typing as npt

from katachi.rules.color import BLACK, EDGE, EMPTY, WHITE
from katachi.rules.point import CELLS, PASS, Points, points_of

SYMMETRIES = 8
INVERSE = np.array([0, 1, 2, 3, 4, 6, 5, 7], np.uint8)
"""INVERSE[s] undoes symmetry s (only the two quarter turns differ from their inverses)."""
INVERTED_COLORS = np.array([EMPTY, WHITE, BLACK, EDGE], np.uint8)
"""INVERTED_COLORS[color] exchanges Black and White."""


def apply_to_grid(grid: npt.NDArray[np.generic], symmetry: int) -> npt.NDArray[np.generic]:
    """A square array moved by a symmetry: bit 1 flips rows, bit 2 columns, bit 4 transposes first.

    The last two axes are the board's rows and columns.
    """
    if symmetry & 4:
        grid = np.swapaxes(grid, -1, -2)
    if symmetry & 1:
        grid = grid[..., ::-1, :]
    if symmetry & 2:
        grid = grid[..., :, ::-1]
    return grid


@cache
def index_tables(size: int) -> npt.NDArray[np.int64]:
    """[8, size * size]: moved[i] = original[table[s, i]] is a board moved by symmetry s."""
    grid = np.arange(size * size).reshape(size, size)
    tables = np.stack([apply_to_grid(grid, s).reshape(-1) for s in range(SYMMETRIES)])
    tables = tables.astype(np.int64)
    tables.flags.writeable = False
    return tables


@cache
def point_tables(size: int) -> Points:
    """[8, CELLS]: table[s, p] is where symmetry s carries point p; PASS stays PASS."""
    points = points_of(size)
    tables = np.zeros((SYMMETRIES, CELLS), np.uint16)
    for symmetry, sources in enumerate(index_tables(size)):
        tables[symmetry, points[sources]] = points
    tables[:, PASS] = PASS
    tables.flags.writeable = False
    return tables
