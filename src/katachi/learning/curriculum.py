"""A curriculum: games, a test every so often, and larger boards when tests are passed."""

import time
from typing import Annotated, Any

import msgspec
import numpy as np
import numpy.typing as npt

from katachi.errors import KatachiError
from katachi.evaluators.local_shape import LocalShape
from katachi.features.shape_sets import parse_sets
from katachi.files.packing import narrowed, widened
from katachi.learning.learner import Tensors
from katachi.learning.shape_metrics import Measurement, measured
from katachi.learning.shape_training import ShapeTrainer, SourceKind, TrainingSettings
from katachi.rules.size import check_size

MOST_GAMES = 10**12
MOST_TEST_GAMES = 1000
"""Test games of the same number of games learned from have so many seeds of their own."""


class Stage(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The time spent on one board size."""

    size: int
    games: Annotated[int, msgspec.Meta(ge=0)] = 0
    """Games learned from."""
    seconds: float = 0.0
    """Spent on learning, tests left out."""
    has_passed: bool = False
    """Whether a test on this board was good enough to go on; also told of the last board."""


class Plan(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How long to learn and how to test; the defaults are those of the 2007 paper."""

    games: int = 100_000
    """Games in all; with --resume, learn on until there are so many, where the step size is
    constant."""
    test_every: int = 500
    """Games from one test against the average liberties player to the next."""
    test_games: int = 100
    """Test games of each agent."""
    final_games: int = 1000
    """Test games of each agent at the end."""
    grow_to: int | None = None
    """Let the board grow up to this size, by one when every agent wins 90 % of a test."""
    grow_share: float = 0.9
    """The share of a test that every agent must win for that."""
    grow_games: int | None = None
    """Let it grow after so many games on one board in any case."""

    def check(self) -> None:
        """Raises KatachiError for numbers that make no plan."""
        if not 1 <= self.games <= MOST_GAMES:
            raise KatachiError(f"{self.games} games: use 1 to {MOST_GAMES}")
        if not 1 <= self.test_every <= MOST_GAMES:
            raise KatachiError(f"a test every {self.test_every} games: use 1 or more")
        for number in (self.test_games, self.final_games):
            if not 1 <= number <= MOST_TEST_GAMES:
                raise KatachiError(f"{number} test games: use 1 to {MOST_TEST_GAMES}")
        if self.grow_to is None:
            return
        check_size(self.grow_to)
        if not 0 <= self.grow_share <= 1:
            raise KatachiError(
                f"growing at {self.grow_share:g} of the games: use a share from 0 to 1"
            )
        if self.grow_games is not None and self.grow_games < 1:
            raise KatachiError(f"{self.grow_games} games on a board: use 1 or more")

    def has_passed(self, test: Measurement) -> bool:
        """Whether every agent has won its share, where the board is to grow.

        Silver, Sutton and Müller (2007), section 7: from 5x5 on, at 90 % of a test of 100 games.
        """
        share = self.grow_share * test.played
        return self.grow_to is not None and all(wins >= share for wins in test.wins)

    def next_size(self, test: Measurement) -> int | None:
        """The size to go on with: one more line, unless the board is the largest or not yet
        mastered; None for the present one. It depends on the test alone, so that a run that was
        interrupted takes the same decisions."""
        if self.grow_to is None or test.size >= self.grow_to:
            return None
        is_late = self.grow_games is not None and test.size_games >= self.grow_games
        return test.size + 1 if is_late or self.has_passed(test) else None


STATE_FORMAT = 3
"""Format 1, which knew no samples, and 2, which said whose it is, are read too."""


class State(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where a curriculum is, besides the agents' weights."""

    stages: list[Stage]
    next_size: int | None = None
    samples: Annotated[int, msgspec.Meta(ge=0, le=MOST_GAMES)] = 0
    """How many samples of the weights have been added up."""
    measurements: int = 0
    """Of earlier formats, and not used."""
    run: str = ""
    """Of earlier formats, and not used."""
    format: int = STATE_FORMAT


class Curriculum:
    """A trainer on its way through a plan. Its state is the trainer, `stages` and
    `next_size`, and what it does next depends on nothing else."""

    def __init__(self, trainer: ShapeTrainer, plan: Plan) -> None:
        """At the beginning."""
        plan.check()
        self.trainer = trainer
        self.plan = plan
        self.stages = [Stage(trainer.settings.size, trainer.games)]
        self.next_size: int | None = None
        """The board on which the next game will be played, where it is another one."""
        trainer.horizon = self._horizon()

    @property
    def size(self) -> int:
        """The present board."""
        return self.stages[-1].size

    @property
    def done(self) -> int:
        """Games learned from, on all boards."""
        return sum(stage.games for stage in self.stages)

    @property
    def seconds(self) -> float:
        """Spent on learning, tests left out."""
        return sum(stage.seconds for stage in self.stages)

    @property
    def is_finished(self) -> bool:
        """Whether the plan is fulfilled."""
        return self.done >= self.plan.games

    def warm_up(self) -> None:
        """Learns from no game and plays no test, so that the time kernels take to be compiled is
        not taken for time spent on learning."""
        self.trainer.learn(0)
        self.trainer.test(0)

    def advance(self, most: int) -> Measurement | None:
        """Learns from `most` games, or fewer, up to the next test or the end; returns what the
        test said where one was due. The board grows before the first game after a test."""
        plan = self.plan
        if self.is_finished:
            return None
        due = plan.test_every - self.done % plan.test_every
        count = min(most, due, plan.games - self.done)
        self.learn(count)
        return self.measure() if count == due else None

    def measure(self) -> Measurement:
        """What a test says now; the plan says on which board to go on."""
        test = self.test(self.plan.test_games)
        if self.plan.has_passed(test):
            self.stages[-1] = msgspec.structs.replace(self.stages[-1], has_passed=True)
        self.next_size = self.plan.next_size(test)
        return test

    def test(self, games: int, agents: list[LocalShape] | None = None) -> Measurement:
        """What a test of so many games of each agent says now: of the agents as they learn, or of
        others of their kind."""
        wins = self.trainer.test(games, agents)
        return measured(self.done, self.size, self.stages[-1].games, games, wins)

    def learn(self, count: int) -> None:
        """Learns from `count` more games, on a larger board where the last test said so."""
        if self.next_size is not None:
            self._grow(self.next_size)
        begin = time.perf_counter()
        before = self.trainer.games
        try:
            self.trainer.learn(count)
        finally:  # an opponent may fail after some of the games
            stage = self.stages[-1]
            self.stages[-1] = msgspec.structs.replace(
                stage,
                games=stage.games + self.trainer.games - before,
                seconds=stage.seconds + time.perf_counter() - begin,
            )

    def _grow(self, size: int) -> None:
        self.trainer = self.trainer.grown(size)
        self.stages.append(Stage(size))
        self.next_size = None
        self.trainer.horizon = self._horizon()

    def _horizon(self) -> int | None:
        """The horizon of the present board: what earlier boards have left of the whole one, 0 if
        that is nothing; None on every board but the last, where step size and weights must stay
        free to follow."""
        is_last = self.plan.grow_to is None or self.size >= self.plan.grow_to
        if not is_last or self.trainer.settings.horizon == 0:
            return None
        before = self.done - self.stages[-1].games
        return max(0, self.trainer.settings.horizon - before)

    def model(self) -> LocalShape:
        """What the first agent has learned."""
        return self.trainer.final_agents()[0]

    def state(self) -> Tensors:
        """All that going on needs, beside the settings and the plan."""
        trainer = self.trainer
        state = State(self.stages, self.next_size, trainer.samples)
        tensors: Tensors = {
            "state": np.frombuffer(msgspec.json.encode(state), np.uint8).copy(),
            "weights": np.stack([agent.weights for agent in trainer.agents]),
            "seen": narrowed(np.stack([agent.seen for agent in trainer.agents])),
        }
        return tensors | ({"sums": trainer.sums} if trainer.samples else {})

    def load_state(self, tensors: Tensors) -> None:
        """Goes on from a state; raises KatachiError where it is damaged or of other settings."""
        first = msgspec.structs.replace(self.trainer.settings, size=self.stages[0].size)
        try:
            text = tensors["state" if "state" in tensors else "standing"].tobytes()
            state = msgspec.json.decode(text, type=State)
            _check_state(state, first.size)
            here = msgspec.structs.replace(first, size=state.stages[-1].size)
            agents = _agents(here, tensors)
            sums = _sums(state.samples, tensors) if state.samples else None
        except (msgspec.MsgspecError, LookupError, ValueError, OverflowError) as error:
            raise KatachiError(f"this is no whole checkpoint: {error}") from None
        made = ShapeTrainer(here, agents, state.stages[-1].games, self.trainer.make_source)
        if sums is not None:
            made.sums, made.samples = sums, state.samples
        self.trainer, self.stages, self.next_size = made, state.stages, state.next_size
        made.horizon = self._horizon()


def count_agents(settings: TrainingSettings) -> int:
    """How many agents learn."""
    return 2 if settings.source is SourceKind.PAIR else 1


def _check_state(state: State, size: int) -> None:
    """Raises ValueError where a run that began on a board of this size cannot be so."""
    if not 1 <= state.format <= STATE_FORMAT:
        raise ValueError(f"it has format {state.format}; this katachi reads 1 to {STATE_FORMAT}")
    sizes = [stage.size for stage in state.stages]
    if not sizes or sizes != list(range(size, size + len(sizes))):
        raise ValueError(f"its boards {sizes} are not those of a run that began on {size}x{size}")


def _agents(settings: TrainingSettings, tensors: Tensors) -> list[LocalShape]:
    """The agents with their weights; raises ValueError where these do not fit the settings."""
    sets = parse_sets(settings.sets)
    agents = [LocalShape(sets, settings.size, settings.bins) for _ in range(count_agents(settings))]
    for name in ("weights", "seen"):
        wanted = np.stack([getattr(agent, name) for agent in agents])
        found = widened(tensors[name], str(wanted.dtype))
        if (found.shape, found.dtype) != (wanted.shape, wanted.dtype):
            raise ValueError(f"{name} {found.dtype}{found.shape} do not fit the run's settings")
        for agent, row in zip(agents, found, strict=True):
            getattr(agent, name)[:] = row
    return agents


def _sums(samples: int, tensors: Tensors) -> npt.NDArray[np.int64]:
    """So many samples added up; raises ValueError where they cannot be that."""
    found: npt.NDArray[Any] = tensors["sums"]
    weights: npt.NDArray[Any] = tensors["weights"]
    if (found.shape, found.dtype) != (weights.shape, np.dtype(np.int64)):
        raise ValueError(f"sums {found.dtype}{found.shape} do not fit the weights")
    bounds = np.iinfo(weights.dtype)
    if int(found.max()) > samples * bounds.max or int(found.min()) < samples * bounds.min:
        raise ValueError(f"its sums are too large for {samples} samples")
    return found
