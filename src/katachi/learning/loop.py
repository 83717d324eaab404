"""The learning loop, written once.

Take a game from a source, predict, turn predictions into errors with an error rule, nudge. What is
learned from is a source; how it is judged is an error rule; on which board is a schedule.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from katachi.features.units import Logits
from katachi.rules.state import BoardState
from katachi.td.targets import ErrorRule, fill_errors, fill_steps


class LearningAgent(Protocol):
    """What can learn: its value is the sum of K parts."""

    def predict(self, states: BoardState) -> Logits:
        """The logit of each part in units, [T, K], as whoever moved last sees each position."""
        ...

    def nudge(self, states: BoardState, steps: Logits) -> None:
        """Moves the weights that each part uses in T positions by steps [T, K], in units."""
        ...


class Trajectory(NamedTuple):
    """A game as one agent has lived it."""

    agent: int
    """Its number among the agents."""
    states: BoardState
    """The T positions after its own moves, passes among them."""
    outcome: float
    """1 for a win, 0 for a loss, one half for a draw."""


class Source(Protocol):
    """Where games come from: agents at play, or anything else that ends in trajectories."""

    def take(self, number: int) -> Sequence[Trajectory]:
        """What there is to learn from game `number`; it depends on nothing but the number and the
        agents' weights."""
        ...


class UpdateRule(NamedTuple):
    """How far the weights move for what a game has shown."""

    errors: ErrorRule
    general: npt.NDArray[np.uint8]
    """[K, K]: whether part j is as general as part i."""
    rates: npt.NDArray[np.float64]
    """[K]: the step size of each part."""
    unit: float
    """A unit in logits."""

    def steps(self, logits: Logits, outcome: float) -> Logits:
        """The steps [T, K] that a game with these predictions [T, K] calls for."""
        errors = np.zeros(logits.shape)
        steps = np.zeros(logits.shape, np.int64)
        fill_errors(logits, self.general, outcome, self.errors, self.unit, errors)
        fill_steps(errors, self.rates, self.unit, steps)
        return steps


def learn_game(
    agents: Sequence[LearningAgent], trajectories: Iterable[Trajectory], rule: UpdateRule
) -> None:
    """Lets each agent learn from its side of a game; all predict before any is changed."""
    updates = [
        (agents[agent], states, rule.steps(agents[agent].predict(states), outcome))
        for agent, states, outcome in trajectories
        if len(states.words)
    ]
    for learner, states, steps in updates:
        learner.nudge(states, steps)


def learn(
    agents: Sequence[LearningAgent], source: Source, rule: UpdateRule, numbers: Iterable[int]
) -> Iterator[Sequence[Trajectory]]:
    """Lets the agents learn from these games of a source, one after another, as the result is
    gone through: it is each game, when it has been learned from."""
    for number in numbers:
        trajectories = source.take(number)
        learn_game(agents, trajectories, rule)
        yield trajectories
