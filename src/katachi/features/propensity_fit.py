# pyright: reportArgumentType=false, reportReturnType=false, reportCallIssue=false
"""Learning propensity from games: what each window showed, and who held its points at the end."""

from enum import StrEnum
from typing import NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt

from katachi._jit import kernel
from katachi.features.propensity import (
    CLASSES,
    PATTERNS,
    PLACES,
    SIDE,
    Numbers,
    PropensityTable,
    WindowTables,
    carried_places,
    class_symmetries,
    images_of_patterns,
    pattern_at,
    window_tables,
)
from katachi.records.dataset import GameSet
from katachi.records.replay import GameArrays, Scratch, arrays_of, begin_game, new_scratch
from katachi.records.stones import COLOR_UNIT, Ragged, Rows
from katachi.rules.color import BLACK, WHITE
from katachi.rules.errors import KatachiError
from katachi.rules.kernels import play_move
from katachi.rules.point import CELLS, PASS, STRIDE
from katachi.rules.state import (
    COLOR,
    EMPTIES,
    EMPTY_COUNT,
    SIZE,
    TRACE_CAPTURES,
    TRACE_LENGTHS,
    Words,
)

_STONES, _LEFT_OUT = -1, -2
# A window has 1, 2 or 4 entries, so shares of an occurrence are whole numbers of quarters.
_QUARTERS = 4


class Counting(StrEnum):
    """How often a pattern that stays where it is counts."""

    SPELLS = "spells"
    """Once, however long it stays; again when it comes back."""
    POSITIONS = "positions"
    """Once for every position."""


class Ending(StrEnum):
    """What is looked at when the game is over."""

    STONES = "stones"
    """The stone on the point in the last position, dead or alive."""
    OWNERS = "owners"
    """The owner of the point."""


class PropensitySettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How propensity is counted; the defaults are the paper's."""

    prior: float = 1.0
    """The paper's C: games without an owner that every pattern is thought to have been in."""
    counting: Counting = Counting.SPELLS
    ending: Ending = Ending.STONES
    doubt: float = 100.0
    """How often a pattern is met when it is trusted by half (weighted mean only)."""


class PropensityCounts(NamedTuple):
    """What was met in some games, in quarters, before patterns share their counts."""

    balance: Numbers
    """[CLASSES, PATTERNS, PLACES]: Black's ends minus White's."""
    total: Numbers
    """[CLASSES, PATTERNS, PLACES]: Black's ends and White's."""
    met: Numbers
    """[CLASSES, PATTERNS]"""


class FitGames(NamedTuple):
    """Games of one board size to count."""

    rows: Rows
    """[G]: rows of the games' columns."""
    owner_starts: Numbers
    """[G]: where the owners of each game begin, or _STONES."""
    owners: npt.NDArray[np.int8]
    is_every_position: int


class Spells(NamedTuple):
    """What every window of one position shows, and since when."""

    code: Numbers
    """[entries]"""
    since: Numbers
    """[windows]: the ply at which the pattern appeared."""
    final: npt.NDArray[np.int64]
    """[CELLS]: +1 where Black holds the point at the end, -1 White, 0 nobody."""


def new_counts() -> PropensityCounts:
    """Counts of no games."""
    shape = (CLASSES, PATTERNS)
    balance, total = np.zeros((2, *shape, PLACES), np.int64)
    return PropensityCounts(balance, total, np.zeros(shape, np.int64))


def fit_propensity(
    games: GameSet, settings: PropensitySettings, owners: Ragged | None = None
) -> PropensityTable:
    """The table of some games, of any board sizes.

    `owners` has a list for each game of the set: the owners of its points at the end row by row,
    +1 Black, -1 White, 0 nobody; or nothing for a game to leave out. Without it, the owners that
    the records mark are taken. They are looked at only where the settings ask for owners. Raises
    KatachiError when no game is left to count, or a board is too small.
    """
    counts = new_counts()
    count_patterns(games, settings, owners, counts)
    return table_from_counts(counts, settings)


def count_patterns(
    games: GameSet, settings: PropensitySettings, owners: Ragged | None, counts: PropensityCounts
) -> None:
    """Adds what was met in some games to `counts`; see `fit_propensity`."""
    sizes = np.asarray(games.info["size"], np.int64)
    starts, values = _final_owners(games, settings, owners, sizes)
    used = starts != _LEFT_OUT
    if not used.any():
        raise KatachiError("no game to learn propensity from: none has a final ownership")
    arrays, scratch = arrays_of(games.columns), new_scratch()
    is_every_position = int(settings.counting is Counting.POSITIONS)
    for size in np.unique(sizes[used]).tolist():
        chosen = np.flatnonzero(used & (sizes == size))
        wanted = FitGames(games.rows[chosen], starts[chosen], values, is_every_position)
        tables = window_tables(size)
        count_games(arrays, wanted, tables, scratch, _new_spells(tables), counts)


def _final_owners(
    games: GameSet, settings: PropensitySettings, owners: Ragged | None, sizes: Numbers
) -> tuple[Numbers, npt.NDArray[np.int8]]:
    """(where the owners of each game begin, or what else to do with it; all owners)."""
    if settings.ending is Ending.STONES:
        return np.full(len(games), _STONES, np.int64), np.zeros(1, np.int8)
    if owners is None:
        owners = games.columns.owners.take(games.rows)
    if len(owners.lengths) != len(games):
        raise KatachiError(f"owners of {len(owners.lengths)} games for a set of {len(games)}")
    if not np.isin(owners.lengths, (0, *np.unique(sizes**2))).all():
        raise KatachiError("a game has owners for a board of another size")
    starts = np.where(owners.lengths == sizes**2, owners.starts[:-1], _LEFT_OUT)
    return starts, np.ascontiguousarray(owners.values, np.int8)


def _new_spells(tables: WindowTables) -> Spells:
    return Spells(
        np.zeros(len(tables.turn), np.int64),
        np.zeros(len(tables.corner), np.int64),
        np.zeros(CELLS, np.int64),
    )


def table_from_counts(counts: PropensityCounts, settings: PropensitySettings) -> PropensityTable:
    """Lets patterns that mean the same share their counts, and turns these into scores."""
    score = np.zeros(counts.balance.shape, np.float32)
    trust = np.zeros(counts.met.shape, np.float32)
    for number in range(CLASSES):
        balance, total, met = _pool(counts, number)
        held = total + settings.prior
        score[number] = np.divide(balance, held, out=np.zeros_like(held), where=held > 0)
        trust[number] = met / (met + settings.doubt) if settings.doubt else met > 0
    return PropensityTable(score, trust)


def _pool(
    counts: PropensityCounts, number: int
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """(balance, total, met) of a class, each pattern with those it is carried onto.

    A pattern that looks the same after some of these changes takes the mean over them: an
    occurrence counts once.
    """
    balance, total = np.zeros((2, PATTERNS, PLACES))
    met, same = np.zeros((2, PATTERNS))
    for symmetry in class_symmetries(number):
        places = carried_places()[symmetry]
        for is_swapped in (False, True):
            images = images_of_patterns(symmetry, is_swapped=is_swapped)
            sign = -1 if is_swapped else 1
            balance += sign * counts.balance[number][images][:, places]
            total += counts.total[number][images][:, places]
            met += counts.met[number][images]
            same += images == np.arange(PATTERNS)
    same *= _QUARTERS
    return balance / same[:, None], total / same[:, None], met / same


@kernel
def _add_spell(
    window: int, amount: int, tables: WindowTables, spells: Spells, counts: PropensityCounts
) -> None:
    """Counts the pattern that a window has shown."""
    first, end = tables.starts[window], tables.starts[window + 1]
    amount *= _QUARTERS // (end - first)
    for entry in range(first, end):
        number, turn, code = tables.base[entry] // PATTERNS, tables.turn[entry], spells.code[entry]
        counts.met[number, code] += amount
        for place in range(PLACES):
            held = spells.final[tables.corner[window] + tables.steps[place]]
            target = tables.places[turn, place]
            counts.balance[number, code, target] += amount * held
            counts.total[number, code, target] += amount * abs(held)


@kernel
def _look_again(
    board: Words, window: int, tables: WindowTables, spells: Spells, is_new: bool
) -> bool:
    """Whether a window shows something else than before; if `is_new`, notes what it shows."""
    is_other = False
    for entry in range(tables.starts[window], tables.starts[window + 1]):
        code = pattern_at(board, tables.corner[window], tables.turn[entry], tables)
        is_other = is_other or code != spells.code[entry]
        if is_new:
            spells.code[entry] = code
    return is_other


@kernel
def _end_spells_at(
    board: Words,
    point: int,
    ply: int,
    tables: WindowTables,
    spells: Spells,
    job: tuple[int, PropensityCounts],
) -> None:
    """Counts the patterns that a change at a point has ended, and begins their successors."""
    across = int(board[SIZE]) - SIDE + 1
    row, col = point // STRIDE - 1, point % STRIDE - 1
    for top in range(max(row - SIDE + 1, 0), min(row, across - 1) + 1):
        for left in range(max(col - SIDE + 1, 0), min(col, across - 1) + 1):
            window = top * across + left
            if _look_again(board, window, tables, spells, False):
                lasted = ply - spells.since[window] if job[0] else 1
                _add_spell(window, lasted, tables, spells, job[1])
                _look_again(board, window, tables, spells, True)
                spells.since[window] = ply


@kernel
def _end_changed_spells(
    board: Words,
    point: int,
    ply: int,
    tables: WindowTables,
    spells: Spells,
    job: tuple[int, PropensityCounts],
) -> None:
    freed = 0
    for capture in range(board[TRACE_CAPTURES]):
        freed += int(board[TRACE_LENGTHS + capture])
    end = np.int64(board[EMPTY_COUNT])
    for index in range(end - freed, end):
        _end_spells_at(board, np.int64(board[EMPTIES + index]), ply, tables, spells, job)
    _end_spells_at(board, point, ply, tables, spells, job)


@kernel
def _find_final(
    games: GameArrays, wanted: FitGames, index: int, scratch: Scratch, spells: Spells
) -> None:
    """Writes who holds each point at the end of a game."""
    row = wanted.rows[index]
    size = np.int64(games.sizes[row])
    start = wanted.owner_starts[index]
    if start == _STONES:
        begin_game(games, row, scratch)
        for at in range(games.move_starts[row], games.move_starts[row + 1]):
            code = np.int64(games.moves[at])
            play_move(scratch.state, code % COLOR_UNIT, code // COLOR_UNIT)
    for number in range(size * size):
        point = (number // size + 1) * STRIDE + number % size + 1
        if start == _STONES:
            color = scratch.state.words[COLOR + point]
            spells.final[point] = np.int64(color == BLACK) - np.int64(color == WHITE)
        else:
            spells.final[point] = wanted.owners[start + number]


@kernel
def count_games(
    games: GameArrays,
    wanted: FitGames,
    tables: WindowTables,
    scratch: Scratch,
    spells: Spells,
    counts: PropensityCounts,
) -> None:
    """Adds every pattern of these games, which must be legal and of one board size."""
    board = scratch.state.words
    job = (wanted.is_every_position, counts)
    for index in range(len(wanted.rows)):
        row = wanted.rows[index]
        _find_final(games, wanted, index, scratch, spells)
        begin_game(games, row, scratch)
        for window in range(len(tables.corner)):
            _look_again(board, window, tables, spells, True)
            spells.since[window] = 0
        ply = 0
        for at in range(games.move_starts[row], games.move_starts[row + 1]):
            code = np.int64(games.moves[at])
            point = code % COLOR_UNIT
            play_move(scratch.state, point, code // COLOR_UNIT)
            ply += 1
            if point != PASS:
                _end_changed_spells(board, point, ply, tables, spells, job)
        for window in range(len(tables.corner)):
            lasted = ply + 1 - spells.since[window] if job[0] else 1
            _add_spell(window, lasted, tables, spells, counts)
