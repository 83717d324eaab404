"""Local shape learned by self-play: settings, agents, and as many games as one asks for."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from enum import Enum
from typing import NamedTuple, Protocol

import msgspec
import numpy as np
import numpy.typing as npt

from katachi.errors import KatachiError
from katachi.evaluators.local_shape import LocalShape
from katachi.features.shape_sets import BINS, parse_sets
from katachi.features.shape_tables import ShapeTables
from katachi.features.units import UNIT, Counts, Weights
from katachi.learning.loop import FusedSource, Learned, Source, learn
from katachi.learning.sources import GameTerms
from katachi.measure.shape_matches import play_tests
from katachi.rules.random_play import random_states
from katachi.rules.ruleset import KoRule
from katachi.td.shape_learning import Learner, learning_rates, train_pair
from katachi.td.shape_memory import MOVES_A_POINT, GameSettings, ShapeGame, new_game
from katachi.td.shape_steps import train_by_move
from katachi.td.targets import ErrorRule, UpdateRule

TEST_SEEDS = 1 << 40
"""Random numbers of test games are those of games from this number on."""
MOST_WORKERS = 256

BLOCK = 500
"""The step size changes, and weights are sampled, only after multiples of so many games."""
AVERAGED_FROM = 0.6
"""Weights are averaged over what follows this share of the horizon."""

Rates = npt.NDArray[np.float64]


class Loss(Enum):
    """What the error of a value is measured by."""

    SQUARED = "squared"
    CROSS_ENTROPY = "cross-entropy"


class SourceKind(Enum):
    """Who plays whom."""

    PAIR = "pair"
    SELF = "self"


class TrainingSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How local shape is learned; the defaults are those of the 2007 paper's study at 5x5."""

    size: int = 5
    """Board size."""
    sets: str = "1x1-3x3:LI"
    """Shape sets, such as 2x2:LI or 1x1-2x2:LI:liberty."""
    bins: int = BINS
    """Weights of each hashed set."""
    alpha: float = 0.1
    """Step size."""
    alphas: dict[str, float] = {}
    """Step size of one set, as NAME=VALUE; may be given several times."""
    epsilon: float = 0.1
    """Share of random moves."""
    lam: float = 0.0
    """Lambda of TD(lambda)."""
    loss: Loss = Loss.SQUARED
    """What an error is measured by."""
    cascade: bool = False
    """Let each set learn what the more general sets leave over."""
    by_move: bool = False
    """Learn after each move, as the 2007 paper prints it, instead of after each game; slower."""
    source: SourceKind = SourceKind.PAIR
    """pair: two agents adapt to each other; self: one agent plays itself; or whom to learn against:
    a player by name, a GTP command, or the folder of a model, which stays as it is."""
    komi: float = 7.5
    """Points for White."""
    seed: int = 1
    """Equal seeds give equal weights."""
    workers: int = 1
    """Games played at once, on as many cores; with more than one, equal seeds give weights that
    differ a little."""
    horizon: int = 0
    """Games over which the step size falls and in whose last part the weights are averaged; 0:
    neither."""
    final_alpha: float | None = None
    """Step size after --games games: it falls to this one, and the weights of the last 40 % of the
    games are averaged (0.05, or --alpha if that is less; paper2007: it stays, and the last weights
    count)."""


def check_settings(settings: TrainingSettings) -> None:
    """Raises KatachiError for values that cannot be trained with."""
    names = {each.name for each in parse_sets(settings.sets)}
    unknown = sorted(set(settings.alphas) - names)
    if unknown:
        raise KatachiError(f"a step size for {unknown[0]!r}, which is not among the sets in use")
    if not all(0 < alpha <= 1000 for alpha in (settings.alpha, *settings.alphas.values())):
        raise KatachiError(f"step size {settings.alpha:g}: use a number above 0, such as 0.1")
    if settings.final_alpha is not None and not 0 < settings.final_alpha <= settings.alpha:
        raise KatachiError(
            f"final step size {settings.final_alpha:g}: use a number above 0 and not above the "
            f"first one, {settings.alpha:g}"
        )
    if settings.horizon < 0:
        raise KatachiError(f"a horizon of {settings.horizon} games: use 0 or more")
    if not 0 <= settings.epsilon <= 1:
        raise KatachiError(f"epsilon {settings.epsilon:g}: use a share from 0 to 1")
    if not 0 <= settings.lam <= 1:
        raise KatachiError(f"lambda {settings.lam:g}: use a number from 0 to 1")
    if not 1 <= settings.workers <= MOST_WORKERS:
        raise KatachiError(f"{settings.workers} workers: use a number from 1 to {MOST_WORKERS}")
    if settings.by_move and (settings.lam or settings.cascade or settings.workers != 1):
        raise KatachiError("learning by move is TD(0) with one worker and without cascade")
    if not 1 <= settings.bins <= 2**30:
        raise KatachiError(f"{settings.bins} bins: use a number from 1 up")


MakeSource = Callable[[TrainingSettings, list[LocalShape]], Source]


def terms_of(settings: TrainingSettings) -> GameTerms:
    """How these settings let games be played."""
    limit = MOVES_A_POINT * settings.size * settings.size
    return GameTerms(settings.size, settings.komi, settings.epsilon, limit, settings.seed)


def game_settings(settings: TrainingSettings) -> GameSettings:
    """How these settings let kernels play learning games."""
    return GameSettings(settings.epsilon, settings.komi, KoRule.POSITIONAL.value)


def mean_of(models: list[LocalShape]) -> LocalShape:
    """A model whose weights are the means of those of equal kind: its logit is the mean of theirs,
    but for rounding. It has seen what they have seen together."""
    first = models[0]
    weights = np.rint(np.mean([model.weights for model in models], axis=0)).astype(np.int32)
    seen = np.stack([model.seen for model in models]).sum(axis=0)
    return LocalShape(first.sets, first.size, first.bins, weights, seen)


def first_of_test(agent: int, after: int) -> int:
    """The number of an agent's first game in the test after so many games."""
    return TEST_SEEDS * (1 + agent) + after * 1000


class AtPlay(FusedSource, Protocol):
    """Agents that play and learn from games with each other, and are tested."""

    def test(self, after: int, games: int, weights: Weights | None = None) -> list[int]:
        """Each agent's wins in the test after so many games; or those of other weights."""
        ...


class AgentsAtPlay(NamedTuple):
    """Games of agents among themselves, played and learned from by one kernel. Several workers play
    at once, and each learns into the weights of all as soon as a game ends."""

    settings: TrainingSettings
    tables: ShapeTables
    weights: Weights
    """[agents, N]"""
    seen: Counts
    games: list[ShapeGame]
    """One for each worker."""

    def learn(self, rule: UpdateRule, numbers: Sequence[int]) -> Learned:
        """Lets the agents learn from these games, which follow each other; wins are not counted."""
        learns = np.ones(len(self.weights), np.uint8)
        learner = Learner(self.weights, self.seen, learns, rule.rates, rule.errors)
        settings = game_settings(self.settings)
        count, begin = len(numbers), numbers[0] if numbers else 0
        randoms = random_states(self.settings.seed, begin, count)
        bounds = np.linspace(0, count, len(self.games) + 1).astype(int).tolist()

        def learn_part(worker: int) -> int:
            first, end = bounds[worker], bounds[worker + 1]
            game, part = self.games[worker], randoms[first:end]
            train = train_by_move if self.settings.by_move else train_pair
            return int(train(game, self.tables, learner, settings, part, begin + first))

        if len(self.games) == 1:
            return Learned(count, learn_part(0), 0.0)
        with ThreadPoolExecutor(len(self.games)) as pool:
            return Learned(count, sum(pool.map(learn_part, range(len(self.games)))), 0.0)

    def test(self, after: int, games: int, weights: Weights | None = None) -> list[int]:
        """Each agent's wins in the test after so many games; or those of other weights."""
        settings = game_settings(self.settings)._replace(epsilon=0.0)
        tested = self.weights if weights is None else weights
        wins = []
        for agent in range(len(tested)):
            randoms = random_states(self.settings.seed, first_of_test(agent, after), games)
            wins.append(play_tests(self.games[0], self.tables, tested, agent, settings, randoms))
        return [int(each) for each in wins]


class ShapeTrainer:
    """Agents that learn from the games they play with each other, by one kernel, or from another
    source of games, by the plain loop. Of agents at play the loop learns what the kernel does, to
    the last bit unless a weight reaches its bound: that one is held there after each position, in
    the kernel after all positions of a shape.

    What they have learned depends only on the settings and on the number of games, not on how
    calls of `learn` divide them.
    """

    def __init__(
        self,
        settings: TrainingSettings,
        agents: list[LocalShape] | None = None,
        games: int = 0,
        make_source: MakeSource | None = None,
    ) -> None:
        """New agents with zero weights, or given ones after so many games; without a source they
        play each other."""
        check_settings(settings)
        if make_source is not None and settings.workers != 1:
            raise KatachiError(f"{settings.workers} workers: this source has games for one only")
        if make_source is not None and settings.by_move:
            raise KatachiError("learning by move is for agents at play with each other")
        self.settings = settings
        self.games = games
        sets = parse_sets(settings.sets)
        count = 2 if settings.source is SourceKind.PAIR else 1
        models = agents or [LocalShape(sets, settings.size, settings.bins) for _ in range(count)]
        self._check_agents(models, count)
        weights = np.stack([model.weights for model in models])
        seen = np.stack([model.seen for model in models])
        self.agents = [
            LocalShape(sets, settings.size, settings.bins, weights[i], seen[i])
            for i in range(count)
        ]
        self._tables = self.agents[0].tables
        self.make_source = make_source
        errors = ErrorRule(settings.lam, settings.loss is Loss.SQUARED, settings.cascade)
        alphas = [settings.alphas.get(each.name, settings.alpha) for each in sets]
        rates = learning_rates(self._tables, alphas)
        self.rule = UpdateRule(errors, self._tables.general, rates, UNIT)
        self._weights = weights
        self.horizon: int | None = settings.horizon or None
        """Of the games on this board, None for none; whoever lets the board grow may set another
        one before the first game, 0 where it was reached on a smaller board."""
        limit = MOVES_A_POINT * settings.size * settings.size
        self.sums = np.zeros(weights.shape, np.int64)
        """[agents, N]: the weights of all samples added up."""
        self.samples = 0
        self._games = [
            new_game(self._tables, settings.size, limit, is_cascade=settings.cascade)
            for _ in range(settings.workers)
        ]
        self.at_play: AtPlay = AgentsAtPlay(settings, self._tables, weights, seen, self._games)
        """Who plays games of the agents with each other, and tests; somebody else who makes the
        same of them may take the place before the first game."""
        self._source = None if make_source is None else make_source(settings, self.agents)

    def _check_agents(self, models: list[LocalShape], count: int) -> None:
        settings = self.settings
        if len(models) != count:
            raise KatachiError(f"{count} agents are needed to start from, not {len(models)}")
        for model in models:
            if (model.size, model.bins) != (settings.size, settings.bins):
                raise KatachiError(
                    f"a {model.size}x{model.size} model with {model.bins} bins cannot go on as "
                    f"{settings.size}x{settings.size} with {settings.bins}"
                )
            if model.sets != parse_sets(settings.sets):
                raise KatachiError("the model to start from has other shape sets")

    def learn(self, count: int) -> int:
        """Learns from `count` more games; returns how much was learned from, in moves."""
        goal = self.games + count
        moves = self._learn_within_block(goal)
        while self.games < goal:
            moves += self._learn_within_block(goal)
        return moves

    def _learn_within_block(self, goal: int) -> int:
        """Learns until there are `goal` games or the block ends, and samples where it does."""
        before, end, horizon = self.games, goal, self.horizon or 0
        if before < horizon:
            end = min(goal, horizon, before - before % BLOCK + BLOCK)
        moves = self._learn(end - before, self.rates())
        is_end = end % BLOCK == 0 or end == horizon
        if before < end and is_end and AVERAGED_FROM * horizon < end <= horizon:
            self.sample()
        return moves

    def rates(self) -> Rates:
        """The rate of each set in the present block of games."""
        settings = self.settings
        if settings.final_alpha is None or self.horizon is None:
            return self.rule.rates
        is_over = self.games >= self.horizon
        share = 1.0 if is_over else (self.games - self.games % BLOCK) / self.horizon
        fallen: Rates = self.rule.rates * (settings.final_alpha / settings.alpha) ** share
        return fallen

    def _learn(self, count: int, rates: Rates) -> int:
        """Learns from `count` more games at these rates; returns the number of moves. Games before
        one that fails are counted."""
        rule, numbers = self.rule._replace(rates=rates), range(self.games, self.games + count)
        moves = 0
        source = self.at_play if self._source is None else self._source
        for learned in learn(self.agents, source, rule, numbers):
            self.games += learned.games
            moves += learned.positions
        return moves

    def test(self, games: int = 100, agents: list[LocalShape] | None = None) -> list[int]:
        """Each agent's wins against the average liberties player, greedy, colours alternating: of
        the agents as they learn, or of others of their kind.

        The test games depend on the settings and on the number of games learned from.
        """
        weights = None if agents is None else np.stack([agent.weights for agent in agents])
        return self.at_play.test(self.games, games, weights)

    def sample(self) -> None:
        """Adds the present weights to those that `averaged` takes the mean of."""
        self.sums += self._weights
        self.samples += 1

    def averaged(self) -> list[LocalShape]:
        """Agents with the mean of the sampled weights: steadier than any one of them. Without a
        sample, the agents as they are."""
        if self.samples == 0:
            return self.agents
        means = np.rint(self.sums / self.samples).astype(np.int32)
        return [
            LocalShape(agent.sets, agent.size, agent.bins, mean, agent.seen)
            for agent, mean in zip(self.agents, means, strict=True)
        ]

    @property
    def has_averaged(self) -> bool:
        """Whether there was a horizon and it is reached: games after it change the averaged
        weights no more."""
        return 0 < (self.horizon or 0) <= self.games

    def final_agents(self) -> list[LocalShape]:
        """What has been learned: averaged agents once the horizon is reached."""
        return self.averaged() if self.has_averaged else self.agents

    def grown(self, size: int) -> "ShapeTrainer":
        """The same agents on a board of another size, no game played there yet."""
        settings = msgspec.structs.replace(self.settings, size=size)
        agents = [agent.resized(size) for agent in self.agents]
        return ShapeTrainer(settings, agents, make_source=self.make_source)
