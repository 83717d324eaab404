"""Players that draw their moves: the better one looks, the likelier it is."""

import numpy as np

from katachi.evaluators.protocol import Evaluator, abilities_of, predicts_moves
from katachi.players.protocol import Choice
from katachi.rules.game import Game
from katachi.rules.point import PASS, Points
from katachi.search.afterstates import sensible_moves
from katachi.search.analysis import Analysis, analyse, mover_values
from katachi.search.policy import GibbsPolicy

TEMPERATURE = 1.0
"""Of an evaluator that keeps none of its own."""


class GibbsPlayer:
    """Draws a move from the Gibbs policy of an evaluator over the legal moves that fill no own eye.

    It passes only when there is no such move, and never resigns.
    """

    def __init__(
        self, name: str, evaluator: Evaluator, seed: int = 0, temperature: float | None = None
    ) -> None:
        """A player; equal seeds give equal games. Temperatures are in units of `black_scores`; by
        default it is the one that fits the evaluator on the board at hand, or else 1."""
        self.name = name
        self.evaluator = evaluator
        self.temperature = temperature
        self.random = np.random.default_rng(seed % (1 << 64))

    def temperature_on(self, size: int) -> float:
        """The temperature on boards of a size."""
        if self.temperature is not None:
            return self.temperature
        fitted = abilities_of(self.evaluator).temperature
        own = fitted(size) if fitted is not None else None
        return TEMPERATURE if own is None else own

    def choose(
        self,
        game: Game,
        color: int,
        seconds: float | None = None,  # noqa: ARG002 (the protocol's)
    ) -> Choice:
        """The move that is drawn; it takes the same short time whatever `seconds` says."""
        points = sensible_moves(game, color)
        if len(points) == 0:
            return Choice(PASS)
        policy = GibbsPolicy(self.evaluator, self.temperature_on(game.size))
        chances = policy.chances(game, color, points).chances
        index = int(self.random.choice(len(points), p=chances))
        drawn = points[index : index + 1]
        if predicts_moves(self.evaluator):
            return Choice(int(drawn[0]))
        return Choice(int(drawn[0]), float(mover_values(self.evaluator, game, color, drawn)[0]))

    def analyse(self, game: Game, color: int, points: Points | None = None) -> Analysis:
        """What each move is worth to `color`."""
        return analyse(self.evaluator, game, color, points)

    def close(self) -> None:
        """Nothing to end."""
