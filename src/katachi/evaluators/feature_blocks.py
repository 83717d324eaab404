"""Feature blocks of a linear evaluator. They see positions as whoever moved last does."""

from functools import partial
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from katachi.errors import KatachiError
from katachi.evaluators.linear_evaluator import FeatureBlock
from katachi.evaluators.scratch import PerThread
from katachi.evaluators.shape_moves import (
    nudge_liberty_shapes,
    nudge_shapes,
    sum_liberty_shapes,
    sum_shapes,
)
from katachi.evaluators.window_values import (
    WindowWeights,
    forget_values,
    nudge_windows,
    sum_moves,
    sum_windows,
    window_weights,
)
from katachi.features.liberty_tracker import LibertyTracker, new_liberties
from katachi.features.shape_map import ShapeMap
from katachi.features.shape_sets import BINS, ShapeSet
from katachi.features.shape_tables import ShapeTables, count_weights, shape_tables
from katachi.features.shape_tracker import ShapeTracker, new_tracker
from katachi.features.units import UNIT, Counts, Logits, Sums, Weights
from katachi.features.window_map import Codes, FeatureMap, WindowTable
from katachi.rules.point import CELLS, Points
from katachi.rules.positions import last_movers
from katachi.rules.state import BoardState, Words


class ShapeScratch(NamedTuple):
    """Memory in which positions are read; it holds nothing between calls."""

    tracker: ShapeTracker
    liberties: LibertyTracker
    colors: npt.NDArray[np.uint8]


def _new_scratch(sets: tuple[ShapeSet, ...], size: int, bins: int) -> ShapeScratch:
    tables = shape_tables(sets, size, bins)
    tracker = new_tracker(tables)
    colors = np.zeros((2, CELLS), np.uint8)
    return ShapeScratch(tracker, new_liberties(tables, tracker), colors)


class ShapeBlock(FeatureBlock):
    """Local shape sets, whose weights are shared by mirror images; a term a set.

    `weights` [N] are integers, so many `UNIT`s each; `seen` [N] counts the positions, each
    occurrence, in which a weight was learned from.
    """

    def __init__(
        self,
        sets: tuple[ShapeSet, ...],
        size: int,
        bins: int = BINS,
        weights: Weights | None = None,
        seen: Counts | None = None,
    ) -> None:
        """Weights are zero unless given; raises KatachiError where a set does not fit the board, or
        weights or counts the sets."""
        self.form = sets, size, bins
        self.terms = len(sets)
        count = count_weights(sets, size, bins)
        self.weights = np.zeros(count, np.int32) if weights is None else weights
        self.seen = np.zeros(count, np.uint64)
        if seen is not None:
            self.seen = seen.astype(np.uint64, copy=False)
        if self.weights.dtype != np.int32 or not len(self.weights) == len(self.seen) == count:
            raise KatachiError(f"these shape sets need {count} weights (int32) and as many counts")
        self._scratch = PerThread(partial(_new_scratch, *self.form))

    @property
    def tables(self) -> ShapeTables:
        """What kernels know of the sets."""
        return shape_tables(*self.form)

    def predict(self, states: BoardState) -> Logits:
        """The sum of each set in units, [B, sets]."""
        sums = np.zeros((len(states.words), len(self.form[0])), np.int64)
        mine = self._scratch.get()
        sum_shapes(states, self.tables, mine.tracker, self.weights, mine.colors, sums)
        if len(self.tables.liberty.window) > 0:
            sum_liberty_shapes(states, self.tables, mine.liberties, self.weights, sums)
        return sums

    def last_used(self) -> npt.NDArray[np.uint32]:
        """[2, slots]: the weight that each slot of the last position used that this thread has
        asked about; of the view of whoever moved last there, Black's first."""
        return self._scratch.get().tracker.used

    def nudge(self, states: BoardState, steps: Logits) -> None:
        """Moves the weights of each set's shapes by steps [B, sets]."""
        mine, learned = self._scratch.get(), (self.weights, self.seen)
        nudge_shapes(states, self.tables, mine.tracker, *learned, steps)
        if len(self.tables.liberty.window) > 0:
            nudge_liberty_shapes(states, self.tables, mine.liberties, *learned, steps)


class MapBlock(FeatureBlock):
    """The features of a map, one term: each position's are computed in full."""

    def __init__(self, feature_map: FeatureMap, size: int) -> None:
        """Weights are zero; raises KatachiError where the board is too small."""
        self.map = feature_map
        self.theta: npt.NDArray[Any] = np.zeros(feature_map.count(size))
        """[F] in logits; of shape sets in units, as integers."""

    def restore(self, theta: npt.NDArray[np.generic]) -> None:
        """Takes over weights that were kept."""
        self.theta[:] = theta

    def predict(self, states: BoardState) -> Logits:
        """[B, 1] in units."""
        logits = self.map.transform(states, last_movers(states)).astype(np.float64) @ self.theta
        return np.asarray(np.rint(logits / UNIT).astype(np.int64)[:, None])

    def nudge(self, states: BoardState, steps: Logits) -> None:
        """Moves the weights by steps [B, 1]."""
        features = self.map.transform(states, last_movers(states)).astype(np.float64)
        self.theta += (UNIT * steps[:, 0]) @ features


class ShapeMapBlock(MapBlock):
    """Shape sets as a map: their sum is one term."""

    def __init__(self, feature_map: ShapeMap, size: int) -> None:
        """Weights are zero; raises KatachiError where the board is too small."""
        self.map: FeatureMap = feature_map
        self._shapes = ShapeBlock(feature_map.sets, size, feature_map.bins)
        self.theta = self._shapes.weights

    def predict(self, states: BoardState) -> Logits:
        """[B, 1] in units."""
        return np.asarray(self._shapes.predict(states).sum(axis=1, keepdims=True))

    def nudge(self, states: BoardState, steps: Logits) -> None:
        """Moves the weights by steps [B, 1]."""
        self._shapes.nudge(states, np.repeat(steps, self._shapes.terms, axis=1))


class WindowBlock(MapBlock):
    """Features that depend on the stones of small windows alone: a move costs only the windows
    that it changes."""

    has_moves = True

    def __init__(self, feature_map: FeatureMap, table: WindowTable, size: int) -> None:
        """Weights are zero; raises KatachiError where the board is too small."""
        super().__init__(feature_map, size)
        self._shared = window_weights(table, size, self.theta)
        self._codes: PerThread[Codes] = PerThread(self._shared.codes.copy)

    @property
    def weights(self) -> WindowWeights:
        """As kernels take them, with scratch of this thread's own. The values computed so far are
        shared: whoever computes one of them writes the same number."""
        return self._shared._replace(codes=self._codes.get())

    def restore(self, theta: npt.NDArray[np.generic]) -> None:
        """Takes over weights that were kept."""
        super().restore(theta)
        forget_values(self.weights)

    def predict(self, states: BoardState) -> Logits:
        """[B, 1] in units."""
        sums = np.zeros(len(states.words), np.int64)
        sum_windows(states, self.weights, sums)
        return sums[:, None]

    def nudge(self, states: BoardState, steps: Logits) -> None:
        """Moves the weights by steps [B, 1]."""
        nudge_windows(states, self.weights, np.ascontiguousarray(steps[:, 0]))

    def add_moves(self, board: Words, color: int, moves: Points, values: Sums) -> None:
        """Adds the value of what each move leads to."""
        sum_moves(board, color, moves, self.weights, values)


def block_of(feature_map: FeatureMap, size: int) -> MapBlock:
    """The block that computes a map fastest; raises KatachiError where the board is too small."""
    if isinstance(feature_map, ShapeMap):
        return ShapeMapBlock(feature_map, size)
    table = feature_map.table
    return MapBlock(feature_map, size) if table is None else WindowBlock(feature_map, table, size)
