"""`katachi review` as a person runs it."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sgfmill import sgf

from katachi.errors import KatachiError
from katachi.evaluators.protocol import Evaluation
from katachi.evaluators.simple import AverageLiberties
from katachi.interfaces.cli.review import review
from katachi.pictures.review import reason_for, score_curve
from katachi.players.roster import make_evaluator
from katachi.records.conversion import game_from_record
from katachi.records.sgf import read_games
from katachi.rules.color import BLACK, WHITE
from katachi.rules.game import Game
from katachi.rules.point import PASS, point_from_vertex, vertex_from_point
from katachi.rules.state import BoardState, colors_of
from katachi.search.analysis import mover_values
from katachi.search.review import (
    GameReview,
    Judgement,
    ReviewedMove,
    judge_start,
    review_move,
    review_moves,
)
from tests.interfaces.shown import Shown
from tests.interfaces.test_cli import GAMES
from tests.interfaces.test_cli_shapes import texts_of


class CentreOwner:
    """Gives whoever holds C3 three points more, and each stone its own point."""

    name = "centre owner"

    def evaluate(self, states: BoardState) -> Evaluation:
        colors = colors_of(states.words)
        chances = np.where(colors == BLACK, 1.0, np.where(colors == WHITE, 0.0, 0.5))
        centre = chances[:, 12].copy()
        chances[:, :3] = centre[:, None]
        return Evaluation(np.full(len(colors), 0.5), chances.astype(np.float32))


def recorded() -> Game:
    return game_from_record(next(iter(read_games(GAMES))))


def printed_json(capsys: pytest.CaptureFixture[str], **options: Any) -> Any:
    review(GAMES, json=True, **options)
    return json.loads(capsys.readouterr().out)


def test_a_loss_is_the_best_value_less_the_played_one() -> None:
    game, evaluator = recorded(), AverageLiberties()
    replayed = game.copy()
    for _ in game.moves:
        replayed.undo()
    for found in review_moves(evaluator, game):
        move = game.moves[found.number - 1]
        points = np.append(replayed.legal_moves(move.color), np.uint16(PASS))
        values = mover_values(evaluator, replayed, move.color, points)
        eyeless = [not replayed.board.is_eye(p, move.color) for p in points[:-1]] + [True]
        played = values[points.tolist().index(move.point)]
        assert found.loss == pytest.approx(max(values[eyeless].max(), played) - played)
        assert found.loss >= 0
        assert (found.rank == 1) == (found.loss == 0)
        replayed.play(move.color, move.point)


@pytest.mark.parametrize("color", [BLACK, WHITE])
def test_losses_are_points_of_the_mover_where_owners_are_known(color: int) -> None:
    game = Game(5, komi=0.5)
    best = review_move(CentreOwner(), game, 1, color, point_from_vertex("C3", 5))
    assert (best.loss, best.rank, best.best) == (0.0, 1, best.played)
    worse = review_move(CentreOwner(), game, 1, color, point_from_vertex("A1", 5))
    assert vertex_from_point(worse.best.point, 5) == "C3"
    assert worse.loss == pytest.approx(3.0)  # three points, from nobody's to the mover's
    assert worse.best.lead == pytest.approx(3.5 if color == BLACK else -4.5)


def test_the_largest_mistakes_of_each_side_come_first() -> None:
    game, evaluator = recorded(), make_evaluator("shape")
    found = GameReview(judge_start(evaluator, game), list(review_moves(evaluator, game)))
    for color in (BLACK, WHITE):
        losses = [move.loss for move in found.mistakes(color, 3)]
        assert losses == sorted(losses, reverse=True)
        assert losses[0] == max(move.loss for move in found.by(color))
    numbers = [move.number for move in found.all_mistakes(3)]
    assert numbers == sorted(numbers)


def test_course_and_mistakes_are_printed_in_80_columns(shown: Shown) -> None:
    shown.patch.setenv("COLUMNS", "80")
    text = shown.by("review", str(GAMES), "-p", "shape")
    for words in (
        "Review of gnugo9.sgf",
        "Black's chance to win",
        "Black's largest mistakes",
        "White's largest mistakes",
        "of winning; better",
        "mean loss",
    ):
        assert words in text
    lines = [line for line in text.splitlines() if "first start" not in line]
    assert max(map(len, lines)) <= 80


def test_territory_says_which_points_change_hands(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    short = tmp_path / "short.sgf"
    short.write_bytes(b"(;SZ[5]KM[0.5];B[cc];W[aa];B[bb];W[dd])")
    picture, annotated = tmp_path / "r.svg", tmp_path / "r.sgf"
    review(short, svg=picture, sgf=annotated)
    text = capsys.readouterr().out
    assert "Black's lead in points" in text
    assert "points; better" in text
    assert "these would be" in text or "these are likelier" in text
    words = " ".join(texts_of(picture))
    assert "Black's lead in points, after each move" in words
    assert "Ring: the move that was played." in words
    assert picture.read_text().count("<circle") > 3


def test_what_two_searches_differ_by_on_open_points_is_no_reason() -> None:
    game, better, worse = Game(5), np.full(25, 0.52), np.full(25, 0.48)

    def why() -> list[str]:
        played, best = (
            Judgement(point_from_vertex(name, 5), 0.5, 0.0, 20, (), owners)
            for name, owners in (("A1", worse), ("C3", better))
        )
        move = ReviewedMove(1, BLACK, played, best, 2.0, 2, 9)
        return reason_for(AverageLiberties(), game, move).lines

    visits = ["C3: 20 visits", "A1: 20 visits"]
    assert why() == ["the difference is spread over the board", *visits]
    better[0] = 0.6
    assert why() == ["after C3 these would be Black's: A5", *visits]


def test_a_tree_search_shows_its_visits_and_what_it_expects(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    short, annotated = tmp_path / "short.sgf", tmp_path / "r.sgf"
    short.write_bytes(b"(;SZ[5]KM[0.5];B[aa];W[ee];B[cc];W[ea])")
    review(short, player="tree:40:alp", sgf=annotated, json=True)
    shown = json.loads(capsys.readouterr().out)
    for move in shown["moves"]:
        assert 0 <= move["visits"] <= 40
        assert move["best"]["visits"] >= 1
        assert all(isinstance(vertex, str) for vertex in move["line"])
    worst = max(shown["moves"], key=lambda move: move["loss"])
    expected, seen = worst["best"]["line"], worst["best"]["visits"]
    assert expected
    (why,) = (each["why"] for each in shown["mistakes"] if each["number"] == worst["number"])
    assert f"{worst['best']['vertex']}: {seen} visits, expects {' '.join(expected[:6])}" in why
    node = sgf.Sgf_game.from_bytes(annotated.read_bytes()).get_main_sequence()[worst["number"]]
    better = list(node.parent)[1]  # type: ignore[arg-type, unused-ignore]
    colors, names = [], []
    while better is not None:
        color, spot = better.get_move()
        colors.append(color)
        names.append("pass" if spot is None else f"{'ABCDE'[spot[1]]}{spot[0] + 1}")
        better = better[0] if len(better) else None
    assert names == [worst["best"]["vertex"], *expected]
    assert colors == [
        ("b", "w")[(worst["color"] == "white") ^ (at % 2)] for at in range(len(names))
    ]


def test_other_programs_can_read_the_annotated_game(tmp_path: Path) -> None:
    file = tmp_path / "r.sgf"
    review(GAMES, player="shape", sgf=file, top=2)
    game = sgf.Sgf_game.from_bytes(file.read_bytes())
    [*nodes] = game.get_main_sequence()
    moves = recorded().moves
    assert [node.get_move()[0] for node in nodes[1 : 1 + len(moves)]] == [
        "b" if move.color == BLACK else "w" for move in moves
    ]
    assert all("Black wins" in node.get("C") for node in nodes[1 : 1 + len(moves)])
    assert all(0 <= float(node.get_raw("SBKV")) <= 100 for node in nodes[1 : 1 + len(moves)])
    bad = [node for node in nodes[1:] if node.has_property("BM")]
    assert 1 <= len(bad) <= 4
    for node in bad:
        [_, better] = list(node.parent)  # type: ignore[arg-type, unused-ignore]
        assert better.has_property("TE")
        assert better.get_move()[0] == node.get_move()[0]
        assert better.get_move()[1] != node.get_move()[1]
        assert "better" in node.get("C")
    again = next(iter(read_games(file)))
    assert again.moves.tolist() == [move.point for move in moves]
    assert again.texts.black


def test_json_has_the_documented_form(capsys: pytest.CaptureFixture[str]) -> None:
    shown = printed_json(capsys, player="alp", game=2, top=1)
    assert set(shown) == {"player", "size", "komi", "unit", "start", "moves", "mistakes"}
    assert shown["unit"] == "chance"
    for number, move in enumerate(shown["moves"], 1):
        assert move["number"] == number
        assert move["loss"] >= 0
        assert {"vertex", "win_rate", "lead"} <= set(move["best"])
    assert {each["number"] for each in shown["mistakes"]} <= set(range(1, len(shown["moves"]) + 1))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"game": 61}, "holds 60 games"),
        ({"player": "nobody"}, "no player 'nobody'"),
        ({"player": "playouts"}, "has no opinion of single positions"),
        ({"player": "territory:moves9"}, "predicts moves and judges no positions"),
        ({"player": "shape:shape5"}, "is for 5x5 boards"),
        ({"top": -1}, "--top -1: use 0 to"),
        ({"sgf": GAMES}, "the game itself is there, choose another file"),
    ],
)
def test_bad_input_is_one_clear_line(options: dict[str, Any], words: str) -> None:
    with pytest.raises(KatachiError) as caught:
        review(GAMES, **options)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_game_without_moves_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "empty.sgf"
    file.write_bytes(b"(;SZ[9])")
    with pytest.raises(KatachiError, match="the game has no moves to review"):
        review(file, player="alp")


def test_the_curve_rises_for_black_and_falls_for_white() -> None:
    lines = score_curve([2.0, 1.0, -2.0], ("top", "0", "low"), 80, is_ascii=True)
    assert lines[0] == "   top |#"
    assert lines[4] == "     0 |---"
    assert lines[-1] == "   low |  #"
    assert max(map(len, score_curve([1.0] * 500, ("", "", ""), 80, is_ascii=False))) <= 80
