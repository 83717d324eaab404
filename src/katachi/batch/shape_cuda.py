# pyright: reportArgumentType=false, reportCallIssue=false, reportIndexIssue=false
# pyright: reportAttributeAccessIssue=false, reportOperatorIssue=false
"""Many runs of shape learning on a CUDA GPU: a warp a run, the kernels of the CPU.

Runs share the tables of their sets; each has weights and the memory of a game of its own. The lanes
of a warp share windows, points and what was logged (`katachi._jit.lanes`). Sets with liberties are
for the CPU.
"""

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from numba import cuda

from katachi._jit import inlined
from katachi.batch.card_lanes import LANES, warp_kernel
from katachi.errors import KatachiError
from katachi.features.liberty_tracker import LibertyTracker, new_liberties
from katachi.features.shape_tables import ShapeTables
from katachi.features.shape_tracker import ROW, USED, VALUE, ShapeTracker, new_tracker
from katachi.features.units import Counts, Weights
from katachi.rules.state import BoardState
from katachi.td.shape_learning import Learner, train_pair
from katachi.td.shape_memory import ENTRY, GameSettings, ShapeGame, new_game

PARTS = 10
"""Warps that share the test games of an agent."""
_SHARED = ("start", "state", "tracker", "liberty")
"""Parts of a game that are no arrays; all others get an axis of games in front."""

Randoms = npt.NDArray[np.uint64]
PlayTests = Callable[..., int]
"""`katachi.measure.shape_matches.play_tests`."""


class CardGames(NamedTuple):
    """The memory of G games on the GPU; the axis of games comes first."""

    words: Any
    hashes: Any
    keys: Any
    """Shared, as in `BoardState`."""
    flat: Any
    """[G, slots * ROW] int32: `ShapeTracker.rows`; the next two are the same memory."""
    used: Any
    """[G, slots, ROW] uint32"""
    value: Any
    """[G, slots, ROW] int32"""
    tracker: tuple[Any, ...]
    """`keys`, `totals`, `gains` and `stale` of `ShapeTracker`."""
    game: tuple[Any, ...]
    """The arrays of `ShapeGame`, from `record` on."""
    start: BoardState
    """Shared."""
    liberty: LibertyTracker
    """Shared, and never used: there are no liberty sets."""


class CardRuns(NamedTuple):
    """R runs on the GPU."""

    weights: Any
    """[R, agents, N]"""
    seen: Any
    moves: Any
    """[R]: moves of all games learned from."""
    rule: tuple[Any, ...]
    """`learns`, `rates` and `rule` of `Learner`."""


class CardRandoms(NamedTuple):
    """Random states of learning games on the GPU."""

    states: Any
    """[R, games]"""
    first: int
    """The number of the first game."""


class CardTests(NamedTuple):
    """T tests on the GPU."""

    states: Any
    """[T, R, agents, games]: random states."""
    wins: Any
    """[T, R, agents, PARTS]"""


@inlined
def _game_of(games: CardGames, number: int) -> ShapeGame:
    """The memory of one game."""
    keys, totals, gains, stale = games.tracker
    tracker = ShapeTracker(
        games.flat[number],
        keys[number],
        games.used[number][:, USED : USED + 2].T,
        games.value[number][:, VALUE : VALUE + 2].T,
        totals[number],
        gains[number],
        stale[number],
    )
    state = BoardState(games.words[number], games.hashes[number], games.keys)
    record, moves, values, move, sums, logits, errors, steps, added, log, logged, owners = (
        games.game
    )
    return ShapeGame(
        games.start,
        state,
        tracker,
        games.liberty,
        record[number],
        moves[number],
        values[number],
        move[number],
        sums[number],
        logits[number],
        errors[number],
        steps[number],
        added[number],
        log[number],
        logged[number],
        owners[number],
    )


@warp_kernel
def _train_grid(
    games: CardGames,
    tables: ShapeTables,
    runs: CardRuns,
    settings: GameSettings,
    randoms: "CardRandoms",
    part: tuple[int, int],
) -> None:
    """A block a run: its games from the first to the second number."""
    run = cuda.blockIdx.x
    rule = runs.rule
    own = randoms.states[run][part[0] - randoms.first : part[1] - randoms.first]
    learner = Learner(runs.weights[run], runs.seen[run], rule[0], rule[1], rule[2])
    game = _game_of(games, run)
    moves = train_pair(game, tables, learner, settings, own, part[0])
    if cuda.threadIdx.x == 0:
        runs.moves[run] += moves


@cache
def _test_grid(play_tests: PlayTests) -> Any:
    """The launcher of test games."""

    @warp_kernel
    def play_grid(
        games: CardGames,
        tables: ShapeTables,
        weights: Any,
        settings: GameSettings,
        tests: CardTests,
        number: int,
    ) -> None:
        """A block for each part of each agent's games in test `number`; an even number of games,
        as colours alternate."""
        block = cuda.blockIdx.x
        agents = tests.wins.shape[2]
        part, agent, run = block % PARTS, block // PARTS % agents, block // PARTS // agents
        own = tests.states[number, run, agent]
        length = 2 * ((len(own) + 2 * PARTS - 1) // (2 * PARTS))
        own = own[part * length : (part + 1) * length]
        game = _game_of(games, block)
        wins = play_tests(game, tables, weights[run], agent, settings, own)
        tests.wins[number, run, agent, part] = wins

    return play_grid


def check_card() -> None:
    """Raises KatachiError where there is no GPU."""
    if not cuda.is_available():
        raise KatachiError("no CUDA GPU that Numba can use: run `katachi doctor` for details")


def card_name() -> str:
    """What the GPU is called."""
    name = getattr(cuda.get_current_device(), "name", "simulated")
    return name.decode() if isinstance(name, bytes) else str(name)


class CardLearner:
    """R runs that learn side by side on a GPU, the same weights as on the CPU for equal seeds.

    `learn` and `test` come back at once, and what they ask for is done in order; whatever returns
    numbers waits for it. Each learner has a stream of its own, so they go side by side. Nothing
    here uses the common stream, and `learn` and `test` free no memory: that would wait for all.
    """

    def __init__(
        self,
        tables: ShapeTables,
        size: int,
        limit: int,
        weights: Weights,
        learner: tuple[npt.NDArray[np.uint8], Any],
    ) -> None:
        """From weights [R, agents, N]; `learner` is (`learns`, `rule`) as `Learner` has them.
        Raises KatachiError without a GPU and for sets with liberties."""
        check_card()
        if len(tables.liberty.window):
            raise KatachiError("sets with liberties are learned on the CPU: use --device cpu")
        self._stream = cuda.stream()
        self._host_tables, self._tables = tables, self.send(tables)
        self._rule = self.send(learner[0]), learner[1]
        self._rates: tuple[bytes, Any] = b"", None
        self._game = new_game(tables, size, limit, is_cascade=bool(learner[1].is_cascade))
        self._games = self._new_games(self._game, len(weights))
        self._tested: CardGames | None = None
        seen, moves = np.zeros(weights.shape, np.uint64), np.zeros(len(weights), np.int64)
        self._runs = CardRuns(self.send(weights), self.send(seen), self.send(moves), ())

    def send(self, value: Any) -> Any:
        """The same record on the GPU; numbers in it stay what they are."""
        if isinstance(value, np.ndarray):
            return cuda.to_device(np.ascontiguousarray(value), stream=self._stream)
        if isinstance(value, tuple):
            parts = [self.send(each) for each in value]
            return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
        return value

    def _new_games(self, game: ShapeGame, count: int) -> CardGames:
        """Memory for so many games, each like this one."""

        def repeat(array: Any) -> Any:
            return self.send(np.repeat(array[None], count, axis=0))

        tracker = game.tracker
        flat = repeat(tracker.rows)
        rows = flat.reshape(count, -1, ROW)
        parts = tracker.keys, tracker.totals, tracker.gains, tracker.stale
        named = zip(game._fields, game, strict=True)
        arrays = [part for name, part in named if name not in _SHARED]
        tables = self._host_tables
        return CardGames(
            repeat(game.state.words),
            repeat(game.state.hashes),
            self.send(game.state.keys),
            flat,
            rows.view(np.uint32),
            rows,
            tuple(map(repeat, parts)),
            tuple(map(repeat, arrays)),
            self.send(game.start),
            self.send(new_liberties(tables, new_tracker(tables))),
        )

    def new_tests(self, states: Randoms) -> CardTests:
        """Tests by random states [T, R, agents, games], and memory for their games."""
        tests, runs, agents, _ = states.shape
        if self._tested is None:
            game = self._game._replace(log=np.zeros(ENTRY, np.int32))
            self._tested = self._new_games(game, runs * agents * PARTS)
        wins = np.zeros((tests, runs, agents, PARTS), np.int64)
        return CardTests(*self.send((states, wins)))

    def learn(
        self,
        settings: GameSettings,
        rates: npt.NDArray[np.float64],
        randoms: CardRandoms,
        part: tuple[int, int],
    ) -> None:
        """Lets every run play and learn from games part[0] .. part[1], by randoms that `send` has
        put on the GPU."""
        if self._rates[0] != rates.tobytes():
            self._rates = rates.tobytes(), self.send(rates)
        runs = self._runs._replace(rule=(self._rule[0], self._rates[1], self._rule[1]))
        grid = _train_grid[runs.moves.shape[0], LANES, self._stream]
        grid(self._games, self._tables, runs, settings, randoms, part)

    def test(
        self, play_tests: PlayTests, settings: GameSettings, tests: CardTests, number: int
    ) -> None:
        """Lets every agent play the games of one of these tests."""
        _, runs, agents, _ = tests.wins.shape
        grid = _test_grid(play_tests)[runs * agents * PARTS, LANES, self._stream]
        grid(self._tested, self._tables, self._runs.weights, settings, tests, number)

    def wins_of(self, tests: CardTests) -> npt.NDArray[np.int64]:
        """[T, R, agents]: the wins in these tests."""
        wins: npt.NDArray[np.int64] = self._fetch(tests.wins).sum(axis=3)
        return wins

    def wait(self) -> None:
        """Returns when all that was asked for is done."""
        self._stream.synchronize()

    def _fetch(self, array: Any) -> npt.NDArray[Any]:
        found: npt.NDArray[Any] = array.copy_to_host(stream=self._stream)
        self.wait()
        return found

    def moves(self) -> npt.NDArray[np.int64]:
        """[R]: moves of all games learned from."""
        return self._fetch(self._runs.moves)

    def weights(self) -> Weights:
        """[R, agents, N]: as they are now."""
        return self._fetch(self._runs.weights)

    def seen(self) -> Counts:
        """[R, agents, N]: in how many positions each shape was learned from."""
        return self._fetch(self._runs.seen)
