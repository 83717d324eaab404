# pyright: reportArgumentType=false, reportReturnType=false, reportCallIssue=false
"""The values of windows under learned weights: sums, moves and learning, as kernels.

A window is worth the product of its weights with its features, rounded to units. Sums of units do
not depend on their order, so a value followed window by window equals the one computed from
nothing. The value of a window's content is computed when it is first met and kept until the weights
change.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from katachi._jit import inlined, kernel
from katachi.evaluators.shape_moves import SIDES, is_taken_beside, last_mover
from katachi.features.shape_sets import STATES
from katachi.features.units import LARGEST_WEIGHT, UNIT, Sums
from katachi.features.window_map import (
    Codes,
    Floats,
    WindowTable,
    add_to_codes,
    count_codes,
    count_windows,
    read_codes,
)
from katachi.rules.legality import captures_any, has_liberty_after
from katachi.rules.point import PASS, STRIDE
from katachi.rules.state import BLOCK, NEXT, SIZE, BoardState, Words

UNKNOWN = -(2**31)
"""In place of a value that is not computed yet."""
OWN, OTHER = 1, 2
"""What a point of a window can be to the viewer, besides empty."""

Theta = npt.NDArray[np.float64]


class WindowWeights(NamedTuple):
    """Weights over the windows of one board size; `theta` and `values` change."""

    side: int
    rows: Floats
    """[codes, K]; none where each code is a feature of its own."""
    theta: Theta
    """[windows * K]"""
    values: npt.NDArray[np.int32]
    """[windows, codes] in units, UNKNOWN where not computed; none where there are no rows."""
    codes: Codes
    """[windows]: scratch."""


def window_weights(table: WindowTable, size: int, theta: Theta) -> WindowWeights:
    """Memory for these weights [windows * K] on a board."""
    windows, codes = count_windows(size, table.side), count_codes(table.side)
    rows = np.zeros((0, 0), np.float32) if table.rows is None else table.rows
    values = np.full((windows, codes) if len(rows) else (0, 0), UNKNOWN, np.int32)
    scratch = np.zeros(windows, np.int32)
    return WindowWeights(table.side, np.ascontiguousarray(rows), theta, values, scratch)


@inlined
def _units(logits: float) -> int:
    """Logits as a number of units, held within what a weight may be worth."""
    scaled = min(max(logits / UNIT, -1.0 * LARGEST_WEIGHT), 1.0 * LARGEST_WEIGHT)
    return np.int64(np.rint(scaled))


@inlined
def window_value(weights: WindowWeights, window: int, code: int) -> int:
    """What a window with this content is worth to the viewer, in units."""
    if len(weights.rows) == 0:
        kinds = len(weights.theta) // len(weights.codes)
        return _units(weights.theta[window * kinds + code])
    known = np.int64(weights.values[window, code])
    if known != UNKNOWN:
        return known
    kinds = weights.rows.shape[1]
    total = 0.0
    for kind in range(kinds):
        total += weights.theta[window * kinds + kind] * weights.rows[code, kind]
    value = _units(total)
    weights.values[window, code] = value
    return value


@kernel
def sum_codes(weights: WindowWeights) -> int:
    """What the windows whose codes were read last are worth together, in units."""
    total = 0
    for window in range(len(weights.codes)):
        total += window_value(weights, window, np.int64(weights.codes[window]))
    return total


@kernel
def sum_windows(states: BoardState, weights: WindowWeights, sums: Sums) -> None:
    """Writes what each of B positions is worth to whoever moved last into sums [B]."""
    for index in range(len(states.words)):
        board = states.words[index]
        viewer = last_mover(BoardState(board, states.hashes[index], states.keys))
        read_codes(board, weights.side, viewer, weights.codes)
        sums[index] = sum_codes(weights)


@inlined
def _cell_of(board: Words, point: int) -> int:
    """Row by row, which point of the board this is."""
    return (np.int64(point) // STRIDE - 1) * np.int64(board[SIZE]) + np.int64(point) % STRIDE - 1


@kernel
def _gain_of_stone(weights: WindowWeights, size: int, cell: int) -> int:
    """What an own stone on an empty point adds, nothing taken: only windows around it change."""
    side = weights.side
    across = size - side + 1
    row, col = cell // size, cell % size
    gain = 0
    for top in range(max(0, row - side + 1), min(row, across - 1) + 1):
        for left in range(max(0, col - side + 1), min(col, across - 1) + 1):
            window = top * across + left
            code = np.int64(weights.codes[window])
            more = OWN * STATES ** ((row - top) * side + col - left)
            gain += window_value(weights, window, code + more)
            gain -= window_value(weights, window, code)
    return gain


@kernel
def _change_taken(
    board: Words, weights: WindowWeights, point: int, taker: int, change: int
) -> None:
    """Adds a change of state to the codes for each stone that `taker` would capture on a point."""
    size = np.int64(board[SIZE])
    for step in SIDES:
        if is_taken_beside(board, point, taker, step):
            root = np.int64(board[BLOCK + point + step])
            stone = root
            while True:
                add_to_codes(weights.codes, size, weights.side, _cell_of(board, stone), change)
                stone = np.int64(board[NEXT + stone])
                if stone == root:
                    break


@kernel
def _gain_of_capture(
    board: Words, weights: WindowWeights, point: int, color: int, total: int
) -> int:
    _change_taken(board, weights, point, color, -OTHER)
    gain = sum_codes(weights) - total
    gain += _gain_of_stone(weights, np.int64(board[SIZE]), _cell_of(board, point))
    _change_taken(board, weights, point, color, OTHER)
    return gain


@kernel
def _gain_of_suicide(
    board: Words, weights: WindowWeights, point: int, color: int, total: int
) -> int:
    """What is gained where the stone and all own blocks beside it, which the other colour would
    take there, leave the board."""
    _change_taken(board, weights, point, 3 - color, -OWN)
    gain = sum_codes(weights) - total
    _change_taken(board, weights, point, 3 - color, OWN)
    return gain


@kernel
def _gain_of_move(board: Words, weights: WindowWeights, point: int, color: int, total: int) -> int:
    if point == PASS:
        return 0
    if captures_any(board, point, color):
        return _gain_of_capture(board, weights, point, color, total)
    if not has_liberty_after(board, point, color):
        return _gain_of_suicide(board, weights, point, color, total)
    return _gain_of_stone(weights, np.int64(board[SIZE]), _cell_of(board, point))


@kernel
def sum_moves(board: Words, color: int, moves: Words, weights: WindowWeights, values: Sums) -> None:
    """Adds what the position after each of these legal moves of `color`, or a pass, is worth to
    that colour to values [M]. The board is read once; each move costs the windows it changes."""
    read_codes(board, weights.side, color, weights.codes)
    total = sum_codes(weights)
    for index in range(len(moves)):
        point = np.int64(moves[index])
        values[index] += total + _gain_of_move(board, weights, point, color, total)


@kernel
def forget_values(weights: WindowWeights) -> None:
    """Drops what was computed: the weights have changed."""
    for window in range(weights.values.shape[0]):
        for code in range(weights.values.shape[1]):
            weights.values[window, code] = UNKNOWN


@kernel
def nudge_codes(weights: WindowWeights, codes: Codes, step: int) -> None:
    """Adds a step in units times the features of windows with these codes to the weights; what
    was computed of values must be forgotten afterwards."""
    kinds = len(weights.theta) // len(weights.codes)
    change = UNIT * step
    for window in range(len(weights.codes)):
        code = np.int64(codes[window])
        if len(weights.rows) == 0:
            weights.theta[window * kinds + code] += change
        else:
            for kind in range(kinds):
                weights.theta[window * kinds + kind] += change * weights.rows[code, kind]


@kernel
def nudge_windows(states: BoardState, weights: WindowWeights, steps: Sums) -> None:
    """Adds steps [B], in units, times the features of each of B positions to the weights."""
    for index in range(len(states.words)):
        board = states.words[index]
        viewer = last_mover(BoardState(board, states.hashes[index], states.keys))
        read_codes(board, weights.side, viewer, weights.codes)
        nudge_codes(weights, weights.codes, steps[index])
    forget_values(weights)
