"""A run that learns openings: its book, its model and the model's card."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
import numpy as np

from katachi.errors import KatachiError
from katachi.evaluators.opening_net import OpeningNet
from katachi.features.opening_inputs import RAW, RICH, OpeningInputs
from katachi.learning.learner import Metrics, Tensors, check_state
from katachi.learning.material import TO_LEARN, Material, RunPlan, digest_of_arrays
from katachi.learning.opening_training import (
    OpeningTrainer,
    OpeningTraining,
    prepare,
    turn_games,
)
from katachi.learning.run import Place, Run, RunConfig
from katachi.records.opening_book import Book, open_book
from katachi.records.openings import Opening
from katachi.records.shipped_games import OPENINGS
from katachi.rules.ruleset import check_komi

RICH_EVERY = 5
"""Rich inputs are learned from after every so many moves."""
MOST_EPOCHS = 10_000
LARGEST_STEP = 1000.0


class OpeningSettings(OpeningTraining, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a model learns, and what it sees."""

    alpha: float = 0.03
    """Step size (0.03; for raw inputs 0.5)."""
    epochs: int = 8
    """Passes over the openings."""
    inputs: Literal["raw", "rich"] = "rich"
    """`raw` for the paper's 362 inputs, `rich` for knowledge about stones."""


class OpeningPlan(RunPlan, frozen=True, forbid_unknown_fields=True):
    """Which openings, and how often to measure."""

    games: tuple[str, ...] = ()
    """Files or folders of game records to learn from; may be given several times (those that come
    with katachi)."""
    book: Book = msgspec.field(default_factory=Book)
    measure_every: Annotated[int, msgspec.Meta(ge=1)] = 1
    """Epochs from one measurement, and checkpoint, to the next."""


class OpeningMeasurement(Metrics, frozen=True, forbid_unknown_fields=True):
    """How good a net is: a line of `metrics.jsonl`."""

    epochs: int
    train_rmse: float
    """The root mean square of z - P over all positions that are learned from."""


OpeningRunConfig = RunConfig[OpeningSettings, OpeningPlan]


class OpeningLearner(OpeningTrainer):
    """A net that learns from openings, epoch by epoch; raw inputs see each in eight orientations.
    An epoch's order depends on the seed and on its number alone."""

    def __init__(self, settings: OpeningSettings, openings: Sequence[Opening]) -> None:
        """A net that has learned nothing yet; raises KatachiError as `prepare` does."""
        is_raw = settings.inputs == "raw"
        inputs = OpeningInputs(RAW if is_raw else RICH, openings[0].size)
        super().__init__(settings, prepare(openings, inputs, 1 if is_raw else RICH_EVERY))
        self.openings = openings
        self._games = turn_games(self.material.games) if is_raw else self.material.games

    def learn(self, count: int) -> None:
        """So many more epochs."""
        for _ in range(count):
            self.learn_epoch(self._games)

    def measure(self) -> OpeningMeasurement:
        """The error over the openings that are learned from."""
        return OpeningMeasurement(self.done, self.rmse(self.material.games))

    def state(self) -> Tensors:
        """The weights and the number of epochs."""
        return {"weights": self.net.weights.copy(), "epochs": np.array([self.done])}

    def load_state(self, tensors: Tensors) -> None:
        """Goes on from a state; raises KatachiError where it is of other settings."""
        check_state(tensors, self.state(), "inputs")
        epochs = int(tensors["epochs"][0])
        if not 0 <= epochs <= self.settings.epochs:
            raise KatachiError(f"the checkpoint is of epoch {epochs} of {self.settings.epochs}")
        self.begin()
        self.skip_epochs(epochs, self._games)
        self.net.weights[:] = tensors["weights"]

    def model(self) -> OpeningNet:
        """What has been learned: the net that goes on learning."""
        self.net.moves = len(self.openings[0])
        return self.net


class OpeningRun(Run[OpeningRunConfig, OpeningLearner, OpeningMeasurement]):
    """A run that learns openings; a unit is an epoch."""

    kind = "training of openings"

    @classmethod
    def checked(cls, config: OpeningRunConfig, place: Place) -> OpeningRunConfig:  # noqa: ARG003
        """The config; raises KatachiError for numbers that make no sense."""
        asked = config.settings
        is_step = 0.0 < asked.alpha <= LARGEST_STEP
        if not 0.0 <= asked.lam <= 1.0 or not is_step or not 1 <= asked.epochs <= MOST_EPOCHS:
            raise KatachiError(
                f"lambda {asked.lam:g}, step size {asked.alpha:g}, {asked.epochs} epochs: use 0 to "
                f"1, a number above 0 up to {LARGEST_STEP:g}, and 1 to {MOST_EPOCHS:,}"
            )
        config.plan.book.dead_band()
        check_komi(config.plan.book.komi)
        return config

    def make_learner(self, place: Place) -> OpeningLearner:  # noqa: ARG002 (it needs no device)
        """A net that has learned nothing yet, and its openings."""
        plan = self.config.plan
        openings = open_book([Path(name) for name in plan.games], plan.book)
        return OpeningLearner(self.config.settings, openings)

    @property
    def goal(self) -> int:
        """Epochs in all."""
        return self.config.settings.epochs

    def material(self) -> Material:
        """Digests of the openings: their moves, and how they are judged."""
        openings = self.learner.openings
        moves = np.stack([each.moves for each in openings])
        judgements = np.array([each.judgement for each in openings], np.float64)
        return {
            TO_LEARN: digest_of_arrays({"moves": moves}),
            "their judgements": digest_of_arrays({"judgements": judgements}),
        }

    def facts(self) -> dict[str, Any]:
        """How many openings there are."""
        return {"openings": len(self.learner.openings)}

    def notes(self, last: OpeningMeasurement) -> dict[str, Any]:
        """How the model was made; of the file of judgements its name alone."""
        notes = super().notes(last)
        book = notes["plan"]["book"]
        if book["judgements"]:
            book["judgements"] = Path(book["judgements"]).name
        return notes

    def card(self, model: OpeningNet, last: OpeningMeasurement) -> str:
        """What the model says about itself: Markdown."""
        settings, plan = self.config.settings, self.config.plan
        count = len(self.learner.openings)
        files = ", ".join(Path(name).name for name in plan.games or (OPENINGS.name,))
        return self.config.card(
            f"Opening net, {model.inputs.size}x{model.inputs.size}",
            "Black's chance after an opening by one layer of weights, learned by TD(lambda) "
            "(Lee, Guesgen and Baltes).",
            [
                f"inputs: {', '.join(model.inputs.kinds)}; {len(model.weights):,} weights",
                f"learned from: {count:,} openings of {model.moves} moves ({files}), "
                f"less than {plan.book.band:g} points called even",
                f"lambda {settings.lam:g}, step size {settings.alpha:g}, {last.epochs} epochs, "
                f"seed {settings.seed}",
            ],
            OpeningNet,
        )
