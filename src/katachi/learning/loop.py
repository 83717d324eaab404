"""The learning loop, written once.

Take a game from a source, predict, turn predictions into errors with an error rule, nudge. What is
learned from is a source; how it is judged is an error rule; on which board is a curriculum.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, Protocol, runtime_checkable

from katachi.features.units import Logits
from katachi.rules.state import BoardState
from katachi.td.targets import UpdateRule


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


class Learned(NamedTuple):
    """What some games were."""

    games: int
    positions: int
    """After moves of those who learn."""
    wins: float
    """Of the agent of each first trajectory."""


@runtime_checkable
class FusedSource(Protocol):
    """A source with a kernel that plays, or reads, and learns in one go; the agents' weights become
    what the plain loop makes of them, to the last bit."""

    def learn(self, rule: UpdateRule, numbers: Sequence[int]) -> Learned:
        """Lets the agents learn from these games."""
        ...


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
    agents: Sequence[LearningAgent],
    source: Source | FusedSource,
    rule: UpdateRule,
    numbers: Sequence[int],
) -> Iterator[Learned]:
    """Lets the agents learn from these games of a source, in their order, as the result is gone
    through: from all at once where the source has a kernel for it, else one after another."""
    if isinstance(source, FusedSource):
        yield source.learn(rule, numbers)
        return
    for number in numbers:
        trajectories = source.take(number)
        learn_game(agents, trajectories, rule)
        positions = sum(len(each.states.words) for each in trajectories)
        yield Learned(1, positions, trajectories[0].outcome)
