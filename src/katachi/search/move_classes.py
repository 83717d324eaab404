# pyright: reportArgumentType=false, reportReturnType=false, reportCallIssue=false
"""Classes of moves that can be counted: what stands around a point, how far it is from the last
moves, what a stone there does to the blocks beside it, and how far it is from the edge.

Moves that the board's symmetries or an exchange of the colours carry onto each other are of one
class.
"""

from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from katachi._jit import inlined, kernel
from katachi.rules.color import BLACK
from katachi.rules.kernels import step_to
from katachi.rules.legality import captures_any
from katachi.rules.point import PASS, STRIDE
from katachi.rules.state import BLOCK, COLOR, LIBERTIES, SIZE, TRACE_POINT, Words, recent_moves
from katachi.rules.symmetry import INVERTED_COLORS, SYMMETRIES, apply_to_grid
from katachi.search.guided_moves import SURROUNDINGS, only_liberty, surroundings_of
from katachi.search.recorded_moves import RecordedPositions

DISTANCES = 10
"""Classes of distances from the last move; the last is far away, or after a pass."""
BEFORE = 6
"""The same from the move before it."""
LINES = 4
NOTHING, TAKES, SAVES, INSIDE, PRESSES = range(5)
"""What a stone does: nothing of what follows; it takes a block; it is on the last liberty of an own
one; it stands between stones or edges on all sides; or it touches a block of the other side that
has few liberties, each counted once for every stone of the block beside it."""
EFFECTS = 5
_PRESSED = 3
SHAPES = SURROUNDINGS * DISTANCES * EFFECTS

Classes = npt.NDArray[np.int32]
Numbers = npt.NDArray[np.int64]


class Factors(NamedTuple):
    """How many classes there are of each kind, in the order of `classify_moves`."""

    shapes: int = SHAPES
    before: int = BEFORE
    lines: int = LINES


@cache
def alike_surroundings() -> Numbers:
    """[2, SURROUNDINGS]: one number for all surroundings that symmetries carry onto each other, as
    Black sees them and as White does."""
    codes = np.arange(SURROUNDINGS)
    points = [place for place in range(9) if place != 4]
    boards = np.zeros((SURROUNDINGS, 9), np.int64)
    for step, place in enumerate(points):
        boards[:, place] = codes >> 2 * step & 3
    seen = [boards, INVERTED_COLORS[boards].astype(np.int64)]
    return np.stack([_least_code(each.reshape(-1, 3, 3), points) for each in seen])


def _least_code(boards: Numbers, points: list[int]) -> Numbers:
    least = np.full(len(boards), SURROUNDINGS)
    for symmetry in range(SYMMETRIES):
        moved = apply_to_grid(boards, symmetry).reshape(-1, 9)
        code = sum(moved[:, place].astype(np.int64) << 2 * n for n, place in enumerate(points))
        least = np.minimum(least, code)
    return least


@inlined
def _distance(one: int, other: int) -> int:
    """Rows and columns between two points, the larger of them twice: 2 for neighbours."""
    rows = abs(one // STRIDE - other // STRIDE)
    columns = abs(one % STRIDE - other % STRIDE)
    return rows + columns + max(rows, columns)


@inlined
def _effect(board: Words, point: int, color: int) -> int:
    if captures_any(board, np.uint16(point), color):
        return TAKES
    presses = False
    for direction in range(4):
        cell = np.int64(point) + step_to(direction)
        root = np.int64(board[BLOCK + cell])
        if board[COLOR + cell] == color and only_liberty(board, root) != PASS:
            return SAVES
        if board[COLOR + cell] == 3 - color and board[LIBERTIES + root] <= _PRESSED:
            presses = True
    if board[LIBERTIES + point] == 0:
        return INSIDE
    return PRESSES if presses else NOTHING


class _Positions(NamedTuple):
    """P positions before moves."""

    words: Words
    """[P, WORDS]."""
    colors: Numbers
    """[P]: who moves."""
    recent: Numbers
    """[P, 2]: the last move, and the one before it."""


@kernel
def fill_classes(
    positions: _Positions, owner: Numbers, points: Numbers, alike: Numbers, found: Classes
) -> None:
    """Writes the classes [M, 3] of moves at `points` [M] of positions `owner` [M] into `found`."""
    for index in range(len(points)):
        number, point = owner[index], points[index]
        board, color = positions.words[number], positions.colors[number]
        last, before = positions.recent[number, 0], positions.recent[number, 1]
        near = np.int64(DISTANCES - 1)
        if last != PASS:
            steps = _distance(point, last)
            near = min(near, steps - 2 if steps < 8 else 6 + (steps - 8) // 4)
        far = np.int64(BEFORE - 1)
        if before != PASS:
            far = min(far, (_distance(point, before) - 2) // 2)
        size = np.int64(board[SIZE])
        row, column = point // STRIDE - 1, point % STRIDE - 1
        line = min(row, size - 1 - row, column, size - 1 - column)
        shape = alike[color - BLACK][surroundings_of(board, np.uint16(point))]
        effect = _effect(board, point, color)
        found[index, 0] = (shape * DISTANCES + max(near, np.int64(0))) * EFFECTS + effect
        found[index, 1] = max(far, np.int64(0))
        found[index, 2] = min(line, np.int64(LINES - 1))


def classify_moves(group: RecordedPositions) -> Classes:
    """[M, 3] the classes of all legal moves of a group: shape, distance from the move before the
    last, and line."""
    rows = group.rows
    words, colors = group.before.words[rows], group.colors[rows].astype(np.int64)
    recent = recent_moves(words)[:, :2].astype(np.int64)
    owner = np.repeat(np.arange(len(rows)), np.diff(group.starts))
    points = group.after.words[:, TRACE_POINT].astype(np.int64)
    found = np.zeros((len(points), len(Factors())), np.int32)
    positions = _Positions(words, colors, recent)
    fill_classes(positions, owner, points, alike_surroundings(), found)
    return found
