"""The parts of a linear evaluator: one feature map each, with the weights of its features."""

from functools import partial
from typing import Protocol

import numpy as np
import numpy.typing as npt

from katachi.evaluators.scratch import PerThread
from katachi.evaluators.shape_moves import nudge_shapes, sum_shapes
from katachi.evaluators.window_values import (
    Theta,
    WindowWeights,
    forget_values,
    nudge_windows,
    sum_moves,
    sum_windows,
    window_weights,
)
from katachi.features.shape_map import ShapeMap
from katachi.features.shape_tables import shape_tables
from katachi.features.shape_tracker import ShapeTracker, new_tracker
from katachi.features.units import UNIT, Sums
from katachi.features.window_map import Codes, FeatureMap, WindowTable
from katachi.rules.point import CELLS, Points
from katachi.rules.positions import last_movers
from katachi.rules.state import BoardState, Words

Weights = npt.NDArray[np.float64] | npt.NDArray[np.int32]


class LinearPart(Protocol):
    """A feature map with its weights. Positions are seen by whoever moved last."""

    @property
    def map(self) -> FeatureMap:
        """Where its features come from."""
        ...

    @property
    def theta(self) -> Weights:
        """[F] in logits; of shape sets in units, as integers."""
        ...

    def predict(self, states: BoardState) -> Sums:
        """[B] what each position is worth, in units."""
        ...

    def nudge(self, states: BoardState, steps: Sums) -> None:
        """Moves the weights by steps [B], in units, times the features of each position."""
        ...

    def restore(self, theta: Weights) -> None:
        """Takes over weights that were kept."""
        ...

    def add_moves(self, board: Words, color: int, moves: Points, values: Sums) -> bool:
        """Adds what the position after each legal move is worth to its mover to values [M]; False
        where the part has no fast way to tell."""
        ...


class WindowPart:
    """Features that depend on the stones of small windows alone."""

    def __init__(self, feature_map: FeatureMap, table: WindowTable, size: int) -> None:
        """Weights are zero."""
        self.map = feature_map
        self.theta: Theta = np.zeros(feature_map.count(size))
        self._shared = window_weights(table, size, self.theta)
        self._codes: PerThread[Codes] = PerThread(self._shared.codes.copy)

    @property
    def weights(self) -> WindowWeights:
        """As kernels take them, with scratch of this thread's own. The values computed so far are
        shared: whoever computes one of them writes the same number."""
        return self._shared._replace(codes=self._codes.get())

    def restore(self, theta: Weights) -> None:
        """Takes over weights that were kept."""
        self.theta[:] = theta
        forget_values(self.weights)

    def predict(self, states: BoardState) -> Sums:
        """[B] in units."""
        sums = np.zeros(len(states.words), np.int64)
        sum_windows(states, self.weights, sums)
        return sums

    def nudge(self, states: BoardState, steps: Sums) -> None:
        """Moves the weights by steps [B]."""
        nudge_windows(states, self.weights, np.ascontiguousarray(steps))

    def add_moves(self, board: Words, color: int, moves: Points, values: Sums) -> bool:
        """Adds what each move leads to; a move costs only the windows that it changes."""
        sum_moves(board, color, moves, self.weights, values)
        return True


def _new_shape_scratch(
    feature_map: ShapeMap, size: int
) -> tuple[ShapeTracker, npt.NDArray[np.uint8]]:
    tables = shape_tables(feature_map.sets, size, feature_map.bins)
    return new_tracker(tables), np.zeros((2, CELLS), np.uint8)


class ShapePart:
    """Local shape sets, whose weights are shared by mirror images."""

    def __init__(self, feature_map: ShapeMap, size: int) -> None:
        """Weights are zero."""
        self.map = feature_map
        self.theta = np.zeros(feature_map.count(size), np.int32)
        self._tables = shape_tables(feature_map.sets, size, feature_map.bins)
        self._scratch = PerThread(partial(_new_shape_scratch, feature_map, size))
        self._seen = np.zeros(len(self.theta), np.uint64)

    def restore(self, theta: Weights) -> None:
        """Takes over weights that were kept."""
        self.theta[:] = theta

    def predict(self, states: BoardState) -> Sums:
        """[B] in units."""
        sums = np.zeros((len(states.words), len(self.map.sets)), np.int64)
        tracker, colors = self._scratch.get()
        sum_shapes(states, self._tables, tracker, self.theta, colors, sums)
        return np.asarray(sums.sum(axis=1))

    def nudge(self, states: BoardState, steps: Sums) -> None:
        """Moves the weights by steps [B]."""
        spread = np.repeat(np.asarray(steps)[:, None], len(self.map.sets), axis=1)
        tracker, _ = self._scratch.get()
        nudge_shapes(states, self._tables, tracker, self.theta, self._seen, spread)

    def add_moves(self, board: Words, color: int, moves: Points, values: Sums) -> bool:  # noqa: ARG002
        """False: positions after the moves must be set up."""
        return False


class PlainPart:
    """Any other map: features are computed in full for each position."""

    def __init__(self, feature_map: FeatureMap, size: int) -> None:
        """Weights are zero."""
        self.map = feature_map
        self.theta: Theta = np.zeros(feature_map.count(size))

    def restore(self, theta: Weights) -> None:
        """Takes over weights that were kept."""
        self.theta[:] = theta

    def predict(self, states: BoardState) -> Sums:
        """[B] in units."""
        logits = self.map.transform(states, last_movers(states)).astype(np.float64) @ self.theta
        return np.rint(logits / UNIT).astype(np.int64)

    def nudge(self, states: BoardState, steps: Sums) -> None:
        """Moves the weights by steps [B]."""
        features = self.map.transform(states, last_movers(states)).astype(np.float64)
        self.theta += (UNIT * steps) @ features

    def add_moves(self, board: Words, color: int, moves: Points, values: Sums) -> bool:  # noqa: ARG002
        """False: positions after the moves must be set up."""
        return False


def make_part(feature_map: FeatureMap, size: int) -> LinearPart:
    """The part that computes a map fastest; raises KatachiError where the board is too small."""
    if isinstance(feature_map, ShapeMap):
        return ShapePart(feature_map, size)
    table = feature_map.table
    return PlainPart(feature_map, size) if table is None else WindowPart(feature_map, table, size)
