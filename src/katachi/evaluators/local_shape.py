"""S1: the value of a position as the sum of what its local shapes are worth.

Silver, Sutton and Müller (2007): whoever moved last sees its own stones as colour 1; the logit of
its chance to win is the sum of one weight for every window of every shape set.
"""

from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt

from katachi.errors import KatachiError
from katachi.evaluators.linear_evaluator import LinearEvaluator
from katachi.evaluators.protocol import Abilities
from katachi.evaluators.scratch import PerThread
from katachi.evaluators.shape_moves import (
    nudge_liberty_shapes,
    nudge_shapes,
    sum_liberty_shapes,
    sum_shapes,
)
from katachi.features.liberty_tracker import LibertyTracker, new_liberties
from katachi.features.shape_sets import BINS, ShapeSet, parse_sets
from katachi.features.shape_tables import (
    SetLayout,
    ShapeTables,
    count_weights,
    layout_of,
    shape_tables,
)
from katachi.features.shape_tracker import ShapeTracker, new_tracker
from katachi.features.units import UNIT, Counts, Weights
from katachi.features.windows import canonical_codes
from katachi.files.model_folder import narrowed, read_config, read_tensors, write_model
from katachi.rules.checking import check_states
from katachi.rules.point import CELLS
from katachi.rules.state import BoardState

KIND = "local shape"
VERSION = 1


class ShapeConfig(msgspec.Struct, forbid_unknown_fields=True):
    """What `config.json` of a local shape model says."""

    size: int
    sets: list[str]
    bins: int = BINS
    unit: float = UNIT
    """What a weight of 1 is worth in logits."""
    training: dict[str, Any] = {}
    """How it was made: command, settings, seed, versions, commit."""
    kind: str = KIND
    version: int = VERSION


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


class LocalShape(LinearEvaluator):
    """A linear-sigmoid evaluator over shape sets, and a learner.

    `weights` [N] are integers, so many `UNIT`s each; `seen` [N] counts the positions, each
    occurrence, in which a weight was learned from.
    """

    name = "local shape"
    scope = "this shape model is for"

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
        self.sets = sets
        self.size = size
        self.bins = bins
        self.training: dict[str, Any] = {}
        count = count_weights(sets, size, bins)
        self.weights = np.zeros(count, np.int32) if weights is None else weights
        self.seen = np.zeros(count, np.uint64)
        if seen is not None:
            self.seen = seen.astype(np.uint64, copy=False)
        if self.weights.dtype != np.int32 or not len(self.weights) == len(self.seen) == count:
            raise KatachiError(f"these shape sets need {count} weights (int32) and as many counts")
        self._scratch = PerThread(partial(_new_scratch, sets, size, bins))

    @property
    def tables(self) -> ShapeTables:
        """What kernels know of the sets."""
        return shape_tables(self.sets, self.size, self.bins)

    @property
    def abilities(self) -> Abilities:
        """Its shapes."""
        return Abilities(shapes=self.model)

    def model(self, size: int) -> "LocalShape":
        """Itself; raises KatachiError unless it is for boards of this size."""
        self.check_board(size)
        return self

    def predict(self, states: BoardState) -> npt.NDArray[np.int64]:
        """The sum of each set in units, [B, sets], as the last mover sees it."""
        self._check(states)
        logits = np.zeros((len(states.words), len(self.sets)), np.int64)
        mine = self._scratch.get()
        sum_shapes(states, self.tables, mine.tracker, self.weights, mine.colors, logits)
        if len(self.tables.liberty.window) > 0:
            sum_liberty_shapes(states, self.tables, mine.liberties, self.weights, logits)
        return logits

    def _check(self, states: BoardState) -> None:
        self.check_size(states.words)
        check_states(states)

    def nudge(self, states: BoardState, steps: npt.NDArray[np.int64]) -> None:
        """Moves the weights of each set's shapes in B positions by steps [B, sets], in units."""
        self._check(states)
        if steps.shape != (len(states.words), len(self.sets)):
            raise KatachiError(f"{len(self.sets)} steps for each position are needed")
        mine = self._scratch.get()
        nudge_shapes(states, self.tables, mine.tracker, self.weights, self.seen, steps)
        if len(self.tables.liberty.window) > 0:
            nudge_liberty_shapes(
                states, self.tables, mine.liberties, self.weights, self.seen, steps
            )

    def resized(self, size: int) -> "LocalShape":
        """The same for another board size: shapes keep their worth, and their distance from the
        nearest corner where location matters; places that are new start at zero, and sets that
        do not fit are left out."""
        kept = tuple(each for each in self.sets if each.template.length <= size)
        model = LocalShape(kept, size, self.bins)
        layouts = dict(zip(self.sets, self._layouts(), strict=True))
        for each, new in zip(kept, model._layouts(), strict=True):
            old = layouts[each]
            if each.is_hashed:
                model.weights[new.first : new.end] = self.weights[old.first : old.end]
                model.seen[new.first : new.end] = self.seen[old.first : old.end]
            for window, (base, group) in new.classes.items():
                match = [known for known in old.classes if known[:3] == window[:3]]
                if not match:
                    continue
                old_base, old_group = old.classes[match[0]]
                codes = np.unique(canonical_codes(each.template.cells, group))
                all_old = np.unique(
                    canonical_codes(each.template.cells, old_group), return_inverse=True
                )[1]
                source = old_base + all_old[codes]
                model.weights[base : base + len(codes)] = self.weights[source]
                model.seen[base : base + len(codes)] = self.seen[source]
        return model

    def extended(self, sets: tuple[ShapeSet, ...], bins: int | None = None) -> "LocalShape":
        """The same with more sets, whose weights are zero; raises KatachiError where a set of the
        model is missing, or is hashed into another number of bins."""
        model = LocalShape(sets, self.size, bins or self.bins)
        missing = [each.name for each in self.sets if each not in sets]
        if missing:
            raise KatachiError(f"the model has other shape sets: {missing[0]} is not in use")
        if model.bins != self.bins and any(each.is_hashed for each in self.sets):
            raise KatachiError(f"the model has {self.bins} bins, not {model.bins}")
        layouts = dict(zip(sets, model._layouts(), strict=True))
        for each, old in zip(self.sets, self._layouts(), strict=True):
            new = layouts[each]
            model.weights[new.first : new.end] = self.weights[old.first : old.end]
            model.seen[new.first : new.end] = self.seen[old.first : old.end]
        return model

    def _layouts(self) -> tuple[SetLayout, ...]:
        return layout_of(self.sets, self.size, self.bins)

    def save(self, folder: Path, card: str) -> None:
        """Writes the model's folder; raises OSError."""
        names = [each.name for each in self.sets]
        config = ShapeConfig(self.size, names, self.bins, training=self.training)
        write_model(folder, config, {"weights": self.weights, "seen": narrowed(self.seen)}, card)

    @classmethod
    def load(cls, folder: Path) -> "LocalShape":
        """The model of a folder; raises KatachiError, saying what is wrong, and loads nothing."""
        config = read_config(folder, KIND, VERSION, ShapeConfig)
        sets = parse_sets(",".join(config.sets))
        if not 1 <= config.bins <= 2**30 or config.unit != UNIT:
            raise KatachiError(f"{folder}: bins {config.bins} or unit {config.unit} out of range")
        count = count_weights(sets, config.size, config.bins)
        shape = (count,)
        tensors = read_tensors(folder, {"weights": ("int32", shape), "seen": ("uint64", shape)})
        model = cls(sets, config.size, config.bins, tensors["weights"], tensors["seen"])  # type: ignore[arg-type]
        model.training = config.training
        return model
