# pyright: reportArgumentType=false, reportReturnType=false, reportCallIssue=false
"""Learning propensity from games: what each window showed, and who held its points at the end."""

from enum import StrEnum
from typing import NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt

from katachi._jit import kernel
from katachi.features.game_ends import EndedGames, Ending, ended_games, find_final, list_captured
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
from katachi.records.stones import COLOR_UNIT, Ragged
from katachi.rules.kernels import play_move
from katachi.rules.point import CELLS, PASS, STRIDE
from katachi.rules.state import (
    SIZE,
    Words,
)

# A window has 1, 2 or 4 entries, so shares of an occurrence are whole numbers of quarters.
_QUARTERS = 4


class Counting(StrEnum):
    """How often a pattern that stays where it is counts."""

    SPELLS = "spells"
    """Once, however long it stays; again when it comes back."""
    POSITIONS = "positions"
    """Once for every position."""


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


class Spells(NamedTuple):
    """What every window of one position shows, and since when."""

    is_every_position: int
    code: Numbers
    """[entries]"""
    since: Numbers
    """[windows]: the ply at which the pattern appeared."""
    final: Numbers
    """[CELLS]: +1 where Black holds the point at the end, -1 White, 0 nobody."""
    captured: Numbers
    """[CELLS]: points that a move emptied."""


def new_counts() -> PropensityCounts:
    """Counts of no games."""
    shape = (CLASSES, PATTERNS)
    balance, total = np.zeros((2, *shape, PLACES), np.int64)
    return PropensityCounts(balance, total, np.zeros(shape, np.int64))


def fit_propensity(
    games: GameSet, settings: PropensitySettings, owners: Ragged | None = None
) -> PropensityTable:
    """The table of some games, of any board sizes.

    `owners` and what is refused: as `ended_games` says; also boards too small for windows.
    """
    counts = new_counts()
    count_patterns(games, settings, owners, counts)
    return table_from_counts(counts, settings)


def count_patterns(
    games: GameSet, settings: PropensitySettings, owners: Ragged | None, counts: PropensityCounts
) -> None:
    """Adds what was met in some games to `counts`; see `fit_propensity`."""
    arrays, scratch = arrays_of(games.columns), new_scratch()
    for size, ended in ended_games(games, settings.ending, owners):
        tables = window_tables(size)
        spells = _new_spells(tables, settings)
        count_games(arrays, ended, tables, scratch, spells, counts)


def _new_spells(tables: WindowTables, settings: PropensitySettings) -> Spells:
    return Spells(
        int(settings.counting is Counting.POSITIONS),
        np.zeros(len(tables.turn), np.int64),
        np.zeros(len(tables.corner), np.int64),
        np.zeros(CELLS, np.int64),
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
    counts: PropensityCounts,
) -> None:
    """Counts the patterns that a change at a point has ended, and begins their successors."""
    across = int(board[SIZE]) - SIDE + 1
    row, col = point // STRIDE - 1, point % STRIDE - 1
    for top in range(max(row - SIDE + 1, 0), min(row, across - 1) + 1):
        for left in range(max(col - SIDE + 1, 0), min(col, across - 1) + 1):
            window = top * across + left
            if _look_again(board, window, tables, spells, False):
                lasted = ply - spells.since[window] if spells.is_every_position else 1
                _add_spell(window, lasted, tables, spells, counts)
                _look_again(board, window, tables, spells, True)
                spells.since[window] = ply


@kernel
def _end_changed_spells(
    board: Words,
    point: int,
    ply: int,
    tables: WindowTables,
    spells: Spells,
    counts: PropensityCounts,
) -> None:
    for index in range(list_captured(board, spells.captured)):
        _end_spells_at(board, spells.captured[index], ply, tables, spells, counts)
    _end_spells_at(board, point, ply, tables, spells, counts)


@kernel
def count_games(
    games: GameArrays,
    ended: EndedGames,
    tables: WindowTables,
    scratch: Scratch,
    spells: Spells,
    counts: PropensityCounts,
) -> None:
    """Adds every pattern of these games, which must be legal and of one board size."""
    board = scratch.state.words
    for index in range(len(ended.rows)):
        row = ended.rows[index]
        find_final(games, ended, index, scratch, spells.final)
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
                _end_changed_spells(board, point, ply, tables, spells, counts)
        for window in range(len(tables.corner)):
            lasted = ply + 1 - spells.since[window] if spells.is_every_position else 1
            _add_spell(window, lasted, tables, spells, counts)
