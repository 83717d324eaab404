"""What a run learns from: its games, and digests, for a run that goes on must find all of it as it
was."""

from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt

from katachi.errors import KatachiError
from katachi.features.crbm import CrbmFeatures
from katachi.features.plugin_features import PluginFeatures
from katachi.features.window_map import FeatureMap
from katachi.records.dataset import GameSet, open_games

Material = dict[str, str]
"""Digests by what they are of, in words."""

TO_LEARN, TO_MEASURE = "the games to learn from", "the games to measure on"
SPLIT_SEED = 1
"""Divides games into those to learn from and those to measure on: the same for every run."""
NUMBERS = ("size", "handicap", "first_to_play", "winner", "ending", "komi", "margin", "identity")
"""Numbers of a game that can be learned from."""


class RunPlan(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is learned from, and how often to measure."""

    games: tuple[str, ...] = ()
    """Files or folders of game records to learn from; may be given several times."""
    measure_every: Annotated[int, msgspec.Meta(ge=1)] = 500
    """Batches from one measurement, and checkpoint, to the next."""


class RecordPlan(RunPlan, frozen=True, forbid_unknown_fields=True):
    """Which recorded games, and how often to measure."""

    limit: Annotated[int, msgspec.Meta(ge=0)] = 0
    """Most games to learn from (all)."""
    validation: Annotated[float, msgspec.Meta(gt=0, lt=1)] = 0.1
    """Share of the games that are measured on and not learned from."""


class RunGames(NamedTuple):
    """The games of a plan."""

    train: GameSet
    validation: GameSet
    dropped: int = 0
    """Games whose final ownership could not be settled."""
    rejected: int = 0
    """Games that could not be read."""


def read_games(files: tuple[str, ...]) -> GameSet:
    """The games of files and folders that have a move; raises KatachiError."""
    games = open_games(*(Path(file) for file in files))
    has_moves = games.columns.moves.lengths[games.rows] > 0
    return GameSet(games.columns, games.rows[has_moves], games.rejections)


def part_games(games: GameSet, plan: RecordPlan, dropped: int, rejected: int) -> RunGames:
    """Those to learn from, as many as the plan wants, and those to measure on."""
    parts = games.split(SPLIT_SEED, validation=plan.validation, test=0.0)
    train = parts.train.shuffle(SPLIT_SEED)[: plan.limit] if plan.limit else parts.train
    return RunGames(train, parts.validation, dropped, rejected)


def split_by_size(games: GameSet) -> dict[int, GameSet]:
    """The games of each board size."""
    sizes = games.info["size"]
    return {
        int(size): GameSet(games.columns, games.rows[sizes == size]) for size in np.unique(sizes)
    }


def material_of_games(games: RunGames | None) -> Material:
    """Digests of both parts of a run's games; of none where there are no games."""
    parts = {} if games is None else {TO_LEARN: games.train, TO_MEASURE: games.validation}
    return {what: digest_of_games(part) for what, part in parts.items()}


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
    """Of a feature map: its name, its code if that is somebody else's, and what it has learned if
    it was learned."""
    if isinstance(features, PluginFeatures):
        code = np.fromfile(features.plugin.file, np.uint8)
        return digest_of_arrays({features.name: code})
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
