# pyright: reportArgumentType=false, reportReturnType=false, reportCallIssue=false
"""Learning the propensity of large squares from games.

Most squares are met once. The games are therefore gone through twice: first the keys are counted
in bins, then the squares whose bins were met often enough get places in a table.
"""

from typing import NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt

from katachi._jit import kernel
from katachi.features.game_ends import (
    EndedGames,
    Ending,
    Numbers,
    ended_games,
    find_final,
    list_captured,
)
from katachi.features.large_propensity import (
    LARGEST,
    SMALLEST,
    SQUARES,
    Hashes,
    Keys,
    LargeTable,
    SquareKeys,
    find_key,
    flip_around,
    hash_squares,
    new_hashes,
    square_key,
    square_keys,
)
from katachi.records.dataset import GameSet
from katachi.records.replay import GameArrays, Scratch, arrays_of, begin_game, new_scratch
from katachi.records.stones import COLOR_UNIT, Ragged
from katachi.rules.color import EMPTY
from katachi.rules.kernels import play_move
from katachi.rules.point import CELLS, PASS, STRIDE
from katachi.rules.state import COLOR, SIZE, Words

_FAR = LARGEST + 1


class LargeSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How the propensity of large squares is counted."""

    prior: float = 1.0
    """The paper's C, as for small windows."""
    ending: Ending = Ending.STONES
    plies: int = 60
    """Positions after more moves are not looked at."""
    fewest: int = 8
    """How often a square must be met to be remembered."""
    bin_bits: int = 24
    """Keys are first counted in 2^this bins."""
    table_bits: int = 21
    """At most half of 2^this squares are remembered: those met first."""


class LargeCounts(NamedTuple):
    """What is being counted."""

    is_second: int
    """0 while bins are counted, 1 while squares are."""
    settings: tuple[int, int]
    """Plies to look at, fewest."""
    bins: npt.NDArray[np.uint8]
    key: Keys
    balance: Numbers
    total: Numbers
    used: Numbers
    """[1]: number of squares in the table."""


class _Watch(NamedTuple):
    """A position and the squares that its last move changed."""

    keys: SquareKeys
    hashes: Hashes
    final: Numbers
    captured: Numbers
    nearest: Numbers
    """[CELLS]: how far from a point the nearest change is; _FAR where its squares are as before."""


def fit_large(games: GameSet, settings: LargeSettings, owners: Ragged | None = None) -> LargeTable:
    """The table of some games, of any board sizes; a square that stays counts once.

    `owners` and what is refused: as `ended_games` says.
    """
    bins = np.zeros(1 << settings.bin_bits, np.uint8)
    key = np.zeros(1 << settings.table_bits, np.uint64)
    balance, total = np.zeros((2, len(key)), np.int64)
    limits = (settings.plies, min(settings.fewest, 255))
    counts = LargeCounts(0, limits, bins, key, balance, total, np.zeros(1, np.int64))
    arrays, scratch = arrays_of(games.columns), new_scratch()
    ended = ended_games(games, settings.ending, owners)
    numbers = np.zeros((3, CELLS), np.int64)
    watch = _Watch(square_keys(), new_hashes(), *numbers)
    for is_second in range(2):
        for _, each in ended:
            count_squares(arrays, each, scratch, watch, counts._replace(is_second=is_second))
    return _pack(counts, settings)


def _pack(counts: LargeCounts, settings: LargeSettings) -> LargeTable:
    """The squares met in a table twice their number or a little larger."""
    held = np.flatnonzero(counts.key)
    length = 1 << max(int(2 * len(held)).bit_length(), 1)
    table = LargeTable(np.zeros(length, np.uint64), np.zeros(length, np.float32))
    score = counts.balance[held] / np.maximum(counts.total[held] + settings.prior, 1e-9)
    fill_table(counts.key[held], score.astype(np.float32), table)
    return table


@kernel
def fill_table(keys: Keys, scores: npt.NDArray[np.float32], table: LargeTable) -> None:
    """Gives each key its place."""
    for index in range(len(keys)):
        at = find_key(table.key, keys[index])
        table.key[at] = keys[index]
        table.score[at] = scores[index]


@kernel
def _count_square(point: int, square: int, watch: _Watch, counts: LargeCounts) -> None:
    key, sign = square_key(watch.hashes, point, square)
    place = np.int64(key >> np.uint64(3)) & (len(counts.bins) - 1)
    if not counts.is_second:
        counts.bins[place] += counts.bins[place] < 255
    elif counts.bins[place] >= counts.settings[1]:
        at = find_key(counts.key, key)
        if counts.key[at] == np.uint64(0) and 2 * counts.used[0] < len(counts.key):
            counts.key[at] = key
            counts.used[0] += 1
        if counts.key[at] == key:
            counts.balance[at] += sign * watch.final[point]
            counts.total[at] += abs(watch.final[point])


@kernel
def _count_changed(board: Words, watch: _Watch, counts: LargeCounts) -> None:
    """Counts every square that holds a change, and forgets the changes."""
    size = int(board[SIZE])
    for row in range(1, size + 1):
        for point in range(row * STRIDE + 1, row * STRIDE + size + 1):
            for square in range(SQUARES):
                if watch.nearest[point] <= SMALLEST + square:
                    _count_square(point, square, watch, counts)
            watch.nearest[point] = _FAR


@kernel
def _change(board: Words, point: int, color: int, watch: _Watch) -> None:
    """Adds or removes a stone, and notes whose squares it is in."""
    flip_around(board, point, color, watch.keys, watch.hashes)
    size = int(board[SIZE])
    row, col = point // STRIDE, point % STRIDE
    for center_row in range(max(row - LARGEST, 1), min(row + LARGEST, size) + 1):
        for center_col in range(max(col - LARGEST, 1), min(col + LARGEST, size) + 1):
            far = max(abs(row - center_row), abs(col - center_col))
            at = center_row * STRIDE + center_col
            watch.nearest[at] = min(watch.nearest[at], far)


@kernel
def _follow_move(board: Words, point: int, color: int, watch: _Watch) -> None:
    """Brings the hashes to the position after a move."""
    is_suicide = board[COLOR + point] == EMPTY
    if not is_suicide:
        _change(board, point, color, watch)
    for index in range(list_captured(board, watch.captured)):
        if watch.captured[index] != point:
            _change(board, watch.captured[index], color if is_suicide else 3 - color, watch)


@kernel
def count_squares(
    games: GameArrays, ended: EndedGames, scratch: Scratch, watch: _Watch, counts: LargeCounts
) -> None:
    """Counts every square of these games, which must be legal."""
    board = scratch.state.words
    for index in range(len(ended.rows)):
        row = ended.rows[index]
        find_final(games, ended, index, scratch, watch.final)
        begin_game(games, row, scratch)
        hash_squares(board, watch.keys, watch.hashes)
        watch.nearest[:] = 0
        _count_changed(board, watch, counts)
        start = games.move_starts[row]
        for at in range(start, min(games.move_starts[row + 1], start + counts.settings[0])):
            code = np.int64(games.moves[at])
            point, color = code % COLOR_UNIT, code // COLOR_UNIT
            play_move(scratch.state, point, color)
            if point != PASS:
                _follow_move(board, point, color, watch)
                _count_changed(board, watch, counts)
