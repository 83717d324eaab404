# pyright: reportArgumentType=false, reportReturnType=false, reportCallIssue=false
# mypy: disable-error-code="no-any-return,return-value,arg-type"
"""Positions that a search has met before, and between what bounds their value lies.

An entry answers only for the very depth it was searched to, so that a search with a table finds
the same value as one without. There is one exception: a value holds for the way the position was
reached. A ko that may not be retaken is part of the key, and so are a pass before and the side to
move; a longer repetition that superko forbids on one way and not on another is not. Such a value is
used all the same. Moves at the root are judged by the whole history of the game.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from katachi._jit import inlined, kernel
from katachi.rules.color import WHITE
from katachi.rules.point import PASS
from katachi.rules.state import KO, PASSES, PLY, BoardState, Hashes
from katachi.rules.zobrist import SIDE_BIT

LARGEST_BITS = 22
NO_BOUND = (1 << 62) - 1

_LOWER, _UPPER, _REST = 0, 1, 2
_COLUMNS = 3
_DEPTH_SHIFT = 16
_MOVE_MASK = (1 << _DEPTH_SHIFT) - 1
_GENERATION_SHIFT = 32
_DEPTH_MASK = (1 << (_GENERATION_SHIFT - _DEPTH_SHIFT)) - 1
_KO_SHIFT = 1
_PASS_SHIFT = 11
"""Above the bits of a ko, which is a point."""


class Table(NamedTuple):
    """N slots, N a power of two. A position can be in one slot only."""

    keys: Hashes
    """[N]."""
    entries: npt.NDArray[np.int64]
    """[N, 3]: two bounds; generation, depth and move in one word."""


class Entry(NamedTuple):
    """What is known of a position, for the one who moves there."""

    depth: int
    """Plies looked ahead; 0 when the position is not known at all."""
    lower: int
    upper: int
    move: int
    """The best move, or PASS when it is not known."""


def new_table(bits: int) -> Table:
    """An empty table of 2 ** `bits` slots."""
    count = 1 << bits
    return Table(np.zeros(count, np.uint64), np.zeros((count, _COLUMNS), np.int64))


@inlined
def key_of(state: BoardState, side: int) -> np.uint64:
    """The key of the present position of one game with `side` to move."""
    board = state.words
    key = state.hashes[board[PLY]] & ~np.uint64(SIDE_BIT)
    key ^= np.uint64(board[KO]) << np.uint64(_KO_SHIFT)
    key ^= np.uint64(board[PASSES] > 0) << np.uint64(_PASS_SHIFT)
    return key ^ np.uint64(side == WHITE)


@inlined
def _slot_of(table: Table, key: np.uint64) -> int:
    return np.int64((key ^ (key >> np.uint64(32))) & np.uint64(len(table.keys) - 1))


@inlined
def _depth_of(rest: int) -> int:
    return (rest >> _DEPTH_SHIFT) & _DEPTH_MASK


@kernel
def find_entry(table: Table, key: np.uint64, generation: int) -> Entry:
    """What this generation knows of a position."""
    slot = _slot_of(table, key)
    entry = table.entries[slot]
    if table.keys[slot] != key or entry[_REST] >> _GENERATION_SHIFT != generation:
        return Entry(np.int64(0), np.int64(-NO_BOUND), np.int64(NO_BOUND), np.int64(PASS))
    depth = _depth_of(entry[_REST])
    return Entry(depth, entry[_LOWER], entry[_UPPER], entry[_REST] & _MOVE_MASK)


@kernel
def keep_entry(table: Table, key: np.uint64, generation: int, found: Entry) -> None:
    """Writes what was found of a position into its slot, unless that holds a deeper entry of this
    generation. Bounds of one position and depth are merged; a move is kept until a better one."""
    slot = _slot_of(table, key)
    row = table.entries[slot]
    is_ours = row[_REST] >> _GENERATION_SHIFT == generation
    if is_ours and _depth_of(row[_REST]) > found.depth:
        return
    known = find_entry(table, key, generation)
    lower, upper = found.lower, found.upper
    if known.depth == found.depth and known.lower <= upper and known.upper >= lower:
        lower, upper = max(lower, known.lower), min(upper, known.upper)
    move = found.move if found.move != PASS else known.move
    table.keys[slot] = key
    row[_LOWER] = lower
    row[_UPPER] = upper
    row[_REST] = move | (found.depth << _DEPTH_SHIFT) | (generation << _GENERATION_SHIFT)
