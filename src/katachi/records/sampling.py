# pyright: reportArgumentType=false, reportReturnType=false, reportCallIssue=false
"""Positions of recorded games sampled at random to learn from, turned, mirrored and with colours
exchanged: boards after a move, with some that other moves lead to, or positions before a move."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from katachi._jit import inlined, kernel
from katachi.errors import KatachiError
from katachi.records.dataset import GameSet, common_size
from katachi.records.game_results import UNKNOWN, Results, results_of
from katachi.records.replay import GameArrays, Scratch, arrays_of, new_scratch
from katachi.records.stones import COLOR_UNIT, Rows
from katachi.rules.color import BLACK, EMPTY, WHITE
from katachi.rules.kernels import place_stone, play_move
from katachi.rules.legality import list_legal_moves
from katachi.rules.point import PASS, STRIDE, Points, points_of
from katachi.rules.random_play import copy_board, index_from_random, next_random, random_states
from katachi.rules.ruleset import KoRule
from katachi.rules.state import COLOR, PAST, WORDS, Words
from katachi.rules.symmetry import SYMMETRIES, index_tables, point_tables

_SIMPLE = int(KoRule.SIMPLE)
NO_MOVE = -1

Numbers = npt.NDArray[np.int64]
Owners = npt.NDArray[np.float32]


class SampleSettings(NamedTuple):
    """What to sample."""

    negatives: int = 0
    """Boards after other moves, for each board after a move that was played."""
    recent: int = 0
    """How many of the last moves to give."""
    horizon: int = 2
    """How many moves later the stones are looked at, beside the owners at the end."""
    stone_weight: float = 0.25
    """What those stones count in the targets; the owners count the rest."""
    has_targets: bool = True
    """Whether owners are wanted at all; without them any game will do."""
    owner_share: float = 0.0
    """The least share of the positions before a move that are of games whose owners are known,
    if there are any; 0 for as large a share as these games have."""


class SampledBoards(NamedTuple):
    """B moves of recorded games, each with K other moves."""

    words: Words
    """[B, 1 + K, WORDS]: the boards after the played move and after the others."""
    recent: Points
    """[B, 1 + K, R]: where the last moves were, the newest first."""
    movers: Numbers
    """[B]: who moved."""
    legal: Numbers
    """[B]: how many legal moves there were; 0 where a pass was played, or no others are sampled."""
    targets: Owners
    """[B, P]: who will own each point, 1 Black, 0 White, with some of who stands there soon; [B, 0]
    where no targets are wanted."""


class SampledMoves(NamedTuple):
    """B positions of recorded games, each before a recorded move."""

    words: Words
    """[B, WORDS]."""
    recent: Points
    """[B, R]: where the last moves were, the newest first."""
    movers: Numbers
    """[B]: who moved."""
    legal: npt.NDArray[np.bool_]
    """[B, P]: where they could."""
    played: Numbers
    """[B]: where they did, as an index among the P points; NO_MOVE for a pass."""
    targets: Owners
    """[B, P]: who will own each point, 1 Black, 0 White, with some of who stands there soon."""
    known: Owners
    """[B]: 1 where the owners are known, else 0; then all targets are 0.5."""
    komi: Owners
    """[B]: of the game; 0 where the result is not known."""
    results: Owners
    """[B]: 1 where Black won, 0 where White did, 0.5 for a draw; UNKNOWN as in `Results`."""


class Sources(NamedTuple):
    """What positions are sampled from."""

    games: GameArrays
    ends: Results
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
    """Which moves to sample."""

    rows: Rows
    plies: Numbers
    """Moves before the sampled one."""
    randoms: npt.NDArray[np.uint64]
    """Decide symmetry, colours and the other moves."""


class _Sampler:
    """Games to sample from, any number of times; equal numbers give equal samples."""

    def __init__(self, games: GameSet, settings: SampleSettings, seed: int) -> None:
        """Raises KatachiError for games of several sizes or without moves."""
        self.size = common_size(games)
        lengths = games.columns.moves.lengths[games.rows]
        self._rows: Rows = games.rows[lengths > 0]
        if len(self._rows) == 0:
            raise KatachiError("no game has a move to learn from")
        self._lengths = games.columns.moves.lengths[self._rows]
        self._sources = _make_sources(games, self.size)
        self.settings = settings
        self.seed = seed

    def _choose(self, number: int, count: int) -> Wanted:
        """A random move of a random game for each of the random numbers `number * count` .."""
        randoms = random_states(self.seed, number * count, count)
        chosen = self._choose_games(randoms >> np.uint64(32))
        moves = self._lengths[chosen].astype(np.uint64)
        plies = ((randoms & np.uint64(0xFFFFFFFF)) % moves).astype(np.int64)
        return Wanted(self._rows[chosen], plies, randoms)

    def _choose_games(self, parts: npt.NDArray[np.uint64]) -> Rows:
        """A game for each random number of 32 bits."""
        return (parts % np.uint64(len(self._rows))).astype(np.int64)


class BoardSampler(_Sampler):
    """Samples boards after recorded moves, and after others that could have been played."""

    def __init__(self, games: GameSet, settings: SampleSettings, seed: int) -> None:
        """Raises KatachiError for games of several sizes, without moves, or without owners where
        targets are wanted."""
        if settings.has_targets and not np.all(games.columns.owners.lengths[games.rows]):
            raise KatachiError("some games have no final ownership: settle it or filter them out")
        super().__init__(games, settings, seed)

    def sample(self, number: int, count: int) -> SampledBoards:
        """Boards `number * count` .. of all that can be sampled: a random move of a random game."""
        boards, recent = 1 + self.settings.negatives, self.settings.recent
        sampled = SampledBoards(
            np.zeros((count, boards, WORDS), np.uint16),
            np.zeros((count, boards, recent), np.uint16),
            np.zeros(count, np.int64),
            np.zeros(count, np.int64),
            np.zeros((count, self.size**2 if self.settings.has_targets else 0), np.float32),
        )
        fill_boards(self._sources, self._choose(number, count), self.settings, sampled)
        return sampled


class MoveSampler(_Sampler):
    """Samples positions before recorded moves; the settings' `negatives` do not matter."""

    def __init__(self, games: GameSet, settings: SampleSettings, seed: int) -> None:
        """Raises KatachiError for games of several sizes or without moves."""
        super().__init__(games, settings, seed)
        is_marked = games.columns.owners.lengths[self._rows] > 0
        self._marked, self._others = np.flatnonzero(is_marked), np.flatnonzero(~is_marked)
        self._is_raised = 0 < len(self._marked) < settings.owner_share * len(self._rows)

    def _choose_games(self, parts: npt.NDArray[np.uint64]) -> Rows:
        """A game for each random number; of those that are marked as often as they should be."""
        if not self._is_raised:
            return super()._choose_games(parts)
        share, chances = self.settings.owner_share, parts / 2.0**32
        return np.where(
            chances < share,
            _one_of(self._marked, chances / share),
            _one_of(self._others, (chances - share) / (1.0 - share)),
        )

    def sample(self, number: int, count: int) -> SampledMoves:
        """Positions `number * count` .. of all that can be sampled: before a random move of a
        random game."""
        points = self.size * self.size
        sampled = SampledMoves(
            np.zeros((count, WORDS), np.uint16),
            np.zeros((count, self.settings.recent), np.uint16),
            np.zeros(count, np.int64),
            np.zeros((count, points), np.bool_),
            np.full(count, NO_MOVE, np.int64),
            np.full((count, points), 0.5, np.float32),
            np.zeros(count, np.float32),
            np.zeros(count, np.float32),
            np.full(count, UNKNOWN, np.float32),
        )
        fill_moves(self._sources, self._choose(number, count), self.settings, sampled)
        return sampled


def _one_of(rows: Rows, chances: npt.NDArray[np.float64]) -> Rows:
    """A row for each number from 0 to 1; any row for others."""
    places = (chances * len(rows)).astype(np.int64)
    return rows[np.clip(places, 0, len(rows) - 1)]


def _make_sources(games: GameSet, size: int) -> Sources:
    return Sources(
        arrays_of(games.columns),
        results_of(games.columns.info),
        games.columns.owners.starts,
        games.columns.owners.values,
        point_tables(size),
        index_tables(size),
        COLOR + points_of(size).astype(np.int64),
        new_scratch(),
        np.zeros(size * size, np.uint16),
    )


@inlined
def decode_stone(sources: Sources, view: View, code: int) -> tuple[int, int]:
    """(point, colour) of a recorded stone as it is looked at."""
    color = int(np.int64(code) // COLOR_UNIT)
    point = int(np.int64(sources.turns[view.symmetry, np.int64(code) % COLOR_UNIT]))
    return point, BLACK + WHITE - color if view.is_swapped else color


@inlined
def sample_view(random: np.uint64) -> tuple[View, np.uint64]:
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
def _sample_others(
    sources: Sources, point: int, color: int, random: np.uint64, sampled: SampledBoards, index: int
) -> None:
    """Writes the boards after other legal moves than the played one; where there is none, the
    board as it is."""
    state = sources.scratch.state
    count = list_legal_moves(state, color, _SIMPLE, False, sources.moves)
    sampled.legal[index] = count
    for number in range(1, sampled.words.shape[1]):
        board = sampled.words[index, number]
        copy_board(state.words, board)
        other = np.int64(PASS)
        while count > 1 and other in (PASS, point):
            random = next_random(random)
            other = np.int64(sources.moves[index_from_random(random, count)])
        if other != PASS:
            place_stone(board, int(other), color)
        if sampled.recent.shape[2] > 0:
            sampled.recent[index, number, 0] = other


@kernel
def _note_recent(sources: Sources, view: View, row: int, ply: int, recent: Points) -> None:
    """Writes where the last moves before move `ply` were, the newest first."""
    first = sources.games.move_starts[row]
    for back in range(min(len(recent), ply)):
        recent[back] = decode_stone(sources, view, sources.games.moves[first + ply - 1 - back])[0]


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
def fill_boards(
    sources: Sources, wanted: Wanted, settings: SampleSettings, sampled: SampledBoards
) -> None:
    """Fills `sampled` with the wanted boards."""
    games = sources.games
    for index in range(len(wanted.rows)):
        row, ply = wanted.rows[index], wanted.plies[index]
        view, random = sample_view(wanted.randoms[index])
        first, end = games.move_starts[row], games.move_starts[row + 1]
        begin_game(sources, view, row)
        play_recorded(sources, view, first, first + ply)
        point, color = decode_stone(sources, view, games.moves[first + ply])
        sampled.movers[index] = color
        if sampled.words.shape[1] > 1:
            _sample_others(sources, point, color, random, sampled, index)
        if point == PASS:
            sampled.legal[index] = 0
        _note_recent(sources, view, row, ply + 1, sampled.recent[index, 0])
        for number in range(1, sampled.words.shape[1]):
            _note_recent(sources, view, row, ply, sampled.recent[index, number, 1:])
        play_recorded(sources, view, first + ply, first + ply + 1)
        copy_board(sources.scratch.state.words, sampled.words[index, 0])
        later = first + ply + 1 + settings.horizon
        play_recorded(sources, view, first + ply + 1, min(later, end))
        share = settings.stone_weight if later <= end else 0.0
        fill_targets(sources, view, row, share, sampled.targets[index])


@kernel
def _note_choice(
    sources: Sources, point: int, color: int, size: int, at: int, sampled: SampledMoves
) -> None:
    """Writes where `color` could play on the scratch board, and where it does."""
    count = list_legal_moves(sources.scratch.state, color, _SIMPLE, False, sources.moves)
    for index in range(count):
        free = np.int64(sources.moves[index])
        sampled.legal[at, (free // STRIDE - 1) * size + free % STRIDE - 1] = True
    if point != PASS:
        place = (point // STRIDE - 1) * size + point % STRIDE - 1
        sampled.legal[at, place] = True
        sampled.played[at] = place


@inlined
def _note_result(sources: Sources, view: View, row: int, at: int, sampled: SampledMoves) -> None:
    """Writes how a game ended, as it is looked at."""
    komi, result = sources.ends.komi[row], sources.ends.results[row]
    if result == UNKNOWN:
        return
    sampled.komi[at] = -komi if view.is_swapped else komi
    sampled.results[at] = np.float32(1) - result if view.is_swapped else result


@kernel
def fill_moves(
    sources: Sources, wanted: Wanted, settings: SampleSettings, sampled: SampledMoves
) -> None:
    """Fills `sampled` with the wanted positions."""
    games = sources.games
    for at in range(len(wanted.rows)):
        row, ply = wanted.rows[at], wanted.plies[at]
        view, _ = sample_view(wanted.randoms[at])
        first, end = games.move_starts[row], games.move_starts[row + 1]
        begin_game(sources, view, row)
        play_recorded(sources, view, first, first + ply)
        point, color = decode_stone(sources, view, games.moves[first + ply])
        sampled.movers[at] = color
        copy_board(sources.scratch.state.words, sampled.words[at])
        _note_recent(sources, view, row, ply, sampled.recent[at])
        _note_choice(sources, point, color, int(np.int64(games.sizes[row])), at, sampled)
        _note_result(sources, view, row, at, sampled)
        if sources.owner_starts[row] < sources.owner_starts[row + 1]:
            later = first + ply + settings.horizon
            play_recorded(sources, view, first + ply, min(later, end))
            share = settings.stone_weight if later <= end else 0.0
            fill_targets(sources, view, row, share, sampled.targets[at])
            sampled.known[at] = np.float32(1)
