"""`katachi explain` as a person runs it."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from katachi.evaluators.named_models import NamedModel
from katachi.evaluators.shape_reading import ShapeReader, read_move
from katachi.features.shape_contents import OTHER, OWN
from katachi.features.units import UNIT
from katachi.interfaces.cli.explain import explain
from katachi.pictures.drawing import BLACK_STONE, WHITE_STONE, Disc, Drawing
from katachi.pictures.move_shapes import explain_position
from katachi.pictures.shape_text import shape_code, symbols_for
from katachi.pictures.shapes import draw_shape
from katachi.records.conversion import game_from_record
from katachi.records.sgf import read_games
from katachi.rules.color import BLACK, WHITE, opponent
from katachi.rules.game import Game
from katachi.rules.point import PASS, point_from_vertex, vertex_from_point
from tests.evaluators.shape_models import random_model
from tests.interfaces.test_cli import GAMES, complaint, run
from tests.interfaces.test_cli_shapes import texts_of

MOVE = 23
MODEL = random_model("1x1-2x2:LI+LD,4x3:LI,1x1-2x1:LI:liberty", size=9)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("explain") / "model"
    MODEL.save(folder, "a card")
    return folder


def position() -> Game:
    """Before the move."""
    return game_from_record(next(iter(read_games(GAMES))), MOVE - 1)


def printed_json(capsys: pytest.CaptureFixture[str], *arguments: Any, **options: Any) -> Any:
    explain(*arguments, json=True, **options)
    return json.loads(capsys.readouterr().out)


def test_the_changes_printed_add_up_to_the_difference(folder: Path) -> None:
    done = run("explain", str(folder), str(GAMES), "--move", str(MOVE), "--details")
    assert done.returncode == 0, done.stderr
    assert "Move 23 of gnugo9.sgf: Black E5" in done.stdout
    assert "X Black   O White   . empty" in done.stdout
    assert "+1.1 is a chance of 75 %" in done.stdout
    parts = re.findall(r"(largest|smaller|together).*\(([+-][\d,]+) units\)", done.stdout)
    units = [int(number.replace(",", "")) for _, number in parts]
    assert len(units) == 3 * 4  # the played move and the best three
    for largest, smaller, together in zip(units[::3], units[1::3], units[2::3], strict=True):
        assert largest + smaller == together
    reading = read_move(ShapeReader(MODEL), position(), BLACK, point_from_vertex("E5", 9))
    assert units[2] == reading.difference
    assert "(X)" in done.stdout  # the move on the board


def test_json_tells_every_change_exactly(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    [shown] = printed_json(capsys, str(folder), GAMES, move=MOVE, best=5)
    assert shown["unit"] == UNIT
    for move in shown["moves"]:
        difference = move["units_after"] - move["units_before"]
        assert sum(change["units"] for change in move["changes"]) == difference
        assert sum(move["by_set"].values()) == difference
        assert sum(map(sum, move["heat"])) == pytest.approx(difference * UNIT)
        for change in move["changes"]:
            assert change["more"] == len(change["come"]) - len(change["gone"])
            assert change["units"] == change["more"] * change["units_each"]
    ranks = [move["rank"] for move in shown["moves"] if not move["played"]]
    assert ranks == sorted(ranks)


def test_the_best_moves_are_those_of_the_highest_value() -> None:
    game = position()
    source = NamedModel("m", MODEL)
    explanation = explain_position(source, game, BLACK, PASS, 3)
    assert explanation.moves[0].rank is None  # a pass is not considered while there are moves
    values = {}
    for point in game.legal_moves(BLACK).tolist():
        after = game.copy()
        after.play(BLACK, point)
        if not game.board.is_eye(point, BLACK):
            values[vertex_from_point(point, 9)] = int(MODEL.predict(after.states).sum())
    best = sorted(values, key=lambda vertex: -values[vertex])[:3]
    assert [vertex_from_point(m.reading.point, 9) for m in explanation.moves[1:]] == best
    assert explanation.candidates == len(values)


def test_the_played_move_is_reported_once(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    [shown] = printed_json(capsys, str(folder), GAMES, move=MOVE, best=81)
    vertices = [move["vertex"] for move in shown["moves"]]
    assert len(set(vertices)) == len(vertices) == shown["candidates"]
    assert vertices[0] == "E5"


def test_another_model_sees_the_same_moves_beside_it(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = random_model("2x2:LI", size=9)
    other.save(tmp_path / "other", "a card")
    options = {"move": MOVE, "best": 1, "beside": str(tmp_path / "other")}
    first, second = printed_json(capsys, str(folder), GAMES, **options)
    assert first["moves"][0]["vertex"] == second["moves"][0]["vertex"] == "E5"
    assert list(second["moves"][0]["by_set"]) == ["2x2:LI"]


def test_the_picture_shows_board_changes_and_legend(folder: Path, tmp_path: Path) -> None:
    picture = tmp_path / "move.svg"
    explain(str(folder), GAMES, move=MOVE, best=1, count=4, svg=picture, details=True)
    words = texts_of(picture)
    assert any("change of value at its point" in text for text in words)
    assert "better" in words
    assert sum("together: log-odds after less those before" in text for text in words) == 2
    names = [each.name for each in MODEL.sets]
    assert all(words.count(name) >= 2 for name in names)
    assert sum(text.endswith(" each") for text in words) == 8


def test_a_pass_changes_nothing(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    record = next(iter(read_games(GAMES)))
    last = len(record.moves)
    [shown] = printed_json(capsys, str(folder), GAMES, move=last, best=0)
    [move] = shown["moves"]
    assert (move["vertex"], move["changes"]) == ("pass", [])
    assert move["units_before"] == move["units_after"]
    explain(str(folder), GAMES, move=last, best=0, svg=folder / "pass.svg")
    assert f"Move {last} of gnugo9.sgf: White pass" in capsys.readouterr().out
    assert "White pass, played, not considered" in texts_of(folder / "pass.svg")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("nowhere-at-all", str(GAMES), "--move", "1"), "nowhere-at-all"),
        (("MODEL", "no-such.sgf", "--move", "1"), "cannot read no-such.sgf"),
        (("MODEL", str(GAMES), "--move", "999"), "there is no move 999: the game has moves 1 to"),
        (("MODEL", str(GAMES), "--move", "0"), "there is no move 0: the game has moves 1 to"),
        (("MODEL", str(GAMES), "--move", "5", "--game", "61"), "holds 60 games"),
        (("MODEL", str(GAMES), "--move", "5", "--best", "-1"), "--best -1: use 0 to"),
        (("MODEL", str(GAMES), "--move", "5", "--count", "0"), "--count 0: use 1 to"),
        (("SMALL", str(GAMES), "--move", "5"), "is for 5x5 boards, the game is 9x9"),
    ],
)
def test_bad_input_is_one_clear_line(folder: Path, arguments: tuple[str, ...], words: str) -> None:
    small = folder.parent / "small"
    random_model("1x1:LI", size=5).save(small, "a card")
    given = [each.replace("MODEL", str(folder)).replace("SMALL", str(small)) for each in arguments]
    assert words in complaint("explain", *given)


def test_without_details_the_loss_comes_first_and_no_units(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    explain(str(folder), GAMES, move=MOVE, best=1)
    text = capsys.readouterr().out
    assert "units" not in text
    assert "log-odds" not in text
    assert re.search(r"Black E5, played.*\n(loses \d+\.\d% against|wins \d+\.\d%: no move)", text)
    assert re.search(r"rank 1 of \d+\nwins \d+\.\d%: no move is better", text)
    assert re.search(r"^[+-]\d+\.\d%", text, re.MULTILINE)


def test_the_loss_is_that_against_the_best_move(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    [shown] = printed_json(capsys, str(folder), GAMES, move=MOVE, best=81)
    best = max(move["chance_after"] for move in shown["moves"])
    for move in shown["moves"]:
        assert move["loss"] == pytest.approx(best - move["chance_after"])


def test_without_a_number_the_last_stone_is_meant(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record = next(iter(read_games(GAMES)))
    last = max(n for n, point in enumerate(record.moves.tolist(), 1) if point != PASS)
    [shown] = printed_json(capsys, str(folder), GAMES, best=0)
    assert shown["move"] == last
    assert last < len(record.moves)


@pytest.mark.parametrize("color", [BLACK, WHITE])
def test_stones_have_their_true_colours_whoever_moves(color: int) -> None:
    game = Game(9)
    game.play(opponent(color), point_from_vertex("E5", 9))
    model = random_model("2x1:LI", size=9)
    reading = read_move(ShapeReader(model), game, color, point_from_vertex("E4", 9))
    shape = next(
        change.shape
        for change in reading.changes
        if sorted(stone.owner for row in change.shape.rows for stone in row) == [OWN, OTHER]
    )
    [row] = shape.rows if len(shape.rows) == 1 else [[each for [each] in shape.rows]]
    black_first = (row[0].owner == OWN) == (color == BLACK)
    drawing = Drawing("")
    draw_shape(drawing, shape, 9, (0.0, 0.0), own=color)
    fills = [mark.fill for mark in drawing.marks if isinstance(mark, Disc)]
    assert fills == [BLACK_STONE, WHITE_STONE][:: 1 if black_first else -1]
    letters = shape_code(shape, symbols_for(color, is_ascii=True)).replace("/", "")
    assert letters == ("XO" if black_first else "OX")
