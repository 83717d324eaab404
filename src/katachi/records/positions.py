"""Positions of recorded games, in batches, turned and mirrored as wanted."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from katachi._jit import kernel
from katachi.errors import KatachiError
from katachi.records.dataset import GameSet
from katachi.records.record import Ownership
from katachi.records.replay import GameArrays, Scratch, arrays_of, begin_game, new_scratch
from katachi.records.stones import COLOR_UNIT, Colors, Rows, starts_from_lengths
from katachi.rules.color import BLACK, WHITE
from katachi.rules.kernels import play_move
from katachi.rules.point import Points, points_of
from katachi.rules.state import COLOR
from katachi.rules.symmetry import SYMMETRIES, index_tables, point_tables

NO_MOVE = 0xFFFF
"""Stands for the next move of a game's last position."""


class Order(Enum):
    """In which order positions come."""

    GAMES = "games"
    """Game by game, move by move."""
    SHUFFLED = "shuffled"
    """All positions of all games in an order drawn by the seed; within a batch again by game.
    The order takes eight bytes of memory a position."""


class Symmetry(Enum):
    """Which of the eight symmetric copies of a position come."""

    NONE = "none"
    """The position as recorded."""
    RANDOM = "random"
    """One of the eight, drawn by the seed."""
    ALL = "all"
    """All eight."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PositionSettings:
    """Which positions to take and how to hand them over."""

    batch: int = 1024
    """Positions in a batch; the last one may have fewer."""
    first: int = 0
    """Fewest moves played before a position."""
    last: int | None = None
    """Most moves played before a position."""
    final: bool = False
    """Whether the position after the last move, which has no next move, is taken too."""
    order: Order = Order.GAMES
    symmetry: Symmetry = Symmetry.NONE
    owners: bool = False
    """Whether to give the owners of the points at the end; all games must have them marked."""
    seed: int = 0


class PositionBatch(NamedTuple):
    """B positions on boards of one size."""

    colors: Colors
    """[B, size * size] colours row by row from the top left."""
    to_play: Colors
    """[B] who moves next."""
    games: Rows
    """[B] index of the game in the set."""
    moves: npt.NDArray[np.int64]
    """[B] moves played before the position."""
    next_moves: Points
    """[B] the move played next, turned with the board; NO_MOVE at the end of a game."""
    symmetries: npt.NDArray[np.int64]
    """[B] the symmetry each position was moved by (`katachi.rules.symmetry`)."""
    owners: Ownership | None
    """[B, size * size] owners at the end of the game, turned with the board."""


class Wanted(NamedTuple):
    """Positions to gather, sorted by row and move."""

    rows: Rows
    moves: npt.NDArray[np.int64]
    symmetries: npt.NDArray[np.int64]


def positions(games: GameSet, settings: PositionSettings) -> Iterator[PositionBatch]:
    """Streams positions of all games of a set, which must be of one board size.

    Raises KatachiError at once for mixed sizes, unmarked owners or settings that make no sense.
    """
    size = _common_size(games)
    if settings.batch < 1 or settings.first < 0:
        raise KatachiError("a batch needs at least one position, and moves count from 0")
    if settings.owners and not np.all(games.columns.owners.lengths[games.rows]):
        raise KatachiError("some games have no final ownership marked: filter them out first")
    return _stream(games, settings, size)


def _common_size(games: GameSet) -> int:
    sizes = np.unique(games.info["size"])
    if len(sizes) == 0:
        raise KatachiError("no games are left to take positions from")
    if len(sizes) > 1:
        found = ", ".join(map(str, sizes))
        raise KatachiError(f"positions of one size only: these games have sizes {found}")
    return int(sizes[0])


def _stream(games: GameSet, settings: PositionSettings, size: int) -> Iterator[PositionBatch]:
    counts = _position_counts(games, settings)
    copies = SYMMETRIES if settings.symmetry == Symmetry.ALL else 1
    starts = starts_from_lengths(counts * copies)
    gatherer = _Gatherer(games, settings, size)
    source = np.random.default_rng(settings.seed)
    for drawn in _drawn_batches(int(starts[-1]), settings, source):
        chosen = np.searchsorted(starts, drawn, side="right") - 1
        moves, symmetries = np.divmod(drawn - starts[chosen], copies)
        if settings.symmetry == Symmetry.RANDOM:
            symmetries = source.integers(0, SYMMETRIES, len(drawn))
        yield gatherer.gather(chosen, moves + settings.first, symmetries)


def _position_counts(games: GameSet, settings: PositionSettings) -> npt.NDArray[np.int64]:
    """[len(games)] how many positions each game gives."""
    ends = games.columns.moves.lengths[games.rows] + int(settings.final)
    if settings.last is not None:
        ends = np.minimum(ends, settings.last + 1)
    return np.maximum(ends - settings.first, 0)


def _drawn_batches(
    total: int, settings: PositionSettings, source: np.random.Generator
) -> Iterator[npt.NDArray[np.int64]]:
    """Numbers below `total` in sorted batches, every number once."""
    order = source.permutation(total) if settings.order == Order.SHUFFLED else None
    for start in range(0, total, settings.batch):
        end = min(start + settings.batch, total)
        yield np.arange(start, end) if order is None else np.sort(order[start:end])


class _Gatherer:
    """Replays games up to the wanted positions."""

    def __init__(self, games: GameSet, settings: PositionSettings, size: int) -> None:
        self.games = games
        self.has_owners = settings.owners
        self.arrays = arrays_of(games.columns)
        self.scratch = new_scratch()
        self.cells = COLOR + points_of(size).astype(np.int64)[index_tables(size)]
        self.point_tables = point_tables(size)
        self.index_tables = index_tables(size)

    def gather(
        self, chosen: Rows, moves: npt.NDArray[np.int64], symmetries: npt.NDArray[np.int64]
    ) -> PositionBatch:
        rows = self.games.rows[chosen]
        colors = np.empty((len(rows), self.cells.shape[1]), np.uint8)
        wanted = Wanted(rows, moves, symmetries)
        gather_positions(self.arrays, wanted, self.cells, self.scratch, colors)
        to_play, next_moves = self._next_moves(wanted)
        owners = self._owners(wanted) if self.has_owners else None
        return PositionBatch(colors, to_play, chosen, moves, next_moves, symmetries, owners)

    def _next_moves(self, wanted: Wanted) -> tuple[Colors, Points]:
        starts, codes = self.games.columns.moves
        at = starts[wanted.rows] + wanted.moves
        is_end = at >= starts[wanted.rows + 1]
        colors, points = _final_colors_to_play(self.games, wanted.rows), np.full(len(at), NO_MOVE)
        code = codes[at[~is_end]].astype(np.int64)
        colors[~is_end] = code // COLOR_UNIT
        points[~is_end] = self.point_tables[wanted.symmetries[~is_end], code % COLOR_UNIT]
        return colors, points.astype(np.uint16)

    def _owners(self, wanted: Wanted) -> Ownership:
        starts, values = self.games.columns.owners
        places = starts[wanted.rows][:, None] + self.index_tables[wanted.symmetries]
        return np.asarray(values[places], np.int8)


def _final_colors_to_play(games: GameSet, rows: Rows) -> Colors:
    """[B] who would move after the last move of each game."""
    starts, codes = games.columns.moves
    colors = games.columns.info["first_to_play"][rows].astype(np.uint8)
    played = starts[rows + 1] > starts[rows]
    last = codes[starts[rows + 1][played] - 1] // COLOR_UNIT
    colors[played] = BLACK + WHITE - last
    return colors


@kernel
def gather_positions(
    games: GameArrays,
    wanted: Wanted,
    cells: npt.NDArray[np.int64],
    scratch: Scratch,
    colors: Colors,
) -> None:
    """Writes the colours of each wanted position; `cells` [8, P] are the words to read from."""
    state = scratch.state
    row = -1
    ply = 0
    for index in range(len(wanted.rows)):
        if wanted.rows[index] != row or wanted.moves[index] < ply:
            row = wanted.rows[index]
            begin_game(games, row, scratch)
            ply = 0
        while ply < wanted.moves[index]:
            code = games.moves[games.move_starts[row] + ply]
            play_move(state, int(code) % COLOR_UNIT, int(code) // COLOR_UNIT)
            ply += 1
        symmetry = wanted.symmetries[index]
        for cell in range(cells.shape[1]):
            colors[index, cell] = state.words[cells[symmetry, cell]]
