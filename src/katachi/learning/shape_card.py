"""Runs of local shape that differ in their seeds alone, learned and tested on a GPU at once."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from katachi.batch.shape_cuda import CardLearner, CardRandoms, CardTests
from katachi.errors import KatachiError
from katachi.features.units import Counts, Weights
from katachi.learning.shape_training import (
    Rates,
    ShapeTrainer,
    TrainingSettings,
    first_of_test,
    game_settings,
)
from katachi.measure.shape_matches import play_tests
from katachi.rules.random_play import RandomStates, states_of_runs
from katachi.td.shape_memory import MOVES_A_POINT


def check_for_card(settings: TrainingSettings) -> None:
    """Raises KatachiError for what is learned on the CPU only."""
    words = None
    if settings.by_move:
        words = "learning after each move"
    elif settings.workers != 1:
        words = f"learning by {settings.workers} workers"
    if words is not None:
        raise KatachiError(f"{words} is done on the CPU: use --device cpu")


class CardRuns:
    """R runs of equal settings on a GPU: what each learns, and how its tests end, is what a
    `ShapeTrainer` with its seed makes of it. All runs are always at the same game."""

    def __init__(
        self,
        settings: TrainingSettings,
        seeds: Sequence[int],
        weights: Weights | None = None,
    ) -> None:
        """Agents that know nothing, or with weights [R, agents, N]; raises KatachiError for what a
        GPU cannot do."""
        check_for_card(settings)
        self.settings, self.seeds = settings, seeds
        self._first = ShapeTrainer(settings)
        self.agents = len(self._first.agents)
        zeros = np.stack([agent.weights for agent in self._first.agents])
        learner = np.ones(self.agents, np.uint8), self._first.rule.errors
        limit = MOVES_A_POINT * settings.size * settings.size
        start = np.repeat(zeros[None], len(seeds), axis=0) if weights is None else weights
        tables = self._first.agents[0].tables
        self._card = CardLearner(tables, settings.size, limit, start, learner)

    def random_states(self, first: int, end: int) -> CardRandoms:
        """The random states of learning games `first` .. `end`, on the GPU."""
        numbers = np.arange(first, end, dtype=np.uint64)
        randoms: CardRandoms = self._card.send(
            CardRandoms(states_of_runs(self.seeds, numbers), first)
        )
        return randoms

    def new_tests(self, after: Sequence[int], games: int) -> CardTests:
        """Tests of so many games of each agent after each of these numbers of games, to be played
        when they are due."""
        return self._card.new_tests(np.stack([self._test_states(each, games) for each in after]))

    def _test_states(self, after: int, games: int) -> RandomStates:
        """[R, agents, games]: as `ShapeTrainer.test` has them."""
        firsts = [first_of_test(agent, after) for agent in range(self.agents)]
        numbers = [np.arange(each, each + games, dtype=np.uint64) for each in firsts]
        return np.stack([states_of_runs(self.seeds, each) for each in numbers], axis=1)

    def learn(
        self, randoms: CardRandoms, part: tuple[int, int], rates: Rates | None = None
    ) -> None:
        """Begins to learn from games part[0] .. part[1], by the rates of the settings or others."""
        settings = game_settings(self.settings)
        found = self._first.rule.rates if rates is None else rates
        self._card.learn(settings, found, randoms, part)

    def test(self, tests: CardTests, number: int) -> None:
        """Begins one of these tests."""
        settings = game_settings(self.settings)._replace(epsilon=0.0)
        self._card.test(play_tests, settings, tests, number)

    def wins_of(self, tests: CardTests) -> list[list[list[int]]]:
        """[tests][R][agents]: the wins in these tests, when all that was begun is done."""
        wins: list[list[list[int]]] = self._card.wins_of(tests).tolist()
        return wins

    def wait(self) -> None:
        """Returns when all that was begun is done."""
        self._card.wait()

    def weights(self) -> Weights:
        """[R, agents, N]: when all that was begun is done."""
        return self._card.weights()

    def seen(self) -> Counts:
        """[R, agents, N]: in how many positions each shape was learned from, likewise."""
        return self._card.seen()

    def moves(self) -> npt.NDArray[np.int64]:
        """[R]: moves of all games learned from."""
        return self._card.moves()
