"""A run that learns weights over features: its games, its folder and its model."""

from pathlib import Path
from typing import Annotated, Any

import msgspec
import numpy as np

from katachi.errors import KatachiError
from katachi.evaluators.feature_names import find_map
from katachi.evaluators.linear import Linear
from katachi.files.provenance import commit_of_tree, versions
from katachi.files.shipped_folders import find_model
from katachi.learning.linear_training import (
    LinearMeasurement,
    LinearSettings,
    LinearTrainer,
    Teacher,
)
from katachi.learning.material import (
    Material,
    check_material,
    digest_of_arrays,
    digest_of_features,
    material_of_games,
)
from katachi.learning.measured_run import SPLIT_SEED, MeasuredRun
from katachi.learning.run_folder import RunFolder
from katachi.records.dataset import GameSet, Split, open_games

KIND = "training of linear"
FORMAT = 1


class LinearPlan(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which games, and how often to measure."""

    games: tuple[str, ...] = ()
    """Files and folders of game records to learn from, or to measure on."""
    validation: Annotated[float, msgspec.Meta(ge=0, lt=1)] = 0.1
    """Share of the games that are measured on and not learned from."""
    measure_every: Annotated[int, msgspec.Meta(ge=1)] = 1000
    """Games from one measurement, and checkpoint, to the next."""
    start: str | None = None
    """A linear model, by folder or name, whose features and weights the learner begins with."""


class LinearRunConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a run was asked for, and with what it was begun."""

    settings: LinearSettings
    plan: LinearPlan
    command: str = ""
    versions: dict[str, str] = {}
    commit: str = "unknown"
    material: Material = {}
    """Digests of the games, of the features and of the weights it began with."""
    kind: str = KIND
    format: int = FORMAT


def open_parts(plan: LinearPlan, size: int) -> Split | None:
    """The games of a plan that were played on a board and won, parted; None where it names none.

    Raises KatachiError where none is left.
    """
    if not plan.games:
        return None
    games = open_games(*(Path(place) for place in plan.games))
    has_moves = games.columns.moves.lengths[games.rows] > 0
    is_wanted = (games.info["size"] == size) & has_moves & decided(games)
    games = GameSet(games.columns, games.rows[is_wanted], games.rejections)
    if len(games) == 0:
        raise KatachiError(f"none of the games was played on {size}x{size} and won by somebody")
    return games.split(SPLIT_SEED, validation=plan.validation, test=0.0)


def decided(games: GameSet) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """[N] whether somebody won each game."""
    return np.array([record.result.is_decided for record in games], np.bool_)


class LinearRun(MeasuredRun[LinearMeasurement]):
    """A run in a folder. Killed at any instant, it goes on from its last measurement and ends with
    the same weights."""

    form = LinearMeasurement

    def __init__(self, folder: RunFolder, config: LinearRunConfig, parts: Split | None) -> None:
        self.config = config
        train, validation = (None, None) if parts is None else (parts.train, parts.validation)
        model = first_model(config.settings, config.plan.start)
        self.material = material_of_games(train, validation) | _material_of_model(model)
        """What the run learns from."""
        self.trainer = LinearTrainer(config.settings, model, train, validation)
        super().__init__(folder, self.trainer, config.settings.lessons, config.plan.measure_every)
        self.counts = {"train": len(train or ()), "validation": len(validation or ())}

    def finish(self) -> Path:
        """Writes the model and tells where; after this the run does not go on."""
        model, last = self.trainer.model, self.last()
        model.training = self._notes(last)
        where = self.folder.path / "model"
        model.save(where, linear_card(self.config, model, self.counts, last))
        return where

    def _notes(self, last: LinearMeasurement) -> dict[str, Any]:
        notes: dict[str, Any] = msgspec.to_builtins(self.config)
        for name in ("kind", "format"):
            notes.pop(name)
        plan = self.config.plan
        notes["plan"]["games"] = [Path(place).name for place in plan.games]
        notes["plan"]["start"] = None if plan.start is None else Path(plan.start).name
        return notes | {"games": self.counts, "last": msgspec.to_builtins(last)}


def first_model(settings: LinearSettings, start: str | None) -> Linear:
    """What a learner begins with: a model's weights, or none at all."""
    if start is None:
        return Linear([find_map(name) for name in settings.features], settings.size)
    return Linear.load(find_model(start))


def _material_of_model(model: Linear) -> Material:
    features = [digest_of_features(part.map) for part in model.parts]
    found = {f"features {number + 1}": digest for number, digest in enumerate(features)}
    return found | {"the weights it began with": digest_of_arrays(model.tensors)}


def begin_run(path: Path, settings: LinearSettings, plan: LinearPlan, command: str) -> LinearRun:
    """A new run in a folder of its own; raises KatachiError where one is already there."""
    folder = RunFolder(path)
    folder.check_free()  # before games are read; it is asked again when the run is begun
    first_model(settings, plan.start)  # what cannot be learned is refused before games are read
    if settings.teacher is Teacher.RECORDS and not plan.games:
        raise KatachiError("learning from records needs games: give --games FILE")
    config = LinearRunConfig(settings, plan, command, versions(), commit_of_tree())
    run = LinearRun(folder, config, open_parts(plan, settings.size))
    run.config = msgspec.structs.replace(config, material=run.material)
    with folder.begun(run.config):
        return run


def resume_run(path: Path) -> LinearRun:
    """A run that was begun; raises KatachiError where there is none, or where its games or features
    have changed."""
    folder = RunFolder(path)
    with folder.resumed(KIND, FORMAT, LinearRunConfig) as config:
        run = LinearRun(folder, config, open_parts(config.plan, config.settings.size))
        check_material(path, config.material, run.material)
        run.restore()
    return run


def linear_card(
    config: LinearRunConfig, model: Linear, games: dict[str, int], last: LinearMeasurement
) -> str:
    """What a model tells about itself: Markdown."""
    settings = config.settings
    measured = "no other games were measured on"
    if last.squared is not None and last.right is not None:
        measured = (
            f"on {games['validation']:,} other games: squared error {last.squared:.4f} a position, "
            f"{last.right:.1%} of winners foretold"
        )
    teachers = {
        Teacher.RECORDS: f"{games['train']:,} recorded games, {last.steps:,} lessons",
        Teacher.SELF: f"{last.steps:,} games against itself",
        Teacher.FROZEN: f"{last.steps:,} games against a frozen copy of itself",
    }
    lines = [
        f"# Linear, {model.size}x{model.size}",
        "",
        "The logit of the chance to win is a weighted sum of features, learned by TD(0).",
        "",
        f"- features: {', '.join(part.map.name for part in model.parts)}",
        f"- weights: {model.weight_count:,}",
        f"- learned from: {teachers[settings.teacher]}, step size {settings.alpha:g}, "
        f"komi {settings.komi:g}, seed {settings.seed}",
        f"- {measured}",
        f"- katachi {config.versions.get('katachi', 'unknown')}, commit {config.commit}",
        "",
    ]
    return "\n".join(lines)
