# pyright: reportArgumentType=false, reportReturnType=false, reportCallIssue=false
# mypy: disable-error-code="no-any-return,return-value,arg-type"
"""Which moves a search looks at, and in what order.

The order: the table's best move; the three moves that last refuted something at this level; two
such of the level below, for what is good for the opponent is often good for oneself; moves that
capture or extend a block in atari; then by how often a move has refuted anything in this search.
Moves of one rank keep the order of the board.
"""

import numpy as np

from katachi._jit import inlined, kernel
from katachi.rules.color import EDGE, EMPTY
from katachi.rules.kernels import DOWN, LEFT, RIGHT, UP
from katachi.rules.legality import LEGAL, count_contacts, is_eye, judge_move
from katachi.rules.point import PASS, STRIDE
from katachi.rules.state import BLOCK, COLOR, LIBERTIES, SIZE, Words
from katachi.search.frames import (
    COUNT,
    DEPTH,
    HAS_ORDER,
    KILLERS,
    KO_RULE,
    LEVEL,
    SIDE,
    SORTED_FROM,
    SUICIDE,
    Numbers,
    Search,
)

_KILLERS_BELOW = 2
_FIRST = KILLERS + _KILLERS_BELOW + 2
"""Tiers of move, the highest tried first: the table's, killers, killers below, ataris, others."""
_INDEX_BITS = 10
_HISTORY_BITS = 42
_LARGEST_STEP = 20


@kernel
def list_moves(search: Search, side: int, moves: Words) -> int:
    """Writes the legal moves of `side` that fill no own eye into `moves`, row by row, or a lone
    PASS if there are none; returns how many it wrote."""
    board = search.state.words
    ko_rule, suicide = search.options[KO_RULE], search.options[SUICIDE] != 0
    size = np.int64(board[SIZE])
    count = 0
    for row in range(1, size + 1):
        for point in range(row * STRIDE + 1, row * STRIDE + size + 1):
            if board[COLOR + point] != EMPTY or is_eye(board, point, side):
                continue
            if judge_move(search.state, point, side, ko_rule, suicide) == LEGAL:
                moves[count] = point
                count += 1
    if count == 0:
        moves[0] = PASS
        count = 1
    return count


@inlined
def _is_last_liberty(board: Words, point: int, step: int) -> bool:
    """Whether the stone one step away has no liberty but this point."""
    color = board[point + (COLOR + step)]
    root = board[point + (BLOCK + step)]
    is_stone = color != EMPTY and color != EDGE
    return is_stone and board[LIBERTIES + root] == count_contacts(board, point, root)


@kernel
def touches_atari(board: Words, point: int) -> bool:
    """Whether the point is the last liberty of a block, to be captured or extended there."""
    return (
        _is_last_liberty(board, point, UP)
        or _is_last_liberty(board, point, LEFT)
        or _is_last_liberty(board, point, RIGHT)
        or _is_last_liberty(board, point, DOWN)
    )


@inlined
def _tier(search: Search, level: int, point: int, first: int) -> int:
    if point == first:
        return _FIRST
    for index in range(KILLERS):
        if search.killers[level, index] == point:
            return _FIRST - 1 - index
    for index in range(_KILLERS_BELOW):
        if search.killers[level + 1, index] == point:
            return _FIRST - 1 - KILLERS - index
    return int(touches_atari(search.state.words, point))


@kernel
def rank_moves(search: Search, first: int) -> None:
    """Ranks the moves of the deepest frame; `first` is the one to begin with, PASS for none."""
    level = search.registers[LEVEL]
    frame = search.frames[level]
    is_sorted = frame[DEPTH] >= search.options[SORTED_FROM]
    for index in range(frame[COUNT]):
        rank = np.int64(0)
        point = np.int64(search.moves[level, index])
        if search.options[HAS_ORDER] != 0 and point != PASS:
            rank = np.int64(_tier(search, level, point, first)) << _HISTORY_BITS
            rank += is_sorted * search.history[frame[SIDE], point]
        search.ranks[level, index] = (rank << _INDEX_BITS) - index


@kernel
def take_best(moves: Words, ranks: Numbers, first: int, count: int) -> int:
    """Moves the highest ranked of the moves from `first` on to that place and returns it."""
    best = first
    for index in range(first + 1, count):
        if ranks[index] > ranks[best]:
            best = index
    move, rank = moves[best], ranks[best]
    moves[best], ranks[best] = moves[first], ranks[first]
    moves[first], ranks[first] = move, rank
    return np.int64(move)


@kernel
def note_refutation(search: Search, level: int, move: int) -> None:
    """Remembers a move that made all others at its level needless."""
    if move == PASS:
        return
    frame = search.frames[level]
    total = search.history[frame[SIDE], move] + (1 << min(frame[DEPTH], _LARGEST_STEP))
    search.history[frame[SIDE], move] = min(total, (1 << _HISTORY_BITS) - 1)
    killers = search.killers[level]
    place = 0
    while place < KILLERS - 1 and killers[place] != move:
        place += 1
    for index in range(place, 0, -1):
        killers[index] = killers[index - 1]
    killers[0] = move
