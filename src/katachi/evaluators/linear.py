"""S3: the value of a position as a weighted sum of features, whatever map they come from.

V = logistic(theta . phi), where phi are the features of the position after a move as the player
who made it sees it: own stones count as black.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from katachi.errors import KatachiError
from katachi.evaluators.feature_blocks import block_of
from katachi.evaluators.linear_evaluator import LinearEvaluator
from katachi.features import shape_map, templates
from katachi.features.crbm import CrbmFeatures
from katachi.features.plugin_features import find_plugin_features
from katachi.features.shape_map import ShapeMap
from katachi.features.shape_sets import parse_sets
from katachi.features.window_map import FeatureMap
from katachi.files.model_folder import VERSION, StoredModel, Tensors, read_tensors
from katachi.files.shipped_folders import find_model
from katachi.rules.size import check_size

KIND = "linear"
CRBM = "crbm"
"""The name of a learned map, which lies in a folder of the model's."""


class LinearConfig(msgspec.Struct, forbid_unknown_fields=True):
    """What `config.json` of a linear model says."""

    size: int
    features: list[str]
    """The maps by name; one that was learned lies in a folder of the model's."""
    training: dict[str, Any] = {}
    """How it was made: command, settings, seed, versions, commit."""
    kind: str = KIND
    version: int = VERSION


class Linear(LinearEvaluator, StoredModel):
    """A linear evaluator over feature maps, and a learner; one block and one term a map."""

    scope = "this linear model is for"
    kind = KIND
    form = LinearConfig

    def __init__(self, maps: Sequence[FeatureMap], size: int) -> None:
        """All weights are zero; raises KatachiError for a board that cannot be played on, or that a
        map does not fit."""
        if not maps:
            raise KatachiError("no features given: name a map such as templates:2x2")
        self.parts = [block_of(each, check_size(size)) for each in maps]
        super().__init__(self.parts, size)

    @property
    def weight_count(self) -> int:
        """How many weights there are."""
        return sum(len(part.theta) for part in self.parts)

    def copied(self) -> "Linear":
        """The same with weights of its own."""
        twin = Linear([part.map for part in self.parts], self.size)
        twin.take_weights(self.tensors)
        return twin

    def take_weights(self, tensors: Tensors) -> None:
        """Takes over weights as `tensors` names them; of right types and lengths."""
        for name, part in zip(self.tensors, self.parts, strict=True):
            part.restore(tensors[name])

    @property
    def tensors(self) -> Tensors:
        """The weights of each part by name."""
        return {f"theta{number}": part.theta for number, part in enumerate(self.parts)}

    def config(self, folder: Path) -> LinearConfig:
        """What `config.json` is to say; learned maps are written to folders inside."""
        names = [
            save_map(part.map, map_folder(folder, number)) for number, part in enumerate(self.parts)
        ]
        return LinearConfig(self.size, names, self.training)

    @classmethod
    def of_config(cls, config: LinearConfig, folder: Path) -> "Linear":
        """The model that a config means, with the weights of a folder; raises KatachiError."""
        maps = [
            find_map(name, map_folder(folder, number))
            for number, name in enumerate(config.features)
        ]
        forms = {
            f"theta{number}": (
                "int32" if isinstance(each, ShapeMap) else "float64",
                (each.count(check_size(config.size)),),
            )
            for number, each in enumerate(maps)
        }
        tensors = read_tensors(folder, forms)  # before anything of that size is made
        model = cls(maps, config.size)
        model.take_weights(tensors)
        return model


def find_map(name: str, folder: Path | None = None) -> FeatureMap:
    """The map of a name; a learned one is read from `folder`, or else from the folder or shipped
    model behind its colon. Raises KatachiError, saying what would be right."""
    kind, _, rest = name.partition(":")
    if name.startswith(templates.PREFIX):
        return templates.parse_templates(rest)
    if name.startswith(shape_map.PREFIX):
        return ShapeMap(parse_sets(rest))
    if kind == CRBM:
        return CrbmFeatures.load(folder if folder is not None else find_model(rest))
    plugin = find_plugin_features(name)
    if plugin is not None:
        return plugin
    raise KatachiError(
        f"no features {name!r}: choose templates:2x2, templates:3x3, shapes:SETS, crbm:MODEL or "
        "python:MODULE:NAME"
    )


def map_folder(model: Path, number: int) -> Path:
    """Where a model keeps its map of this number, if that was learned."""
    return model / f"features{number}"


def save_map(feature_map: FeatureMap, folder: Path) -> str:
    """Keeps a learned map in a folder of its own; returns the name that leads there."""
    if not isinstance(feature_map, CrbmFeatures):
        return feature_map.name
    feature_map.save(folder, "# Features of a convolutional RBM\n")
    return CRBM
