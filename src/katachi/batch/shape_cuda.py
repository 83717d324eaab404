# pyright: reportArgumentType=false, reportCallIssue=false, reportIndexIssue=false
# pyright: reportAttributeAccessIssue=false
"""Many runs of shape learning on a CUDA card: one thread a run, the kernels of the CPU.

Runs share the tables of their sets; each has weights and the memory of a game of its own. Sets with
liberties are for the CPU.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from numba import cuda

from katachi._jit import inlined
from katachi.errors import KatachiError
from katachi.features.liberty_tracker import LibertyTracker, new_liberties
from katachi.features.shape_tables import ShapeTables
from katachi.features.shape_tracker import ROW, USED, VALUE, ShapeTracker, new_tracker
from katachi.features.units import Counts, Weights
from katachi.rules.state import BoardState
from katachi.td.shape_games import GameSettings, ShapeGame, new_game
from katachi.td.shape_learning import Learner, train_pair

THREADS_A_BLOCK = 32
_SHARED = ("start", "state", "tracker", "liberty")
"""Parts of a game that are no arrays; all others get an axis of runs in front."""


class RunMemory(NamedTuple):
    """R runs on the card; the run axis comes first."""

    words: Any
    hashes: Any
    keys: Any
    """Shared, as in `BoardState`."""
    flat: Any
    """[R, slots * ROW] int32: `ShapeTracker.rows`; the next two are the same memory."""
    used: Any
    """[R, slots, ROW] uint32"""
    value: Any
    """[R, slots, ROW] int32"""
    tracker: tuple[Any, ...]
    """`keys`, `totals`, `gains` and `stale` of `ShapeTracker`."""
    game: tuple[Any, ...]
    """The arrays of `ShapeGame`, from `record` on."""
    start: BoardState
    """Shared."""
    liberty: LibertyTracker
    """Shared, and never used: there are no liberty sets."""
    weights: Any
    """[R, agents, N]"""
    seen: Any
    moves: Any
    """[R]: moves of the games learned from last."""


@inlined
def _game_of(runs: RunMemory, run: int) -> ShapeGame:
    """The memory of one run's game."""
    keys, totals, gains, stale = runs.tracker
    tracker = ShapeTracker(
        runs.flat[run],
        keys[run],
        runs.used[run][:, USED : USED + 2].T,
        runs.value[run][:, VALUE : VALUE + 2].T,
        totals[run],
        gains[run],
        stale[run],
    )
    state = BoardState(runs.words[run], runs.hashes[run], runs.keys)
    record, moves, values, move, sums, logits, errors, steps, added, log, logged, owners = runs.game
    return ShapeGame(
        runs.start,
        state,
        tracker,
        runs.liberty,
        record[run],
        moves[run],
        values[run],
        move[run],
        sums[run],
        logits[run],
        errors[run],
        steps[run],
        added[run],
        log[run],
        logged[run],
        owners[run],
    )


@cuda.jit
def _train_grid(
    runs: RunMemory,
    tables: ShapeTables,
    rule: tuple[Any, ...],
    settings: GameSettings,
    randoms: Any,
    first: int,
) -> None:
    run = cuda.grid(1)
    if run < runs.moves.shape[0]:
        learner = Learner(runs.weights[run], runs.seen[run], rule[0], rule[1], rule[2])
        game = _game_of(runs, run)
        runs.moves[run] = train_pair(game, tables, learner, settings, randoms[run], first)


def to_device(value: Any) -> Any:
    """The same record on the card; numbers in it stay what they are."""
    if isinstance(value, np.ndarray):
        return cuda.to_device(np.ascontiguousarray(value))
    if isinstance(value, tuple):
        parts = [to_device(each) for each in value]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    return value


class CardLearner:
    """R runs that learn side by side on a card, the same weights as on the CPU for equal seeds."""

    def __init__(
        self,
        tables: ShapeTables,
        size: int,
        limit: int,
        weights: Weights,
        learner: tuple[npt.NDArray[np.uint8], Any],
    ) -> None:
        """From weights [R, agents, N]; `learner` is (`learns`, `rule`) as `Learner` has them.
        Raises KatachiError without a card and for sets with liberties."""
        if not cuda.is_available():
            raise KatachiError("no CUDA card that Numba can use: run `katachi doctor` for details")
        if len(tables.liberty.window):
            raise KatachiError("sets with liberties are learned on the CPU: use --device cpu")
        self._learns, self._rule = to_device(learner[0]), learner[1]
        self._tables = to_device(tables)
        is_cascade = bool(learner[1].is_cascade)
        game = new_game(tables, size, limit, is_cascade=is_cascade)
        self._runs = _new_runs(game, tables, weights)

    def learn(
        self,
        settings: GameSettings,
        rates: npt.NDArray[np.float64],
        randoms: npt.NDArray[np.uint64],
        first: int,
    ) -> npt.NDArray[np.int64]:
        """Lets every run play and learn from games `first` .., by its own randoms [R, games];
        returns each run's moves."""
        runs = self._runs
        rule = (self._learns, cuda.to_device(rates), self._rule)
        blocks = -(-len(randoms) // THREADS_A_BLOCK)
        sent = cuda.to_device(np.ascontiguousarray(randoms))
        _train_grid[blocks, THREADS_A_BLOCK](runs, self._tables, rule, settings, sent, first)
        cuda.synchronize()
        moves: npt.NDArray[np.int64] = runs.moves.copy_to_host()
        return moves

    def weights(self) -> Weights:
        """[R, agents, N]: as they are now."""
        weights: Weights = self._runs.weights.copy_to_host()
        return weights

    def seen(self) -> Counts:
        """[R, agents, N]: in how many positions each shape was learned from."""
        seen: Counts = self._runs.seen.copy_to_host()
        return seen


def _new_runs(game: ShapeGame, tables: ShapeTables, weights: Weights) -> RunMemory:
    """Memory for as many runs as there are weights, each like this game."""
    count = len(weights)

    def repeat(array: Any) -> Any:
        return cuda.to_device(np.repeat(array[None], count, axis=0))

    tracker = game.tracker
    flat = repeat(tracker.rows)
    rows = flat.reshape(count, -1, ROW)
    parts = tracker.keys, tracker.totals, tracker.gains, tracker.stale
    arrays = [part for name, part in zip(game._fields, game, strict=True) if name not in _SHARED]
    return RunMemory(
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
        cuda.to_device(np.ascontiguousarray(weights)),
        cuda.to_device(np.zeros(weights.shape, np.uint64)),
        cuda.to_device(np.zeros(count, np.int64)),
    )
