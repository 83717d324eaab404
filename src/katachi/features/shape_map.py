"""Local shape sets and unions of maps as feature maps."""

from collections.abc import Sequence

import numpy as np

from katachi.errors import KatachiError
from katachi.features.shape_sets import BINS, Family, ShapeSet
from katachi.features.shape_tables import count_weights, shape_tables
from katachi.features.shape_tracker import change_point, new_tracker, reset_view
from katachi.features.window_map import FeatureMap, Floats, Viewers, WindowTable
from katachi.rules.color import BLACK
from katachi.rules.point import points_of
from katachi.rules.state import SIZE, BoardState, Words, colors_of

PREFIX = "shapes:"


class ShapeMap:
    """How often each shape of some sets stands on the board; mirror images are one shape."""

    table: WindowTable | None = None

    def __init__(self, sets: tuple[ShapeSet, ...], bins: int = BINS) -> None:
        """Raises KatachiError for liberty sets, which are followed in another way."""
        if any(each.family is Family.LIBERTY for each in sets):
            raise KatachiError("liberty shapes are not offered as features: leave :liberty out")
        self.name = PREFIX + ",".join(each.name for each in sets)
        self.sets = sets
        self.bins = bins

    def count(self, size: int) -> int:
        """How many features a board of a size has; raises KatachiError where it is too small."""
        return count_weights(self.sets, size, self.bins)

    def transform(self, states: BoardState, viewers: Viewers | None = None) -> Floats:
        """[B, F], as `FeatureMap` says."""
        size = int(states.words.flat[SIZE])
        features = np.zeros((len(states.words), self.count(size)), np.float32)
        for index, words in enumerate(states.words):
            viewer = BLACK if viewers is None else int(viewers[index])
            np.add.at(features[index], self._used(words, viewer), 1.0)
        return features

    def _used(self, words: Words, viewer: int) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        """The weight that each slot of a position uses."""
        size, view = int(words[SIZE]), viewer - BLACK
        tables = shape_tables(self.sets, size, self.bins)
        tracker = new_tracker(tables)
        nothing = np.zeros(self.count(size), np.int32)
        reset_view(tables, tracker, view, nothing)
        for point, color in zip(points_of(size).tolist(), colors_of(words).tolist(), strict=True):
            if color:
                change_point(tables, tracker, view, nothing, point, color)
        return tracker.used[view].astype(np.int64)


class UnionMap:
    """Several maps side by side."""

    table: WindowTable | None = None

    def __init__(self, maps: Sequence[FeatureMap]) -> None:
        """Raises KatachiError where there are none."""
        if not maps:
            raise KatachiError("no features given")
        self.name = " and ".join(each.name for each in maps)
        self.maps = tuple(maps)

    def count(self, size: int) -> int:
        """How many features a board of a size has; raises KatachiError where it is too small."""
        return sum(each.count(size) for each in self.maps)

    def transform(self, states: BoardState, viewers: Viewers | None = None) -> Floats:
        """[B, F]: the features of each map, one map behind the other."""
        return np.concatenate([each.transform(states, viewers) for each in self.maps], axis=1)
