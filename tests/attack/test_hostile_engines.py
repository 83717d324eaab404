"""Engines that do anything at any time: a match with one ends with a result for each game."""

import json
import os
import sys
from pathlib import Path

import pytest

from tests.attack.katachi_commands import check_manners, run_katachi

pytestmark = pytest.mark.slow

ENGINE = Path(__file__).parent / "hostile_engine.py"


def engines_left(seed: int) -> list[str]:
    """Processes whose command line is that of the hostile engine with this seed."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            words = (entry / "cmdline").read_bytes().split(b"\0")
        except (OSError, NotADirectoryError):
            continue
        if os.fsencode(ENGINE) in words and str(seed).encode() in words:
            found.append(entry.name)
    return found


@pytest.mark.parametrize("seed", range(24))
def test_a_match_with_a_hostile_engine_has_a_result_for_each_game(
    seed: int, tmp_path: Path
) -> None:
    engine = f"gtp:{sys.executable} {ENGINE} {seed}"
    options = ("--games", 2, "--size", 5, "--time", 2, "--workers", 1 + seed % 2)
    done = run_katachi("match", "alp", engine, *options, "--out", tmp_path / "m", seconds=400)
    check_manners(done)
    if done.status != 0:  # refused before the first game
        assert not (tmp_path / "m" / "results.jsonl").exists()
        assert not engines_left(seed)
        return
    assert "\x1b[31m" not in done.output + done.errors
    lines = (tmp_path / "m" / "results.jsonl").read_text().splitlines()
    assert {json.loads(line)["number"] for line in lines} == {0, 1}
    assert max(map(len, lines)) < 20_000
    assert not engines_left(seed)


def test_an_engine_is_charged_for_hearing_moves(tmp_path: Path) -> None:
    script = tmp_path / "a b" / "slow engine.sh"
    script.parent.mkdir()
    script.write_text(
        "#!/bin/sh\nwhile read c rest; do\n"
        "case $c in play) sleep 1.5;; genmove) printf '= pass\\n\\n'; continue;;\n"
        "quit) printf '=\\n\\n'; exit;; known_command) printf '= false\\n\\n'; continue;; esac\n"
        "printf '=\\n\\n'\ndone\n"
    )
    script.chmod(0o755)
    options = ("--games", 1, "--size", 7, "--time", 4, "--openings", 0)
    done = run_katachi("match", "random", f"gtp:'{script}'", *options, "--out", tmp_path / "m")
    check_manners(done)
    [line] = (tmp_path / "m" / "results.jsonl").read_text().splitlines()
    assert (json.loads(line)["ending"], json.loads(line)["winner"]) == ("time", "first")
