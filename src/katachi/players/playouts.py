"""A player that uses its time: it tries every move in random games until it is stopped."""

import time

import numpy as np

from katachi.players.protocol import Choice
from katachi.rules.color import BLACK, opponent
from katachi.rules.game import Game
from katachi.rules.point import PASS
from katachi.rules.random_play import random_states
from katachi.search.afterstates import afterstates, sensible_moves
from katachi.search.playouts import Wins, add_playouts
from katachi.search.selectors import Greedy
from katachi.search.stopping import look_for_stop

ROUND = 4
"""Random games of each move between two looks at the clock."""
DEFAULT_SECONDS = 1.0


class PlayoutPlayer:
    """Plays the move whose random continuations it wins most often (flat Monte Carlo).

    A drawn one is half won. With a fixed number of playouts a move equal seeds play equal games;
    without one it thinks as long as it may.
    """

    def __init__(self, name: str, seed: int = 0, playouts: int | None = None) -> None:
        """A player; `playouts` is how many random games each move gets, or None to use the time."""
        self.name = name
        self.playouts = playouts
        self._random = random_states(seed, 0, 1)[0]
        self._ties = np.random.default_rng(seed % (1 << 64))

    def choose(self, game: Game, color: int, seconds: float | None = None) -> Choice:
        """The best move found within `seconds`."""
        end = time.perf_counter() + (DEFAULT_SECONDS if seconds is None else seconds)
        points = sensible_moves(game, color)
        if len(points) == 0:
            return Choice(PASS)
        after = afterstates(game, color, points).states.words
        boards = np.concatenate([after, after[:1]])
        wins = np.zeros(len(points), np.int64)
        played = self._try_moves(boards, opponent(color), game.komi, wins, end)
        halves = wins if color == BLACK else 2 * played - wins
        rates = halves / (2 * played)
        best = Greedy().select(rates, self._ties)
        return Choice(int(points[best]), float(rates[best]))

    def _try_moves(
        self, boards: np.ndarray, color: int, komi: float, wins: Wins, end: float
    ) -> int:
        """Plays rounds until the number is reached or the time is over; returns games a move."""
        played = 0
        while True:
            count = ROUND if self.playouts is None else min(ROUND, self.playouts - played)
            random = add_playouts(boards, color, komi, count, self._random, wins)
            self._random = np.uint64(random)  # a kernel gives back a plain int
            played += count
            look_for_stop()
            if played == self.playouts:
                return played
            if self.playouts is None and time.perf_counter() >= end:
                return played

    def close(self) -> None:
        """Nothing to end."""
