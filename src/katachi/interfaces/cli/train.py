"""`katachi train`: evaluators that learn, by playing or from records."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import msgspec
from cyclopts import App, Parameter

from katachi.errors import KatachiError
from katachi.files.provenance import versions
from katachi.interfaces.cli import INTERRUPTED, fail
from katachi.interfaces.cli.interrupts import noted_interrupts
from katachi.interfaces.cli.old_options import OldLambda, given_options
from katachi.interfaces.cli.openings import BOOK, BookOptions
from katachi.interfaces.cli.record_training import typed
from katachi.interfaces.cli.train_features import FeatureOptions, train_features
from katachi.interfaces.cli.train_linear import LinearOptions, train_linear
from katachi.interfaces.cli.train_openings import OpeningOptions, train_openings
from katachi.interfaces.cli.train_progress import rate_words, show_progress
from katachi.interfaces.cli.train_territory import TerritoryOptions, train_territory
from katachi.interfaces.cold_start import announce_cold_start
from katachi.interfaces.console import Console
from katachi.interfaces.views.player_lines import play_lines
from katachi.learning.model_cards import ShapeConfig
from katachi.learning.presets import DEFAULT, find_preset
from katachi.learning.run import CHECKPOINT_SECONDS, Place
from katachi.learning.shape_run import (
    ShapeRun,
    extend_run,
    load_agents,
    read_config,
    read_result,
)
from katachi.learning.shape_training import Loss, SourceKind, TrainingSettings

app = App(name="train")

PLAN_OPTIONS = ("games", "test_every", "test_games", "final_games", "grow_to", "grow_games")


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class ShapeOptions:
    """What can be asked of a run; None is the default that the text names."""

    preset: str | None = None
    """Where the other options begin. default: cross-entropy, a falling step size and averaged
    weights; paper2007: squared error, a constant step size and the last weights, as in the 2007
    paper (default)."""
    size: int | None = None
    """Board size (5)."""
    sets: str | None = None
    """Shape sets, such as 2x2:LI or 1x1-2x2:LI:liberty (1x1-3x3:LI+LD; paper2007 1x1-3x3:LI)."""
    games: int | None = None
    """Games in all (100,000); with --resume, learn on until there are so many, where the step size
    is constant."""
    seed: int | None = None
    """Equal seeds give equal weights (1)."""
    workers: int | None = None
    """Games played at once, on as many cores; with more than one, equal seeds give weights that
    differ a little (1)."""
    source: str | None = None
    """pair: two agents adapt to each other; self: one agent plays itself; or whom to learn
    against: a player by name, a GTP command, or the folder of a model, which stays as it is
    (pair)."""
    start: str | None = None
    """The folder of a model, or of a finished run, whose weights the agents start with; on another
    board shapes keep their value, and sets that the model has not start at zero."""
    alpha: float | None = None
    """Step size (2; paper2007 0.1)."""
    final_alpha: float | None = None
    """Step size after --games games: it falls to this one, and the weights of the last 40 % of the
    games are averaged (0.05, or --alpha if that is less; paper2007: it stays, and the last weights
    count)."""
    set_alpha: Annotated[list[str] | None, Parameter(negative=())] = None
    """Step size of one set, as NAME=VALUE; may be given several times."""
    epsilon: float | None = None
    """Share of random moves (0.1)."""
    lam: Annotated[float | None, Parameter(name="--lambda")] = None
    """Lambda of TD(lambda) (0)."""
    old_lam: OldLambda = None
    loss: Loss | None = None
    """What an error is measured by (cross-entropy; paper2007 squared)."""
    cascade: Annotated[bool | None, Parameter(negative=())] = None
    """Let each set learn what the more general sets leave over."""
    bins: int | None = None
    """Weights of each hashed set (100,000)."""
    komi: float | None = None
    """Points for White (7.5)."""
    grow_to: int | None = None
    """Let the board grow up to this size, by one when every agent wins 90 % of a test."""
    grow_games: int | None = None
    """Let it grow after so many games on one board in any case."""
    test_every: int | None = None
    """Games from one test against the average liberties player to the next (2,000; paper2007
    500)."""
    test_games: int | None = None
    """Test games of each agent (100)."""
    final_games: int | None = None
    """Test games of each agent at the end (1000)."""

    def given(self) -> dict[str, Any]:
        """The options that were given, by name."""
        return given_options(self)


@app.command
def shape(
    options: ShapeOptions = ShapeOptions(),  # noqa: B008 (frozen)
    *,
    out: Path | None = None,
    resume: Path | None = None,
    checkpoint_seconds: float = CHECKPOINT_SECONDS,
) -> None:
    """Let local shape be learned from games; the run is kept in a folder and can be resumed.

    Interrupt it whenever you like: --resume goes on, and the result is the same to the last bit.

    Parameters
    ----------
    out
        The folder of a new run.
    resume
        The folder of a run to go on with; its settings are kept.
    checkpoint_seconds
        Seconds from one checkpoint to the next.
    """
    if not checkpoint_seconds >= 0:
        raise KatachiError(f"{checkpoint_seconds:g} seconds between checkpoints: use 0 or more")
    console = Console()
    with noted_interrupts() as is_interrupted:
        run = _open_run(console, out, resume, options.given())
        if run is None:
            return
        try:
            show_progress(console, run, run.run(is_interrupted, checkpoint_seconds))
            if not run.is_finished:
                _tell_interrupted(run)
            _tell_result(console, run.finish())
        finally:
            run.close()


@app.command
def territory(
    options: TerritoryOptions = TerritoryOptions(),  # noqa: B008 (frozen)
    *,
    out: Path | None = None,
    resume: Path | None = None,
    device: str = "cpu",
    makers: int = 1,
) -> None:
    """Let a net learn from recorded games who will own each point; needs PyTorch.

    Interrupt it whenever you like: --resume goes on from the last measurement.

    Parameters
    ----------
    out
        The folder of a new run; the model is in its folder `model` at the end.
    resume
        The folder of a run to go on with; its settings are kept.
    device
        cpu, or cuda for a card.
    makers
        Threads that make the batches; a card wants several.
    """
    train_territory(options, out, resume, Place(device, makers))


@app.command
def features(
    options: FeatureOptions = FeatureOptions(),  # noqa: B008 (frozen)
    *,
    out: Path | None = None,
    resume: Path | None = None,
    device: str = "cpu",
) -> None:
    """Let a convolutional RBM find features in the positions of recorded games; needs PyTorch.

    Interrupt it whenever you like: --resume goes on from the last measurement.

    Parameters
    ----------
    out
        The folder of a new run: the kernels are drawn in `plates.svg` as they are learned, and the
        model is in its folder `model` at the end.
    resume
        The folder of a run to go on with; its settings are kept.
    device
        cpu, or cuda for a card.
    """
    train_features(options, out, resume, device)


app.command(features, name="crbm", show=False)  # what it was called before


@app.command
def openings(
    options: OpeningOptions = OpeningOptions(),  # noqa: B008 (frozen)
    *,
    book: BookOptions = BOOK,
    out: Path | None = None,
    resume: Path | None = None,
) -> None:
    """Let a net learn from judged openings who came out of them better.

    Interrupt it whenever you like: --resume goes on from the last measurement.

    Parameters
    ----------
    out
        The folder of a new run; the model is in its folder `model` at the end.
    resume
        The folder of a run to go on with; its settings are kept.
    """
    train_openings(options, book, out, resume)


@app.command
def linear(
    options: LinearOptions = LinearOptions(),  # noqa: B008 (frozen)
    *,
    out: Path | None = None,
    resume: Path | None = None,
) -> None:
    """Let weights over any features be learned by temporal differences, from records or by play.

    Interrupt it whenever you like: --resume goes on from the last measurement.

    Parameters
    ----------
    out
        The folder of a new run; the model is in its folder `model` at the end.
    resume
        The folder of a run to go on with; its settings are kept.
    """
    train_linear(options, out, resume)


def _open_run(
    console: Console, out: Path | None, resume: Path | None, given: dict[str, Any]
) -> ShapeRun | None:
    """The run that was asked for; None for one that is finished already, which is told."""
    if (out is None) == (resume is None):
        raise KatachiError("give either --out FOLDER for a new run or --resume FOLDER")
    if out is not None:
        request = _request(given)
        announce_cold_start()
        return ShapeRun.begin(out, request)
    assert resume is not None
    others = [name for name in given if name != "games"]
    if others:
        option = others[0].replace("_", "-")
        raise KatachiError(f"--resume takes its settings from {resume}: leave out --{option}")
    return _resume(console, resume, given.get("games"))


def _resume(console: Console, path: Path, games: int | None) -> ShapeRun | None:
    config = read_config(path)
    if read_result(path) is not None and (games is None or games <= config.plan.games):
        console.print(f"{path} is finished")
        _tell_result(console, path)
        return None
    announce_cold_start()
    if config.versions != versions():
        console.print("begun with other versions: the rest need not be the same to the last bit")
    run = ShapeRun.resume(path) if games is None else extend_run(path, games, typed())
    console.print(f"going on after {run.done:,} games in {path}")
    return run


def _request(given: dict[str, Any]) -> ShapeConfig:
    """What the options ask for."""
    given = dict(given)
    name = given.pop("preset", DEFAULT)
    preset = find_preset(name)
    changes = {option: given.pop(option) for option in PLAN_OPTIONS if option in given}
    plan = msgspec.structs.replace(preset.plan, **changes)
    source, start = given.pop("source", "pair"), given.pop("start", None)
    kinds = {kind.value: kind for kind in SourceKind}
    opponent = None if source in kinds else source
    settings: dict[str, Any] = {"source": kinds.get(source, SourceKind.SELF)}
    if start is not None:
        model = load_agents(Path(start), 1)[0]
        names = ",".join(each.name for each in model.sets)
        settings |= {"size": model.size, "sets": names, "bins": model.bins}
    if "set_alpha" in given:
        settings["alphas"] = _step_sizes(given.pop("set_alpha"))
    learned = _with_steps(msgspec.structs.replace(preset.settings, **(settings | given)), given)
    if learned.final_alpha is not None:
        learned = msgspec.structs.replace(learned, horizon=plan.games)
    return ShapeConfig(learned, plan, typed(), opponent=opponent, start=start, preset=name)


def _with_steps(settings: TrainingSettings, given: dict[str, Any]) -> TrainingSettings:
    """The settings with a step size that does not rise: a preset's last one is not taken where
    --alpha asks for less."""
    last = settings.final_alpha
    if last is None or "final_alpha" in given or not 0 < settings.alpha < last:
        return settings
    return msgspec.structs.replace(settings, final_alpha=settings.alpha)


def _step_sizes(items: list[str]) -> dict[str, float]:
    sizes = {}
    for item in items:
        name, _, value = item.partition("=")
        try:
            sizes[name] = float(value)
        except ValueError:
            raise KatachiError(f"--set-alpha {item}: write NAME=VALUE, as in 2x2:LI=0.2") from None
    return sizes


def _tell_interrupted(run: ShapeRun) -> None:
    games, path = run.done, run.folder.path
    kept = f"the {games:,} games so far are kept: katachi train shape --resume {path} goes on"
    fail(f"interrupted; {kept}", INTERRUPTED)


def _tell_result(console: Console, path: Path) -> None:
    result = read_result(path)
    assert result is not None
    final = result.final
    for stage in result.stages:
        speed = stage.games / stage.seconds if stage.seconds else 0.0
        passed = ", passed" if stage.has_passed else ""
        words = f"{stage.size}x{stage.size}: {stage.games:,} games, {speed:,.0f} games/s{passed}"
        console.print(words)
    tests = [(f"agent {agent + 1}", final, agent) for agent in range(len(final.wins))]
    tests += [] if result.mean is None else [("mean", result.mean, 0)]
    for name, test, agent in tests:
        rate, elo = rate_words(test, agent)
        words = f"{name}: {rate} in {test.played:,} games{f', {elo}' if elo else ''}"
        console.print(words, soft_wrap=True)
    console.print(f"models, curve and metrics are in {path}", soft_wrap=True)
    for line in play_lines(path):
        console.print(line, soft_wrap=True)
