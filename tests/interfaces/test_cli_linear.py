"""`katachi train linear` and `katachi games generate`: what they tell, and what they refuse."""

from pathlib import Path

import pytest

from katachi.interfaces.cli import main
from katachi.players.names import check_player_name
from tests.learning.territory_games import GAMES

ENGINE = ("--engine", "cat", "--out")
pytestmark = pytest.mark.filterwarnings("ignore:Cyclopts application invoked without tokens")


def call(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    """The exit status of a command."""
    monkeypatch.setattr("sys.argv", ["katachi", *arguments])
    try:
        main()
    except SystemExit as end:
        return int(end.code or 0)
    return 0


def test_a_model_is_learned_and_told_about(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    run = str(tmp_path / "run")
    options = ["--games", str(GAMES), "--lessons", "4", "--measure-every", "2", "--out", run]
    assert call(monkeypatch, "train", "linear", *options) == 0
    told = capsys.readouterr().out
    assert "5,184 weights" in told
    assert "4 of 4 games; other games: squared error" in told
    assert (tmp_path / "run" / "model" / "config.json").exists()
    assert f"katachi gtp --player {run}\n" in told
    check_player_name(run)


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ([], "give --out FOLDER for a new run, or --resume FOLDER"),
        (["--out", "x", "--features", "pixels"], "no features 'pixels': choose templates:2x2"),
        (["--out", "x"], "give --games FILE"),
        (["--out", "x", "--size", "2", "--features", "templates:3x3"], "do not fit on a 2x2 board"),
        (["--out", "x", "--alpha", "-1"], "a setting is out of range"),
        (["--out", "x", "--teacher", "self", "--komi", "nan"], "komi nan is not playable"),
        (["--out", "x", "--teacher", "self", "--alpha", "1e300"], "a setting is out of range"),
        (["--out", "x", "--size", "0"], "board size 0 is not playable"),
        (["--resume", "nowhere"], "nowhere holds no training run"),
    ],
)
def test_what_cannot_be_learned_is_refused_in_one_line(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    options: list[str],
    complaint: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert call(monkeypatch, "train", "linear", *options) != 0
    assert complaint in capsys.readouterr().err.splitlines()[-1]
    assert not (tmp_path / "x" / "config.json").exists()


def test_an_engine_that_does_not_speak_gtp_is_refused_in_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    out = tmp_path / "set.sgf.gz"
    assert call(monkeypatch, "games", "generate", *ENGINE, str(out)) == 1
    assert capsys.readouterr().err.splitlines() == [
        "katachi: 'cat': answered 'name' with 'name'; a program that speaks GTP is needed"
    ]
    assert call(monkeypatch, "games", "generate", "--workers", "0", *ENGINE, str(out)) == 1
    assert capsys.readouterr().err.splitlines() == ["katachi: 0 workers: use 1 or more"]
    assert list(tmp_path.iterdir()) == []
