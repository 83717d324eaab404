"""Learning from search: a net plays itself by tree search, learns what the searches found, and
plays again, better."""

import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from katachi.errors import KatachiError
from katachi.evaluators.territory import (
    BLACK_OUTPUT,
    MOVE_NET_OUTPUTS,
    WHITE_OUTPUT,
    Arrays,
    Tables,
    Territory,
)
from katachi.features.territory_inputs import (
    InputSettings,
    exchanged_planes,
    plan_inputs,
    plane_count,
    planes_of,
)
from katachi.learning.learner import Tensors, restore_fitter
from katachi.learning.selfplay_games import (
    GameBuffer,
    GamesTask,
    NetWeights,
    PlayedGames,
    Positions,
    join_games,
    part_seed,
    replay,
    split_evenly,
)
from katachi.learning.selfplay_ladder import (
    MatchTask,
    Playing,
    default_opponent,
    divide_match,
)
from katachi.learning.selfplay_settings import (
    INPUTS,
    SelfPlayMeasurement,
    SelfPlayPlan,
    SelfPlaySettings,
    game_plan,
    load_start,
    match_terms,
)
from katachi.rules.color import BLACK
from katachi.rules.positions import positions_of_stones
from katachi.rules.state import recent_moves
from katachi.statistics import wilson
from katachi.workers import Shared

if TYPE_CHECKING:
    from katachi.nets.search_fitting import SearchedBoards, SearchFitter

MATCHES = ("tree", "net", "previous")
"""A small tree search against the opponent, the net alone against it, and the tree against that of
the generation before."""
_BEFORE = "before."
"""Of the net of the generation before, among the tensors of a state."""


class _Losses(NamedTuple):
    """Means over the last generation's batches."""

    ownership: float = 0.0
    policy: float = 0.0


class SelfPlayTrainer:
    """A net that learns from its own searches; a unit is a generation. Games are kept in a
    folder."""

    def __init__(
        self,
        settings: SelfPlaySettings,
        plan: SelfPlayPlan,
        folder: Path,
        playing: Playing,
        device: str = "cpu",
    ) -> None:
        """Begins with random weights or those of a model. Raises KatachiError where torch is
        missing, the device or the model."""
        self.settings, self.plan = settings, plan
        self._device = device
        self._playing = playing
        self._buffer = GameBuffer(folder, settings.positions)
        start = load_start(plan)
        self._inputs = InputSettings(INPUTS) if start is None else start.inputs
        self._tables = Tables() if start is None else start.tables
        self._fitter = make_fitter(settings, start, self._device)
        self._input_plan = plan_inputs(self._inputs, settings.size, *self._tables)
        self._before: Arrays = self._fitter.mean_arrays()
        self._known: dict[int, SearchedBoards] = {}
        self._losses = _Losses()
        self.done = 0
        self.games = 0
        self.seconds = 0.0

    @property
    def weight_count(self) -> int:
        """The number of weights that are learned."""
        return sum(each.size for each in self._before.values())

    def learn(self, count: int) -> None:
        """Plays and learns so many more generations; raises KatachiError when the loss is no
        number."""
        for _ in range(count):
            begin = time.monotonic()
            generation = self.done + 1
            games = self._play(generation)
            self._buffer.write(generation, games)
            self._before = self._fitter.mean_arrays()
            self._fit(generation)
            self._buffer.drop_old(generation)
            self.games += len(games.lengths)
            self.done = generation
            self.seconds += time.monotonic() - begin

    def _play(self, generation: int) -> PlayedGames:
        settings, net = self.settings, self._share(self._fitter.mean_arrays())
        plan = game_plan(settings)
        tasks = [
            GamesTask(net, plan, total, part_seed(settings.seed, generation, number), self._device)
            for number, total in enumerate(split_evenly(settings.new_games, settings.parts))
        ]
        answers = self._playing.play(tasks)
        return join_games([each for each in answers if isinstance(each, PlayedGames)])

    def _net(self, arrays: Arrays) -> NetWeights:
        return NetWeights(self._inputs, arrays, self._tables)

    def _share(self, arrays: Arrays) -> Shared[NetWeights]:
        return self._playing.pool.share(self._net(arrays))

    def _fit(self, generation: int) -> None:
        from katachi.nets.search_fitting import Exchange

        settings, fitter = self.settings, self._fitter
        boards = self._boards(generation)
        count = len(boards.outputs)
        if count == 0:
            return
        fitter.show(boards, Exchange(*exchanged_planes(self._inputs)))
        rate = settings.rate * settings.decay ** (generation - 1)
        random = np.random.default_rng(part_seed(settings.seed, generation, 1 << 32))
        losses = []
        for _ in range(settings.steps):
            loss = fitter.fit(random.integers(count, size=settings.batch), rate)
            if not np.isfinite(loss.cells + loss.choice):
                raise KatachiError(
                    f"the loss of generation {generation} is no number: use a smaller step size "
                    f"than {settings.rate:g}"
                )
            losses.append(loss)
        self._losses = _Losses(*np.mean(losses, axis=0).tolist())

    def _boards(self, generation: int) -> "SearchedBoards":
        """The newest positions up to a generation, as the net sees them."""
        from katachi.nets.search_fitting import SearchedBoards

        window = self._buffer.window(generation)
        self._known = {n: self._known.get(n) or self._read(n) for n, _ in window}
        parts = [[each[-count:] for each in self._known[n]] for n, count in window if count]
        if not parts:
            return self._known[generation]
        return SearchedBoards(*(np.concatenate(each) for each in zip(*parts, strict=True)))

    def _read(self, generation: int) -> "SearchedBoards":
        return self._seen(replay(self._buffer.read(generation), self.settings.size))

    def _seen(self, found: Positions) -> "SearchedBoards":
        from katachi.nets.search_fitting import SearchedBoards

        size = self.settings.size
        planes = planes_of(
            positions_of_stones(found.words), self._input_plan, recent_moves(found.words)
        )
        return SearchedBoards(
            planes.astype(np.float16),
            found.owners.reshape(-1, size, size),
            found.policy[:, :-1].reshape(-1, size, size),
            found.free.reshape(-1, size, size),
            np.where(found.colors == BLACK, BLACK_OUTPUT, WHITE_OUTPUT),
        )

    def measure(self) -> SelfPlayMeasurement:
        """Matches of the net as it plays now; the same each time."""
        plan, losses = self.plan, self._losses
        return SelfPlayMeasurement(
            self.done,
            self.games,
            round(losses.policy, 6),
            round(losses.ownership, 6),
            plan.opponent or default_opponent(),
            2 * -(-plan.match_games // 2),
            **self.match(plan.match_games),
        )

    def match(self, games: int, names: Sequence[str] = MATCHES) -> dict[str, float]:
        """The rates of wins in matches of so many games, with their intervals, by the names that a
        measurement has for them."""
        settings, plan = self.settings, self.plan
        now, before = self._share(self._fitter.mean_arrays()), self._share(self._before)
        opponent, terms = plan.opponent or default_opponent(), match_terms(settings, plan)
        seed = part_seed(settings.seed, self.done, 2 << 32)
        tree = MatchTask(now, plan.match_visits, opponent, terms, games, seed)
        alone, against_before = tree._replace(visits=0), tree._replace(opponent=before)
        matches = {"tree": tree, "net": alone, "previous": against_before}
        return self._match_all({name: matches[name] for name in names})

    def _match_all(self, matches: dict[str, MatchTask]) -> dict[str, float]:
        """The rates of wins with their intervals, by the names of a measurement."""
        parts = [(name, divide_match(each, self.settings.parts)) for name, each in matches.items()]
        tasks = [(name, task) for name, each in parts for task in each]
        answers = self._playing.play([task for _, task in tasks])
        rates = {}
        for name in matches:
            found = [(p, t.games) for (n, t), p in zip(tasks, answers, strict=True) if n == name]
            points = sum(each for each, _ in found if isinstance(each, float))
            games = sum(count for _, count in found)
            low, high = wilson(points, games)
            rates[f"win_rate_{name}"] = round(points / games, 6)
            rates[f"win_rate_low_{name}"] = round(low, 6)
            rates[f"win_rate_high_{name}"] = round(high, 6)
        return rates

    def model(self) -> Territory:
        """The net as it plays."""
        return self._net(self._fitter.mean_arrays()).model(self.settings.size)

    def state(self) -> Tensors:
        """All that going on needs, beside the settings and the games."""
        before = {f"{_BEFORE}{name}": each.copy() for name, each in self._before.items()}
        numbers = np.array([self.done, self.games])
        losses, state = np.array(self._losses), np.array([self.seconds])
        own = {"generations": numbers, "losses": losses, "state": state}
        return self._fitter.state() | before | own

    def load_state(self, tensors: Tensors) -> None:
        """Goes on from a state; raises KatachiError where it is of another net."""
        names = {f"{_BEFORE}{name}" for name in self._before} | {"generations", "losses", "state"}
        if not names <= tensors.keys():
            raise KatachiError("the checkpoint is of another net than this run's")
        restore_fitter(self._fitter, tensors)
        self._before = {
            name: np.asarray(tensors[f"{_BEFORE}{name}"], np.float32) for name in self._before
        }
        self.done, self.games = (int(each) for each in tensors["generations"].tolist())
        self._losses = _Losses(*(float(each) for each in tensors["losses"].tolist()))
        self.seconds = float(tensors["state"][0])
        self._known = {}

    def close(self) -> None:
        """Ends the processes that play."""
        self._playing.close()


def make_fitter(settings: SelfPlaySettings, start: Territory | None, device: str) -> "SearchFitter":
    """A net with the first weights of its seed, or those of a model; raises KatachiError where
    torch is missing, or the device."""
    try:
        from katachi.nets.fitting import FitSettings
        from katachi.nets.search_fitting import new_search_fitter
        from katachi.nets.threads import use_one_thread
    except ImportError:
        raise KatachiError(
            "learning from search needs PyTorch: pip install katachi[nets]"
        ) from None
    fit = FitSettings(settings.rate, settings.steps, 1.0, settings.owner_weight)
    inputs = InputSettings(INPUTS) if start is None else start.inputs
    width, depth = settings.width, settings.depth
    if start is not None:
        width = len(start.arrays["layers.0.bias"])
        depth = sum(name.endswith(".weight") for name in start.arrays) - 1
    shape = (sum(plane_count(inputs)), width, depth, MOVE_NET_OUTPUTS)
    use_one_thread()  # more wait for each other on small boards, and games need the other cores
    try:
        fitter = new_search_fitter(shape, settings.seed, fit, device)
    except ValueError as error:
        raise KatachiError(str(error)) from None
    if start is not None:
        fitter.start_from(start.arrays)
    return fitter
