"""What a run learns from, as digests: a run that goes on must find all of it as it was."""

from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from katachi.errors import KatachiError
from katachi.features.crbm import CrbmFeatures
from katachi.features.window_map import FeatureMap
from katachi.records.dataset import GameSet

Material = dict[str, str]
"""Digests by what they are of, in words."""

TO_LEARN, TO_MEASURE = "the games to learn from", "the games to measure on"
NUMBERS = ("size", "handicap", "first_to_play", "winner", "ending", "komi", "margin", "identity")
"""Numbers of a game that can be learned from."""


def material_of_games(train: GameSet | None, validation: GameSet | None) -> Material:
    """Digests of both parts of a run's games; of none where there are no games."""
    parts = {TO_LEARN: train, TO_MEASURE: validation}
    return {what: digest_of_games(games) for what, games in parts.items() if games is not None}


def digest_of_games(games: GameSet) -> str:
    """Of all that can be learned from games, in their order: an identity tells a game's first moves
    only, so moves, stones set up and owners are read in full."""
    columns, rows = games.columns, games.rows
    arrays = {name: columns.info[name][rows] for name in NUMBERS}
    for name in ("moves", "setup", "owners"):
        taken = getattr(columns, name).take(rows)
        arrays |= {f"{name}.starts": taken.starts, name: taken.values}
    return digest_of_arrays(arrays)


def digest_of_arrays(arrays: Mapping[str, npt.NDArray[Any]]) -> str:
    """Of arrays with their names, types and shapes."""
    digest = sha256()
    for name, array in sorted(arrays.items()):
        digest.update(f"{name} {array.dtype} {array.shape}\n".encode())
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


def digest_of_features(features: FeatureMap) -> str:
    """Of a feature map: its name, and what it has learned if it was learned."""
    if not isinstance(features, CrbmFeatures):
        return digest_of_arrays({features.name: np.empty(0)})
    layers = enumerate(features.layers)
    arrays = {f"{n} {each.form}.{name}": a for n, each in layers for name, a in each.arrays.items()}
    return digest_of_arrays(arrays | {f"{features.inputs} {features.is_pooled}": np.empty(0)})


def check_material(path: Path, begun: Material, found: Material) -> None:
    """Raises KatachiError, naming what has changed, unless a run finds what it was begun with. A
    run of an earlier katachi, which kept nothing of the kind, is let go on."""
    changed = [what for what, digest in begun.items() if found.get(what) != digest]
    if changed:
        raise KatachiError(
            f"{path} cannot go on: {' and '.join(changed)} changed since the run was begun; "
            "bring back what was there, or begin a new run"
        )
