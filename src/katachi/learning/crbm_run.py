"""A run that learns features: its games, its pictures, its model and the model's card."""

from typing import Any, ClassVar

from katachi.errors import KatachiError
from katachi.features.crbm import CrbmFeatures
from katachi.files.atomic import write_atomically
from katachi.files.shipped_folders import find_model
from katachi.learning.crbm_training import (
    CrbmMeasurement,
    CrbmSettings,
    CrbmTrainer,
    make_fitter,
)
from katachi.learning.material import (
    Material,
    RecordPlan,
    RunGames,
    digest_of_features,
    part_games,
    read_games,
    split_by_size,
)
from katachi.learning.run import Place, Run, RunConfig
from katachi.pictures.drawing import svg_from_drawing
from katachi.pictures.filters import KernelPage, page_of_kernels

PLATES_FILE = "plates.svg"


class CrbmPlan(RecordPlan, frozen=True, forbid_unknown_fields=True):
    """Which games, and how often to measure."""

    size: int | None = None
    """Board size to learn from (the one there is)."""
    below: str = ""
    """A model of features, by folder or name: a further layer learns from its hidden maps (the
    board)."""


CrbmConfig = RunConfig[CrbmSettings, CrbmPlan]


def open_plan(plan: CrbmPlan) -> RunGames:
    """Reads the games; raises KatachiError where none is left, or where they have several sizes and
    none is chosen."""
    games = read_games(plan.games)
    rejected = len(games.rejections)
    by_size = split_by_size(games)
    sizes = ", ".join(map(str, by_size)) or "none"
    if plan.size is not None:
        if plan.size not in by_size:
            raise KatachiError(f"none of the games is of size {plan.size}; the sizes are: {sizes}")
        games = by_size[plan.size]
    elif len(by_size) > 1:
        raise KatachiError(f"the games are of sizes {sizes}: choose one with --size")
    found = part_games(games, plan, 0, rejected)
    if len(found.train) == 0:
        raise KatachiError("no game with a move is left to learn from")
    return found


class CrbmRun(Run[CrbmConfig, CrbmTrainer, CrbmMeasurement]):
    """A run that learns features; beside what every run leaves, `plates.svg` shows the kernels as
    they were at the last measurement."""

    kind = "training of a convolutional RBM"
    old_metrics: ClassVar[dict[str, str]] = {
        "learned_error": "batch_reconstruction_error",
        "error": "train_reconstruction_error",
        "other_error": "val_reconstruction_error",
        "wrong": "val_error_rate",
        "free_energy": "train_free_energy",
        "gap": "free_energy_gap",
        "active": "hidden_activation",
        "guess": "masked_log_likelihood",
    }
    below: CrbmFeatures | None

    @classmethod
    def checked(cls, config: CrbmConfig, place: Place) -> CrbmConfig:
        """The config; raises KatachiError for what cannot be learned."""
        make_fitter(config.settings, load_below(config.plan), place.device)
        return config

    def make_learner(self, place: Place) -> CrbmTrainer:
        """A machine that has learned nothing yet, and its games."""
        games = self.games = open_plan(self.config.plan)
        self.below = load_below(self.config.plan)
        parts = (games.train, games.validation)
        return CrbmTrainer(self.config.settings, *parts, self.below, place.device)

    def material(self) -> Material:
        """Digests of the games and of the features below."""
        found = super().material()
        if self.below is not None:
            found["the features below"] = digest_of_features(self.below)
        return found

    def keep(self, metrics: CrbmMeasurement) -> None:
        """Notes a measurement and draws the kernels."""
        super().keep(metrics)
        layers = self.learner.model().layers
        if len(layers) == 1:  # further layers see hidden maps, not stones
            weight = layers[0].arrays["weight"]
            title = f"{len(weight)} kernels after {metrics.steps:,} batches"
            captions = [str(number + 1) for number in range(len(weight))]
            page = KernelPage(title, measured_words(metrics), weight, captions)
            picture = svg_from_drawing(page_of_kernels(page))
            write_atomically(self.folder.path / PLATES_FILE, picture.encode())

    def facts(self) -> dict[str, Any]:
        """How many games there are, and of which size."""
        return super().facts() | {"size": self.learner.size}

    def card(self, model: CrbmFeatures, last: CrbmMeasurement) -> str:
        """What the model says about itself: Markdown."""
        top = model.layers[-1].form
        kind = f"{top.visible.value} visible units" + (", tied orientations" if top.is_tied else "")
        return self.config.card(
            "Features learned by a convolutional RBM",
            "Hidden units of a convolutional restricted Boltzmann machine that was shown boards; "
            "one set of kernels for boards of every size.",
            [
                f"inputs: {', '.join(model.inputs)}",
                f"layers: {len(model.layers)}; the last has {top.kernels} kernels of "
                f"{top.side}x{top.side}, {kind}",
                f"learned from: {self.counts['train']:,} recorded games, {last.steps:,} batches of "
                f"{self.config.settings.batch} boards",
                measured_words(last),
            ],
        )


def load_below(plan: CrbmPlan) -> CrbmFeatures | None:
    """The features that a further layer stands on, if there are any."""
    return CrbmFeatures.load(find_model(plan.below)) if plan.below else None


def measured_words(measured: CrbmMeasurement) -> str:
    """A measurement in one line."""
    words = f"squared error {measured.train_reconstruction_error:.4f} a point"
    if measured.val_reconstruction_error is not None:
        words += f", other games {measured.val_reconstruction_error:.4f}"
    if measured.val_error_rate is not None:
        words += f", {measured.val_error_rate:.1%} of points wrong"
    if measured.free_energy_gap is not None:
        words += f"; free energy gap {measured.free_energy_gap:+.2f} nats a board"
    if measured.masked_log_likelihood is not None:
        words += f"; a hidden point is guessed at {measured.masked_log_likelihood:.3f} nats"
    return f"{words}; {measured.hidden_activation:.1%} of hidden units on"
