# pyright: reportArgumentType=false, reportReturnType=false, reportCallIssue=false
"""Positions of recorded games drawn at random with the move that was played in each, turned,
mirrored and with colours exchanged."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from katachi._jit import kernel
from katachi.errors import KatachiError
from katachi.records.dataset import GameSet
from katachi.records.drawn_boards import (
    DrawSettings,
    Numbers,
    Owners,
    Sources,
    View,
    Wanted,
    begin_game,
    choose_moves,
    common_size,
    decode_stone,
    draw_view,
    fill_targets,
    make_sources,
    play_recorded,
)
from katachi.rules.legality import list_legal_moves
from katachi.rules.point import PASS, STRIDE, Points
from katachi.rules.random_play import copy_board, random_states
from katachi.rules.ruleset import KoRule
from katachi.rules.state import WORDS, Words

_SIMPLE = int(KoRule.SIMPLE)
NO_MOVE = -1


class DrawnMoves(NamedTuple):
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


class MoveDrawer:
    """Draws from games any number of times; equal numbers give equal positions."""

    def __init__(self, games: GameSet, settings: DrawSettings, seed: int) -> None:
        """Of the settings `others` is not looked at. Raises KatachiError for games of several sizes
        or without moves."""
        self.size = common_size(games)
        lengths = games.columns.moves.lengths[games.rows]
        self._rows = games.rows[lengths > 0]
        if len(self._rows) == 0:
            raise KatachiError("no game has a move to learn from")
        self._lengths = games.columns.moves.lengths[self._rows]
        self._sources = make_sources(games, self.size)
        self.settings = settings
        self.seed = seed

    def draw(self, number: int, count: int) -> DrawnMoves:
        """Positions `number * count` .. of all that can be drawn: before a random move of a random
        game."""
        randoms = random_states(self.seed, number * count, count)
        wanted = choose_moves(self._rows, self._lengths, randoms)
        points = self.size * self.size
        drawn = DrawnMoves(
            np.zeros((count, WORDS), np.uint16),
            np.zeros((count, self.settings.recent), np.uint16),
            np.zeros(count, np.int64),
            np.zeros((count, points), np.bool_),
            np.full(count, NO_MOVE, np.int64),
            np.full((count, points), 0.5, np.float32),
            np.zeros(count, np.float32),
        )
        fill_moves(self._sources, wanted, self.settings, drawn)
        return drawn


@kernel
def _note_recent(sources: Sources, view: View, row: int, ply: int, recent: Points) -> None:
    """Writes where the last moves were."""
    first = sources.games.move_starts[row]
    for back in range(min(len(recent), ply)):
        recent[back] = decode_stone(sources, view, sources.games.moves[first + ply - 1 - back])[0]


@kernel
def _note_choice(
    sources: Sources, point: int, color: int, size: int, at: int, drawn: DrawnMoves
) -> None:
    """Writes where `color` could play on the scratch board, and where it does."""
    count = list_legal_moves(sources.scratch.state, color, _SIMPLE, False, sources.moves)
    for index in range(count):
        free = np.int64(sources.moves[index])
        drawn.legal[at, (free // STRIDE - 1) * size + free % STRIDE - 1] = True
    if point != PASS:
        place = (point // STRIDE - 1) * size + point % STRIDE - 1
        drawn.legal[at, place] = True
        drawn.played[at] = place


@kernel
def fill_moves(sources: Sources, wanted: Wanted, settings: DrawSettings, drawn: DrawnMoves) -> None:
    """Fills `drawn` with the wanted positions."""
    games = sources.games
    for at in range(len(wanted.rows)):
        row, ply = wanted.rows[at], wanted.plies[at]
        view, _ = draw_view(wanted.randoms[at])
        first, end = games.move_starts[row], games.move_starts[row + 1]
        begin_game(sources, view, row)
        play_recorded(sources, view, first, first + ply)
        point, color = decode_stone(sources, view, games.moves[first + ply])
        drawn.movers[at] = color
        copy_board(sources.scratch.state.words, drawn.words[at])
        _note_recent(sources, view, row, ply, drawn.recent[at])
        _note_choice(sources, point, color, int(np.int64(games.sizes[row])), at, drawn)
        if sources.owner_starts[row] < sources.owner_starts[row + 1]:
            later = first + ply + settings.ahead
            play_recorded(sources, view, first + ply, min(later, end))
            share = settings.later_share if later <= end else 0.0
            fill_targets(sources, view, row, share, drawn.targets[at])
            drawn.known[at] = np.float32(1)
