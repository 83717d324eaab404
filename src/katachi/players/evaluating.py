"""Players that look one move ahead with an evaluator."""

import numpy as np

from katachi.evaluators.protocol import Evaluator
from katachi.players.protocol import Choice
from katachi.rules.game import Game
from katachi.rules.point import PASS, Points
from katachi.search.afterstates import sensible_moves
from katachi.search.analysis import (
    Analysis,
    analyse,
    evaluate_moves,
    mover_chances,
    mover_keys,
    predicted_scores,
)
from katachi.search.selectors import Greedy, Selector


class EvaluatingPlayer:
    """Chooses among the legal moves that fill no own eye by the value of what they lead to, or by
    how likely they are where the evaluator says that itself.

    It passes only when there is no such move, and never resigns.
    """

    def __init__(
        self, name: str, evaluator: Evaluator, seed: int = 0, selector: Selector | None = None
    ) -> None:
        """A player; equal seeds give equal games."""
        self.name = name
        self.evaluator = evaluator
        self.selector = selector or Greedy()
        self.random = np.random.default_rng(seed % (1 << 64))

    def choose(
        self,
        game: Game,
        color: int,
        seconds: float | None = None,  # noqa: ARG002 (the protocol's)
    ) -> Choice:
        """The selector's choice; it takes the same short time whatever `seconds` says."""
        points = sensible_moves(game, color)
        if len(points) == 0:
            return Choice(PASS)
        predicted = predicted_scores(self.evaluator, game, color, points)
        if predicted is not None:
            return Choice(int(points[self.selector.select(predicted, self.random)]))
        evaluation = evaluate_moves(self.evaluator, game, color, points)
        index = self.selector.select(mover_keys(evaluation, color), self.random)
        chances = mover_chances(evaluation, game.komi, color)
        return Choice(int(points[index]), float(chances[index]))

    def analyse(self, game: Game, color: int, points: Points | None = None) -> Analysis:
        """What each move is worth to `color`."""
        return analyse(self.evaluator, game, color, points)

    def close(self) -> None:
        """Nothing to end."""
