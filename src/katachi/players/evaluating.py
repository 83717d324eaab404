"""Players that look one move ahead with an evaluator: at the best move, or by chance."""

from abc import ABC, abstractmethod

import numpy as np

from katachi.evaluators.protocol import Evaluator, abilities_of, predicts_moves
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
    mover_values,
    predicted_scores,
)
from katachi.search.policy import GibbsPolicy
from katachi.search.selectors import Greedy, Selector

TEMPERATURE = 1.0
"""Of an evaluator that keeps none of its own."""


class JudgingPlayer(ABC):
    """Chooses among the legal moves that fill no own eye by what an evaluator says.

    It passes only when there is no such move, and never resigns.
    """

    def __init__(self, name: str, evaluator: Evaluator, seed: int = 0) -> None:
        """A player; equal seeds give equal games."""
        self.name = name
        self.evaluator = evaluator
        self.random = np.random.default_rng(seed % (1 << 64))

    def choose(
        self,
        game: Game,
        color: int,
        seconds: float | None = None,  # noqa: ARG002 (the protocol's)
    ) -> Choice:
        """Its choice; it takes the same short time whatever `seconds` says."""
        points = sensible_moves(game, color)
        return self._choose_of(game, color, points) if len(points) else Choice(PASS)

    @abstractmethod
    def _choose_of(self, game: Game, color: int, points: Points) -> Choice:
        """One of these moves, at least one."""

    def analyse(self, game: Game, color: int, points: Points | None = None) -> Analysis:
        """The value of each move to `color`."""
        return analyse(self.evaluator, game, color, points)

    def close(self) -> None:  # noqa: B027 (nothing to end is the rule here)
        """Nothing to end."""


class EvaluatingPlayer(JudgingPlayer):
    """Chooses by the value of what moves lead to, or by how likely they are where the evaluator
    says that itself."""

    def __init__(
        self, name: str, evaluator: Evaluator, seed: int = 0, selector: Selector | None = None
    ) -> None:
        """A player; equal seeds give equal games."""
        super().__init__(name, evaluator, seed)
        self.selector = selector or Greedy()

    def _choose_of(self, game: Game, color: int, points: Points) -> Choice:
        predicted = predicted_scores(self.evaluator, game, color, points)
        if predicted is not None:
            return Choice(int(points[self.selector.select(predicted, self.random)]))
        evaluation = evaluate_moves(self.evaluator, game, color, points)
        index = self.selector.select(mover_keys(evaluation, color), self.random)
        chances = mover_chances(evaluation, game.komi, color)
        return Choice(int(points[index]), float(chances[index]))


class GibbsPlayer(JudgingPlayer):
    """Samples a move from the Gibbs policy of an evaluator: the better it looks, the likelier."""

    def __init__(
        self, name: str, evaluator: Evaluator, seed: int = 0, temperature: float | None = None
    ) -> None:
        """A player; equal seeds give equal games. Temperatures are in units of `black_scores`; by
        default it is the one that fits the evaluator on the board at hand, or else 1."""
        super().__init__(name, evaluator, seed)
        self.temperature = temperature

    def temperature_on(self, size: int) -> float:
        """The temperature on boards of a size."""
        if self.temperature is not None:
            return self.temperature
        fitted = abilities_of(self.evaluator).temperature
        own = fitted(size) if fitted is not None else None
        return TEMPERATURE if own is None else own

    def _choose_of(self, game: Game, color: int, points: Points) -> Choice:
        policy = GibbsPolicy(self.evaluator, self.temperature_on(game.size))
        chances = policy.chances(game, color, points).chances
        index = int(self.random.choice(len(points), p=chances))
        sampled = points[index : index + 1]
        if predicts_moves(self.evaluator):
            return Choice(int(sampled[0]))
        return Choice(int(sampled[0]), float(mover_values(self.evaluator, game, color, sampled)[0]))
