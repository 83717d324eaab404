"""An experiment on a cluster is the one of this machine, whoever is killed."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

RUN = (sys.executable, "-m", "katachi", "experiment", "run", "S1-F4", "--quick")
ON_RAY = ("--on", "ray", "--workers", "2")
SOME = 6
"""Runs that are kept before the command is killed."""


def folders(place: Path) -> tuple[str, ...]:
    return ("--out", str(place / "out"), "--work", str(place / "work"))


def rows_of(place: Path) -> Any:
    return json.loads((place / "out" / "S1-F4.quick.json").read_text())["rows"]


def kill_after_some(command: tuple[str, ...], journal: Path) -> None:
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while not journal.exists() or journal.read_bytes().count(b"\n") < SOME:
        assert process.poll() is None
        time.sleep(0.05)
    process.send_signal(signal.SIGKILL)
    process.wait()


@pytest.mark.slow
def test_a_command_killed_on_ray_goes_on_to_the_same(tmp_path: Path) -> None:
    pytest.importorskip("ray")
    far, near = tmp_path / "far", tmp_path / "near"
    journal = far / "work" / "S1-F4.runs.jsonl"
    kill_after_some((*RUN, *ON_RAY, *folders(far)), journal)
    kept = journal.read_bytes().splitlines()[:SOME]
    subprocess.run((*RUN, *ON_RAY, *folders(far)), check=True, capture_output=True)
    subprocess.run((*RUN, *folders(near)), check=True, capture_output=True)
    assert journal.read_bytes().splitlines()[:SOME] == kept
    assert rows_of(far) == rows_of(near)
