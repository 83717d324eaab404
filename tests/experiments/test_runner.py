"""Runs are done once, kept at once, and merge to the same whatever was interrupted."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from katachi.errors import KatachiError
from katachi.experiments.runner import OutOfTime, Progress, Runner, seed_of
from katachi.files.locking import locked
from tests.experiments.studies import ToySettings, toy_study

ROOT = Path(__file__).parents[2]
EXPECTED = {(name, run): 10 * len(name) + run for name in ("a", "bb", "ccc") for run in (1, 2, 3)}


def values(bench: Runner, settings: ToySettings | None = None) -> dict[tuple[str, int], int]:
    measured = bench.measure_all(toy_study(settings or ToySettings()))
    return {
        (key["name"], run): toy.value for key, runs in measured for run, toy in enumerate(runs, 1)
    }


PREAMBLE = """
import sys
import time
from pathlib import Path
from katachi.experiments.runner import OutOfTime, Runner
from katachi.errors import KatachiError
from tests.experiments.studies import ToySettings, toy_study
folder = Path(sys.argv[1])
"""


def outside(code: str, folder: Path) -> str:
    """What code prints in a process without threads, as a command is: it forks."""
    command = [sys.executable, "-W", "error", "-c", PREAMBLE + code, str(folder)]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def names(events: list[Progress]) -> list[tuple[str, int]]:
    """The runs that were reported."""
    return [progress.task.name for progress in events if progress.task is not None]


def test_all_runs_are_done_longest_first_and_reported_in_order(tmp_path: Path) -> None:
    events: list[Progress] = []
    assert values(Runner(tmp_path, observe=events.append)) == EXPECTED
    assert list(values(Runner(tmp_path))) == list(EXPECTED)
    assert events[0] == Progress(0, 9)
    assert [name for name, _ in names(events)] == ["ccc"] * 3 + ["bb"] * 3 + ["a"] * 3
    assert [progress.done for progress in events] == list(range(10))


def test_finished_runs_are_not_done_again(tmp_path: Path) -> None:
    values(Runner(tmp_path), ToySettings(runs=2))
    events: list[Progress] = []
    assert values(Runner(tmp_path, observe=events.append)) == EXPECTED
    assert {run for _, run in names(events)} == {3}


def test_each_run_has_its_own_seed_which_does_not_depend_on_the_number_of_runs(
    tmp_path: Path,
) -> None:
    few = Runner(tmp_path / "few").measure_all(toy_study(ToySettings(runs=1)))
    many = Runner(tmp_path / "many").measure_all(toy_study(ToySettings(runs=3)))
    assert len({toy.seed for _, runs in many for toy in runs}) == 9
    assert many.one(name="bb") == few.one(name="bb")
    assert seed_of(1, "ab", "c") != seed_of(1, "a", "bc")


@pytest.mark.parametrize("workers", [1, 2, 5])
def test_several_processes_do_the_same(tmp_path: Path, workers: int) -> None:
    code = f"""
found = Runner(folder, {workers}).measure_all(toy_study(ToySettings()))
print([key["name"] for key, _ in found])
"""
    assert outside(code, tmp_path) == "['a', 'bb', 'ccc']\n"
    events: list[Progress] = []
    assert values(Runner(tmp_path, observe=events.append)) == EXPECTED
    assert events == []
    assert len((tmp_path / "toy.runs.jsonl").read_text().splitlines()) == 9


def test_a_study_that_is_being_done_is_not_done_twice(tmp_path: Path) -> None:
    path = tmp_path / f"{toy_study(ToySettings()).id}.runs.jsonl"
    with (
        locked(path, "the journal"),
        pytest.raises(KatachiError, match=rf"^the journal {path} is in use by another process$"),
    ):
        values(Runner(tmp_path))
    assert values(Runner(tmp_path)) == EXPECTED


def test_journals_of_two_machines_merge_by_concatenation(tmp_path: Path) -> None:
    whole = Runner(tmp_path / "whole")
    study = toy_study(ToySettings())
    expected = list(whole.measure_all(study))
    lines = (tmp_path / "whole" / "toy.runs.jsonl").read_bytes().splitlines(keepends=True)
    merged = tmp_path / "merged"
    merged.mkdir()
    (merged / "toy.runs.jsonl").write_bytes(b"".join([*lines[5:], *lines[:6]]))
    events: list[Progress] = []
    bench = Runner(merged, observe=events.append)
    assert list(bench.measure_all(study)) == expected
    assert events == []
    assert (round(bench.seconds, 6), bench.made) == (round(whole.seconds, 6), whole.made)


@pytest.mark.parametrize(
    ("settings", "seed", "behaviour"),
    [
        (ToySettings(factor=11), 1, "as ever"),
        (ToySettings(), 2, "as ever"),
        (ToySettings(), 1, "otherwise"),
    ],
)
def test_runs_of_other_settings_seed_or_code_are_not_mixed_in(
    tmp_path: Path, settings: ToySettings, seed: int, behaviour: str
) -> None:
    Runner(tmp_path).measure_all(toy_study(ToySettings()))
    events: list[Progress] = []
    words: list[str] = []
    bench = Runner(tmp_path, observe=events.append, tell=words.append)
    bench.measure_all(toy_study(settings, seed, behaviour))
    assert len(names(events)) == 9
    assert words == ["9 runs in the journal are of other settings, seed or code"]


def test_a_run_that_cannot_be_read_as_one_is_named(tmp_path: Path) -> None:
    values(Runner(tmp_path))
    path = tmp_path / "toy.runs.jsonl"
    path.write_text(path.read_text().replace('"value":12', '"value":"many"'))
    with pytest.raises(KatachiError, match="a run 2 is not a run's result"):
        values(Runner(tmp_path))


def test_time_runs_out_cleanly_and_the_next_call_goes_on(tmp_path: Path) -> None:
    settings = ToySettings(seconds=0.05)
    with pytest.raises(OutOfTime, match=r"of 9 runs are kept: run it again to go on"):
        values(Runner(tmp_path, minutes=0.2 / 60), settings)
    done = len((tmp_path / "toy.runs.jsonl").read_text().splitlines())
    assert 1 <= done <= 4
    assert values(Runner(tmp_path), settings) == EXPECTED


def test_without_a_known_pace_a_limited_time_begins_with_the_shortest(tmp_path: Path) -> None:
    events: list[Progress] = []
    values(Runner(tmp_path, minutes=1, observe=events.append))
    order = [setting for setting, _ in names(events)]
    assert order == ["a", *["ccc"] * 3, *["bb"] * 3, "a", "a"]


def test_processes_stop_in_time_and_their_runs_are_given_up(tmp_path: Path) -> None:
    code = """
begin = time.monotonic()
try:
    bench = Runner(folder, workers=2, minutes=0.3 / 60)
    bench.measure_all(toy_study(ToySettings(seconds=30.0)))
except OutOfTime as error:
    print(error, time.monotonic() - begin < 10)
"""
    assert outside(code, tmp_path) == "0 of 9 runs are kept: run it again to go on True\n"


def test_a_run_is_not_begun_that_the_time_is_too_short_for(tmp_path: Path) -> None:
    settings = ToySettings(seconds=0.4)
    values(Runner(tmp_path), ToySettings(seconds=0.4, runs=1))
    with pytest.raises(OutOfTime, match="3 of 9 runs"):
        values(Runner(tmp_path, minutes=0.3 / 60), settings)


def test_a_run_that_cannot_be_done_says_why(tmp_path: Path) -> None:
    with pytest.raises(KatachiError, match="no such shape"):
        values(Runner(tmp_path), ToySettings(fails_at="ccc"))


@pytest.mark.parametrize(
    ("trouble", "words"),
    [('fails_at="a"', "no such shape"), ('dies_at="a"', "the process of a run")],
)
def test_a_process_in_trouble_says_why_and_what_was_done_is_kept(
    tmp_path: Path, trouble: str, words: str
) -> None:
    code = f"""
try:
    Runner(folder, 2).measure_all(toy_study(ToySettings({trouble})))
except KatachiError as error:
    print(error)
"""
    assert outside(code, tmp_path).startswith(words)
    assert len((tmp_path / "toy.runs.jsonl").read_text().splitlines()) >= 5


@pytest.mark.parametrize(
    ("workers", "minutes", "words"),
    [(0, None, "0 workers"), (1, 0.0, "0 minutes"), (1, float("nan"), "nan minutes")],
)
def test_numbers_that_make_no_sense_are_refused(
    tmp_path: Path, workers: int, minutes: float | None, words: str
) -> None:
    with pytest.raises(KatachiError, match=words):
        Runner(tmp_path, workers, minutes)


SLOW = """
bench = Runner(folder, int(sys.argv[2]))
bench.measure_all(toy_study(ToySettings(seconds=0.1, marks=str(folder / "marks"))))
"""


@pytest.mark.parametrize("workers", [1, 2])
def test_killed_at_any_instant_it_goes_on_to_the_same(tmp_path: Path, workers: int) -> None:
    (tmp_path / "marks").mkdir()
    command = [sys.executable, "-c", PREAMBLE + SLOW, str(tmp_path), str(workers)]
    for _ in range(2):
        process = subprocess.Popen(command, cwd=ROOT)
        while process.poll() is None and len(list((tmp_path / "marks").iterdir())) < 3:
            time.sleep(0.02)
        time.sleep(0.05)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        for mark in (tmp_path / "marks").iterdir():
            mark.unlink()
    settings = ToySettings(seconds=0.1, marks=str(tmp_path / "marks"))
    assert values(Runner(tmp_path), settings) == EXPECTED


def test_processes_end_with_the_one_that_started_them(tmp_path: Path) -> None:
    (tmp_path / "marks").mkdir()
    command = [sys.executable, "-c", PREAMBLE + SLOW.replace("0.1", "60"), str(tmp_path), "2"]
    process = subprocess.Popen(command, cwd=ROOT)
    while len(list((tmp_path / "marks").iterdir())) < 2:
        assert process.poll() is None
        time.sleep(0.05)
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    assert len(children) == 2
    process.kill()
    process.wait()
    end = time.monotonic() + 15
    while any(Path(f"/proc/{child}").exists() for child in children):
        assert time.monotonic() < end
        time.sleep(0.1)
