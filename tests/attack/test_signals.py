"""Commands that start programs, ended at random instants by every signal: no program is left, and
what was kept is whole."""

import json
import os
import random
import signal
import subprocess
import sys
import time
import uuid
from pathlib import Path

import pytest

from tests.arena.processes import all_gone
from tests.arena.shell_engines import write_engine

pytestmark = pytest.mark.slow

ROUNDS = 10
LONGEST = 6.0
"""Seconds before a signal comes at the latest: some hit the start, some the games."""
MARK = "KATACHI_ATTACK"
SIGNALS = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGKILL)
ROSTER = """
[ladder]
size = 5
games = 100
opening_moves = 0
[[player]]
name = "random"
spec = "random"
[[player]]
name = "engine"
spec = "gtp:ENGINE"
"""


def marked(mark: str) -> list[int]:
    """Every process whose environment has the mark, whoever its parent is by now."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and mark.encode() in (entry / "environ").read_bytes():
                found.append(int(entry.name))
        except OSError:
            continue
    return found


def start(mark: str, *arguments: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "katachi", *arguments],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        env=os.environ | {MARK: mark},
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509
    )


def command_of(kind: str, folder: Path, engine: str, workers: int) -> list[str]:
    if kind == "match":
        options = ["--games", "100", "--size", "5", "--openings", "0", "--out", str(folder / "m")]
        return ["match", engine, "random", *options, "--workers", str(workers)]
    if kind == "ladder":
        roster = folder / "roster.toml"
        roster.write_text(ROSTER.replace("ENGINE", engine))
        where = ["--database", str(folder / "l.db"), "--workers", str(workers)]
        return ["ladder", "run", str(roster), *where]
    options = [
        "--games",
        "100",
        "--size",
        "5",
        "--openings",
        "0",
        "--out",
        str(folder / "s.sgf.gz"),
    ]
    return ["games", "generate", "--engine", engine, *options, "--workers", str(workers)]


@pytest.mark.timeout(600)
@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("kind", ["match", "ladder", "generate"])
def test_no_program_is_left_whenever_a_signal_comes(
    tmp_path: Path, kind: str, workers: int
) -> None:
    """Every third thought lasts a minute and hears no signal."""
    slow = "n=$((n+1)); [ $((n%3)) = 0 ] && { trap '' TERM HUP INT; sleep 60; }; echo '= pass'"
    engine = write_engine(tmp_path / "engine", genmove=slow, final_score="echo '= W+7.5'")
    command = command_of(kind, tmp_path, engine, workers)
    chance = random.Random(f"{kind} {workers}")
    for _ in range(ROUNDS):
        mark = uuid.uuid4().hex
        process = start(mark, *command)
        time.sleep(chance.uniform(0.0, LONGEST))
        number = chance.choice(SIGNALS)
        send = chance.choice((os.kill, os.killpg))
        send(process.pid, number)
        process.wait(60)
        assert all_gone(marked(mark)), (number, send)
        assert not marked(mark)


@pytest.mark.timeout(600)
def test_a_match_ended_again_and_again_becomes_the_same_match(tmp_path: Path) -> None:
    engine = write_engine(tmp_path / "engine")
    options = ("--games", "400", "--size", "7", "--workers", "2")
    chance = random.Random(1)
    for _ in range(ROUNDS):
        process = start("x", "match", engine, "random", *options, "--out", str(tmp_path / "cut"))
        time.sleep(chance.uniform(1.0, LONGEST))
        os.killpg(process.pid, chance.choice(SIGNALS))
        process.wait(60)
    for name in ("cut", "whole"):
        arguments = ("match", engine, "random", *options, "--out", str(tmp_path / name))
        assert start("x", *arguments).wait(200) == 0
    lines = (tmp_path / "cut" / "results.jsonl").read_text().splitlines()
    assert sorted(json.loads(line)["number"] for line in lines) == list(range(400))
    for game in sorted((tmp_path / "whole" / "games").iterdir()):
        assert game.read_bytes() == (tmp_path / "cut" / "games" / game.name).read_bytes()
    assert not [file for file in (tmp_path / "cut").rglob(".*") if file.suffix == ".sgf"]
