"""The examples run, and say what they promise: with the Python of the tests, or with that of
EXAMPLES_PYTHON, where only the wheel is installed (`make dist`)."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from katachi.players.roster import make_player
from katachi.rules.color import BLACK
from katachi.rules.game import Game

EXAMPLES = Path(__file__).parents[1] / "examples"
SAID = {
    "own_features": r"weights of stones, .*\nthey win \d+ of 20 games against random",
    "own_evaluator": r"center wins \d+ of 10 games against alp",
    "playouts": r"Black wins \d+\.\d% of 10,000 .*\n.*best move by 1,000 each is [A-J]\d: ",
    "review_games": r"game 1: .*\n(.*move \d+ \([A-J]\d\) lost \d+\.\d points.*\n)+",
    "territory_map": r"territory\.svg: Black is likely to own \d+ points, White \d+",
    "changed_experiment": r"step size 0\.03: .*\n.*0\.1: .*\n.*0\.3: 2x2:LI wins \d+ %, \d+ %, ",
    "own_engine": r"small ladder\n.*Elo.*\n1 +alp .*\n",
    "environment": r"Black's share of [\d,]+ random games.*\n(.*\d\d.*\n){5}",
    "masked_ppo": r"wins [0-6]?\d% before and ([7-9]\d|100)% after 10,000 steps",
}
SLOW = {"masked_ppo"}
LONGEST = 30
PYTHON = os.environ.get("EXAMPLES_PYTHON", sys.executable)
GAMES = str(Path(__file__).parent / "data" / "gnugo9.sgf")
GIVEN = {"review_games": (GAMES, "2"), "territory_map": (GAMES,)}
"""What stands behind the name of an example."""
NEEDS = {"masked_ppo": "sb3_contrib"}
"""Packages of an extra, without which an example is skipped."""


def is_there(package: str) -> bool:
    command = [PYTHON, "-c", f"import {package}"]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def quick_or_slow(name: str) -> Any:
    return pytest.param(name, marks=pytest.mark.slow) if name in SLOW else name


@pytest.mark.parametrize("name", [quick_or_slow(name) for name in SAID])
def test_an_example_runs(name: str, tmp_path: Path) -> None:
    if name in NEEDS and not is_there(NEEDS[name]):
        pytest.skip(f"needs {NEEDS[name]}")
    file = EXAMPLES / f"{name}.py"
    assert len(file.read_text().splitlines()) <= LONGEST
    command = [PYTHON, str(file), *GIVEN.get(name, ())]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=tmp_path)
    assert re.search(SAID[name], done.stdout), done.stdout


def test_every_example_is_run() -> None:
    found = {file.stem for file in EXAMPLES.glob("*.py")}
    assert found == {*SAID, "web_client"}  # which the tests of the page run


def test_the_notebook_runs_from_top_to_bottom(tmp_path: Path) -> None:
    cells = json.loads((EXAMPLES / "tour.ipynb").read_text("utf-8"))["cells"]
    code = [cell for cell in cells if cell["cell_type"] == "code"]
    assert not any(cell["outputs"] for cell in code)
    command = [PYTHON, "-c", "\n".join("".join(cell["source"]) for cell in code)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=tmp_path)
    assert re.search(r"wins \d+ of 10 games at 5x5", done.stdout)


def test_an_example_is_a_plug_in() -> None:
    player = make_player(f"python:{EXAMPLES / 'own_evaluator.py'}:Center")
    assert player.choose(Game(5), BLACK).failure is None
