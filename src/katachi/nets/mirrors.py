"""Which input is which in a mirrored frame: orders of the columns of a net's input weights.

Inputs of a cell, in order: for each windowed plane its 3x3 neighbourhood row by row, the local
planes, and for each of the four sweeps of an earlier layer its states.
"""

from functools import cache

import numpy as np
import numpy.typing as npt

Columns = npt.NDArray[np.int64]


def _moved(parts: tuple[int, int, int], window: Columns, sweeps: Columns) -> Columns:
    """The order of all columns when windows and sweeps change places as given."""
    windowed, local, states = parts
    near = np.arange(windowed)[:, None] * 9 + window
    here = 9 * windowed + np.arange(local)
    swept = 9 * windowed + local + sweeps[:, None] * states + np.arange(states)
    return np.concatenate([near.ravel(), here, swept.ravel()])


def _mirrored(parts: tuple[int, int, int], sweep: int) -> Columns:
    grid = np.arange(9).reshape(3, 3)
    grid = grid[::-1] if sweep >= 2 else grid
    grid = grid[:, ::-1] if sweep % 2 else grid
    return _moved(parts, grid.ravel(), np.arange(4) ^ sweep)


@cache
def mirrored_columns(windowed: int, local: int, states: int) -> Columns:
    """[4, inputs]: for each sweep, the column of the net that takes each input of the board.

    The sweep's own states come first, then those of the sweeps mirrored by column, by row, by both.
    """
    return np.stack([_mirrored((windowed, local, states), sweep) for sweep in range(4)])


@cache
def transposed_columns(windowed: int, local: int, states: int) -> Columns:
    """[2, inputs]: the columns as they are and as they lie when rows and columns are exchanged."""
    parts = (windowed, local, states)
    turned = _moved(parts, np.arange(9).reshape(3, 3).T.ravel(), np.array([0, 2, 1, 3]))
    return np.stack([np.arange(len(turned)), turned])


@cache
def symmetric_columns(windowed: int, local: int, states: int) -> Columns:
    """[8, inputs]: the columns under each symmetry of the square."""
    turns = transposed_columns(windowed, local, states)
    mirrors = mirrored_columns(windowed, local, states)
    return np.concatenate([mirrors, turns[1][mirrors]])
