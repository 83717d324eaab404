"""`katachi train shape`: what is asked of a run of local shape, how it goes and how it ended."""

from pathlib import Path
from typing import Any

import msgspec

from katachi.errors import KatachiError
from katachi.files.provenance import versions
from katachi.interfaces.cli import INTERRUPTED, fail
from katachi.interfaces.cli.interrupts import noted_interrupts
from katachi.interfaces.cli.options import option_name, options_of
from katachi.interfaces.cli.pools import Device, RunsOptions, pool_on
from katachi.interfaces.cli.train_progress import rate_words, show_progress
from katachi.interfaces.cli.training import Folders, typed
from katachi.interfaces.cold_start import announce_cold_start
from katachi.interfaces.console import Console, moving_bar
from katachi.interfaces.views.player_lines import play_lines
from katachi.learning.curriculum import Plan
from katachi.learning.shape_config import DEFAULT, PRESETS, ShapeConfig, find_preset
from katachi.learning.shape_run import (
    ShapeRun,
    extend_run,
    load_agents,
    read_config,
    read_result,
)
from katachi.learning.shape_training import SourceKind, TrainingSettings


class _Beginning(msgspec.Struct):
    """Options that are neither settings nor of the plan."""

    preset: str = DEFAULT
    """Where the other options begin. default: cross-entropy, a falling step size and averaged
    weights; paper2007: squared error, a constant step size and the last weights, as in the 2007
    paper."""
    start: str | None = None
    """The folder of a model, or of a finished run, whose weights the agents start with; on another
    board shapes keep their value, and sets that the model has not start at zero."""


ShapeOptions = options_of(
    _Beginning,
    PRESETS[DEFAULT].settings,
    PRESETS[DEFAULT].plan,
    without=("horizon", "grow_share"),
    preset="paper2007",
    alphas=list[str],
    source=str,
)


def train_shape(given: dict[str, Any], where: Folders, checkpoint_seconds: float) -> None:
    """Begins a run or goes on with one, and says how it goes."""
    if not checkpoint_seconds >= 0:
        raise KatachiError(f"{checkpoint_seconds:g} seconds between checkpoints: use 0 or more")
    console = Console()
    with noted_interrupts() as is_interrupted:
        run = _open_run(console, where, given)
        if run is None:
            return
        try:
            show_progress(console, run, run.run(is_interrupted, checkpoint_seconds))
            if not run.is_finished:
                _tell_interrupted(run)
            _tell_result(console, run.finish())
        finally:
            run.close()


def train_many(
    given: dict[str, Any], where: Folders, many: RunsOptions, device: Device = Device.CPU
) -> None:
    """Does the runs that are missing, and says what came of each."""
    from katachi.arena.stop_signals import leave_on_signals
    from katachi.learning.shape_runs import ShapeRuns

    if where.out is None or where.resume is not None:
        raise KatachiError("several runs need --out FOLDER, where the same command goes on")
    runs = ShapeRuns(where.out, _request(given), many.runs)
    pool = pool_on(device, many)
    leave_on_signals()
    announce_cold_start()
    console = Console()
    done, goal = many.runs - len(runs.missing), many.runs
    if done:
        console.print(f"going on after {done:,} runs in {where.out}", soft_wrap=True)
    with moving_bar(console, goal, "runs", done) as (progress, task):
        for count, path in enumerate(runs.learn(pool), done + 1):
            progress.update(task, completed=count)
            progress.console.print(f"{path.name}: {_final_words(path)}", soft_wrap=True)
    console.print(f"{goal:,} runs are in {where.out}", soft_wrap=True)


def _final_words(path: Path) -> str:
    """How the first agent of a finished run did in its last test."""
    result = read_result(path)
    assert result is not None
    return f"{rate_words(result.final, 0)[0]} in {result.final.played:,} games"


def _open_run(console: Console, where: Folders, given: dict[str, Any]) -> ShapeRun | None:
    """The run that was asked for; None for one that is finished already, which is reported."""
    out, resume = where.out, where.resume
    if (out is None) == (resume is None):
        raise KatachiError("give either --out FOLDER for a new run or --resume FOLDER")
    if out is not None:
        request = _request(given)
        announce_cold_start()
        return ShapeRun.begin(out, request)
    assert resume is not None
    others = [name for name in given if name != "games"]
    if others:
        option = option_name(others[0])
        raise KatachiError(f"--resume takes its settings from {resume}: leave out {option}")
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
    changes = {name: given.pop(name) for name in Plan.__struct_fields__ if name in given}
    plan = msgspec.structs.replace(preset.plan, **changes)
    source, start = given.pop("source", "pair"), given.pop("start", None)
    kinds = {kind.value: kind for kind in SourceKind}
    opponent = None if source in kinds else source
    settings: dict[str, Any] = {"source": kinds.get(source, SourceKind.SELF)}
    if start is not None:
        model = load_agents(Path(start), 1)[0]
        names = ",".join(each.name for each in model.sets)
        settings |= {"size": model.size, "sets": names, "bins": model.bins}
    if "alphas" in given:
        settings["alphas"] = _step_sizes(given.pop("alphas"))
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
