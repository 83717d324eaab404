"""Passing and resigning for players that would play until every point is filled.

A pass is answered by a pass when the position, counted as it stands, is won even in the worst
reasonable reading (`players.settling`). Without that, a move into settled territory is replaced: by
a move on a point of nobody while there is one, then by a pass. Where all stones count as alive,
dead ones of the opponent are taken off the board first, and no pass ends a game that is lost.

A player resigns when its chances are below a stated one for several of its moves in a row.
"""

import math
from typing import NamedTuple

import numpy as np

from katachi.players import settling
from katachi.players.finish_settings import Counting, FinishSettings
from katachi.players.protocol import Choice, Player
from katachi.rules.color import BLACK, EMPTY, opponent
from katachi.rules.game import Game
from katachi.rules.point import PASS, index_of_points
from katachi.rules.state import EMPTY_COUNT

LOW_MOVES = 3
"""Own moves in a row with too small a chance before a player resigns."""
RESIGN_SHARE = 0.35
"""Moves, as a share of the board's points, before a player resigns."""
STONES_SHARE = 0.25
"""The share of the board that stones fill before dead ones are looked for."""
POINTS_TOGETHER = 8
"""How many points change hands at once: fits how often people win 9x9 games from a given lead."""


class _Low(NamedTuple):
    """The last move at which a player's chance was too small."""

    ply: int
    position: int
    color: int
    times: int
    """How many of its moves in a row this has been so."""


_NOT_LOW = _Low(-1, 0, EMPTY, 0)


class Finisher:
    """Asks a player for its move, and passes or resigns in its place."""

    def __init__(self, settings: FinishSettings | None = None) -> None:
        """By these settings; they may be replaced at any time."""
        self.settings = settings or FinishSettings()
        self._low = _NOT_LOW

    def prepare(self, game: Game) -> None:
        """Loads what is needed to settle a game of this size, so that no later move waits."""
        if self.settings.passes:
            settling.settle(game)

    def choose(
        self, player: Player, game: Game, color: int, seconds: float | None = None
    ) -> Choice:
        """The player's move for `color`, or a pass, or None to resign; the game is not changed."""
        if self._may_end(game, color) and self._is_won(game, color):
            return Choice(PASS)
        choice = player.choose(game.copy(), color, seconds)
        if not choice.point or not game.is_legal(color, choice.point):
            return choice  # a pass, a failure or nonsense is the player's own
        if self._resigns(game, color, choice):
            return Choice(None, choice.win_rate)
        return self._improve(game, color, choice)

    def _may_end(self, game: Game, color: int) -> bool:
        """Whether a pass of `color` would be the second one."""
        return self.settings.passes and has_passed(game, opponent(color))

    def _is_won(self, game: Game, color: int) -> bool:
        """Whether the game is won if it ends now."""
        counting = self.settings.counting
        if counting is Counting.ALL_ALIVE:
            return lead_as_it_stands(game, color) > 0
        return not is_early(game) and settling.is_surely_ahead(
            game, settling.settle(game), counting, color
        )

    def _improve(self, game: Game, color: int, choice: Choice) -> Choice:
        """The choice, or what is better than a move into settled territory."""
        assert choice.point is not None
        if not self.settings.passes or is_early(game):
            return choice
        settled = settling.settle(game)
        if not settling.is_settled(game, settled) or not is_idle(game, settled, choice.point):
            return choice
        neutral = settling.neutral_moves(game, settled, color)
        if neutral:
            return Choice(neutral[0])
        return Choice(PASS) if self._can_pass(game, settled, color) else choice

    def _can_pass(self, game: Game, settled: settling.Settlement, color: int) -> bool:
        """Whether a pass gives nothing away when all is settled."""
        if self.settings.counting is not Counting.ALL_ALIVE:
            return True
        if settling.dead_stones_of(game, settled, opponent(color)):
            return False
        return not has_passed(game, opponent(color)) or lead_as_it_stands(game, color) > 0

    def _resigns(self, game: Game, color: int, choice: Choice) -> bool:
        """Whether the chance has been too small for several moves, this one included."""
        if self.settings.resign <= 0 or len(game.moves) < RESIGN_SHARE * game.size**2:
            return False
        if win_chance(game, color, choice) >= self.settings.resign:
            return False
        self._low = self._next_low(game, color)
        if self._low.times < LOW_MOVES:
            return False
        return (
            settling.lead_of(game, settling.settle(game).status, self.settings.counting, color) < 0
        )

    def _next_low(self, game: Game, color: int) -> _Low:
        """The low moves up to this one; only those of the same game follow each other."""
        ply, low = len(game.moves), self._low
        is_known = low.color == color and 0 <= low.ply <= ply
        is_same = is_known and int(game.state.hashes[low.ply]) == low.position
        if is_same and low.ply == ply:
            return low
        times = low.times + 1 if is_same and low.ply == ply - 2 else 1
        return _Low(ply, game.hash, color, times)


def is_early(game: Game) -> bool:
    """Whether too few stones are on the board to call anything settled."""
    points = game.size**2
    return points - int(game.words[EMPTY_COUNT]) < STONES_SHARE * points


def lead_as_it_stands(game: Game, color: int) -> float:
    """The points by which `color` is ahead when all stones are alive."""
    return game.area_score() if color == BLACK else -game.area_score()


def has_passed(game: Game, color: int) -> bool:
    """Whether the last move was a pass of that colour."""
    return bool(game.moves) and game.moves[-1] == (color, PASS)


def is_idle(game: Game, settled: settling.Settlement, point: int) -> bool:
    """Whether a move there is played on a point that is somebody's already."""
    index = index_of_points(np.array([point], np.uint16), game.size)
    return bool(settled.status.owners[index][0] != EMPTY)


def win_chance(game: Game, color: int, choice: Choice) -> float:
    """The chance of `color` to win, at the kindest: the player's own opinion where it has one, or
    that its points come to more than the opponent's when each falls by its chance."""
    chances = settling.owner_chances(game)
    lead = (float(chances.sum()) - game.komi) * (1 if color == BLACK else -1)
    spread = math.sqrt(2 * POINTS_TOGETHER * max(float((1 - chances**2).sum()), 1.0))
    chance = math.erfc(-lead / spread) / 2
    return chance if choice.win_rate is None else max(chance, choice.win_rate)
