"""S1: the value of a position as the sum of what its local shapes are worth.

Silver, Sutton and Müller (2007): whoever moved last sees its own stones as colour 1; the logit of
its chance to win is the sum of one weight for every window of every shape set.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from katachi.errors import KatachiError
from katachi.evaluators.feature_blocks import ShapeBlock
from katachi.evaluators.linear_evaluator import LinearEvaluator
from katachi.evaluators.protocol import Abilities
from katachi.features.shape_sets import BINS, ShapeSet, parse_sets
from katachi.features.shape_tables import (
    SetLayout,
    ShapeTables,
    count_weights,
    layout_of,
)
from katachi.features.units import UNIT, Counts, Weights
from katachi.features.windows import canonical_codes
from katachi.files.model_folder import VERSION, StoredModel, Tensors, read_tensors
from katachi.files.packing import narrowed

KIND = "local shape"


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


class LocalShape(LinearEvaluator, StoredModel):
    """A linear evaluator over shape sets, and a learner; `weights` and `seen` as `ShapeBlock` has
    them."""

    name = kind = KIND
    scope = "this shape model is for"
    form = ShapeConfig

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
        self.shapes = ShapeBlock(sets, size, bins, weights, seen)
        super().__init__([self.shapes], size)
        self.sets = sets
        self.bins = bins
        self.weights = self.shapes.weights
        self.seen = self.shapes.seen

    @property
    def tables(self) -> ShapeTables:
        """What kernels know of the sets."""
        return self.shapes.tables

    @property
    def abilities(self) -> Abilities:
        """Its shapes."""
        return Abilities(shapes=self.model)

    def model(self, size: int) -> "LocalShape":
        """Itself; raises KatachiError unless it is for boards of this size."""
        self.check_board(size)
        return self

    def resized(self, size: int) -> "LocalShape":
        """The same for another board size: shapes keep their weights, and their distance from the
        nearest corner where location matters; places that are new start at zero, and sets that
        do not fit are left out."""
        kept = tuple(each for each in self.sets if each.template.length <= size)
        return self._fitted(LocalShape(kept, size, self.bins))

    def extended(self, sets: tuple[ShapeSet, ...], bins: int | None = None) -> "LocalShape":
        """The same with more sets, whose weights are zero; raises KatachiError where a set of the
        model is missing, or is hashed into another number of bins."""
        model = LocalShape(sets, self.size, bins or self.bins)
        missing = [each.name for each in self.sets if each not in sets]
        if missing:
            raise KatachiError(f"the model has other shape sets: {missing[0]} is not in use")
        if model.bins != self.bins and any(each.is_hashed for each in self.sets):
            raise KatachiError(f"the model has {self.bins} bins, not {model.bins}")
        return self._fitted(model)

    def _fitted(self, model: "LocalShape") -> "LocalShape":
        """Another model with the weights and counts of all shapes that both have."""
        layouts = dict(zip(self.sets, self._layouts(), strict=True))
        for each, new in zip(model.sets, model._layouts(), strict=True):
            for target, source in _shared_weights(each, layouts.get(each), new):
                model.weights[target] = self.weights[source]
                model.seen[target] = self.seen[source]
        return model

    def _layouts(self) -> tuple[SetLayout, ...]:
        return layout_of(self.sets, self.size, self.bins)

    @property
    def tensors(self) -> Tensors:
        """Weights and counts."""
        return {"weights": self.weights, "seen": narrowed(self.seen)}

    def config(self, folder: Path) -> ShapeConfig:  # noqa: ARG002
        """What `config.json` is to say."""
        names = [each.name for each in self.sets]
        return ShapeConfig(self.size, names, self.bins, training=self.training)

    @classmethod
    def of_config(cls, config: ShapeConfig, folder: Path) -> "LocalShape":
        """The model that a config means, with the weights of a folder; raises KatachiError."""
        sets = parse_sets(",".join(config.sets))
        if not 1 <= config.bins <= 2**30 or config.unit != UNIT:
            raise KatachiError(f"{folder}: bins {config.bins} or unit {config.unit} out of range")
        shape = (count_weights(sets, config.size, config.bins),)
        tensors: Any = read_tensors(
            folder, {"weights": ("int32", shape), "seen": ("uint64", shape)}
        )
        return cls(sets, config.size, config.bins, tensors["weights"], tensors["seen"])


def _shared_weights(
    each: ShapeSet, old: SetLayout | None, new: SetLayout
) -> Iterator[tuple[slice, slice | npt.NDArray[np.int64]]]:
    """(where a set's weights lie in a new layout, the same in the old one), place by place."""
    if old is None:
        return
    if each.is_hashed:
        yield slice(new.first, new.end), slice(old.first, old.end)
    old_places = {window[:3]: found for window, found in old.classes.items()}
    for window, (base, group) in new.classes.items():
        if window[:3] in old_places:
            old_base, old_group = old_places[window[:3]]
            cells = each.template.cells
            codes = np.unique(canonical_codes(cells, group))
            ranks = np.unique(canonical_codes(cells, old_group), return_inverse=True)[1]
            yield slice(base, base + len(codes)), old_base + ranks[codes]
