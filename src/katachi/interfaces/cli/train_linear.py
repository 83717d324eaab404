"""`katachi train linear`: weights over any features, learned by temporal differences."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from katachi.errors import KatachiError
from katachi.interfaces.cli.old_options import OldLambda, given_options
from katachi.interfaces.cli.record_training import follow_run, is_resumed, settings_of, typed
from katachi.learning.linear_run import LinearConfig, LinearPlan, LinearRun
from katachi.learning.linear_training import GameSource, LinearMeasurement, LinearSettings
from katachi.learning.shape_training import Loss


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class LinearOptions:
    """What can be asked of a run; None is the default that the text names."""

    features: Annotated[list[str] | None, Parameter(negative=())] = None
    """What a position looks like: templates:2x2, templates:3x3, shapes:SETS or crbm:MODEL; may be
    given several times, all side by side (templates:2x2)."""
    games: Annotated[list[Path] | None, Parameter(negative=())] = None
    """Files or folders of game records to learn from, or only to measure on; may be given several
    times."""
    teacher: GameSource | None = None
    """records, self (games against itself) or frozen (against a copy that stays as it began)
    (records)."""
    start: str | None = None
    """A linear model to begin with, by folder or name (all weights zero)."""
    size: int | None = None
    """Board size (9)."""
    lessons: int | None = None
    """Games to learn from in all; records are gone through again when used up (1,000)."""
    alpha: float | None = None
    """Step size (0.001)."""
    lam: Annotated[float | None, Parameter(name="--lambda")] = None
    """Lambda of TD(lambda) (0)."""
    old_lam: OldLambda = None
    loss: Loss | None = None
    """What an error is measured by (squared)."""
    epsilon: float | None = None
    """Share of random moves where the learner plays (0.1)."""
    final_epsilon: float | None = None
    """Where that share falls to at the last game (it stays)."""
    komi: float | None = None
    """Points for White where the learner plays (5.5)."""
    seed: int | None = None
    """Equal seeds give equal weights (1)."""
    measure_every: int | None = None
    """Games from one measurement, and checkpoint, to the next (1,000)."""

    def given(self) -> dict[str, Any]:
        """The options that were given, by name."""
        return given_options(self)


PLAN_OPTIONS = ("games", "measure_every", "start")


def train_linear(options: LinearOptions, out: Path | None, resume: Path | None) -> None:
    """Begins a run or goes on with one, and says how it goes."""
    given = options.given()
    follow_run("linear", "games", lambda: _open_run(given, out, resume), _first_words, _words)


def _open_run(given: dict[str, Any], out: Path | None, resume: Path | None) -> LinearRun:
    if is_resumed(given, out, resume, needs_games=False):
        assert resume is not None
        return LinearRun.resume(resume)
    assert out is not None
    plan = {name: given.pop(name) for name in PLAN_OPTIONS if name in given}
    plan["games"] = [str(place) for place in plan.get("games", ())]
    if "start" in plan and "features" in given:
        raise KatachiError("--start brings its own features: leave out --features")
    if "loss" in given:
        given["is_squared"] = given.pop("loss") is Loss.SQUARED
    if "teacher" in given:
        given["teacher"] = given["teacher"].value
    settings = settings_of(given, LinearSettings)
    asked = settings_of(plan, LinearPlan)
    return LinearRun.begin(out, LinearConfig(settings, asked, typed()))


def _first_words(run: LinearRun) -> str:
    """What is learned, and from how many games where they are recorded."""
    weights = f"{run.learner.model().weight_count:,} weights"
    if run.config.settings.source is GameSource.RECORDS:
        return f"{run.counts['train']:,} games to learn from, {weights}"
    return weights


def _words(run: LinearRun, measured: LinearMeasurement, _pace: float) -> str:
    """One line about a measurement."""
    words = [f"{measured.games:,} of {run.config.settings.games:,} games"]
    if measured.wins is not None:
        words.append(f"{measured.wins / measured.games:.1%} won against the frozen copy")
    if measured.val_squared_error is not None and measured.val_accuracy is not None:
        words.append(
            f"other games: squared error {measured.val_squared_error:.4f}, "
            f"{measured.val_accuracy:.1%} of winners predicted"
        )
    return "; ".join(words)
