"""A run that learns weights over features: its games, its folder and its model."""

from typing import Annotated, Any, ClassVar

import msgspec
import numpy as np

from katachi.errors import KatachiError
from katachi.evaluators.feature_names import find_map
from katachi.evaluators.linear import Linear
from katachi.files.shipped_folders import find_model
from katachi.learning.linear_training import (
    GameSource,
    LinearMeasurement,
    LinearSettings,
    LinearTrainer,
)
from katachi.learning.material import (
    SPLIT_SEED,
    Material,
    RunPlan,
    digest_of_arrays,
    digest_of_features,
    material_of_games,
    read_games,
)
from katachi.learning.run import Place, Run, RunConfig
from katachi.records.dataset import GameSet, Split


class LinearPlan(RunPlan, frozen=True, forbid_unknown_fields=True):
    """Which games, and how often to measure."""

    games: tuple[str, ...] = ()
    """Files or folders of game records to learn from, or only to measure on; may be given several
    times."""
    validation: Annotated[float, msgspec.Meta(ge=0, lt=1)] = 0.1
    """Share of the games that are measured on and not learned from."""
    measure_every: Annotated[int, msgspec.Meta(ge=1)] = 1000
    """Games from one measurement, and checkpoint, to the next."""
    start: str | None = None
    """A linear model to begin with, by folder or name (all weights zero)."""


LinearConfig = RunConfig[LinearSettings, LinearPlan]


def open_parts(plan: LinearPlan, size: int) -> Split | None:
    """The games of a plan that were played on a board and won, parted; None where it names none.

    Raises KatachiError where none is left.
    """
    if not plan.games:
        return None
    games = read_games(plan.games)
    is_wanted = (games.info["size"] == size) & decided(games)
    games = GameSet(games.columns, games.rows[is_wanted])
    if len(games) == 0:
        raise KatachiError(f"none of the games was played on {size}x{size} and won by somebody")
    return games.split(SPLIT_SEED, validation=plan.validation, test=0.0)


def decided(games: GameSet) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """[N] whether somebody won each game."""
    return np.array([record.result.is_decided for record in games], np.bool_)


class LinearRun(Run[LinearConfig, LinearTrainer, LinearMeasurement]):
    """A run that learns weights over features, from records or by play."""

    kind = "training of linear"
    old_metrics: ClassVar[dict[str, str]] = {
        "steps": "games",
        "squared": "val_squared_error",
        "right": "val_accuracy",
        "positions": "val_positions",
    }
    parts: Split | None
    first: Material

    @classmethod
    def checked(cls, config: LinearConfig, place: Place) -> LinearConfig:  # noqa: ARG003
        """The config; raises KatachiError for what cannot be learned."""
        first_model(config.settings, config.plan.start)
        if config.settings.source is GameSource.RECORDS and not config.plan.games:
            raise KatachiError("learning from records needs games: give --games FILE")
        return config

    def make_learner(self, place: Place) -> LinearTrainer:  # noqa: ARG002 (it needs no device)
        """A learner with the weights that it begins with, and its games."""
        settings, plan = self.config.settings, self.config.plan
        self.parts = open_parts(plan, settings.size)
        model = first_model(settings, plan.start)
        self.first = _material_of_model(model)
        return LinearTrainer(settings, model, *self._games())

    def _games(self) -> tuple[GameSet | None, GameSet | None]:
        """Those to learn from and those to measure on."""
        return (self.parts.train, self.parts.validation) if self.parts else (None, None)

    @property
    def goal(self) -> int:
        """Games in all."""
        return self.config.settings.games

    @property
    def counts(self) -> dict[str, int]:
        """How many games there are."""
        train, validation = self._games()
        return {"train": len(train or ()), "validation": len(validation or ())}

    def material(self) -> Material:
        """Digests of the games, of the features and of the weights it began with."""
        return material_of_games(*self._games()) | self.first

    def facts(self) -> dict[str, Any]:
        """How many games there are."""
        return {"games": self.counts}

    def card(self, model: Linear, last: LinearMeasurement) -> str:
        """What the model says about itself: Markdown."""
        return linear_card(self.config, model, self.counts, last)


def first_model(settings: LinearSettings, start: str | None) -> Linear:
    """What a learner begins with: a model's weights, or none at all."""
    if start is None:
        return Linear([find_map(name) for name in settings.features], settings.size)
    return Linear.load(find_model(start))


def _material_of_model(model: Linear) -> Material:
    features = [digest_of_features(part.map) for part in model.parts]
    found = {f"features {number + 1}": digest for number, digest in enumerate(features)}
    return found | {"the weights it began with": digest_of_arrays(model.tensors)}


def linear_card(
    config: LinearConfig, model: Linear, games: dict[str, int], last: LinearMeasurement
) -> str:
    """What a model tells about itself: Markdown."""
    settings = config.settings
    measured = "no other games were measured on"
    if last.val_squared_error is not None and last.val_accuracy is not None:
        measured = (
            f"on {games['validation']:,} other games: squared error {last.val_squared_error:.4f} "
            f"a position, {last.val_accuracy:.1%} of winners predicted"
        )
    sources = {
        GameSource.RECORDS: f"{games['train']:,} recorded games, {last.games:,} games learned from",
        GameSource.SELF: f"{last.games:,} games against itself",
        GameSource.FROZEN: f"{last.games:,} games against a frozen copy of itself",
    }
    return config.card(
        f"Linear, {model.size}x{model.size}",
        "The logit of the chance to win is a weighted sum of features, learned by TD(0).",
        [
            f"features: {', '.join(part.map.name for part in model.parts)}",
            f"weights: {model.weight_count:,}",
            f"learned from: {sources[settings.source]}, step size {settings.alpha:g}, "
            f"komi {settings.komi:g}, seed {settings.seed}",
            measured,
        ],
    )
