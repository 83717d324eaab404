"""`katachi evaluate` as a person runs it."""

import json
import math
import re
from pathlib import Path
from typing import Any

import msgspec
import pytest

from katachi.errors import KatachiError
from katachi.interfaces.cli.evaluate import Evaluated, evaluate, parse_moves
from katachi.records.dataset import open_games
from katachi.search.recorded_moves import MoveRange
from tests.interfaces.test_cli import GAMES, complaint, run


def printed_json(capsys: pytest.CaptureFixture[str], *arguments: Any, **options: Any) -> Any:
    evaluate(*arguments, json=True, **options)
    return json.loads(capsys.readouterr().out)


def test_the_tables_tell_moves_and_territory() -> None:
    done = run("evaluate", "alp", str(GAMES), "--limit", "10", "--moves", "5-30")
    assert done.returncode == 0, done.stderr
    assert re.search(r"alp on \d+ games 9x9, moves 5-30", done.stdout)
    assert re.search(r"^temperature [\d.]+, fitted to \d+ other games$", done.stdout, re.MULTILINE)
    assert re.search(r"^all +\d+ +-\d\.\d{3} +±0\.\d{3}", done.stdout, re.MULTILINE)
    assert "alp knows no ownership: 64 random continuations instead" in done.stdout
    assert re.search(r"^calibration error \d+\.\d%$", done.stdout, re.MULTILINE)
    assert max(map(len, done.stdout.splitlines())) <= 80


def test_json_has_the_documented_form(capsys: pytest.CaptureFixture[str]) -> None:
    shown = printed_json(capsys, "alp", GAMES, limit=10, moves="18-22")
    report = msgspec.convert(shown, Evaluated, strict=False)
    assert (report.player, report.moves, report.not_read) == ("alp", "18-22", 0)
    [board] = shown["boards"]
    assert set(board) == {
        *("size", "games", "temperature", "moves", "ownership", "final_ownership"),
    }
    assert set(board["temperature"]) == {"value", "source", "games"}
    assert set(board["moves"]) == {"all", "top", "fifths"}
    assert set(board["moves"]["all"]) == {"games", "moves", "log_probability", "uniform", "top1"}
    assert set(board["moves"]["all"]["top1"]) == {"value", "low", "high"}
    assert len(board["moves"]["top"]) == 50
    assert len(board["moves"]["fifths"]) == len(board["ownership"]["fifths"]) == 5
    assert set(board["ownership"]) == {
        *("source", "all", "fifths", "calibration_error", "calibration"),
    }
    assert set(board["ownership"]["all"]) == {
        *("games", "positions", "points", "cross_entropy", "right"),
    }
    assert set(board["final_ownership"]) == {"marked", "counted", "playouts", "unsettled"}
    assert board["temperature"]["games"] + board["games"] == 10


def test_the_help_documents_every_field() -> None:
    words = re.sub(r"[\s│]+", " ", run("evaluate", "--help").stdout)
    for field in ("log_probability", "uniform", "top1", "cross_entropy", "calibration_error"):
        assert field in words


def test_a_learned_evaluator_predicts_more_than_chance(capsys: pytest.CaptureFixture[str]) -> None:
    [board] = printed_json(capsys, "shape", GAMES, limit=15)["boards"]
    shown = board["moves"]["all"]
    assert shown["log_probability"]["low"] > shown["uniform"]
    assert board["moves"]["top"] == sorted(board["moves"]["top"])


def test_each_size_has_its_own_report(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "two.sgf"
    file.write_bytes(b"(;SZ[7]RE[B+R];B[cc];W[dd])(;SZ[5]RE[B+R];B[cc];W[dd])(;SZ[5];B[cc];B[cc])")
    shown = printed_json(capsys, "alp", file, temperature=1.0)
    assert [(board["size"], board["games"]) for board in shown["boards"]] == [(5, 1), (7, 1)]
    assert shown["not_read"] == 1
    assert shown["boards"][0]["ownership"] is None
    [board] = printed_json(capsys, "alp", file, size=7)["boards"]
    assert board["temperature"]["source"] == "same games"
    assert board["moves"]["all"]["top1"]["low"] is None
    evaluate("alp", file)
    shown = capsys.readouterr().out
    assert "not read: 1 games" in shown
    assert "for there are too few" in shown


def test_equal_seeds_draw_equal_games(capsys: pytest.CaptureFixture[str]) -> None:
    first, again, other = (
        printed_json(capsys, "random", GAMES, limit=5, moves="1-3", seed=seed) for seed in (1, 1, 2)
    )
    assert first == again
    assert first != other


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (None, MoveRange()),
        ("18-22", MoveRange(18, 22)),
        (" 80 - 83 ", MoveRange(80, 83)),
        ("7", MoveRange(7, 7)),
        ("7-", MoveRange(7)),
    ],
)
def test_moves_are_written_as_a_range(text: str | None, expected: MoveRange) -> None:
    assert parse_moves(text) == expected


@pytest.mark.parametrize(
    "text", ["", "-", "a-b", "5-3", "0-4", "1-2-3", "-5", "3 4", "1.5", "18-22x"]
)
def test_anything_else_is_no_range(text: str) -> None:
    with pytest.raises(KatachiError):
        parse_moves(text)


@pytest.mark.parametrize(
    ("player", "options", "words"),
    [
        ("nobody", {}, "no player 'nobody': `katachi players` lists all"),
        ("playouts:8", {}, "'playouts:8' has no opinion of single positions: choose"),
        ("search", {}, "'search' has no opinion of single positions: choose one of random"),
        ("shape:nothing-here", {}, "no model 'nothing-here'"),
        ("shape:shape5", {}, "this shape model is for 5x5 boards, not 9x9"),
        ("alp", {"moves": "22-18"}, "moves 22-18: they count from 1, the smaller number first"),
        ("alp", {"moves": "many"}, "--moves many: write A-B, such as 18-22"),
        ("alp", {"moves": "900-901"}, "no moves 900-901: the longest of these games has"),
        ("alp", {"limit": 0}, "--limit 0: at least one game"),
        ("alp", {"temperature": 0.0}, "--temperature 0.0: use a number above 0"),
        ("alp", {"temperature": math.nan}, "--temperature nan: use a number above 0"),
        ("alp", {"size": 13}, "none of the 60 games has that size and rank"),
        ("alp", {"rank": "good"}, "'good' is not a rank"),
    ],
)
def test_bad_input_is_one_clear_line(player: str, options: dict[str, Any], words: str) -> None:
    with pytest.raises(KatachiError) as caught:
        evaluate(player, GAMES, **options)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_files_without_games_are_one_clear_line(tmp_path: Path) -> None:
    empty = tmp_path / "empty.sgf"
    empty.write_text("nothing")
    assert "empty.sgf game 1" in complaint("evaluate", "alp", str(empty))
    for files, words in (((), "no file or folder"), ((tmp_path / "no.sgf",), "cannot read")):
        with pytest.raises(KatachiError, match=words):
            evaluate("alp", *files)


def test_the_shipped_games_are_all_marked() -> None:
    assert all(record.ownership is not None for record in open_games(GAMES, use_cache=False))
