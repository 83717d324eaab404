"""Every result says by which code it was made, and the history has that code."""

import json
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
RESULTS = sorted((ROOT / "results").glob("*.json*"))


def run_git(*words: str) -> str:
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout


@pytest.fixture(scope="module")
def history() -> set[str]:
    """The first twelve digits of every commit."""
    if run_git("rev-parse", "--show-prefix", "--is-shallow-repository") != "\nfalse\n":
        pytest.skip("needs the project's own repository with its whole history")
    return {line[:12] for line in run_git("rev-list", "HEAD").splitlines()}


def commits_of(path: Path) -> set[str]:
    if path.suffix == ".json":
        return {json.loads(path.read_bytes())["commit"]}
    return {json.loads(line)["versions"]["commit"] for line in path.read_text("utf-8").splitlines()}


@pytest.mark.parametrize("path", RESULTS, ids=lambda path: path.name)
def test_a_result_was_made_by_code_that_the_history_has(path: Path, history: set[str]) -> None:
    for commit in commits_of(path):
        found = re.match(r"[0-9a-f]{12}(?![0-9a-f]|-dirty)", commit)
        assert found is not None, f"{path.name} was made at {commit!r}"
        assert found[0] in history
