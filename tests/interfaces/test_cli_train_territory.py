"""`katachi train territory` as a person runs it: told, interrupted, resumed, refused."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytest.importorskip("torch")

import torch

from katachi.evaluators.territory import Territory
from katachi.interfaces.cli import main
from katachi.learning.curriculum import Plan
from katachi.learning.shape_config import ShapeConfig
from katachi.learning.shape_run import ShapeRun
from katachi.learning.shape_training import TrainingSettings
from katachi.learning.territory_run import TerritoryPlan
from katachi.learning.territory_training import TerritorySettings
from tests.interfaces.test_cli import GAMES, is_waiting, run
from tests.interfaces.test_cli_ladder import interrupt

pytestmark = pytest.mark.filterwarnings("ignore:Cyclopts application invoked without tokens")

SMALL = (
    *("--games", str(GAMES), "--inputs", "stones, edge", "--hidden", "4", "--states", "3"),
    *("--batch", "8", "--measure-every", "2", "--limit", "20"),
)
EMPTY = "no game here"


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small run that was never stopped."""
    folder = tmp_path_factory.mktemp("territory") / "run"
    done = run("train", "territory", *SMALL, "--steps", "4", "--others", "2", "--out", str(folder))
    assert done.returncode == 0, done.stderr
    assert re.search(r"^20 games to learn from, \d+ to measure on$", done.stdout, re.MULTILINE)
    assert re.search(
        r"^4 of 4 batches: learned 0\.\d{4}, choice \d\.\d{3}; other games 0\.\d{4} nats a point, "
        r"\d\d\.\d% right; [\d,]+ moves/s, about 0\.0 min left$",
        done.stdout,
        re.MULTILINE,
    )
    assert f"the model is in {folder}/model\n" in done.stdout
    assert done.stdout.endswith(f"katachi match {folder} alp\n")
    return folder


def test_the_model_can_be_loaded_and_tells_how_it_was_made(finished: Path) -> None:
    model = Territory.load(finished / "model")
    assert model.inputs.inputs == ("stones", "edge")
    assert model.training["command"].startswith("katachi train territory --games")
    assert model.training["settings"]["others"] == 2
    assert model.temperatures.keys() == {9}


def test_every_option_reaches_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    options = [*SMALL, "--steps", "1", "--layers", "2", "--tied", "--later-share", "0.5"]
    options += ["--ahead", "3", "--others", "1", "--choice-weight", "2", "--cell-weight", "0.5"]
    options += ["--rate", "0.5", "--seed", "7", "--patience", "4", "--size", "9", "--size", "13"]
    called(monkeypatch, *options, "--out", str(tmp_path / "run"))
    assert "1 of 1 batches" in capsys.readouterr().out
    config = json.loads((tmp_path / "run" / "config.json").read_text())
    expected = {"hidden": 4, "states": 3, "layers": 2, "is_tied": True, "later_share": 0.5}
    expected |= {"ahead": 3, "others": 1, "choice_weight": 2.0, "cell_weight": 0.5, "batch": 8}
    expected |= {"rate": 0.5, "steps": 1, "seed": 7}
    assert {name: config["settings"][name] for name in expected} == expected
    assert config["settings"]["inputs"]["inputs"] == ["stones", "edge"]
    plan = {"games": [str(GAMES)], "sizes": [9, 13], "limit": 20, "measure_every": 2}
    assert {name: config["plan"][name] for name in plan} == plan
    assert config["plan"]["patience"] == 4


def test_the_help_names_the_defaults() -> None:
    text = " ".join(run("train", "territory", "--help", COLUMNS="300").stdout.split())
    settings, plan = TerritorySettings(), TerritoryPlan(games=())
    assert f"Hidden units of each net, or planes of a convolution ({settings.hidden})" in text
    assert f"passes on; a convolution has none ({settings.states})" in text
    assert f"Layers of sweeps, or of convolutions ({settings.layers})" in text
    assert f"in the targets ({settings.later_share:g})" in text
    assert f"How soon, in moves ({settings.ahead})" in text
    assert f"from the choice ({settings.others})" in text
    assert f"Moves in a batch ({settings.batch})" in text
    assert f"Step size at the beginning ({settings.rate:g})" in text
    assert f"Batches in all ({settings.steps:,})" in text
    assert f"to the next ({plan.measure_every})" in text
    assert f"{', '.join(settings.inputs.inputs)})" in text


@pytest.mark.slow
def test_an_interrupted_run_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "run"
    command = [sys.executable, "-m", "katachi", "train", "territory", *SMALL]
    process = subprocess.Popen(
        [*command, "--steps", "1000000", "--out", str(folder)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"TERM": "dumb"},
        # A shell may start a job with interrupts ignored, and that is inherited.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),  # noqa: PLW1509
    )
    end = time.monotonic() + 120
    while time.monotonic() < end and not (folder / "metrics.jsonl").exists():
        time.sleep(0.05)
    told = interrupt(process).splitlines()[-1]
    assert process.returncode == 130
    assert told.startswith("katachi: interrupted; katachi train territory --resume ")
    config = json.loads((folder / "config.json").read_text())
    config["settings"]["steps"] = 2
    (folder / "config.json").write_text(json.dumps(config))
    for file in (folder / "checkpoints").iterdir():  # they are those of a longer run
        file.unlink()
    called(monkeypatch, "--resume", str(folder))
    assert (folder / "model" / "config.json").exists()


def called(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> None:
    """The command within this process: starting torch takes seconds."""
    monkeypatch.setattr("sys.argv", ["katachi", "train", "territory", *arguments])
    main()


def complaint(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], *arguments: str
) -> str:
    """The one line of a command that must fail."""
    with pytest.raises(SystemExit) as ended:
        called(monkeypatch, *arguments)
    assert ended.value.code != 0
    lines = [line for line in capsys.readouterr().err.splitlines() if not is_waiting(line)]
    assert len(lines) == 1
    return lines[0]


NEW = ("--games", str(GAMES), "--out", "run")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "give --games FILE to learn from and --out FOLDER for a new run, or --resume FOLDER"),
        (("--out", "run"), "give --games FILE to learn from"),
        (SMALL, "give --games FILE to learn from and --out FOLDER"),
        (("--games", "no.sgf", "--out", "run"), "cannot read no.sgf"),
        (("--games", "empty.sgf", "--out", "run"), "left to learn from"),
        (("--games", "open.sgf", "--out", "run"), "is left to learn from: 1 have none"),
        (("--games", "tiny.sgf", "--out", "run"), "needs a board of 3x3 or more, not 2x2"),
        ((*NEW, "--inputs", "stones,recent:9"), "recent:9 looks too far back"),
        ((*NEW, "--size", "13"), "none of the games is of size 13"),
        ((*NEW, "--inputs", "stones,luck"), "no input 'luck': there are stones, influence"),
        ((*NEW, "--inputs", ""), "no input ''"),
        ((*NEW, "--inputs", "stones,stones"), "each of them once"),
        ((*NEW, "--inputs", "recent:99"), "no input 'recent:99'"),
        ((*NEW, "--device", "cuda"), "no device 'cuda' here: PyTorch finds no CUDA GPU; use cpu"),
        ((*NEW, "--device", "tpu"), "no device 'tpu': use cpu, cuda or cuda:N"),
        ((*NEW, "--hidden", "0"), "a setting is out of range"),
        ((*NEW, "--hidden", "5000"), "a setting is out of range"),
        ((*NEW, "--layers", "65"), "a setting is out of range"),
        ((*NEW, "--cell-weight", "0"), "without owners a net must predict moves"),
        ((*NEW, "--net", "convolution", "--tied"), "cannot be tied"),
        ((*NEW, "--rate", "nan"), "a setting is out of range"),
        ((*NEW, "--later-share", "2"), "a setting is out of range"),
        ((*NEW, "--limit", "-1"), "a setting is out of range"),
        ((*NEW, "--steps", "many"), "many"),
        (("--resume", "nowhere"), "nowhere holds no training run"),
        (("--resume", "nowhere", "--steps", "9"), "a resumed run keeps its settings"),
        (("--resume", "nowhere", "--out", "run"), "a resumed run keeps its settings"),
        (("--resume", "shape"), "is of kind 'training of local shape' format"),
    ],
)
def test_bad_input_is_one_clear_line(
    arguments: tuple[str, ...],
    words: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    Path("empty.sgf").write_text(EMPTY)
    Path("open.sgf").write_text("(;SZ[9];B[aa];W[bb])")
    Path("tiny.sgf").write_text("(;SZ[2];B[aa];W[bb];TB[ab])(;SZ[2];B[ab];W[ba];TB[aa])")
    if "shape" in arguments:
        config = ShapeConfig(TrainingSettings(sets="1x1:LI"), Plan(games=1))
        ShapeRun.begin(Path("shape"), config).close()
    assert words in complaint(monkeypatch, capsys, *arguments)
    assert not Path("run").exists()


def test_a_territory_run_is_no_run_of_local_shape(finished: Path) -> None:
    done = run("train", "shape", "--resume", str(finished))
    assert done.returncode != 0
    assert "is of kind 'training of territory' format 1" in done.stderr


def test_a_second_run_in_a_folder_is_refused(
    finished: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    line = complaint(monkeypatch, capsys, *SMALL, "--out", str(finished))
    assert "holds a run: --resume" in line
