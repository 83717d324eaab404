# pyright: reportArgumentType=false, reportCallIssue=false, reportIndexIssue=false
# pyright: reportAttributeAccessIssue=false
"""Many runs of shape learning on a CUDA card: a warp a run, the kernels of the CPU.

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
from katachi.td.shape_games import ENTRY, GameSettings, ShapeGame, new_game
from katachi.td.shape_learning import Learner, train_pair

PARTS = 10
"""Warps that share the test games of an agent."""
_SHARED = ("start", "state", "tracker", "liberty")
"""Parts of a game that are no arrays; all others get an axis of games in front."""

Randoms = npt.NDArray[np.uint64]
PlayTests = Callable[..., int]
"""`katachi.measure.shape_matches.play_tests`."""


class CardGames(NamedTuple):
    """The memory of G games on the card; the axis of games comes first."""

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
    """R runs on the card."""

    weights: Any
    """[R, agents, N]"""
    seen: Any
    moves: Any
    """[R]: moves of the games learned from last."""
    rule: tuple[Any, ...]
    """`learns`, `rates` and `rule` of `Learner`."""


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
    randoms: Any,
    first: int,
) -> None:
    """A block a run: its games `first` .., by randoms [R, games]."""
    run = cuda.blockIdx.x
    rule = runs.rule
    learner = Learner(runs.weights[run], runs.seen[run], rule[0], rule[1], rule[2])
    game = _game_of(games, run)
    runs.moves[run] = train_pair(game, tables, learner, settings, randoms[run], first)


@cache
def _test_grid(play_tests: PlayTests) -> Any:
    """The launcher of test games."""

    @warp_kernel
    def play_grid(
        games: CardGames,
        tables: ShapeTables,
        weights: Any,
        settings: GameSettings,
        randoms: Any,
        wins: Any,
    ) -> None:
        """A block for each part of each agent's games, by randoms [R, agents, games]; an even
        number of them, as colours alternate. Their wins go to wins [R, agents, PARTS]."""
        block = cuda.blockIdx.x
        part = block % PARTS
        agent = block // PARTS % wins.shape[1]
        run = block // PARTS // wins.shape[1]
        own = randoms[run, agent]
        length = 2 * ((len(own) + 2 * PARTS - 1) // (2 * PARTS))
        own = own[part * length : (part + 1) * length]
        game = _game_of(games, block)
        wins[run, agent, part] = play_tests(game, tables, weights[run], agent, settings, own)

    return play_grid


def to_device(value: Any) -> Any:
    """The same record on the card; numbers in it stay what they are."""
    if isinstance(value, np.ndarray):
        return cuda.to_device(np.ascontiguousarray(value))
    if isinstance(value, tuple):
        parts = [to_device(each) for each in value]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    return value


def check_card() -> None:
    """Raises KatachiError where there is no card."""
    if not cuda.is_available():
        raise KatachiError("no CUDA card that Numba can use: run `katachi doctor` for details")


class CardLearner:
    """R runs that learn side by side on a card, the same weights as on the CPU for equal seeds.

    Calls come back at once, and what was asked for is done in order; `wait` and whatever returns
    numbers wait for it.
    """

    def __init__(
        self,
        tables: ShapeTables,
        size: int,
        limit: int,
        weights: Weights,
        learner: tuple[npt.NDArray[np.uint8], Any],
        stream: Any = None,
    ) -> None:
        """From weights [R, agents, N]; `learner` is (`learns`, `rule`) as `Learner` has them.
        Runs of different streams go side by side. Raises KatachiError without a card and for sets
        with liberties."""
        check_card()
        if len(tables.liberty.window):
            raise KatachiError("sets with liberties are learned on the CPU: use --device cpu")
        self._stream = cuda.stream() if stream is None else stream
        self._host_tables, self._tables = tables, to_device(tables)
        self._rule = to_device(learner[0]), learner[1]
        self._game = new_game(tables, size, limit, is_cascade=bool(learner[1].is_cascade))
        self._games = _new_games(self._game, tables, len(weights))
        self._tested: CardGames | None = None
        self._runs = CardRuns(
            cuda.to_device(np.ascontiguousarray(weights)),
            cuda.to_device(np.zeros(weights.shape, np.uint64)),
            cuda.to_device(np.zeros(len(weights), np.int64)),
            (),
        )
        self._kept: list[Any] = []

    def learn(
        self, settings: GameSettings, rates: npt.NDArray[np.float64], randoms: Randoms, first: int
    ) -> None:
        """Lets every run play and learn from games `first` .., by its own randoms [R, games]."""
        rule = (self._rule[0], self._sent(rates), self._rule[1])
        runs = self._runs._replace(rule=rule)
        sent = self._sent(randoms)
        grid = _train_grid[len(randoms), LANES, self._stream]
        grid(self._games, self._tables, runs, settings, sent, first)

    def test(self, play_tests: PlayTests, settings: GameSettings, randoms: Randoms) -> Any:
        """Lets every agent play test games by its own randoms [R, agents, games]; returns the
        wins [R, agents, PARTS], to be read by `wins_of`."""
        runs, agents, _ = randoms.shape
        if self._tested is None:
            game = self._game._replace(log=np.zeros(ENTRY, np.int32))
            self._tested = _new_games(game, self._host_tables, runs * agents * PARTS)
        wins = cuda.device_array((runs, agents, PARTS), np.int64, stream=self._stream)
        sent, weights = self._sent(randoms), self._runs.weights
        grid = _test_grid(play_tests)[runs * agents * PARTS, LANES, self._stream]
        grid(self._tested, self._tables, weights, settings, sent, wins)
        return wins

    def _sent(self, array: npt.NDArray[Any]) -> Any:
        """An array on the card, kept until all that was asked for is done."""
        sent = cuda.to_device(np.ascontiguousarray(array), stream=self._stream)
        self._kept.append((array, sent))
        return sent

    def wins_of(self, wins: Any) -> list[list[int]]:
        """[R][agents]: the wins that `test` counted."""
        self.wait()
        found: list[list[int]] = wins.copy_to_host().sum(axis=2).tolist()
        return found

    def wait(self) -> None:
        """Returns when all that was asked for is done."""
        self._stream.synchronize()
        self._kept.clear()

    def moves(self) -> npt.NDArray[np.int64]:
        """[R]: moves of the games of the last `learn`."""
        self.wait()
        moves: npt.NDArray[np.int64] = self._runs.moves.copy_to_host()
        return moves

    def weights(self) -> Weights:
        """[R, agents, N]: as they are now."""
        self.wait()
        weights: Weights = self._runs.weights.copy_to_host()
        return weights

    def seen(self) -> Counts:
        """[R, agents, N]: in how many positions each shape was learned from."""
        self.wait()
        seen: Counts = self._runs.seen.copy_to_host()
        return seen


def _new_games(game: ShapeGame, tables: ShapeTables, count: int) -> CardGames:
    """Memory for so many games, each like this one."""

    def repeat(array: Any) -> Any:
        return cuda.to_device(np.repeat(array[None], count, axis=0))

    tracker = game.tracker
    flat = repeat(tracker.rows)
    rows = flat.reshape(count, -1, ROW)
    parts = tracker.keys, tracker.totals, tracker.gains, tracker.stale
    arrays = [part for name, part in zip(game._fields, game, strict=True) if name not in _SHARED]
    return CardGames(
        repeat(game.state.words),
        repeat(game.state.hashes),
        cuda.to_device(game.state.keys),
        flat,
        rows.view(np.uint32),
        rows,
        tuple(map(repeat, parts)),
        tuple(map(repeat, arrays)),
        to_device(game.start),
        to_device(new_liberties(tables, new_tracker(tables))),
    )
