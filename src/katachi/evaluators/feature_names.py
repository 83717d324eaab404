"""Feature maps by name: `templates:2x2`, `shapes:1x1-3x3:LI`, `crbm:MODEL`."""

from pathlib import Path

from katachi.errors import KatachiError
from katachi.features import shape_map, templates
from katachi.features.crbm import CrbmFeatures
from katachi.features.shape_map import ShapeMap
from katachi.features.shape_sets import parse_sets
from katachi.features.window_map import FeatureMap
from katachi.files.shipped_folders import find_model

CRBM = "crbm"


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
    raise KatachiError(
        f"no features {name!r}: choose templates:2x2, templates:3x3, shapes:SETS or crbm:MODEL"
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
