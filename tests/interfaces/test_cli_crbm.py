"""`katachi train features` and `katachi filters` as a person runs them."""

import json
import re
from pathlib import Path

import pytest

pytest.importorskip("torch")

from tests.interfaces.test_cli import GAMES, run

SMALL = ("--games", str(GAMES), "--kernels", "7", "--batch", "8", "--limit", "20")
ENDS = ("--steps", "4", "--measure-every", "2")


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small run that was never stopped."""
    folder = tmp_path_factory.mktemp("crbm") / "run"
    done = run("train", "features", *SMALL, *ENDS, "--out", str(folder))
    assert done.returncode == 0, done.stderr
    assert re.search(r"^20 games to learn from, \d+ to measure on$", done.stdout, re.MULTILINE)
    assert re.search(r"^4 of 4 batches: squared error 0\.\d{4} a point", done.stdout, re.MULTILINE)
    assert f"the model is in {folder}/model\n" in done.stdout
    assert f"katachi filters {folder}\n" in done.stdout
    assert done.stdout.endswith(f"--features crbm:{folder} --teacher self --out NEW\n")
    return folder


def test_kernels_are_shown_with_what_fires_them(finished: Path, tmp_path: Path) -> None:
    picture = tmp_path / "kernels.svg"
    model = str(finished / "model")
    done = run("filters", model, "--games", str(GAMES), "--json", "--svg", str(picture))
    assert done.returncode == 0, done.stderr
    shown = json.loads(done.stdout)
    assert len(shown["kernels"]) == 7
    first = shown["kernels"][0]
    assert all(re.fullmatch("[#o.]{3}", row) for row in first["plate"])
    chances = [each["chance"] for each in first["fired"]]
    assert chances == sorted(chances, reverse=True)
    assert {each["name"] for each in shown["shapes"]} >= {"eye", "peek", "pinwheel", "hane", "cut"}
    assert "Filters of model" in picture.read_text()


def test_what_is_wrong_is_reported_in_one_line(finished: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    done = run("train", "crbm", *SMALL, "--side", "10", "--out", str(out))
    assert done.returncode == 1
    assert done.stderr.endswith("katachi: windows of 10x10 do not fit on a 9x9 board\n")
    assert not out.exists()
    done = run("filters", "shape9")
    assert (done.returncode, done.stdout) == (1, "")
    assert "holds a model of kind 'local shape', not 'crbm'" in done.stderr
