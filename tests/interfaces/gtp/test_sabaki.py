"""Sabaki's own GTP layer (`@sabaki/gtp`) controls the engine."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, NoReturn

import pytest

from tests.conftest import IN_CI

HERE = Path(__file__).parent / "sabaki"
CACHE = Path(__file__).parents[3] / ".cache" / "sabaki-gtp"
INSTALL_SECONDS = 120
FIRST = """
. . . . . . . . .
. . . . . . . . .
. . . . . . . . .
. . . . . O . . .
. . . . . X . . .
. . . X . . . . .
. . . . X . . . .
. . . . . . . . .
. . . . . . . . ."""


def install_controller() -> Path:
    """The folder of Node modules that holds `@sabaki/gtp`, installed on first use."""
    modules = CACHE / "node_modules"
    wanted = json.loads((HERE / "package.json").read_text())["dependencies"]["@sabaki/gtp"]
    installed = modules / "@sabaki" / "gtp" / "package.json"
    if installed.exists() and json.loads(installed.read_text())["version"] == wanted:
        return modules
    npm = shutil.which("npm")
    if npm is None:
        give_up("needs npm, which is not installed (apt-get install npm)")
    CACHE.mkdir(parents=True, exist_ok=True)
    shutil.copy(HERE / "package.json", CACHE)
    (CACHE / ".gitignore").write_text("*\n")
    options = ("--no-audit", "--no-fund", "--no-package-lock", "--ignore-scripts")
    command = [npm, "install", *options]
    try:
        subprocess.run(command, cwd=CACHE, capture_output=True, check=True, timeout=INSTALL_SECONDS)
    except (subprocess.SubprocessError, OSError) as error:
        give_up(f"npm cannot install @sabaki/gtp (no network?): {error}")
    return modules


def give_up(reason: str) -> NoReturn:
    """Skips the test, but fails it in CI."""
    if IN_CI:
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)


@pytest.fixture(scope="module")
def seen(node: str) -> Any:
    """What the controller saw of one session with the engine."""
    modules = install_controller()
    engine = [sys.executable, "-m", "katachi", "gtp", "--player", "alp", "--seed", "1"]
    done = subprocess.run(
        [node, str(HERE / "controller.js"), *engine],
        env={**os.environ, "NODE_PATH": str(modules)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_position_is_synchronised(seen: Any) -> None:
    assert seen["first"].strip() == FIRST.strip()


def test_a_variation_is_reached_by_undo(seen: Any) -> None:
    assert [name for name in seen["resync"] if name != "list_commands"] == ["undo", "play"]
    board = seen["second"].split("\n")
    assert board[-3].split()[2] == "O"
    assert board[-3].split()[4] == "."


def test_an_analysis_streams_and_is_interrupted_by_the_next_command(seen: Any) -> None:
    analysis = seen["analysis"]
    lines = [line for line in analysis["lines"] if line.startswith("info ")]
    assert len(lines) >= 3
    assert not analysis["hasFailed"]
    assert analysis["next"] == "2"
    assert analysis["milliseconds"] < 200


def test_a_generated_move_is_understood(seen: Any) -> None:
    (play,) = [line for line in seen["generated"] if line.startswith("play ")]
    assert seen["history"] == ["B D4", "W F6", "B F5", "W C3", f"B {play.removeprefix('play ')}"]


def test_sabaki_does_not_find_the_command_it_misreads(seen: Any) -> None:
    assert seen["knowsAnalyze"] is False
