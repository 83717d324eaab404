"""A run that learns territory: its folder, its checkpoints, and how it goes on after any end.

| file | holds |
|---|---|
| `config.json` | settings, games, seed, versions, commit |
| `metrics.jsonl` | a line a measurement |
| `checkpoints/` | the newest two and the best, each made right after a measurement |
| `model/` | the model, when the run is finished: the last weights, or with patience the best |
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import msgspec
import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load, save

from katachi.arena.provenance import commit_of_tree, versions
from katachi.evaluators.territory import check_memory
from katachi.learning.run_folder import RunFolder, write_json
from katachi.learning.territory_training import (
    Tensors,
    TerritoryMeasurement,
    TerritorySettings,
    TerritoryTrainer,
    make_fitter,
)
from katachi.records.atomic import write_atomically
from katachi.records.dataset import GameSet, open_games
from katachi.records.final_ownership import settle_ownership
from katachi.rules.errors import KatachiError

KIND = "training of territory"
FORMAT = 1
KEPT = 2
STEPS_AT_ONCE = 20
SPLIT_SEED = 1
"""Divides games into those to learn from and those to measure on: the same for every run."""

Positive = Annotated[int, msgspec.Meta(ge=1)]


class TerritoryPlan(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which games, and how often to measure."""

    games: tuple[str, ...]
    """Files and folders of game records."""
    sizes: tuple[int, ...] = ()
    """Board sizes to learn from; all where none is given."""
    limit: Annotated[int, msgspec.Meta(ge=0)] = 0
    """Most games to learn from; 0 for all."""
    validation: Annotated[float, msgspec.Meta(gt=0, lt=1)] = 0.1
    """Share of the games that are measured on and not learned from."""
    measure_every: Positive = 500
    """Steps from one measurement, and checkpoint, to the next."""
    patience: Annotated[int, msgspec.Meta(ge=0)] = 0
    """Stop after so many measurements without a better one, and keep the best; 0 to go on to the
    end."""


class TerritoryRunConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a run was asked for, and with what it was begun."""

    settings: TerritorySettings
    plan: TerritoryPlan
    command: str = ""
    versions: dict[str, str] = {}
    commit: str = "unknown"
    kind: str = KIND
    format: int = FORMAT


class Place(NamedTuple):
    """Where a run is done; it changes no result but by rounding."""

    device: str = "cpu"
    makers: int = 1
    """Threads that make batches."""


class TerritoryGames:
    """The games of a plan, all with known owners."""

    def __init__(self, train: GameSet, validation: GameSet, dropped: int, rejected: int) -> None:
        self.train = train
        self.validation = validation
        self.dropped = dropped
        """Games whose final ownership could not be settled."""
        self.rejected = rejected
        """Games that could not be read."""


def open_plan(plan: TerritoryPlan) -> TerritoryGames:
    """Reads the games and settles who owned what; raises KatachiError where none is left."""
    games = open_games(*(Path(place) for place in plan.games))
    if plan.sizes:
        wanted = np.isin(games.info["size"], plan.sizes)
        games = GameSet(games.columns, games.rows[wanted], games.rejections)
        if len(games) == 0:
            sizes = ", ".join(map(str, plan.sizes))
            raise KatachiError(f"none of the games is of size {sizes}")
    rejected = len(games.rejections)
    has_moves = games.columns.moves.lengths[games.rows] > 0
    games = GameSet(games.columns, games.rows[has_moves])
    dropped = 0
    if not np.all(games.columns.owners.lengths[games.rows]):
        settled = settle_ownership(games)
        dropped = len(games) - len(settled.games)
        games = settled.games
    parts = games.split(SPLIT_SEED, validation=plan.validation, test=0.0)
    if len(parts.train) == 0:
        why = f": {dropped} have none" if dropped else ""
        raise KatachiError(f"no game with a known final ownership is left to learn from{why}")
    train = parts.train
    if plan.limit:
        train = train.shuffle(SPLIT_SEED)[: plan.limit]
    return TerritoryGames(train, parts.validation, dropped, rejected)


class TerritoryRun:
    """A run in a folder. Killed at any instant, it goes on from its last measurement and ends with
    the same weights, on one kind of machine."""

    def __init__(
        self,
        path: Path,
        config: TerritoryRunConfig,
        games: TerritoryGames,
        place: Place,
    ) -> None:
        self.folder = RunFolder(path)
        self.config = config
        self.games = games
        self.trainer = TerritoryTrainer(config.settings, games.train, games.validation, *place)
        self.measurements: list[TerritoryMeasurement] = []
        self.counts = {"train": len(games.train), "validation": len(games.validation)}

    def close(self) -> None:
        """Lets another process go on in the folder."""
        self.folder.release()

    @property
    def is_finished(self) -> bool:
        """Whether all steps are done, or more would be in vain."""
        return self.trainer.steps >= self.config.settings.steps or self._is_in_vain()

    def _is_in_vain(self) -> bool:
        patience = self.config.plan.patience
        best = self._best()
        if not patience or best is None:
            return False
        return self.measurements.index(best) < len(self.measurements) - patience

    def _best(self) -> TerritoryMeasurement | None:
        """The best measurement, if there are games to measure on."""
        known = [each for each in self.measurements if each.cells is not None]
        return min(known, key=lambda each: each.cells or 0.0, default=None)

    def run(self, is_interrupted: Callable[[], bool]) -> Iterator[TerritoryMeasurement]:
        """Learns, measures and keeps, until the end or an interrupt."""
        every = self.config.plan.measure_every
        while not self.is_finished:
            goal = min(self.trainer.steps // every * every + every, self.config.settings.steps)
            while self.trainer.steps < goal:
                if is_interrupted():
                    return
                self.trainer.train(min(STEPS_AT_ONCE, goal - self.trainer.steps))
            measured = self.trainer.measure()
            self.measurements.append(measured)
            self._keep(measured)
            yield measured

    def _keep(self, measured: TerritoryMeasurement) -> None:
        lines = b"".join(msgspec.json.encode(each) + b"\n" for each in self.measurements)
        write_atomically(self.folder.path / "metrics.jsonl", lines, is_durable=True)
        folder = self.folder.path / "checkpoints"
        folder.mkdir(parents=True, exist_ok=True)
        data = save(self.trainer.standing())
        write_atomically(folder / f"{measured.steps:012}.safetensors", data, is_durable=True)
        best = self._best()
        for old in checkpoint_files(folder)[KEPT:]:
            if best is None or int(old.stem) != best.steps:
                old.unlink(missing_ok=True)

    def restore(self) -> None:
        """Goes on from the newest whole checkpoint, or from the beginning; raises KatachiError
        where one is of another net."""
        for path in checkpoint_files(self.folder.path / "checkpoints"):
            tensors = read_checkpoint(path)
            if tensors is not None:
                self.trainer.restore(tensors)
                break
        found = read_measurements(self.folder.path / "metrics.jsonl")
        self.measurements = [each for each in found if each.steps <= self.trainer.steps]

    def _take_best(self) -> None:
        """Goes back to where the best measurement was made."""
        best = self._best()
        if best is not None and best.steps != self.trainer.steps:
            path = self.folder.path / "checkpoints" / f"{best.steps:012}.safetensors"
            tensors = read_checkpoint(path) if path.exists() else None
            if tensors is None:
                raise KatachiError(f"{path}, the best checkpoint, cannot be read")
            self.trainer.restore(tensors)

    def finish(self, temperatures: dict[int, float]) -> Path:
        """Writes the model and tells where; after this the run does not go on."""
        if self.config.plan.patience:
            self._take_best()
        model = self.trainer.model()
        model.temperatures = temperatures or model.temperatures
        told = {each.steps: each for each in self.measurements}
        last = told.get(self.trainer.steps) or self.trainer.measure()
        model.training = self._notes(last)
        where = self.folder.path / "model"
        model.save(where, territory_card(self.config, model.weight_count, self.counts, last))
        return where

    def _notes(self, last: TerritoryMeasurement) -> dict[str, Any]:
        notes: dict[str, Any] = msgspec.to_builtins(self.config)
        plan = notes.pop("plan")
        plan["games"] = [Path(place).name for place in plan["games"]]
        notes.pop("kind")
        notes.pop("format")
        return notes | {
            "plan": plan,
            "games": self.counts,
            "last": msgspec.to_builtins(last),
        }


def checkpoint_files(folder: Path) -> list[Path]:
    """Every checkpoint, the newest first."""
    found = folder.glob("*.safetensors")
    return sorted((each for each in found if each.stem.isdecimal()), reverse=True)


def read_checkpoint(path: Path) -> Tensors | None:
    """What a checkpoint holds; None for a damaged one."""
    try:
        return dict(load(path.read_bytes()))
    except (SafetensorError, ValueError, KeyError, OverflowError):
        return None


def read_measurements(path: Path) -> list[TerritoryMeasurement]:
    """The measurements of a run; raises KatachiError for a damaged file."""
    if not path.exists():
        return []
    try:
        lines = path.read_bytes().splitlines()
        return [msgspec.json.decode(line, type=TerritoryMeasurement) for line in lines]
    except msgspec.MsgspecError as error:
        raise KatachiError(f"{path} is damaged: {error}") from None


def begin_run(
    path: Path, settings: TerritorySettings, plan: TerritoryPlan, command: str, place: Place
) -> TerritoryRun:
    """A new run in a folder of its own; raises KatachiError where one is already there."""
    RunFolder(path).check_free()
    check_memory(settings.inputs)
    make_fitter(settings, place.device)  # what cannot be learned is refused before games are read
    config = TerritoryRunConfig(settings, plan, command, versions(), commit_of_tree())
    run = TerritoryRun(path, config, open_plan(plan), place)
    with run.folder.claimed():
        write_json(path / "config.json", config)
    return run


def resume_run(path: Path, place: Place) -> TerritoryRun:
    """A run that was begun; raises KatachiError where there is none."""
    config = RunFolder(path).read_config_of(KIND, FORMAT, TerritoryRunConfig)
    make_fitter(config.settings, place.device)
    run = TerritoryRun(path, config, open_plan(config.plan), place)
    with run.folder.claimed():
        run.restore()
    return run


def territory_card(
    config: TerritoryRunConfig, weights: int, games: dict[str, int], last: TerritoryMeasurement
) -> str:
    """What a model tells about itself: Markdown."""
    settings = config.settings
    measured = "no other games were measured on"
    if last.cells is not None and last.right is not None:
        measured = (
            f"on {games['validation']:,} other games: {last.cells:.3f} nats a point, "
            f"{last.right:.1%} of points given to the right owner"
        )
    lines = [
        "# Territory",
        "",
        "Who will own each point, by a recursive net over the whole board (Wu and Baldi, 2006); "
        "one set of weights for boards of every size.",
        "",
        f"- inputs: {', '.join(settings.inputs.inputs)}",
        f"- weights: {weights:,} ({settings.hidden} hidden units, {settings.states} states, "
        f"layers: {settings.layers})",
        f"- learned from: {games['train']:,} recorded games, {last.steps:,} batches of "
        f"{settings.batch} moves",
        f"- {measured}",
        f"- katachi {config.versions.get('katachi', 'unknown')}, commit {config.commit}",
        "",
    ]
    return "\n".join(lines)
