"""A disk that fills up costs a line, never a game: with room again the same command goes on to the
result that it would have had."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.attack.katachi_commands import check_manners, digest, run_katachi

pytestmark = pytest.mark.slow

GAMES = Path(__file__).parents[1] / "data" / "gnugo9.sgf"
ENGINE = f"{sys.executable} -m katachi gtp --player alp --seed {{seed}}"
SIZES = ("16k", "48k", "160k", "400k")


def mount(folder: Path, size: str, *options: str) -> bool:
    words = ",".join((f"size={size}", *options))
    command = ["mount", "-t", "tmpfs", "-o", words, "tmpfs", str(folder)]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Callable[[str], Path]]:
    """A function that gives a file system of so many bytes, or gives it another size."""
    folder = tmp_path / "disk"
    folder.mkdir()

    def of_size(size: str) -> Path:
        is_mounted = folder.is_mount()
        if not mount(folder, size, *(["remount"] if is_mounted else [])):
            pytest.skip("only root can mount a small file system")
        return folder

    yield of_size
    subprocess.run(["umount", "-l", str(folder)], capture_output=True, check=False)


def match(place: Path) -> list[object]:
    options = ("--games", 12, "--size", 5, "--out", place / "m")
    return ["match", "alp", "random", *options]


def generate(place: Path) -> list[object]:
    options = ("--games", 3, "--size", 5, "--out", place / "set.sgf.gz")
    return ["games", "generate", "--engine", ENGINE, *options]


def train_shape(place: Path) -> list[object]:
    if (place / "run" / "config.json").exists():
        return ["train", "shape", "--resume", place / "run"]
    tests = ("--test-every", 100, "--test-games", 4, "--final-games", 4)
    sets = ("--size", 5, "--sets", "1x1-2x2:LI+LD", "--games", 600, "--checkpoint-seconds", 0)
    return ["train", "shape", *sets, *tests, "--out", place / "run"]


def train_linear(place: Path) -> list[object]:
    if (place / "run" / "config.json").exists():
        return ["train", "linear", "--resume", place / "run"]
    options = ("--features", "templates:2x2", "--games", GAMES, "--lessons", 60)
    return ["train", "linear", *options, "--out", place / "run"]


RESULTS: dict[Callable[[Path], list[object]], str] = {
    match: "m/results.jsonl",
    generate: "set.sgf.gz",
    train_shape: "run/agent-1/weights.safetensors",
    train_linear: "run/model/weights.safetensors",
}


def outcome(path: Path) -> object:
    """What must be equal: bytes, but for the times of a match's games."""
    if path.suffix != ".jsonl":
        return digest(path)
    lines = (json.loads(line) for line in path.read_text().splitlines())
    return sorted((line["number"], line["winner"], line["moves"]) for line in lines)


@pytest.mark.parametrize("make", RESULTS, ids=lambda make: make.__name__)
def test_a_full_disk_costs_a_line_and_nothing_else(
    make: Callable[[Path], list[object]],
    small_disk: Callable[[str], Path],
    tmp_path: Path,
) -> None:
    plain = tmp_path / "plain"
    plain.mkdir()
    assert run_katachi(*make(plain)).status == 0
    ends = []
    for size in SIZES:
        place = small_disk(size)
        ends.append(run_katachi(*make(place)))
        check_manners(ends[-1])
    assert any(done.status for done in ends), "no size was too small: the attack is none"
    place = small_disk("64m")
    if ends[-1].status != 0:
        ends.append(run_katachi(*make(place)))
    assert ends[-1].status == 0, ends[-1].errors
    assert outcome(place / RESULTS[make]) == outcome(plain / RESULTS[make])


def test_kernels_that_cannot_be_kept_are_used_all_the_same(
    small_disk: Callable[[str], Path],
) -> None:
    moves = "boardsize 5\nclear_board\ngenmove b\ngenmove w\nquit\n"
    cache = small_disk("1200k")
    done = run_katachi("gtp", "--player", "alp", "--seed", 1, text=moves, cache=cache)
    check_manners(done)
    assert done.status == 0
    assert "?" not in done.output
    again = run_katachi("gtp", "--player", "alp", "--seed", 1, text=moves)
    assert again.output == done.output
