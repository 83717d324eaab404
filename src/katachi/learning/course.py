"""A course of learning: games, a test every so often, and larger boards as the schedule says."""

import time

import msgspec

from katachi.errors import KatachiError
from katachi.evaluators.local_shape import LocalShape
from katachi.learning.progress import Measurement, measured
from katachi.learning.schedules import Growing, OneSize, Schedule, Stage
from katachi.learning.shape_training import ShapeTrainer

MOST_GAMES = 10**12
MOST_TEST_GAMES = 1000
"""Test games of the same number of games learned from have so many seeds of their own."""


class Plan(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How long to learn and how to test; the defaults are those of the 2007 paper."""

    games: int = 100_000
    """Games in all."""
    test_every: int = 500
    """Games from one test to the next."""
    test_games: int = 100
    """Test games of each agent."""
    final_games: int = 1000
    """Test games of each agent at the end."""
    grow_to: int | None = None
    """The largest board, where the board is to grow."""
    grow_share: float = 0.9
    """It grows when every agent wins this share of a test."""
    grow_games: int | None = None
    """Or after so many games on one board."""

    def check(self) -> None:
        """Raises KatachiError for numbers that make no plan."""
        if not 1 <= self.games <= MOST_GAMES:
            raise KatachiError(f"{self.games} games: use 1 to {MOST_GAMES}")
        if not 1 <= self.test_every <= MOST_GAMES:
            raise KatachiError(f"a test every {self.test_every} games: use 1 or more")
        for number in (self.test_games, self.final_games):
            if not 1 <= number <= MOST_TEST_GAMES:
                raise KatachiError(f"{number} test games: use 1 to {MOST_TEST_GAMES}")
        self.schedule()

    def schedule(self) -> Schedule:
        """When the board grows."""
        if self.grow_to is None:
            return OneSize()
        return Growing(self.grow_to, self.grow_share, self.grow_games)


class Course:
    """A trainer on its way through a plan. Where it stands is the trainer, `stages` and
    `next_size`, and what it does next depends on nothing else."""

    def __init__(
        self,
        trainer: ShapeTrainer,
        plan: Plan,
        stages: list[Stage] | None = None,
        next_size: int | None = None,
    ) -> None:
        """At the beginning, or where these stages end; the trainer must be of the last one."""
        plan.check()
        self.trainer = trainer
        self.plan = plan
        self.stages = stages or [Stage(trainer.settings.size, trainer.games)]
        self.next_size = next_size
        """The board on which the next game will be played, where it is another one."""
        self._schedule = plan.schedule()
        trainer.horizon = self._horizon()

    @property
    def size(self) -> int:
        """The present board."""
        return self.stages[-1].size

    @property
    def games(self) -> int:
        """Games learned from, on all boards."""
        return sum(stage.games for stage in self.stages)

    @property
    def seconds(self) -> float:
        """Spent on learning, tests left out."""
        return sum(stage.seconds for stage in self.stages)

    @property
    def is_finished(self) -> bool:
        """Whether the plan is fulfilled."""
        return self.games >= self.plan.games

    def warm_up(self) -> None:
        """Learns from no game and plays no test, so that the time kernels take to be compiled is
        not taken for time spent on learning."""
        self.trainer.train(0)
        self.trainer.test(0)

    def advance(self, most: int) -> Measurement | None:
        """Learns from `most` games, or fewer, up to the next test or the end; returns what the
        test said where one was due. The board grows before the first game after a test."""
        plan = self.plan
        if self.is_finished:
            return None
        if self.next_size is not None:
            self._grow(self.next_size)
        due = plan.test_every - self.games % plan.test_every
        count = min(most, due, plan.games - self.games)
        self._learn(count)
        if count < due:
            return None
        result = self.test(plan.test_games)
        self._follow(result)
        return result

    def test(self, games: int, agents: list[LocalShape] | None = None) -> Measurement:
        """What a test of so many games of each agent says now: of the agents as they learn, or of
        others of their kind."""
        wins = self.trainer.test(games, agents)
        return measured(self.games, self.size, self.stages[-1].games, games, wins)

    def _learn(self, count: int) -> None:
        begin = time.perf_counter()
        before = self.trainer.games
        try:
            self.trainer.train(count)
        finally:  # an opponent may fail after some of the games
            stage = self.stages[-1]
            self.stages[-1] = msgspec.structs.replace(
                stage,
                games=stage.games + self.trainer.games - before,
                seconds=stage.seconds + time.perf_counter() - begin,
            )

    def _follow(self, test: Measurement) -> None:
        """Does what the schedule says of a test."""
        if self._schedule.has_passed(test):
            self.stages[-1] = msgspec.structs.replace(self.stages[-1], has_passed=True)
        self.next_size = self._schedule.next_size(test)

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
        before = self.games - self.stages[-1].games
        return max(0, self.trainer.settings.horizon - before)
