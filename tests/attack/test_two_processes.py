"""Two processes at a time on everything that a command keeps: what comes of it is what one process
would have made."""

import gzip
import json
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from katachi.arena.database import Database
from tests.arena.shell_engines import write_engine

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

ROUNDS = 2
ROSTER = """
[ladder]
size = 5
games = 40
opening_moves = 2
[[player]]
name = "random"
spec = "random"
[[player]]
name = "alp"
spec = "alp"
"""


def run(*arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "katachi", *arguments],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )


def run_one(*arguments: str) -> None:
    process = run(*arguments)
    _, said = process.communicate(timeout=300)
    assert process.returncode == 0, said


def run_two(*arguments: str, again: tuple[str, ...] = (), delay: float = 0.0) -> list[str]:
    """What two processes of a command said that could not do it; one at least could. The second
    has the arguments `again`, where given, and begins a little later."""
    first = run(*arguments)
    time.sleep(delay)
    both = [first, run(*(again or arguments))]
    said = [process.communicate(timeout=300)[1] for process in both]
    assert any(process.returncode == 0 for process in both), said
    assert not any("Traceback" in text for text in said), said
    failed = [text for process, text in zip(both, said, strict=True) if process.returncode]
    return [text.splitlines()[-1] for text in failed]


@pytest.fixture(params=range(ROUNDS))
def delay(request: pytest.FixtureRequest) -> float:
    """How much later the second process begins."""
    return random.Random(request.param).uniform(0.0, 1.5) if request.param else 0.0


def test_a_match(tmp_path: Path, delay: float) -> None:
    options = ("match", "alp", "random", "--games", "200", "--size", "7")
    refused = run_two(*options, "--out", str(tmp_path / "two"), delay=delay)
    assert all("is in use by another process" in text for text in refused)
    run_one(*options, "--out", str(tmp_path / "one"))
    one, two = (
        sorted(
            (json.loads(line)["number"], json.loads(line)["winner"])
            for line in (tmp_path / name / "results.jsonl").read_text().splitlines()
        )
        for name in ("one", "two")
    )
    assert one == two


def test_a_self_play_set(tmp_path: Path, delay: float) -> None:
    engine = write_engine(tmp_path / "engine", final_score="echo '= W+7.5'")
    options = ("games", "generate", "--engine", engine, "--games", "60", "--size", "5")
    path = tmp_path / "two.sgf.gz"
    refused = run_two(*options, "--out", str(path), delay=delay)
    assert all("is in use by another process" in text for text in refused)
    assert gzip.decompress(path.read_bytes()).count(b"\n") == 60
    assert sorted(file.name for file in tmp_path.iterdir()) == ["engine", "two.sgf.gz"]


def test_a_ladder(tmp_path: Path, delay: float) -> None:
    roster = tmp_path / "roster.toml"
    roster.write_text(ROSTER)
    path = tmp_path / "l.db"
    assert not run_two("ladder", "run", str(roster), "--database", str(path), delay=delay)
    with Database(path, must_exist=True) as database:
        database.check()
        assert database.count_games() == 40
        assert [sorted(numbers) for numbers in database.played().values()] == [list(range(40))]


def test_a_run_folder(tmp_path: Path, delay: float) -> None:
    sets = ("--size", "5", "--sets", "1x1-2x2:LI", "--games", "2000")
    command = ("train", "shape", *sets)
    where = ("--out", str(tmp_path / "two"))
    seeds = [("--seed", "1"), ("--seed", "2")]
    again = (*command, *seeds[1], *where)
    refused = run_two(*command, *seeds[0], *where, again=again, delay=delay)
    assert len(refused) == 1  # also the slower of two hears that there is a run already
    assert "another process" in refused[0] or "holds a run" in refused[0]
    config = json.loads((tmp_path / "two" / "config.json").read_text())
    seed = str(config["settings"]["seed"])
    run_one(*command, "--seed", seed, "--out", str(tmp_path / "one"))
    for name in ("metrics.jsonl", "agent-1/weights.safetensors"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


def test_an_experiments_journal(tmp_path: Path, delay: float) -> None:
    command = ("experiment", "run", "S1-F4", "--quick")
    folders = [
        ("--work", str(tmp_path / f"w{n}"), "--out", str(tmp_path / f"o{n}")) for n in (1, 2)
    ]
    assert not run_two(*command, *folders[0], delay=delay)
    run_one(*command, *folders[1])
    rows = [
        json.loads((tmp_path / name / "S1-F4.quick.json").read_text())["rows"]
        for name in ("o1", "o2")
    ]
    assert rows[0] == rows[1]
    for line in (tmp_path / "w1" / "S1-F4.runs.jsonl").read_text().splitlines():
        json.loads(line)
