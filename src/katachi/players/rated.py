"""A player as strong as it is asked to be: it errs as people do, by liking the wrong move."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from katachi.evaluators.chances import Values
from katachi.evaluators.protocol import Evaluator, abilities_of
from katachi.players.protocol import Choice
from katachi.players.tree import TreePlayer
from katachi.rules.color import BLACK, opponent
from katachi.rules.game import Game
from katachi.rules.point import PASS, Points, index_of_points
from katachi.rules.state import BoardState
from katachi.search.afterstates import afterstates, sensible_moves
from katachi.search.analysis import Analysis, analyse
from katachi.search.tree_limits import TreeLimits
from katachi.search.tree_search import TreeSearch

DRAWS = 6
"""Moves that are drawn before the best one is played, where all of them lose too much."""
ANY_LOSS = 1000.0
"""A loss of points that no move can make."""


class Strength(NamedTuple):
    """How a rated player chooses."""

    temperature: float
    """Of the draw among moves, in units of the net's scores: the hotter, the more by chance."""
    loss: float
    """Points that a drawn move may lose at once, beside the move that the net likes best."""
    visits: int = 1
    """Of the trees that it searches."""
    searched: float = 0.0
    """The share of its moves that it searches; the others are drawn."""


class RatedPlayer:
    """Draws a move by how likely a net calls it, but none that loses too much; a strong one
    searches.

    It passes only when there is no move that fills no own eye, or its search says so, and never
    resigns.
    """

    def __init__(
        self,
        name: str,
        evaluator: Evaluator,
        strength: Strength,
        seed: int = 0,
        limits: TreeLimits | None = None,
    ) -> None:
        """A player; equal seeds give equal games. The evaluator can `look`."""
        self.name = name
        self.evaluator = evaluator
        self.strength = strength
        self.random = np.random.default_rng(seed % (1 << 64))
        self._seed, self._limits = seed, limits
        self._tree: TreePlayer | None = None

    def choose(self, game: Game, color: int, seconds: float | None = None) -> Choice:
        """Its choice; a search ends when `seconds` are over."""
        if self.random.random() < self.strength.searched:
            return self._searcher().choose(game, color, seconds)
        points = sensible_moves(game, color)
        return self._draw(game, color, points) if len(points) else Choice(PASS)

    def start(self, game: Game) -> None:
        """Loads what a search needs, so that no move waits for that."""
        if self.strength.searched:
            self._searcher().start(game)

    def analyse(self, game: Game, color: int, points: Points | None = None) -> Analysis:
        """What its net thinks of each move, however it plays."""
        return analyse(self.evaluator, game, color, points)

    def close(self) -> None:
        """Lets go of its tree."""
        if self._tree is not None:
            self._tree.close()

    def _searcher(self) -> TreePlayer:
        if self._tree is None:
            # Its ratings were measured without random games beside the net.
            search = TreeSearch(self.evaluator, self._limits)
            self._tree = TreePlayer(self.name, search, self._seed)
        self._tree.visits = self.strength.visits
        return self._tree

    def _draw(self, game: Game, color: int, points: Points) -> Choice:
        scores = self._look(game.states, color)[1][0]
        found = np.asarray(scores[index_of_points(points, game.size)], np.float64)
        best = int(found.argmax())
        for drawn in draw_order(found / self.strength.temperature, self.random)[:DRAWS]:
            if (
                drawn == best
                or self._loss(game, color, points[[drawn, best]]) <= self.strength.loss
            ):
                return Choice(int(points[drawn]))
        return Choice(int(points[best]))

    def _loss(self, game: Game, color: int, moves: Points) -> float:
        """The points that the first of two moves loses beside the second."""
        if self.strength.loss >= ANY_LOSS:
            return 0.0
        owners = self._look(afterstates(game, color, moves).states, opponent(color))[0]
        owned = 2.0 * owners.sum(axis=1, dtype=np.float64)
        return float(owned[1] - owned[0]) * (1 if color == BLACK else -1)

    def _look(self, states: BoardState, color: int) -> tuple[npt.NDArray[np.float32], Values]:
        """Owners and scores of moves of B positions in which `color` moves."""
        look = abilities_of(self.evaluator).look
        assert look is not None
        return look(states, np.full(len(states.words), color))


def draw_order(logits: Values, random: np.random.Generator) -> list[int]:
    """The order in which moves are drawn, one after the other and none twice, each time in
    proportion to exp(logit)."""
    return list(np.argsort(-(logits + random.gumbel(size=len(logits))), kind="stable"))
