"""`katachi train shape` as a person runs it: told, interrupted, killed, resumed."""

import itertools
import json
import os
import random
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import numpy as np
import pytest
from safetensors.numpy import load

from katachi.evaluators.local_shape import LocalShape
from katachi.features.shape_sets import parse_sets
from katachi.interfaces.cli import main
from katachi.interfaces.cli.train_progress import rate_words, show_progress, sparkline
from katachi.interfaces.cli.train_shape import ShapeOptions, _request
from katachi.interfaces.console import Console
from katachi.learning.curriculum import Plan
from katachi.learning.run import Progress
from katachi.learning.run_folder import RunFolder
from katachi.learning.shape_config import PRESETS
from katachi.learning.shape_metrics import Measurement, measured
from katachi.learning.shape_run import read_config, read_result
from katachi.learning.shape_training import TrainingSettings
from tests.interfaces.test_cli import complaint, run

SMALL = ("--sets", "2x2:LI", "--games", "3000", "--test-games", "20", "--final-games", "50")


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small run that was never stopped."""
    folder = tmp_path_factory.mktemp("train") / "run"
    done = run("train", "shape", *SMALL, "--out", str(folder))
    assert done.returncode == 0, done.stderr
    assert "5x5: 3,000 games" in done.stdout
    assert "v ALP in 50 games" in done.stdout
    assert "games/s" in done.stdout
    assert f"katachi gtp --player {folder}\n" in done.stdout
    assert f"katachi match {folder} alp\n" in done.stdout
    return folder


def test_options_become_settings_over_the_default_preset(finished: Path) -> None:
    config = read_config(finished)
    preset = PRESETS["default"]
    settings = msgspec.structs.replace(preset.settings, sets="2x2:LI", horizon=3000)
    assert config.settings == settings
    plan = msgspec.structs.replace(preset.plan, games=3000, test_games=20, final_games=50)
    assert config.plan == plan
    assert config.preset == "default"
    model = LocalShape.load(finished / "agent-1")
    assert model.training["preset"] == "default"
    assert "- preset: default; changed: sets\n" in (finished / "agent-1" / "README.md").read_text()


def test_the_preset_of_the_paper_is_what_the_experiments_learn_with(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    few = ("--games", "3", "--test-games", "1", "--final-games", "1", "--epsilon", "0.2")
    done = run("train", "shape", "--preset", "paper2007", *few, "--out", str(folder))
    assert done.returncode == 0, done.stderr
    config = read_config(folder)
    assert config.settings == TrainingSettings(epsilon=0.2)
    assert config.plan == Plan(games=3, test_games=1, final_games=1)
    assert "- preset: paper2007; changed: epsilon\n" in (folder / "agent-1/README.md").read_text()


def test_a_smaller_step_size_than_the_presets_last_one_stays() -> None:
    settings = _request({"alpha": 0.01, "games": 7}).settings
    assert (settings.alpha, settings.final_alpha, settings.horizon) == (0.01, 0.01, 7)
    settings = _request({"alpha": 1.0}).settings
    assert (settings.alpha, settings.final_alpha) == (1.0, PRESETS["default"].settings.final_alpha)


def test_the_help_names_the_defaults() -> None:
    """They are written out, because an option that was not given must be told from one that was."""
    text = " ".join(run("train", "shape", "--help", COLUMNS="300").stdout.split())
    (settings, plan, _), (paper, paper_plan, _) = PRESETS["default"], PRESETS["paper2007"]
    assert f"Board size ({settings.size})" in text
    assert f"({settings.sets}; paper2007 {paper.sets})" in text
    assert f"where the step size is constant ({plan.games:,})" in text
    assert f"Step size ({settings.alpha:g}; paper2007 {paper.alpha:g})" in text
    assert f"averaged ({settings.final_alpha:g}, or --alpha if that is less; paper2007: it " in text
    assert f"Share of random moves ({settings.epsilon:g})" in text
    assert f"Lambda of TD(lambda) ({settings.lam:g})" in text
    assert f"({settings.loss.value}; paper2007 {paper.loss.value})" in text
    assert f"({settings.bins:,})" in text
    assert f"({settings.source.value})" in text
    assert f"Points for White ({settings.komi:g})" in text
    assert f"to the next ({plan.test_every:,}; paper2007 {paper_plan.test_every})" in text
    assert f"Test games of each agent ({plan.test_games})" in text
    assert f"at the end ({plan.final_games:,})" in text
    assert "--lam " not in text
    assert not ShapeOptions().given()


def test_the_old_name_of_lambda_still_works() -> None:
    assert ShapeOptions(old_lam=0.5).given() == {"lam": 0.5}
    assert ShapeOptions(old_lam=0.5, lam=0.25).given() == {"lam": 0.25}


def test_a_finished_run_says_so(finished: Path) -> None:
    before = {f: f.stat().st_mtime_ns for f in finished.rglob("*")}
    done = run("train", "shape", "--resume", str(finished))
    assert done.returncode == 0
    assert f"{finished} is finished" in done.stdout.replace("\n", "")
    assert "v ALP in 50 games" in done.stdout
    assert {f: f.stat().st_mtime_ns for f in finished.rglob("*")} == before


def test_every_option_reaches_the_run(tmp_path: Path, finished: Path) -> None:
    options = ["--size", "5", "--sets", "1x1-2x2:LI", "--games", "4", "--seed", "7"]
    options += ["--alpha", "0.2", "--set-alpha", "1x1:LI=0.5", "--set-alpha", "2x2:LI=0.7"]
    options += ["--epsilon", "0.3", "--lambda", "0.4", "--loss", "cross-entropy", "--cascade"]
    options += ["--bins", "99", "--komi", "3", "--source", "alp", "--grow-to", "6"]
    options += ["--grow-games", "2", "--test-every", "2", "--test-games", "3", "--final-games", "5"]
    done = run("train", "shape", *options, "--out", str(tmp_path / "run"))
    assert done.returncode == 0, done.stderr
    assert "6x6: 2 games" in done.stdout
    config = read_config(tmp_path / "run")
    assert config.opponent == "alp"
    saved = json.loads((tmp_path / "run" / "config.json").read_text())
    expected = {"sets": "1x1-2x2:LI", "seed": 7, "alpha": 0.2, "epsilon": 0.3, "lam": 0.4}
    expected |= {"loss": "cross-entropy", "cascade": True, "bins": 99, "komi": 3.0}
    expected |= {"alphas": {"1x1:LI": 0.5, "2x2:LI": 0.7}, "size": 5}
    assert {name: saved["settings"][name] for name in expected} == expected
    start = run(
        *("train", "shape", "--start", str(finished), "--source", "self", "--games", "2"),
        *("--out", str(tmp_path / "later")),
    )
    assert start.returncode == 0, start.stderr
    assert read_config(tmp_path / "later").settings.sets == "2x2:LI"


def test_a_falling_step_size_averages_and_the_models_tell_the_commands(tmp_path: Path) -> None:
    folder = tmp_path / "a run"
    arguments = ["train", "shape", "--sets", "2x2:LI", "--games", "1200", "--test-games", "2"]
    arguments += ["--final-games", "10", "--final-alpha", "0.01", "--out", str(folder)]
    arguments += ["--preset", "paper2007"]
    done = run(*arguments)
    assert done.returncode == 0, done.stderr
    assert "\nmean: " in done.stdout
    preset = PRESETS["paper2007"].settings
    settings = msgspec.structs.replace(preset, sets="2x2:LI", horizon=1200, final_alpha=0.01)
    assert read_config(folder).settings == settings
    mean = LocalShape.load(folder / "mean")
    assert shlex.split(mean.training["command"]) == ["katachi", *arguments]
    assert mean.training["samples"] == 2  # after 1000 games and after 1200
    assert mean.training["settings"]["cascade"] is False
    assert (mean.training["seed"], mean.training["games"]) == (1, 1200)
    assert {"versions", "commit"} <= set(mean.training)
    longer = run("train", "shape", "--resume", str(folder), "--games", "1300")
    assert longer.returncode == 1
    assert "averages its weights up to game 1,200, and later games would not" in longer.stderr
    assert read_result(folder) is not None


@pytest.mark.filterwarnings("ignore:Cyclopts application invoked without tokens")
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "give either --out FOLDER for a new run or --resume FOLDER"),
        (("--out", "x", "--resume", "y"), "give either --out FOLDER"),
        (("--out", "x", "--sets", "6x6:LI"), "no shape set '6x6:LI': write for example"),
        (("--out", "x", "--sets", "2x2"), "no shape set '2x2'"),
        (("--out", "x", "--sets", ""), "no shape set"),
        (("--out", "x", "--size", "4", "--sets", "5x5:LI"), "5x5:LI does not fit a 4x4 board"),
        (("--out", "x", "--size", "99"), "board size 99 is not playable"),
        (("--out", "x", "--games", "0"), "0 games: use 1"),
        (("--out", "x", "--alpha", "-1"), "step size -1"),
        (("--out", "x", "--alpha", "nan"), "step size nan"),
        (("--out", "x", "--epsilon", "2"), "epsilon 2: use a share from 0 to 1"),
        (("--out", "x", "--lambda", "1.5"), "lambda 1.5"),
        (("--out", "x", "--lam", "1.5"), "lambda 1.5"),
        (("--out", "x", "--preset", "paper"), "no preset 'paper': choose default or paper2007"),
        (("--resume", "{finished}", "--preset", "default"), "leave out --preset"),
        (("--out", "x", "--loss", "absolute"), "absolute"),
        (("--out", "x", "--komi", "inf"), "komi inf is not playable"),
        (("--out", "x", "--set-alpha", "2x2:LI"), "--set-alpha 2x2:LI: write NAME=VALUE"),
        (("--out", "x", "--set-alpha", "9x9:LI=1"), "a step size for '9x9:LI'"),
        (("--out", "x", "--source", "nobody"), "no player 'nobody': `katachi players`"),
        (("--out", "x", "--start", "nowhere"), "cannot read nowhere"),
        (("--out", "x", "--grow-to", "3"), "a 5x5 board cannot grow to 3"),
        (("--out", "x", "--test-games", "0"), "0 test games"),
        (("--out", "x", "--checkpoint-seconds", "-1"), "-1 seconds between checkpoints"),
        (("--out", "{finished}"), "holds a run: --resume"),
        (("--out", "{finished}/config.json/x"), "Not a directory"),
        (("--resume", "nowhere"), "nowhere holds no training run"),
        (("--resume", "{finished}", "--size", "5"), "leave out --size"),
        (("--resume", "{finished}", "--test-every", "5"), "leave out --test-every"),
        (("--out", "x", "--final-alpha", "0"), "final step size 0: use a number above 0"),
        (("--out", "x", "--alpha", "0.1", "--final-alpha", "0.2"), "above the first one, 0.1"),
        (("--out", "x", "--final-alpha", "nan"), "final step size nan"),
        (("--out", "x", "--start", "{finished}", "--size", "1"), "board size 1"),
        (("--out", "x", "--start", "{finished}", "--sets", "2x2:LD"), "other shape sets"),
        (("--out", "x", "--source", "{finished}/agent-1", "--size", "6"), "for 5x5 boards"),
    ],
)
def test_bad_input_is_one_clear_line(
    arguments: tuple[str, ...],
    words: str,
    finished: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    words_given = [word.format(finished=finished) for word in arguments]
    monkeypatch.setattr(sys, "argv", ["katachi", "train", "shape", *words_given])
    with pytest.raises(SystemExit) as caught:
        main()
    assert caught.value.code in (1, 2)
    lines = [line for line in capsys.readouterr().err.splitlines() if "first start" not in line]
    assert len(lines) == 1
    assert lines[0].startswith("katachi: ")
    assert words in lines[0]
    assert not (tmp_path / "x").exists()


def test_an_unknown_set_is_one_clear_line_of_the_command(tmp_path: Path) -> None:
    line = complaint("train", "shape", "--sets", "6x6:LI", "--out", str(tmp_path / "x"))
    assert "no shape set '6x6:LI': write for example" in line


LONG = ("--sets", "1x1-2x2:LI", "--games", "40000", "--test-games", "10", "--final-games", "10")
COMMAND = (sys.executable, "-m", "katachi", "train", "shape")


def start(*arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*COMMAND, *arguments, "--checkpoint-seconds", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"TERM": "dumb"},
        # A shell may start a job with interrupts ignored, and that is inherited.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509
    )


def games_kept(folder: Path) -> int:
    """The games of the newest checkpoint, -1 without one."""
    files = (folder / "checkpoints").glob("0*.safetensors")
    return max((int(file.stem) for file in files), default=-1)


def wait_for_progress(process: subprocess.Popen[str], folder: Path) -> None:
    """Until the process has learned something, or has ended."""
    before = games_kept(folder)
    end = time.monotonic() + 120
    while time.monotonic() < end and process.poll() is None and games_kept(folder) <= before:
        time.sleep(0.005)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A longer run that was never stopped."""
    folder = tmp_path_factory.mktemp("whole") / "run"
    done = run("train", "shape", *LONG, "--out", str(folder))
    assert done.returncode == 0, done.stderr
    return folder


def assert_same_end(folder: Path, whole: Path) -> None:
    """Fails unless two runs have the same weights and metrics."""
    for name in ("metrics.jsonl", "agent-1/weights.safetensors", "agent-2/weights.safetensors"):
        assert (folder / name).read_bytes() == (whole / name).read_bytes(), name


@pytest.mark.slow
def test_a_run_killed_at_random_instants_goes_on_to_the_same_end(
    whole: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "run"
    source = random.Random()
    for attempt in range(5):
        has_begun = RunFolder(folder).exists
        process = start(
            *(("--resume", str(folder)) if has_begun else (*LONG, "--out", str(folder)))
        )
        if attempt:
            wait_for_progress(process, folder)
        time.sleep(source.uniform(0.0, 0.15 if attempt else 1.5))
        process.kill()
        process.communicate()
        for file in (folder / "checkpoints").glob("0*.safetensors"):
            load(file.read_bytes())  # whole, whenever the process died
    before = games_kept(folder)
    done = run("train", "shape", *(("--resume", str(folder))))
    assert done.returncode == 0, done.stderr
    assert 0 < before <= 40_000
    assert_same_end(folder, whole)


@contextmanager
def interrupted_after(checkpoints: int) -> Iterator[None]:
    """A user who asks to stop when so many checkpoints are written: no race with the games."""
    written, write = itertools.count(1), RunFolder.write_checkpoint

    def write_and_interrupt(folder: RunFolder, *given: Any) -> None:
        write(folder, *given)
        if next(written) == checkpoints:
            signal.raise_signal(signal.SIGINT)

    # A shell may start a job with interrupts ignored, and that is inherited.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(RunFolder, "write_checkpoint", write_and_interrupt)
            yield
    finally:
        signal.signal(signal.SIGINT, before)


def test_an_interrupt_is_one_line_and_the_rest_follows_later(
    finished: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "run"
    with interrupted_after(5):
        told = run("train", "shape", *SMALL, "--checkpoint-seconds", "0", "--out", str(folder))
    assert told.returncode == 130, told.stderr
    kept = games_kept(folder)
    assert 5 <= kept < 3000
    lines = [line for line in told.stderr.splitlines() if "first start" not in line]
    assert " ".join(lines) == (
        f"katachi: interrupted; the {kept:,} games so far are kept: "
        f"katachi train shape --resume {folder} goes on"
    )
    done = run("train", "shape", "--resume", str(folder))
    assert done.returncode == 0, done.stderr
    assert f"going on after {kept:,} games" in done.stdout
    assert_same_end(folder, finished)


def test_more_games_may_be_asked_of_a_finished_run_with_a_constant_step_size(
    tmp_path: Path,
) -> None:
    whole, first = tmp_path / "whole", tmp_path / "run"
    constant = [*SMALL, "--preset", "paper2007"]
    assert run("train", "shape", *constant, "--out", str(whole)).returncode == 0
    constant[constant.index("3000")] = "1200"
    assert run("train", "shape", *constant, "--out", str(first)).returncode == 0
    done = run("train", "shape", "--resume", str(first), "--games", "3000")
    assert done.returncode == 0, done.stderr
    assert_same_end(first, whole)


def test_a_damaged_model_to_start_from_is_one_clear_line(finished: Path, tmp_path: Path) -> None:
    broken = tmp_path / "model"
    LocalShape.load(finished / "agent-1").save(broken, "")
    weights = broken / "weights.safetensors"
    weights.write_bytes(weights.read_bytes()[:-3])
    line = complaint("train", "shape", "--start", str(broken), "--out", str(tmp_path / "x"))
    assert "is damaged: weights.safetensors does not match its checksum" in line


def steps() -> list[Progress[Measurement]]:
    tests = [measured(500 * n, 5, 500 * n, 100, [10 * n, 100]) for n in range(1, 5)]
    return [Progress(test.games, 2000, 1234.5, test) for test in tests]


def shown_run() -> Any:
    """As much of a run as is shown."""
    tests = [step.metrics for step in steps()]
    return SimpleNamespace(metrics=tests, learner=SimpleNamespace(size=5))


def test_a_terminal_shows_rates_intervals_elo_and_a_sparkline() -> None:
    screen = StringIO()
    console = Console(file=screen, force_terminal=True, width=120, _environ={"TERM": "xterm"})
    show_progress(console, shown_run(), steps())
    shown = screen.getvalue()
    assert "2,000 of 2,000 games" in shown
    assert "1,234 games/s" in shown
    assert "40.0% (30.9% to 49.8%) v ALP" in shown
    assert "Elo 780" in shown
    assert "▁▂▃▄" in shown


def test_without_a_terminal_there_are_plain_lines() -> None:
    screen = StringIO()
    show_progress(Console(file=screen, width=80), shown_run(), steps())
    (line,) = screen.getvalue().splitlines()  # the others came too soon after it
    assert line.startswith("5x5 500 games, 1,234 games/s: agent 1 10.0% (")
    assert line.endswith("agent 2 100.0% (96.3% to 100.0%) v ALP, no Elo above 95%")


def test_words_of_a_rate() -> None:
    assert sparkline([0.0, 0.5, 0.99, 1.0]) == "▁▅██"
    test = measured(1, 5, 1, 100, [0, 50])
    assert rate_words(test, 0) == ("0.0% (0.0% to 3.7%) v ALP", "no Elo below 5%")
    assert rate_words(test, 1) == ("50.0% (40.4% to 59.6%) v ALP", "Elo 850 (782 to 918)")


def test_models_of_a_run_play(finished: Path) -> None:
    model = LocalShape.load(finished / "agent-1")
    assert model.sets == parse_sets("2x2:LI")
    assert np.abs(model.weights).max() > 10_000
