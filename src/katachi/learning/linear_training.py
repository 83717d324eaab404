"""Linear evaluators that learn by temporal differences, from records, from themselves or from a
frozen copy; and their run."""

from collections.abc import Iterable, Sequence
from enum import Enum
from pathlib import Path
from typing import Annotated, ClassVar, NamedTuple

import msgspec
import numpy as np

from katachi.errors import KatachiError
from katachi.evaluators.feature_blocks import WindowBlock
from katachi.evaluators.linear import Linear, find_map
from katachi.evaluators.window_values import WindowWeights
from katachi.features.plugin_features import plugin_setting
from katachi.features.units import UNIT
from katachi.files.plugins import allow
from katachi.files.shipped_folders import find_model
from katachi.learning.learner import Metrics, Tensors, check_state
from katachi.learning.linear_matches import mean_error
from katachi.learning.loop import FusedSource, Learned, Source, learn
from katachi.learning.material import (
    SPLIT_SEED,
    Material,
    RunGames,
    RunPlan,
    digest_of_arrays,
    digest_of_features,
    read_games,
)
from katachi.learning.run import HERE, Place, Run, RunConfig
from katachi.learning.sources import GameTerms, RecordedGames, Seat, play_each_other, play_frozen
from katachi.records.dataset import GameSet
from katachi.rules.random_play import random_states
from katachi.rules.ruleset import check_komi
from katachi.td.linear_games import (
    LinearGame,
    learn_linear_game,
    new_linear_game,
    play_linear_game,
)
from katachi.td.shape_memory import MOVES_A_POINT
from katachi.td.targets import ErrorRule, UpdateRule

StepSize = Annotated[float, msgspec.Meta(gt=0, le=1000)]
Share = Annotated[float, msgspec.Meta(ge=0, le=1)]


class GameSource(Enum):
    """Where the games come from."""

    RECORDS = "records"
    """Recorded games: both sides are learned from."""
    SELF = "self"
    """Games of the learner against itself: both sides are learned from."""
    FROZEN = "frozen"
    """Games against a copy of the learner that stays as it began."""


class LinearSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a linear evaluator learns; the paper's values where it states them. `teacher` and
    `lessons` are what options and files of runs call the source and the number of games."""

    features: tuple[str, ...] = ("templates:2x2",)
    """What a position looks like: templates:2x2, templates:3x3, shapes:SETS, crbm:MODEL or
    python:MODULE:NAME, code of your own; may be given several times, all side by side."""
    size: int = 9
    """Board size."""
    source: GameSource = msgspec.field(default=GameSource.RECORDS, name="teacher")
    """records, self (games against itself) or frozen (against a copy that stays as it began)
    (records)."""
    games: Annotated[int, msgspec.Meta(ge=1)] = msgspec.field(default=1000, name="lessons")
    """Games to learn from in all; records are gone through again when used up."""
    alpha: StepSize = 0.001
    """Step size."""
    lam: Share = 0.0
    """Lambda of TD(lambda)."""
    is_squared: bool = True
    """Whether the error carries the factor V(1 - V)."""
    epsilon: Share = 0.1
    """Share of random moves where the learner plays."""
    final_epsilon: Share | None = None
    """Where that share falls to at the last game (it stays)."""
    frozen_epsilon: Share = 0.1
    """Share of random moves of a frozen copy."""
    komi: float = 5.5
    """Points for White where the learner plays."""
    seed: int = 1
    """Equal seeds give equal weights."""


class LinearMeasurement(Metrics, frozen=True, forbid_unknown_fields=True):
    """How good a learner is: a line of `metrics.jsonl`."""

    games: int
    """Games learned from."""
    wins: float | None = None
    """Of these against the frozen copy, where there is one."""
    val_squared_error: float | None = None
    """Mean of (V - outcome) squared over the positions of held-out games, if there are any."""
    val_accuracy: float | None = None
    """Share of these positions whose winner is predicted."""
    val_positions: int = 0


class LinearTrainer:
    """A model and how many games it has learned from. A game depends on its number and on the
    weights alone, so a trainer that is set up anew with both goes on the same."""

    def __init__(
        self,
        settings: LinearSettings,
        model: Linear,
        games: GameSet | None = None,
        validation: GameSet | None = None,
    ) -> None:
        """Learns into `model`; records need their games, and `validation` is measured on. Raises
        KatachiError for games on another board than the model's, and for a komi that is none."""
        if model.size != settings.size:
            raise KatachiError(f"the model is for size {model.size}, not {settings.size}")
        check_komi(settings.komi)
        self.settings = settings
        self._model = model
        self.frozen = model.copied()
        self.done = 0
        """Games learned from."""
        self.wins = 0.0
        """Of the learner against its frozen copy so far."""
        self._validation = validation if validation is not None and len(validation) else None
        self._records = None if games is None else RecordedGames(games, settings.seed)
        if settings.source is GameSource.RECORDS:
            self._check_records()
        parts = len(model.parts)
        errors, rates = ErrorRule(settings.lam, settings.is_squared), np.full(parts, settings.alpha)
        self.rule = UpdateRule(errors, np.ones((parts, parts), np.uint8), rates, UNIT)
        self._fused = _fused_games(model, self.frozen, settings)

    def _check_records(self) -> None:
        if self._records is None:
            raise KatachiError("no recorded games to learn from")
        size = self._records.size
        if size != self.settings.size:
            raise KatachiError(f"the games are of size {size}, not {self.settings.size}")

    def learn(self, count: int) -> None:
        """Learns from so many more games; raises KatachiError where weights grow beyond all
        bounds, so that the last checkpoint stays the newest."""
        end = self.done + count
        while self.done < end:  # exploration that falls is another one in each game
            stop = end if self.settings.final_epsilon is None else self.done + 1
            for learned in learn([self._model], self.source(), self.rule, range(self.done, stop)):
                self.done += learned.games
                self.wins += learned.wins if self.settings.source is GameSource.FROZEN else 0.0
        if not all(np.isfinite(part.theta).all() for part in self._model.parts):
            raise KatachiError(
                f"the weights are no numbers any more after {self.done:,} games: "
                f"use a smaller step size than {self.settings.alpha:g}"
            )

    def model(self) -> Linear:
        """What has been learned: the model that goes on learning."""
        return self._model

    def measure(self) -> "LinearMeasurement":
        """How the values of held-out games agree with who won, and how many games are won."""
        is_frozen = self.settings.source is GameSource.FROZEN
        wins = self.wins if is_frozen else None
        if self._validation is None:
            return LinearMeasurement(self.done, wins)
        error = mean_error(self._model, self._validation)
        return LinearMeasurement(
            self.done, wins, round(error.squared, 6), round(error.right, 6), error.positions
        )

    def state(self) -> Tensors:
        """All that going on needs, beside the settings and the games."""
        kept = {name: tensor.copy() for name, tensor in self._model.tensors.items()}
        frozen = {f"frozen.{name}": tensor for name, tensor in self.frozen.tensors.items()}
        return kept | frozen | {"steps": np.array([self.done]), "wins": np.array([self.wins])}

    def load_state(self, tensors: Tensors) -> None:
        """Goes on from a state; raises KatachiError where it is of other settings."""
        check_state(tensors, self.state(), "features")
        self._model.take_weights(tensors)
        names = self.frozen.tensors
        self.frozen.take_weights({name: tensors[f"frozen.{name}"] for name in names})
        self.done, self.wins = (tensors[name][0].item() for name in ("steps", "wins"))

    def epsilon(self) -> float:
        """The learner's share of random moves in the next game."""
        begin, end = self.settings.epsilon, self.settings.final_epsilon
        if end is None:
            return begin
        return begin + (end - begin) * min(1.0, self.done / self.settings.games)

    def source(self) -> Source | FusedSource:
        """Where the next game comes from: a kernel, where one has these features."""
        settings = self.settings
        if settings.source is GameSource.RECORDS:
            assert self._records is not None
            return self._records
        limit = MOVES_A_POINT * settings.size**2
        terms = GameTerms(settings.size, settings.komi, self.epsilon(), limit, settings.seed)
        if self._fused is not None:
            return self._fused._replace(terms=terms)
        if settings.source is GameSource.SELF:
            return play_each_other([self._model], terms)
        return play_frozen(self._model, Seat(self.frozen, settings.frozen_epsilon), terms)


class WindowGames(NamedTuple):
    """Games of a model of one kind of window, played and learned from by a kernel."""

    game: LinearGame
    learner: WindowWeights
    frozen: WindowWeights | None
    """Against whom it plays; None for itself."""
    frozen_epsilon: float
    terms: GameTerms

    def learn(self, rule: UpdateRule, numbers: Sequence[int]) -> Learned:
        """Lets the model learn from these games."""
        self.game.rates[:] = rule.rates
        plies = wins = 0.0
        for number in numbers:
            played, won = self._learn(rule, number)
            plies, wins = plies + played, wins + won
        return Learned(len(numbers), int(plies), wins)

    def _learn(self, rule: UpdateRule, number: int) -> tuple[int, float]:
        """(positions, wins of the learner) of a game, in which it has Black if the number is
        even."""
        terms, is_self = self.terms, self.frozen is None
        own = (self.learner, terms.epsilon)
        other = own if self.frozen is None else (self.frozen, self.frozen_epsilon)
        is_black = number % 2 == 0
        (black, first), (white, second) = (own, other) if is_black else (other, own)
        random = random_states(terms.seed, number, 1)[0]
        plies, area = play_linear_game(self.game, black, white, np.array([first, second]), random)
        learns = np.array([is_self or is_black, is_self or not is_black], np.uint8)
        margin = area - terms.komi
        learn_linear_game(self.game, self.learner, learns, plies, margin, rule.errors)
        return int(plies), 0.5 + 0.5 * float(np.sign(margin if is_black else -margin))


def _fused_games(model: Linear, frozen: Linear, settings: LinearSettings) -> WindowGames | None:
    """None where the games are records, or the features are not of one kind of window."""
    mine, other = model.parts[0], frozen.parts[0]
    if settings.source is GameSource.RECORDS or len(model.parts) > 1:
        return None
    if not isinstance(mine, WindowBlock) or not isinstance(other, WindowBlock):
        return None
    limit = MOVES_A_POINT * settings.size**2
    return WindowGames(
        new_linear_game(settings.size, len(mine.weights.codes), limit),
        mine.weights,
        None if settings.source is GameSource.SELF else other.weights,
        settings.frozen_epsilon,
        GameTerms(settings.size, settings.komi, settings.epsilon, limit, settings.seed),
    )


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


def open_parts(plan: LinearPlan, size: int) -> RunGames | None:
    """The games of a plan that were played on a board and won, parted; None where it names none.

    Raises KatachiError where none is left.
    """
    if not plan.games:
        return None
    games = read_games(plan.games)
    is_won = np.array([record.result.is_decided for record in games], np.bool_)
    is_wanted = (games.info["size"] == size) & is_won
    games = GameSet(games.columns, games.rows[is_wanted])
    if len(games) == 0:
        raise KatachiError(f"none of the games was played on {size}x{size} and won by somebody")
    parts = games.split(SPLIT_SEED, validation=plan.validation, test=0.0)
    return RunGames(parts.train, parts.validation)


class LinearRun(Run[LinearConfig, LinearTrainer, LinearMeasurement]):
    """A run that learns weights over features, from records or by play."""

    kind = "training of linear"
    old_metrics: ClassVar[dict[str, str]] = {
        "steps": "games",
        "squared": "val_squared_error",
        "right": "val_accuracy",
        "positions": "val_positions",
    }
    first: Material

    @classmethod
    def begin(cls, path: Path, config: LinearConfig, place: Place = HERE) -> "LinearRun":
        """As every run; features that are code are those that the caller has named."""
        allow_features(config.settings.features)
        return super().begin(path, config, place)

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
        games = self.games = open_parts(plan, settings.size)
        model = first_model(settings, plan.start)
        self.first = _material_of_model(model)
        parts = (None, None) if games is None else (games.train, games.validation)
        return LinearTrainer(settings, model, *parts)

    @property
    def goal(self) -> int:
        """Games in all."""
        return self.config.settings.games

    def material(self) -> Material:
        """Digests of the games, of the features and of the weights it began with."""
        return super().material() | self.first

    def card(self, model: Linear, last: LinearMeasurement) -> str:
        """What the model says about itself: Markdown."""
        settings, games = self.config.settings, self.counts
        measured = "no other games were measured on"
        if last.val_squared_error is not None and last.val_accuracy is not None:
            measured = (
                f"on {games['validation']:,} other games: squared error "
                f"{last.val_squared_error:.4f} a position, {last.val_accuracy:.1%} of winners "
                "predicted"
            )
        learned = f"{last.games:,} games"
        sources = {
            GameSource.RECORDS: f"{games['train']:,} recorded games, {learned} learned from",
            GameSource.SELF: f"{learned} against itself",
            GameSource.FROZEN: f"{learned} against a frozen copy of itself",
        }
        return self.config.card(
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


def allow_features(names: Iterable[str]) -> None:
    """Notes that a person has named these features: those that are code may be run."""
    for name in names:
        allow(plugin_setting(name) or "")


def first_model(settings: LinearSettings, start: str | None) -> Linear:
    """What a learner begins with: a model's weights, or none at all."""
    if start is None:
        return Linear([find_map(name) for name in settings.features], settings.size)
    return Linear.load(find_model(start))


def _material_of_model(model: Linear) -> Material:
    features = [digest_of_features(part.map) for part in model.parts]
    found = {f"features {number + 1}": digest for number, digest in enumerate(features)}
    return found | {"the weights it began with": digest_of_arrays(model.tensors)}
