"""What evaluators see, over a real connection."""

from typing import Any

import pytest

from katachi.evaluators.shape_reading import ShapeReader, read_move
from katachi.evaluators.shipped import load_shape
from katachi.features.units import UNIT
from katachi.records.sgf import read_games
from katachi.rules.color import BLACK
from katachi.rules.game import Game
from katachi.rules.point import point_from_vertex
from tests.interfaces.web.conftest import Page

GAME: dict[str, Any] = {"size": 5, "moves": ["C3", "D3", "C4", "D2"], "komi": 0.5}
NINE = {"size": 9, "moves": ["E5", "E4", "D4", "F4", "E3"]}


def played(moves: list[str], size: int) -> Game:
    game = Game(size, 0.5)
    for vertex in moves:
        game.play(game.to_play, point_from_vertex(vertex, size))
    return game


def test_candidates_are_blacks_and_ordered(page: Page) -> None:
    for moves, mover in ((GAME["moves"], "black"), (["C3"], "white")):
        found = page.ask("analyse", game={**GAME, "moves": moves}, evaluator="shape", count=5)
        assert found["to_play"] == mover
        assert found["unit"] == "chance"
        assert found["lead"] is None
        assert not found["is_estimate"]
        rates = [each["win_rate"] for each in found["candidates"]]
        assert rates == sorted(rates, reverse=mover == "black")
        assert found["win_rate"] == rates[0]
        assert found["candidates"][0]["loss"] == 0
        assert len(found["candidates"]) == 5
        assert all(0 <= chance <= 1 for row in found["ownership"] for chance in row)


def test_an_evaluator_of_owners_has_leads(page: Page) -> None:
    first, last = page.answers("analyse", game=NINE, evaluator="territory")
    found = last["result"]
    assert first["part"]["ownership"][0] == pytest.approx(found["ownership"][0], abs=1e-6)
    assert found["unit"] == "points"
    assert found["is_estimate"]
    assert found["lead"] == found["candidates"][0]["lead"]
    assert len(found["candidates"]) == 10
    assert found["candidates"][0]["line"][0] == found["candidates"][0]["vertex"]


def test_territory_differs_by_what_a_move_changes(page: Page) -> None:
    found = page.ask("territory", game=GAME, evaluator="alp", vertex="B2")
    for row, col in ((0, 0), (3, 1)):
        after, passed, difference = (
            found[name]["ownership"][row][col]
            for name in ("after_move", "after_pass", "difference")
        )
        assert difference == pytest.approx(after - passed)
    assert "random continuations" in found["source"]
    assert page.refusal("territory", game=GAME, evaluator="alp", vertex="C3") == (
        "black C3 is illegal: occupied",
        "vertex",
    )


def test_reasons_by_shapes_add_up_exactly(page: Page) -> None:
    found = page.ask("explain", game=GAME, evaluator="shape", vertex="B2", count=3)
    shapes = found["shapes"]
    assert found["territory"] is None
    assert shapes["logit_after"] - shapes["logit_before"] == shapes["total"]
    assert sum(each["change"] for each in shapes["changes"]) + shapes["rest"] == shapes["total"]
    assert sum(each["change"] for each in shapes["sets"]) == shapes["total"]
    game = played(GAME["moves"], 5)
    reader = ShapeReader(load_shape("shape5"))
    reading = read_move(reader, game, BLACK, point_from_vertex("B2", 5))
    assert shapes["total"] == reading.difference * UNIT
    change = shapes["changes"][0]
    assert change["change"] == change["each"] * change["more"]
    for window in change["windows"]:
        assert 0 <= window["row"] <= 5 - window["height"]
        assert 0 <= window["col"] <= 5 - window["width"]
    came = sum(window["came"] for window in change["windows"])
    assert change["more"] == 2 * came - len(change["windows"])


def test_reasons_by_owners_name_the_points_that_change_hands(page: Page) -> None:
    found = page.ask("explain", game=NINE, evaluator="territory", vertex="D3")
    assert found["shapes"] is None
    assert found["unit"] == "points"
    assert found["color"] == "white"
    hands = found["territory"]
    before, after = hands["ownership_before"], hands["ownership_after"]
    assert sum(map(sum, after)) == pytest.approx(hands["points_after"])
    row, col = 9 - 3, 3
    assert after[row][col] < before[row][col]
    assert found["reply"]["vertex"]
    assert found["best"]["lead"] <= found["reply"]["lead"] + 100
    assert found["loss"] >= 0


def test_a_review_has_a_part_for_each_move(page: Page) -> None:
    *parts, last = page.answers("review", game=GAME, evaluator="shape")
    assert [each["part"]["number"] for each in parts] == [0, 1, 2, 3, 4]
    assert parts[0]["part"].keys() == {"number", "win_rate", "lead"}
    assert [each["part"]["vertex"] for each in parts[1:]] == GAME["moves"]
    result = last["result"]
    numbers = [each["number"] for each in result["mistakes"]]
    assert numbers == sorted(numbers)
    assert result["unit"] == "chance"
    assert set(result["mean_loss"]) == {"black", "white"}


def test_an_annotated_game_can_be_read(page: Page) -> None:
    *parts, last = page.answers("annotate", game=GAME, evaluator="shape", players={"black": "a"})
    assert len(parts) == 5
    text = last["result"]["text"]
    record = next(iter(read_games(text.encode())))
    assert len(record.moves) == 4
    assert record.texts.black == "a"
    assert "SBKV" in text


@pytest.mark.parametrize("op", ["analyse", "territory", "explain", "review", "annotate"])
def test_wrong_requests_are_refused(page: Page, op: str) -> None:
    vertex = {"vertex": "A1"} if op in ("territory", "explain") else {}
    good = {"game": GAME, "evaluator": "alp", **vertex}
    for wrong, field in (
        ({**good, "evaluator": "nobody"}, "evaluator"),
        ({**good, "evaluator": "gnugo"}, "evaluator"),
        ({**good, "evaluator": "../x"}, "evaluator"),
        ({**good, "evaluator": "crbm", "game": {"size": 13, "moves": ["A2"]}}, "evaluator"),
        ({**good, "game": {"size": 5, "moves": ["A1", "A1"]}}, "game.moves"),
        ({**good, "other": 1}, "other"),
    ):
        text, named = page.refusal(op, **wrong)
        assert named == field
        assert "wrong inside" not in text


def test_a_game_without_moves_has_no_review(page: Page) -> None:
    text, field = page.refusal("review", game={"size": 5}, evaluator="alp")
    assert (text, field) == ("the game has no moves to review", "game.moves")
