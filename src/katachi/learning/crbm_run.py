"""A run that learns features: its folder, its checkpoints, and how it goes on after any end.

What it leaves is told in `measured_run`, and beside that the kernels as they were at the last
measurement: `plates.svg`.
"""

from pathlib import Path
from typing import Annotated, Any, NamedTuple

import msgspec

from katachi.errors import KatachiError
from katachi.features.crbm import CrbmFeatures
from katachi.files.atomic import write_atomically
from katachi.files.provenance import commit_of_tree, versions
from katachi.files.shipped_folders import find_model
from katachi.learning.crbm_training import (
    CrbmMeasurement,
    CrbmSettings,
    CrbmTrainer,
    make_fitter,
)
from katachi.learning.material import (
    Material,
    check_material,
    digest_of_features,
    material_of_games,
)
from katachi.learning.measured_run import SPLIT_SEED, MeasuredRun
from katachi.learning.run_folder import RunFolder
from katachi.learning.territory_training import split_by_size
from katachi.pictures.drawing import svg_from_drawing
from katachi.pictures.filters import KernelPage, page_of_kernels
from katachi.records.dataset import GameSet, open_games

KIND = "training of a convolutional RBM"
FORMAT = 1
PLATES_FILE = "plates.svg"

Positive = Annotated[int, msgspec.Meta(ge=1)]


class CrbmPlan(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which games, and how often to measure."""

    games: tuple[str, ...]
    """Files and folders of game records."""
    size: int | None = None
    """Board size to learn from; needed where games have several."""
    limit: Annotated[int, msgspec.Meta(ge=0)] = 0
    """Most games to learn from; 0 for all."""
    validation: Annotated[float, msgspec.Meta(gt=0, lt=1)] = 0.1
    """Share of the games that are measured on and not learned from."""
    below: str = ""
    """Features, by folder or name, on whose hidden maps a further layer learns; else the board."""
    measure_every: Positive = 500
    """Batches from one measurement, and checkpoint, to the next."""


class CrbmRunConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a run was asked for, and with what it was begun."""

    settings: CrbmSettings
    plan: CrbmPlan
    command: str = ""
    versions: dict[str, str] = {}
    commit: str = "unknown"
    material: Material = {}
    """Digests of the games and of the features below."""
    kind: str = KIND
    format: int = FORMAT


class CrbmGames(NamedTuple):
    """The games of a plan, all of one board size."""

    train: GameSet
    validation: GameSet
    rejected: int
    """Games that could not be read."""


def open_plan(plan: CrbmPlan) -> CrbmGames:
    """Reads the games; raises KatachiError where none is left, or where they have several sizes and
    none is chosen."""
    games = open_games(*(Path(place) for place in plan.games))
    rejected = len(games.rejections)
    by_size = split_by_size(games)
    sizes = ", ".join(map(str, by_size)) or "none"
    if plan.size is not None:
        if plan.size not in by_size:
            raise KatachiError(f"none of the games is of size {plan.size}; the sizes are: {sizes}")
        games = by_size[plan.size]
    elif len(by_size) != 1:
        raise KatachiError(f"the games are of sizes {sizes}: choose one with --size")
    has_moves = games.columns.moves.lengths[games.rows] > 0
    games = GameSet(games.columns, games.rows[has_moves])
    parts = games.split(SPLIT_SEED, validation=plan.validation, test=0.0)
    train = parts.train
    if plan.limit:
        train = train.shuffle(SPLIT_SEED)[: plan.limit]
    if len(train) == 0:
        raise KatachiError("no game with a move is left to learn from")
    return CrbmGames(train, parts.validation, rejected)


class CrbmRun(MeasuredRun[CrbmMeasurement]):
    """A run in a folder. Killed at any instant, it goes on from its last measurement and ends with
    the same weights, on one kind of machine."""

    form = CrbmMeasurement

    def __init__(
        self, folder: RunFolder, config: CrbmRunConfig, games: CrbmGames, device: str
    ) -> None:
        self.config = config
        self.games = games
        below = load_below(config.plan)
        self.material = material_of_games(games.train, games.validation)
        """What the run learns from."""
        if below is not None:
            self.material["the features below"] = digest_of_features(below)
        self.trainer = CrbmTrainer(config.settings, games.train, games.validation, below, device)
        super().__init__(folder, self.trainer, config.settings.steps, config.plan.measure_every)
        self.counts = {"train": len(games.train), "validation": len(games.validation)}

    def keep(self, measured: CrbmMeasurement) -> None:
        """Writes the metrics, a checkpoint and the plates."""
        super().keep(measured)
        layers = self.trainer.model().layers
        if len(layers) == 1:  # further layers see hidden maps, not stones
            weight = layers[0].arrays["weight"]
            title = f"{len(weight)} kernels after {measured.steps:,} batches"
            captions = [str(number + 1) for number in range(len(weight))]
            page = KernelPage(title, measured_words(measured), weight, captions)
            picture = svg_from_drawing(page_of_kernels(page))
            write_atomically(self.folder.path / PLATES_FILE, picture.encode())

    def finish(self) -> Path:
        """Writes the model and tells where; after this the run does not go on."""
        model = self.trainer.model()
        last = self.last()
        model.training = self._notes(last)
        where = self.folder.path / "model"
        model.save(where, crbm_card(self.config, model, self.counts, last))
        return where

    def _notes(self, last: CrbmMeasurement) -> dict[str, Any]:
        notes: dict[str, Any] = msgspec.to_builtins(self.config)
        plan = notes.pop("plan")
        plan["games"] = [Path(place).name for place in plan["games"]]
        plan["below"] = Path(plan["below"]).name
        notes.pop("kind")
        notes.pop("format")
        found = {"games": self.counts, "size": self.trainer.size}
        return notes | {"plan": plan, "last": msgspec.to_builtins(last)} | found


def load_below(plan: CrbmPlan) -> CrbmFeatures | None:
    """The features that a further layer stands on, if there are any."""
    return CrbmFeatures.load(find_model(plan.below)) if plan.below else None


def begin_run(
    path: Path, settings: CrbmSettings, plan: CrbmPlan, command: str, device: str = "cpu"
) -> CrbmRun:
    """A new run in a folder of its own; raises KatachiError where one is already there."""
    folder = RunFolder(path)
    folder.check_free()  # before games are read; it is asked again when the run is begun
    make_fitter(settings, load_below(plan), device)  # refused before games are read
    config = CrbmRunConfig(settings, plan, command, versions(), commit_of_tree())
    run = CrbmRun(folder, config, open_plan(plan), device)
    run.config = msgspec.structs.replace(config, material=run.material)
    with folder.begun(run.config):
        return run


def resume_run(path: Path, device: str = "cpu") -> CrbmRun:
    """A run that was begun; raises KatachiError where there is none, or where its games or the
    features below have changed."""
    folder = RunFolder(path)
    with folder.resumed(KIND, FORMAT, CrbmRunConfig) as config:
        make_fitter(config.settings, load_below(config.plan), device)
        run = CrbmRun(folder, config, open_plan(config.plan), device)
        check_material(path, config.material, run.material)
        run.restore()
    return run


def measured_words(measured: CrbmMeasurement) -> str:
    """A measurement in one line."""
    words = f"squared error {measured.error:.4f} a point"
    if measured.other_error is not None:
        words += f", other games {measured.other_error:.4f}"
    if measured.wrong is not None:
        words += f", {measured.wrong:.1%} of points wrong"
    if measured.gap is not None:
        words += f"; free energy gap {measured.gap:+.2f} nats a board"
    if measured.guess is not None:
        words += f"; a hidden point is guessed at {measured.guess:.3f} nats"
    return f"{words}; {measured.active:.1%} of hidden units on"


def crbm_card(
    config: CrbmRunConfig, model: CrbmFeatures, games: dict[str, int], last: CrbmMeasurement
) -> str:
    """What a model tells about itself: Markdown."""
    settings, top = config.settings, model.layers[-1].form
    kind = f"{top.visible.value} visible units" + (", tied orientations" if top.is_tied else "")
    lines = [
        "# Features learned by a convolutional RBM",
        "",
        "Hidden units of a convolutional restricted Boltzmann machine that was shown boards; one "
        "set of kernels for boards of every size.",
        "",
        f"- inputs: {', '.join(model.inputs)}",
        f"- layers: {len(model.layers)}; the last has {top.kernels} kernels of "
        f"{top.side}x{top.side}, {kind}",
        f"- learned from: {games['train']:,} recorded games, {last.steps:,} batches of "
        f"{settings.batch} boards",
        f"- {measured_words(last)}",
        f"- katachi {config.versions.get('katachi', 'unknown')}, commit {config.commit}",
        "",
    ]
    return "\n".join(lines)
