"""`katachi train selfplay` as a person runs it: told, resumed, refused."""

import re
from pathlib import Path

import pytest

pytest.importorskip("torch")

import torch

from tests.interfaces.test_cli import run

TINY = (
    *("--size", "3", "--width", "4", "--depth", "2", "--generations", "1", "--new-games", "3"),
    *("--visits", "6", "--quick-visits", "2", "--steps", "2", "--opponent", "alp"),
    *("--match-games", "2", "--match-visits", "2", "--opening-moves", "2", "--workers", "1"),
)


def test_a_run_tells_each_generation_and_how_to_play_by_it(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    done = run("train", "selfplay", *TINY, "--out", str(folder))
    assert done.returncode == 0, done.stderr
    assert re.search(
        r"^a net of [\d,]+ weights learns from nothing: 3 games a generation at 3x3$",
        done.stdout,
        re.MULTILINE,
    )
    assert re.search(
        r"^1 of 1 generations: 2 games v alp: tree \d+% \(\d+% to \d+%\), net alone \d+% "
        r"\(\d+% to \d+%\); \d+% v the one before; about 0\.0 min left$",
        done.stdout,
        re.MULTILINE,
    )
    assert done.stdout.endswith(f"katachi match {folder} alp\n")
    card = (folder / "model" / "README.md").read_text()
    assert "3 games against itself in 1 generations" in card
    assert "made by: `katachi train selfplay" in card
    again = run("train", "selfplay", "--resume", str(folder), "--workers", "1")
    assert again.returncode == 0
    assert f"the model is in {folder}/model" in again.stdout


def test_a_run_whose_time_is_up_leaves_a_model(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    done = run("train", "selfplay", *TINY, "--minutes", "0.000001", "--out", str(folder))
    assert done.returncode == 0, done.stderr
    assert f"the time is up; katachi train selfplay --resume {folder} goes on" in done.stdout
    assert "0 games against itself" in (folder / "model" / "README.md").read_text()


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (("--visits", "0"), "Expected `int` >= 1 - at `$.visits`"),
        (("--visits", "1000000000000"), "Expected `int` <= 100000 - at `$.visits`"),
        (("--visits", "100000", "--at-once", "4096"), "use at most 16 GB"),
        (("--positions", "10000000", "--size", "19"), "10,000,000 positions take"),
        (("--opponent", "nobody"), "no player 'nobody'"),
        (("--opening-moves", "30"), "30 opening moves: use 0 to 12"),
        (("--start", "moves9"), "moves9 cannot learn from search"),
        (("--workers", "0"), "0 workers: use 1 or more"),
        (("--minutes", "0"), "0 minutes: use a positive number"),
        (("--device", "gpu"), "no device 'gpu': use cpu, cuda or cuda:N"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(
    options: tuple[str, ...], complaint: str, tmp_path: Path
) -> None:
    done = run("train", "selfplay", *options, "--out", str(tmp_path / "run"))
    assert done.returncode != 0
    assert complaint in done.stderr.splitlines()[-1]
    assert not (tmp_path / "run").exists()


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_a_card_that_is_not_there_is_refused(tmp_path: Path) -> None:
    done = run("train", "selfplay", "--device", "cuda", "--out", str(tmp_path / "run"))
    assert "no device 'cuda' here: PyTorch finds no CUDA GPU; use cpu" in done.stderr
