"""`katachi train openings`: a net that learns from judged openings."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from katachi.interfaces.cli.old_options import given_options
from katachi.interfaces.cli.openings import BOOK, BookOptions, name_of_book
from katachi.interfaces.cli.record_training import follow_run, is_resumed, settings_of, typed
from katachi.learning.opening_run import (
    OpeningMeasurement,
    OpeningPlan,
    OpeningRun,
    OpeningRunConfig,
    OpeningSettings,
)

RAW_ALPHA = 0.5


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class OpeningOptions:
    """What can be asked of a run; None is the default that the text names."""

    games: Annotated[list[Path] | None, Parameter(negative=())] = None
    """Files or folders of game records to learn from; may be given several times (those that come
    with katachi)."""
    inputs: Literal["raw", "rich"] | None = None
    """`raw` for the paper's 362 inputs, `rich` for knowledge about stones (rich)."""
    lam: Annotated[float | None, Parameter(name="--lambda")] = None
    """Weight of later differences in an error, 0 to 1 (0.7)."""
    alpha: float | None = None
    """Step size (0.03; for raw inputs 0.5)."""
    epochs: int | None = None
    """Passes over the openings (8)."""
    seed: int | None = None
    """Equal seeds give equal weights (1)."""
    measure_every: int | None = None
    """Epochs from one measurement, and checkpoint, to the next (1)."""


NO_OPTIONS = OpeningOptions()


def train_openings(
    options: OpeningOptions, book: BookOptions, out: Path | None, resume: Path | None
) -> None:
    """Begins a run or goes on with one, and says how it goes."""
    given = given_options(options) | ({} if book == BOOK else {"book": book})
    follow_run("openings", "epochs", lambda: _open_run(given, out, resume), _first_words, _words)


def learn(
    *files: Path,
    out: Path,
    book: BookOptions = BOOK,
    options: OpeningOptions = NO_OPTIONS,
) -> None:
    """Let an opening net learn from judged openings: what `katachi train openings` was called.

    Parameters
    ----------
    files
        SGF files, collections or folders; by default those that come with katachi.
    out
        The folder of a new run; the model is in its folder `model` at the end.
    """
    games = [*(options.games or ()), *files]
    train_openings(replace(options, games=games or None), book, out, None)


def _open_run(given: dict[str, Any], out: Path | None, resume: Path | None) -> OpeningRun:
    if is_resumed(given, out, resume, needs_games=False):
        assert resume is not None
        return OpeningRun.resume(resume)
    assert out is not None
    if given.get("inputs") == "raw":
        given.setdefault("alpha", RAW_ALPHA)
    games = [str(place) for place in given.pop("games", ())]
    book = given.pop("book", BOOK)
    every = {name: given.pop(name) for name in ("measure_every",) if name in given}
    plan = settings_of({"games": games} | every, OpeningPlan)
    plan = OpeningPlan(plan.games, book, plan.measure_every)
    settings = settings_of(given, OpeningSettings)
    return OpeningRun.begin(out, OpeningRunConfig(settings, plan, typed()))


def _first_words(run: OpeningRun) -> str:
    """What is learned from, and how well it is known already."""
    openings = name_of_book(run.learner.openings, run.config.plan.games)
    return f"{openings}\nRMSE {run.learner.measure().train_rmse:.3f} after {run.done:,} epochs"


def _words(run: OpeningRun, measured: OpeningMeasurement, _pace: float) -> str:
    """One line about a measurement."""
    return f"{measured.epochs:,} of {run.goal:,} epochs: RMSE {measured.train_rmse:.3f}"
