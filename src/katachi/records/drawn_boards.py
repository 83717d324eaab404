# pyright: reportArgumentType=false, reportReturnType=false, reportCallIssue=false
"""Boards of recorded games drawn at random to learn from, turned, mirrored and with colours
exchanged, each with some boards that other moves would have led to."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from katachi._jit import inlined, kernel
from katachi.errors import KatachiError
from katachi.records.dataset import GameSet
from katachi.records.replay import GameArrays, Scratch, arrays_of, new_scratch
from katachi.records.stones import COLOR_UNIT, Rows
from katachi.rules.color import BLACK, EMPTY, WHITE
from katachi.rules.kernels import place_stone, play_move
from katachi.rules.legality import list_legal_moves
from katachi.rules.point import PASS, Points, points_of
from katachi.rules.random_play import copy_board, index_from_random, next_random, random_states
from katachi.rules.ruleset import KoRule
from katachi.rules.state import COLOR, PAST, WORDS, Words
from katachi.rules.symmetry import SYMMETRIES, index_tables, point_tables

_SIMPLE = int(KoRule.SIMPLE)

Numbers = npt.NDArray[np.int64]
Owners = npt.NDArray[np.float32]


class DrawSettings(NamedTuple):
    """What to draw."""

    others: int = 0
    """Boards after other moves, for each board after a move that was played."""
    recent: int = 0
    """How many of the last moves to tell."""
    ahead: int = 2
    """How many moves later the stones are looked at, beside the owners at the end."""
    later_share: float = 0.25
    """What those stones count in the targets; the owners count the rest."""
    has_targets: bool = True
    """Whether owners are wanted at all; without them any game will do."""


class Drawn(NamedTuple):
    """B moves of recorded games, each with K other moves."""

    words: Words
    """[B, 1 + K, WORDS]: the boards after the played move and after the others."""
    recent: Points
    """[B, 1 + K, R]: where the last moves were, the newest first."""
    movers: Numbers
    """[B]: who moved."""
    legal: Numbers
    """[B]: how many legal moves there were; 0 where a pass was played, or no others are drawn."""
    targets: Owners
    """[B, P]: who will own each point, 1 Black, 0 White, with some of who stands there soon; [B, 0]
    where no targets are wanted."""


class Sources(NamedTuple):
    """What boards are drawn from."""

    games: GameArrays
    owner_starts: Numbers
    owners: npt.NDArray[np.int8]
    turns: Points
    """[8, CELLS]: as `point_tables`."""
    places: Numbers
    """[8, P]: as `index_tables`."""
    cells: Numbers
    """[P]: the words that hold the colours."""
    scratch: Scratch
    moves: Words
    """[P]: scratch."""


class View(NamedTuple):
    """How a game is looked at."""

    symmetry: int
    is_swapped: bool
    """Whether the colours are exchanged."""


class Wanted(NamedTuple):
    """Which moves to draw."""

    rows: Rows
    plies: Numbers
    """Moves before the drawn one."""
    randoms: npt.NDArray[np.uint64]
    """Decide symmetry, colours and the other moves."""


def common_size(games: GameSet) -> int:
    """The board size of games to draw from; raises KatachiError where there are several."""
    sizes = np.unique(games.info["size"])
    if len(sizes) != 1:
        found = ", ".join(map(str, sizes)) or "none"
        raise KatachiError(f"boards are drawn from games of one size; the sizes here: {found}")
    return int(sizes[0])


def make_sources(games: GameSet, size: int) -> Sources:
    """What boards of games of a size are drawn from."""
    return Sources(
        arrays_of(games.columns),
        games.columns.owners.starts,
        games.columns.owners.values,
        point_tables(size),
        index_tables(size),
        COLOR + points_of(size).astype(np.int64),
        new_scratch(),
        np.zeros(size * size, np.uint16),
    )


def choose_moves(rows: Rows, lengths: Numbers, randoms: npt.NDArray[np.uint64]) -> Wanted:
    """A random move of a random game for each random number; `lengths` [games] are of `rows`."""
    chosen = ((randoms >> np.uint64(32)) % np.uint64(len(rows))).astype(np.int64)
    moves = lengths[chosen].astype(np.uint64)
    plies = ((randoms & np.uint64(0xFFFFFFFF)) % moves).astype(np.int64)
    return Wanted(rows[chosen], plies, randoms)


class BoardDrawer:
    """Draws from games, any number of times; equal numbers give equal boards."""

    def __init__(self, games: GameSet, settings: DrawSettings, seed: int) -> None:
        """Raises KatachiError for games of several sizes, without moves, or without owners where
        targets are wanted."""
        self.size = common_size(games)
        lengths = games.columns.moves.lengths[games.rows]
        if settings.has_targets and not np.all(games.columns.owners.lengths[games.rows]):
            raise KatachiError("some games have no final ownership: settle it or filter them out")
        self._rows: Rows = games.rows[lengths > 0]
        if len(self._rows) == 0:
            raise KatachiError("no game has a move to learn from")
        self._lengths = games.columns.moves.lengths[self._rows]
        self._sources = make_sources(games, self.size)
        self.settings = settings
        self.seed = seed

    def draw(self, number: int, count: int) -> Drawn:
        """Boards `number * count` .. of all that can be drawn: a random move of a random game."""
        wanted = choose_moves(
            self._rows, self._lengths, random_states(self.seed, number * count, count)
        )
        boards, recent = 1 + self.settings.others, self.settings.recent
        drawn = Drawn(
            np.zeros((count, boards, WORDS), np.uint16),
            np.zeros((count, boards, recent), np.uint16),
            np.zeros(count, np.int64),
            np.zeros(count, np.int64),
            np.zeros((count, self.size**2 if self.settings.has_targets else 0), np.float32),
        )
        fill_drawn(self._sources, wanted, self.settings, drawn)
        return drawn


@inlined
def decode_stone(sources: Sources, view: View, code: int) -> tuple[int, int]:
    """(point, colour) of a recorded stone as it is looked at."""
    color = int(np.int64(code) // COLOR_UNIT)
    point = int(np.int64(sources.turns[view.symmetry, np.int64(code) % COLOR_UNIT]))
    return point, BLACK + WHITE - color if view.is_swapped else color


@inlined
def draw_view(random: np.uint64) -> tuple[View, np.uint64]:
    """How a game is looked at, and the random number that decided it."""
    random = next_random(random)
    symmetry = index_from_random(random, SYMMETRIES)
    random = next_random(random)
    return View(symmetry, index_from_random(random, 2) == 1), random


@kernel
def begin_game(sources: Sources, view: View, row: int) -> None:
    """Sets the scratch board up with the setup stones of a game."""
    games = sources.games
    words = sources.scratch.state.words
    copy_board(sources.scratch.blank[games.sizes[row]], words)
    sources.scratch.state.hashes[0] = 0
    for at in range(games.setup_starts[row], games.setup_starts[row + 1]):
        point, color = decode_stone(sources, view, games.setup[at])
        place_stone(words, point, color)
        words[PAST + point] |= color


@kernel
def play_recorded(sources: Sources, view: View, first: int, end: int) -> None:
    """Plays recorded moves on the scratch board."""
    for at in range(first, end):
        point, color = decode_stone(sources, view, sources.games.moves[at])
        play_move(sources.scratch.state, point, color)


@kernel
def _draw_others(
    sources: Sources, point: int, color: int, random: np.uint64, drawn: Drawn, index: int
) -> None:
    """Writes the boards after other legal moves than the played one; where there is none, the
    board as it is."""
    state = sources.scratch.state
    count = list_legal_moves(state, color, _SIMPLE, False, sources.moves)
    drawn.legal[index] = count
    for number in range(1, drawn.words.shape[1]):
        board = drawn.words[index, number]
        copy_board(state.words, board)
        other = np.int64(PASS)
        while count > 1 and other in (PASS, point):
            random = next_random(random)
            other = np.int64(sources.moves[index_from_random(random, count)])
        if other != PASS:
            place_stone(board, int(other), color)
        if drawn.recent.shape[2] > 0:
            drawn.recent[index, number, 0] = other


@kernel
def _note_recent(sources: Sources, view: View, row: int, ply: int, recent: Points) -> None:
    """Writes the last moves, for other boards all but their own last one."""
    first = sources.games.move_starts[row]
    for number in range(len(recent)):
        for back in range(min(number, 1), min(recent.shape[1], ply + 1)):
            code = sources.games.moves[first + ply - back]
            recent[number, back] = decode_stone(sources, view, code)[0]


@kernel
def fill_targets(sources: Sources, view: View, row: int, share: float, targets: Owners) -> None:
    """Mixes the owners of a game with the stones on the scratch board."""
    words = sources.scratch.state.words
    for at in range(len(targets)):
        place = sources.owner_starts[row] + sources.places[view.symmetry, at]
        owner = np.int64(sources.owners[place])
        final = 0.5 + 0.5 * (-owner if view.is_swapped else owner)
        color = words[sources.cells[at]]
        later = 0.5
        if color != EMPTY:
            later = 1.0 if color == BLACK else 0.0
        targets[at] = final + share * (later - final)


@kernel
def fill_drawn(sources: Sources, wanted: Wanted, settings: DrawSettings, drawn: Drawn) -> None:
    """Fills `drawn` with the wanted boards."""
    games = sources.games
    for index in range(len(wanted.rows)):
        row, ply = wanted.rows[index], wanted.plies[index]
        view, random = draw_view(wanted.randoms[index])
        first, end = games.move_starts[row], games.move_starts[row + 1]
        begin_game(sources, view, row)
        play_recorded(sources, view, first, first + ply)
        point, color = decode_stone(sources, view, games.moves[first + ply])
        drawn.movers[index] = color
        if drawn.words.shape[1] > 1:
            _draw_others(sources, point, color, random, drawn, index)
        if point == PASS:
            drawn.legal[index] = 0
        _note_recent(sources, view, row, ply, drawn.recent[index])
        play_recorded(sources, view, first + ply, first + ply + 1)
        copy_board(sources.scratch.state.words, drawn.words[index, 0])
        later = first + ply + 1 + settings.ahead
        play_recorded(sources, view, first + ply + 1, min(later, end))
        share = settings.later_share if later <= end else 0.0
        fill_targets(sources, view, row, share, drawn.targets[index])
