"""`katachi territory` as a person runs it."""

import io
import json
import re
import struct
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from katachi.errors import KatachiError
from katachi.evaluators.protocol import Evaluation
from katachi.evaluators.simple import AverageLiberties
from katachi.interfaces.cli.explain import territory
from katachi.interfaces.console import Console
from katachi.interfaces.views.board_text import BLACKS, legend_of, render_territory
from katachi.pictures import drawing
from katachi.pictures.boards import BOARD
from katachi.records.conversion import game_from_record
from katachi.records.sgf import read_games
from katachi.rules.color import BLACK, WHITE
from katachi.rules.game import Game
from katachi.rules.point import PASS, point_from_vertex
from katachi.rules.state import BoardState, colors_of
from katachi.search.territory_views import read_territory, source_line
from tests.interfaces.test_cli import GAMES, complaint, run
from tests.interfaces.test_cli_shapes import texts_of

MOVE = 23


class StoneOwner:
    """Gives each side the points of its stones and calls the rest even."""

    name = "stone owner"

    def evaluate(self, states: BoardState) -> Evaluation:
        colors = colors_of(states.words)
        chances = np.where(colors == BLACK, 1.0, np.where(colors == WHITE, 0.0, 0.5))
        return Evaluation(np.full(len(colors), 0.5), chances.astype(np.float32))


def position() -> Game:
    return game_from_record(next(iter(read_games(GAMES))), MOVE - 1)


def printed_json(capsys: pytest.CaptureFixture[str], *arguments: Any, **options: Any) -> Any:
    territory(*arguments, json=True, **options)
    return json.loads(capsys.readouterr().out)


def console(**options: Any) -> Console:
    return Console(file=io.StringIO(), width=100, **options)


def test_all_four_boards_are_drawn() -> None:
    done = run("territory", str(GAMES), "--move", str(MOVE))
    assert done.returncode == 0, done.stderr
    for words in (
        "Move 23 of gnugo9.sgf: Black E5",
        "as territory sees it",
        "after Black E5",
        "after a pass",
        "difference: Black E5 less pass",
    ):
        assert words in done.stdout
    assert done.stdout.count("A   B   C   D   E   F   G   H   J") == 4


def test_a_move_changes_what_the_evaluator_says_it_does() -> None:
    game = position()
    point = point_from_vertex("E5", 9)
    reading = read_territory(StoneOwner(), game, BLACK, point)
    assert reading.is_known
    assert np.array_equal(reading.now.chances, reading.after_pass.chances)
    change = reading.difference.chances
    assert change[40] == 0.5
    assert np.count_nonzero(change) == 1
    assert reading.difference.leanings[40] == 1.0
    assert reading.after_move.points == reading.now.points + 0.5
    assert len(game.moves) == MOVE - 1
    assert source_line("me", reading) == "as me sees it"


def test_random_continuations_stand_in_for_ownership() -> None:
    reading = read_territory(AverageLiberties(), position(), BLACK, point_from_vertex("E5", 9))
    assert not reading.is_known
    assert 0.0 <= reading.now.chances.min() < reading.now.chances.max() <= 1.0
    assert reading.difference.chances[40] > 0.1


def test_a_pass_changes_nothing() -> None:
    reading = read_territory(StoneOwner(), position(), WHITE, PASS)
    assert not reading.difference.chances.any()
    assert not reading.difference.leanings.any()
    assert reading.after_move.title == "after White pass"


def test_json_has_the_documented_form(capsys: pytest.CaptureFixture[str]) -> None:
    shown = printed_json(capsys, GAMES, move=MOVE, player="alp")
    assert [shown[key] for key in ("player", "source", "size", "move", "color", "vertex")] == [
        *("alp", "playouts", 9, MOVE, "black", "E5")
    ]
    boards = {}
    for name in ("now", "after_move", "after_pass", "difference"):
        boards[name] = np.array(shown[name]["ownership"])
        assert boards[name].shape == (9, 9)
        assert shown[name]["points"] == pytest.approx(boards[name].sum())
    change = boards["after_move"] - boards["after_pass"]
    assert boards["difference"] == pytest.approx(change)


def test_a_terminal_with_colours_gets_shades_and_others_numbers() -> None:
    reading = read_territory(StoneOwner(), position(), BLACK, point_from_vertex("E5", 9))
    plain, bright = console(), console(color_system="truecolor", force_terminal=True)
    numbers = render_territory(plain, reading.after_move).plain
    assert "X99 " in numbers
    assert "O0 " in numbers
    assert ".50 " in numbers
    assert " +50 " in render_territory(plain, reading.difference).plain
    rows = [line[3:] for line in numbers.splitlines()[3:12]]
    assert all(len(row.split()) == 9 for row in rows)
    shades = render_territory(bright, reading.after_move)
    assert "100" not in shades.plain
    assert len({str(span.style) for span in shades.spans}) >= 4
    assert legend_of(plain) != legend_of(bright)


def test_the_picture_shows_four_boards_with_squares(tmp_path: Path) -> None:
    picture = tmp_path / "territory.svg"
    territory(GAMES, move=MOVE, player="alp", svg=picture)
    words = texts_of(picture)
    assert {"now", "after Black E5", "after a pass", "difference: Black E5 less pass"} <= set(words)
    assert any("4,096 random continuations" in text for text in words)
    assert picture.read_text().count("<rect") > 4 * 60


def test_the_largest_usual_board_fits_a_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "large.sgf"
    file.write_bytes(b"(;SZ[19];B[pd])")
    monkeypatch.setenv("COLUMNS", "80")
    territory(file, move=1, player="alp")
    assert max(map(len, capsys.readouterr().out.splitlines())) <= 80


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"move": 0}, "there is no move 0: the game has moves 1 to"),
        ({"move": 999}, "there is no move 999: the game has moves 1 to"),
        ({"move": 5, "game": 61}, "holds 60 games"),
        ({"move": 5, "player": "nobody"}, "no player 'nobody'"),
        ({"move": 5, "player": "playouts"}, "'playouts' has no opinion"),
        ({"move": 5, "player": "shape:shape5"}, "is for 5x5 boards, not 9x9"),
    ],
)
def test_bad_input_is_one_clear_line(options: dict[str, Any], words: str) -> None:
    with pytest.raises(KatachiError) as caught:
        territory(GAMES, **options)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_board_too_small_for_the_net_is_one_clear_line(tmp_path: Path) -> None:
    file = tmp_path / "tiny.sgf"
    file.write_bytes(b"(;SZ[2];B[aa])")
    with pytest.raises(KatachiError, match=r"^propensity needs a board of 3x3 or more, not 2x2$"):
        territory(file, move=1)


def test_a_png_is_written_or_what_is_missing_is_said(tmp_path: Path) -> None:
    picture = tmp_path / "territory.png"
    if find_spec("matplotlib") is None:
        message = "^a PNG needs matplotlib: install katachi's extra `plots`"
        with pytest.raises(KatachiError, match=message):
            territory(GAMES, move=MOVE, player="influence", png=picture)
        assert not picture.exists()
        return
    territory(GAMES, move=MOVE, player="influence", png=picture)
    data = picture.read_bytes()
    assert data.startswith(b"\x89PNG")
    assert min(struct.unpack(">II", data[16:24])) > 2 * BOARD


def test_a_file_that_is_none_is_one_clear_line() -> None:
    assert "cannot read no-such.sgf" in complaint("territory", "no-such.sgf", "--move", "1")


def test_columns_are_apart_on_the_largest_usual_board() -> None:
    view = read_territory(StoneOwner(), Game(19), BLACK, point_from_vertex("D4", 19)).after_move
    lines = render_territory(console(), view).plain.splitlines()[3:22]
    assert all(len(line[3:].split()) == 19 for line in lines)
    assert max(map(len, lines)) <= 80


def test_the_score_counts_komi() -> None:
    game = position()
    game.komi = 10.0
    view = read_territory(StoneOwner(), game, BLACK, point_from_vertex("E5", 9)).now
    lead = 2 * view.points - 81 - 10.0
    assert view.score == f"{'B' if lead >= 0 else 'W'}+{abs(lead):.1f}"
    assert view.summary.endswith(f"and 10: {view.score}")


def test_without_a_number_the_last_stone_is_meant(capsys: pytest.CaptureFixture[str]) -> None:
    record = next(iter(read_games(GAMES)))
    shown = printed_json(capsys, GAMES, player="alp")
    assert shown["move"] == max(np.flatnonzero(record.moves != PASS)) + 1
    assert shown["komi"] == record.komi


def test_colours_are_those_of_the_picture_and_none_where_they_are_forbidden(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert f"#{bytes(BLACKS).hex()}" == drawing.BLACKS
    picture = tmp_path / "territory.svg"
    territory(GAMES, move=MOVE, player="alp", svg=picture)
    assert {drawing.BLACKS, drawing.WHITES} <= set(
        re.findall(r'fill="(#\w+)"', picture.read_text())
    )
    monkeypatch.setenv("NO_COLOR", "1")
    forbidden = console(color_system="truecolor", force_terminal=True)
    assert legend_of(forbidden).startswith("X Black, O White")
