"""`katachi train`: evaluators that learn, by playing or from records."""

from pathlib import Path
from typing import Any, Literal

import msgspec
from cyclopts import App

from katachi.errors import KatachiError
from katachi.features.plugin_features import plugin_setting
from katachi.features.territory_inputs import InputSettings
from katachi.interfaces.cli.openings import BOOK, BookOptions, name_of_book
from katachi.interfaces.cli.options import NO_OPTIONS, Options, taking
from katachi.interfaces.cli.pools import ONE_RUN, PROCESSES, Device, PoolOptions, RunsOptions
from katachi.interfaces.cli.train_shape import ShapeOptions, train_many, train_shape
from katachi.interfaces.cli.training import NOWHERE, Folders, Training, run_options, words_of_games
from katachi.learning.crbm_run import CrbmRun, measured_words
from katachi.learning.crbm_training import CrbmMeasurement
from katachi.learning.linear_training import (
    GameSource,
    LinearMeasurement,
    LinearRun,
    allow_features,
)
from katachi.learning.opening_run import OpeningMeasurement, OpeningRun
from katachi.learning.run import CHECKPOINT_SECONDS, Place
from katachi.learning.selfplay_run import SelfPlayRun, match_words
from katachi.learning.selfplay_settings import SelfPlayMeasurement
from katachi.learning.shape_training import Loss
from katachi.learning.territory_run import TerritoryRun
from katachi.learning.territory_training import TerritoryMeasurement

app = App(name="train")

REAL_RATE = 0.01
"""Step size of features where units are real, unless another is given."""
RAW_ALPHA = 0.5
"""That of openings where inputs are raw."""


@app.command
@taking(ShapeOptions)
def shape(
    options: Options = NO_OPTIONS,
    *,
    where: Folders = NOWHERE,
    many: RunsOptions = ONE_RUN,
    device: Device = Device.CPU,
    checkpoint_seconds: float = CHECKPOINT_SECONDS,
) -> None:
    """Let local shape be learned from games; the run is kept in a folder and can be resumed.

    Interrupt it whenever you like: --resume goes on, and the result is the same to the last bit.

    Parameters
    ----------
    device
        cuda lets all --runs learn at once on a GPU; they are the same as on the CPU.
    checkpoint_seconds
        Seconds from one checkpoint to the next.
    """
    if many == ONE_RUN and device is Device.CPU:
        train_shape(options.given(), where, checkpoint_seconds)
    else:
        train_many(options.given(), where, many, device)


@app.command
@taking(run_options(TerritoryRun, without=("propensity", "large"), inputs=str))
def territory(
    options: Options = NO_OPTIONS,
    *,
    where: Folders = NOWHERE,
    device: str = "cpu",
    makers: int = 1,
) -> None:
    """Let a net learn from recorded games who will own each point; needs PyTorch.

    Interrupt it whenever you like: --resume goes on from the last measurement.

    Parameters
    ----------
    device
        cpu, or cuda for a GPU.
    makers
        Threads that make the batches; a GPU wants several.
    """
    TERRITORY.follow(options.given(), where, Place(device, makers))


def _territory_settings(given: dict[str, Any]) -> dict[str, Any]:
    if "inputs" in given:
        given["inputs"] = msgspec.to_builtins(InputSettings(tuple(_names(given["inputs"]))))
    return given


def _names(text: str) -> list[str]:
    """Names with commas between."""
    return [name.strip() for name in text.split(",")]


def _territory_games(run: TerritoryRun) -> str:
    dropped = run.games.dropped if run.games else 0
    left_out = f"; {dropped:,} without a known final ownership left out" if dropped else ""
    return words_of_games(run, left_out)


def _territory_words(run: TerritoryRun, measured: TerritoryMeasurement, pace: float) -> str:
    settings = run.config.settings
    learned = [f"{measured.train_ownership_loss:.4f}"] if settings.learns_owners else []
    if settings.learns_choice:
        learned.append(f"choice {measured.train_policy_loss:.3f}")
    others = ""
    loss, accuracy = measured.val_ownership_loss, measured.val_accuracy
    if settings.learns_owners and loss is not None and accuracy is not None:
        others = f"other games {loss:.4f} nats a point, {accuracy:.1%} right; "
    loss, top1 = measured.val_policy_loss, measured.val_top1
    if loss is not None and top1 is not None:
        others += f"their moves {loss:.3f} nats, {top1:.1%} predicted; "
    loss, accuracy = measured.val_value_loss, measured.val_value_accuracy
    if loss is not None and accuracy is not None:
        others += f"their results {loss:.3f} nats, {accuracy:.1%} of winners told; "
    words = f"learned {', '.join(learned)}; {others.removesuffix('; ')}".removesuffix("; ")
    return _batch_words(run, measured.steps, words, "moves", pace)


def _batch_words(
    run: TerritoryRun | CrbmRun, steps: int, words: str, unit: str, pace: float
) -> str:
    """A line about a run in batches, each of which takes `pace` seconds."""
    settings = run.config.settings
    left = (settings.steps - steps) * pace / 60
    return (
        f"{steps:,} of {settings.steps:,} batches: {words}; "
        f"{settings.batch / pace:,.0f} {unit}/s, about {left:.1f} min left"
    )


TERRITORY = Training(
    TerritoryRun, "territory", "batches", _territory_games, _territory_words, _territory_settings
)


@app.command
@taking(run_options(SelfPlayRun, without=("games",)))
def selfplay(
    options: Options = NO_OPTIONS,
    *,
    where: Folders = NOWHERE,
    device: str = "cpu",
    minutes: float | None = None,
    pool: PoolOptions = PROCESSES,
) -> None:
    """Let a net learn from its own games by tree search, from nothing on; needs PyTorch.

    Each generation plays, learns what its searches found and is tested: by a small tree search
    and without one. Interrupt it whenever you like: --resume goes on from the last test.

    Parameters
    ----------
    device
        cpu, or cuda for a GPU, which then judges the positions of all processes.
    minutes
        End with the generation in which so many minutes are over, and write the model.
    """
    place = Place(device, workers=pool.pool(default=2))
    SELFPLAY.follow(options.given(), where, place, minutes)


def _selfplay_start(run: SelfPlayRun) -> str:
    settings, plan = run.config.settings, run.config.plan
    begun = f"from {plan.start}" if plan.start else "from nothing"
    weights = f"a net of {run.learner.weight_count:,} weights learns {begun}"
    return (
        f"{weights}: {settings.new_games:,} games a generation at {settings.size}x{settings.size}"
    )


def _selfplay_words(run: SelfPlayRun, measured: SelfPlayMeasurement, pace: float) -> str:
    left = (run.goal - measured.generations) * pace / 60
    return (
        f"{measured.generations} of {run.goal} generations: {match_words(measured)}; "
        f"{measured.win_rate_previous:.0%} v the one before; about {left:.1f} min left"
    )


SELFPLAY = Training(
    SelfPlayRun, "selfplay", "generations", _selfplay_start, _selfplay_words, needs_games=False
)


@app.command
@taking(
    run_options(
        CrbmRun,
        inputs=str,
        visible=Literal["real", "multinomial"],
    )
)
def features(
    options: Options = NO_OPTIONS, *, where: Folders = NOWHERE, device: str = "cpu"
) -> None:
    """Let a convolutional RBM find features in the positions of recorded games; needs PyTorch.

    The kernels are drawn in `plates.svg` in the folder of the run as they are learned. Interrupt it
    whenever you like: --resume goes on from the last measurement.

    Parameters
    ----------
    device
        cpu, or cuda for a GPU.
    """
    FEATURES.follow(options.given(), where, Place(device))


app.command(features, name="crbm", show=False)  # what it was called before


def _feature_settings(given: dict[str, Any]) -> dict[str, Any]:
    if "inputs" in given:
        given["inputs"] = _names(given["inputs"])
    if given.get("visible") == "real":
        given.setdefault("rate", REAL_RATE)
    return given


def _feature_words(run: CrbmRun, measured: CrbmMeasurement, pace: float) -> str:
    return _batch_words(run, measured.steps, measured_words(measured), "boards", pace)


FEATURES = Training(
    CrbmRun,
    "features",
    "batches",
    words_of_games,
    _feature_words,
    _feature_settings,
)


class _Loss(msgspec.Struct):
    """An option of linear models whose setting says whether it is squared."""

    loss: Loss = Loss.SQUARED
    """What an error is measured by."""


@app.command
@taking(run_options(LinearRun, _Loss, without=("is_squared", "frozen_epsilon")))
def linear(options: Options = NO_OPTIONS, *, where: Folders = NOWHERE) -> None:
    """Let weights over any features be learned by temporal differences, from records or by play.

    Interrupt it whenever you like: --resume goes on from the last measurement.
    """
    given = options.given()
    if where.resume is not None and all(map(plugin_setting, given.get("features", ()))):
        allow_features(given.pop("features", ()))  # a run's files run no code by themselves
    LINEAR.follow(given, where)


def _linear_settings(given: dict[str, Any]) -> dict[str, Any]:
    if "start" in given and "features" in given:
        raise KatachiError("--start brings its own features: leave out --features")
    if "loss" in given:
        given["is_squared"] = given.pop("loss") is Loss.SQUARED
    return given


def _linear_games(run: LinearRun) -> str:
    """What is learned, and from how many games where they are recorded."""
    weights = f"{run.learner.model().weight_count:,} weights"
    if run.config.settings.source is GameSource.RECORDS:
        return f"{run.counts['train']:,} games to learn from, {weights}"
    return weights


def _linear_words(run: LinearRun, measured: LinearMeasurement, _pace: float) -> str:
    words = [f"{measured.games:,} of {run.config.settings.games:,} games"]
    if measured.wins is not None:
        words.append(f"{measured.wins / measured.games:.1%} won against the frozen copy")
    if measured.val_squared_error is not None and measured.val_accuracy is not None:
        words.append(
            f"other games: squared error {measured.val_squared_error:.4f}, "
            f"{measured.val_accuracy:.1%} of winners predicted"
        )
    return "; ".join(words)


LINEAR = Training(
    LinearRun, "linear", "games", _linear_games, _linear_words, _linear_settings, needs_games=False
)
OpeningOptions = run_options(OpeningRun, without=("book", "spread", "is_squared"))


@app.command
@taking(OpeningOptions)
def openings(
    options: Options = NO_OPTIONS, *, book: BookOptions = BOOK, where: Folders = NOWHERE
) -> None:
    """Let a net learn from judged openings who came out of them better.

    Interrupt it whenever you like: --resume goes on from the last measurement.
    """
    OPENINGS.follow(options.given() | _given_book(book), where)


def _given_book(book: BookOptions) -> dict[str, Any]:
    return {} if book == BOOK else {"book": msgspec.to_builtins(book)}


@taking(OpeningOptions)
def learn(*files: Path, out: Path, book: BookOptions = BOOK, options: Options = NO_OPTIONS) -> None:
    """Let an opening net learn from judged openings: what `katachi train openings` was called.

    Parameters
    ----------
    files
        SGF files, collections or folders; by default those that come with katachi.
    out
        The folder of a new run; the model is in its folder `model` at the end.
    """
    given = options.given() | _given_book(book)
    games = [*given.get("games", ()), *files]
    OPENINGS.follow(given | {"games": games}, Folders(out=out))


def _opening_settings(given: dict[str, Any]) -> dict[str, Any]:
    if given.get("inputs") == "raw":
        given.setdefault("alpha", RAW_ALPHA)
    return given


def _opening_words(run: OpeningRun) -> str:
    """What is learned from, and how well it is known already."""
    found = name_of_book(run.learner.openings, run.config.plan.games)
    return f"{found}\nRMSE {run.learner.measure().train_rmse:.3f} after {run.done:,} epochs"


def _epoch_words(run: OpeningRun, measured: OpeningMeasurement, _pace: float) -> str:
    return f"{measured.epochs:,} of {run.goal:,} epochs: RMSE {measured.train_rmse:.3f}"


OPENINGS = Training(
    OpeningRun,
    "openings",
    "epochs",
    _opening_words,
    _epoch_words,
    _opening_settings,
    needs_games=False,
)
