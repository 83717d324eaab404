"""`katachi experiment` as a person runs it."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from katachi.errors import KatachiError
from katachi.experiments.catalogue import CATALOGUE
from katachi.experiments.results import read_result
from katachi.experiments.running import Order
from katachi.interfaces.cli import experiment
from tests.interfaces.test_cli import complaint, run
from tests.interfaces.test_cli_ladder import interrupt


def folders(path: Path) -> tuple[str, ...]:
    return ("--work", str(path / "work"), "--out", str(path / "out"))


NEEDS_NO_DATA = [name for name in CATALOGUE if name.startswith("S1") or name in ("S2-P", "S3-5")]


@pytest.mark.parametrize("name", NEEDS_NO_DATA)
def test_a_quick_run_writes_the_result_and_its_picture(name: str, tmp_path: Path) -> None:
    done = run("experiment", "run", name, "--quick", *folders(tmp_path))
    assert done.returncode == 0, done.stderr
    assert f"{name}: {CATALOGUE[name].title}" in done.stdout
    result = read_result(tmp_path / "out" / f"{name}.quick.json")
    assert (result.id, result.seed) == (name, 1)
    assert result.commit
    assert result.rows
    assert (tmp_path / "out" / f"{name}.quick.svg").read_text().startswith("<svg ")


def test_the_list_names_every_experiment_and_what_is_known(tmp_path: Path) -> None:
    run("experiment", "run", "S1-F3", *folders(tmp_path))
    (tmp_path / "out" / "S1-F4.json").write_text("{")
    done = run("experiment", "list", "--out", str(tmp_path / "out"), COLUMNS="200")
    assert done.returncode == 0
    for name in CATALOGUE:
        assert name in done.stdout
    lines = {line.split()[0]: line for line in done.stdout.splitlines() if line}
    assert re.search(r"Figure 3, section 10 +Shapes in each set at 5x5 +1 +1 run, ", lines["S1-F3"])
    assert lines["S1-F4"].rstrip().endswith("cannot be read")
    assert re.search(r"beyond the papers .* \d+ +-", lines["X-tree19"])


def test_interrupted_by_time_and_resumed_it_comes_to_the_same(tmp_path: Path) -> None:
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    arguments = ("experiment", "run", "S1-F4", "--quick")
    assert run(*arguments, *folders(whole)).returncode == 0
    first = run(*arguments, *folders(parts), "--minutes", "0.0001")
    assert first.returncode == 0
    assert "the time is up:" in first.stderr
    assert not (parts / "out" / "S1-F4.quick.json").exists()
    assert run(*arguments, *folders(parts), "--workers", "2").returncode == 0
    results = [read_result(each / "out" / "S1-F4.quick.json") for each in (whole, parts)]
    assert (results[0].rows, results[0].claims) == (results[1].rows, results[1].claims)
    pictures = [(each / "out" / "S1-F4.quick.svg").read_text() for each in (whole, parts)]
    assert pictures[0] == pictures[1]


def test_more_runs_add_to_those_that_are_there(tmp_path: Path) -> None:
    journal = tmp_path / "work" / "S1-F4.runs.jsonl"
    arguments = ("experiment", "run", "S1-F4", "--quick", *folders(tmp_path))
    run(*arguments, "--runs", "1")
    before = journal.read_text()
    run(*arguments, "--runs", "2")
    after = journal.read_text()
    assert after.startswith(before)
    assert len(after.splitlines()) == 2 * len(before.splitlines())
    lines = [json.loads(line) for line in after.splitlines()]
    assert len({(line["setting"], line["run"]) for line in lines}) == len(lines)


def test_the_settings_of_an_experiment_are_listed() -> None:
    done = run("experiment", "run", "s1-f4", "--list-settings", COLUMNS="80")
    assert done.returncode == 0
    lines = [line.rstrip() for line in done.stdout.splitlines()]
    at = lines.index("games=100000: a whole number, 1 or more")
    assert lines[at + 1] == "    Games a pair of agents learns from."
    assert max(map(len, lines)) <= 80


def test_a_changed_run_keeps_the_standard_result(tmp_path: Path) -> None:
    done = run("experiment", "run", "S1-F3", "--set", "size=7", "bins=500", *folders(tmp_path))
    assert done.returncode == 0, done.stderr
    assert "Changed settings: size 7 for 5; bins 500 for 100000." in done.stdout
    written = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert written == ["S1-F3.size-7.bins-500.json", "S1-F3.size-7.bins-500.svg"]


def test_all_goes_on_after_one_that_cannot_be_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    some = {name: CATALOGUE[name] for name in ("S2-F3", "S3-5", "S1-F3")}
    monkeypatch.setattr(experiment, "CATALOGUE", some)
    order = Order("all", is_quick=True, work=tmp_path / "work", out=tmp_path, data=tmp_path)
    with pytest.raises(KatachiError, match=r"^not done: S2-F3$"):
        experiment._do_all(order)
    written = {path.name for path in tmp_path.glob("*.json")}
    assert written == {"S3-5.quick.json", "S1-F3.quick.json"}
    assert "S2-F3: no pro19.sgf.gz in" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("S1-F9",), "no experiment 'S1-F9': choose S1-F3, S1-F4, S1-F4-9"),
        (("S1-F4", "--runs", "0"), "0 runs: use 1 to"),
        (("S1-F4", "--runs", "many"), "many"),
        (("S1-F3", "--runs", "5"), "S1-F3 is one measurement"),
        (("S1-F4", "--set", "gamez=5"), "no setting 'gamez': choose runs, size, komi, games"),
        (("S1-F4", "--set", "games=few"), "games=few: use a whole number, 1 or more"),
        (("S1-F4", "--set", "size=1", "games=9"), "size=1: use a whole number from 2 to 25"),
        (("all", "--set", "games=9"), "settings are those of one experiment"),
        (("S1-F4", "--workers", "0"), "0 workers: use 1 or more"),
        (("S1-F4", "--minutes", "0"), "0 minutes: use a positive number"),
        (("S1-F4", "--out", "/dev/null/results"), "cannot write into /dev/null/results"),
        (("S1-F4", "--work", "/dev/null/work"), "cannot write into /dev/null/work"),
    ],
)
def test_bad_input_is_one_clear_line(
    tmp_path: Path, arguments: tuple[str, ...], words: str
) -> None:
    given = [
        word
        for option in ("--work", "--out")
        if option not in arguments
        for word in (option, str(tmp_path))
    ]
    assert words in complaint("experiment", "run", *arguments, "--quick", *given)


def test_an_interrupt_keeps_every_finished_run(tmp_path: Path) -> None:
    journal = tmp_path / "work" / "S1-F4.runs.jsonl"
    arguments = ("experiment", "run", "S1-F4", "--quick", *folders(tmp_path))
    assert run(*arguments, "--runs", "1").returncode == 0  # nothing is left to compile
    done = journal.read_bytes().count(b"\n")
    process = subprocess.Popen(
        [sys.executable, "-m", "katachi", *arguments, "--runs", "5000", "--workers", "2"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"TERM": "dumb"},
        # A shell may start a job with interrupts ignored, and that is inherited.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509
    )
    end = time.monotonic() + 120
    while time.monotonic() < end and journal.read_bytes().count(b"\n") < done + 5:
        time.sleep(0.05)
    errors = interrupt(process)
    assert process.returncode == 130, errors
    assert errors.splitlines()[-1] == "katachi: interrupted"
    assert "finished runs are kept: run it again to go on" in errors
    lines = [json.loads(line) for line in journal.read_text().splitlines()]
    assert len(lines) >= done + 5
