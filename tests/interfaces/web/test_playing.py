"""The operations of a game, over a real connection."""

import shutil
from pathlib import Path

import pytest

from katachi.files.shipped_folders import find_model
from katachi.rules.diagram import colors_from_diagram
from tests.interfaces.web.conftest import Page, RunningSite, wait_until

KO = ["B4", "C4", "A3", "D3", "B2", "C2", "C3", "B3"]
"""White has just taken in a ko at C3."""
DONE = ["C1", "D1", "C2", "D2", "C3", "D3", "C4", "D4", "C5", "D5", "pass", "pass"]
"""A wall down the middle of 5x5, and two passes."""


def game(*moves: str, size: object = 5, **fields: object) -> dict[str, object]:
    return {"size": size, "moves": list(moves), **fields}


def test_hello_says_who_can_be_asked(page: Page) -> None:
    hello = page.ask("hello")
    assert hello["api"] == 1
    assert hello["sizes"] == list(range(5, 20))
    assert hello["compiling"] is None
    assert hello["default_player"] in {player["name"] for player in hello["players"]}
    assert {"territory", "shape", "alp"} <= {each["name"] for each in hello["evaluators"]}
    assert {player["group"] for player in hello["players"]} >= {"learned", "search", "simple"}
    assert hello["example_games"]


def test_status_says_what_is_compiled(page: Page) -> None:
    assert page.ask("status") == {"compiling": None}


def test_a_position_has_its_stones_and_its_legal_moves(page: Page) -> None:
    found = page.ask("position", game=game("C3", "D3", black=["A1"], komi=0.5))["position"]
    colors, _ = colors_from_diagram(".....\n.....\n..XO.\n.....\nX....")
    assert [point for row in found["stones"] for point in row] == colors.tolist()
    assert found["to_play"] == "black"
    assert found["last"] == "D3"
    assert found["number"] == 2
    assert len(found["legal"]) == 22
    assert "A1" not in found["legal"]
    assert not found["is_over"]


def test_a_ko_is_named(page: Page) -> None:
    found = page.ask("position", game=game(*KO))["position"]
    assert found["captures"] == {"black": 0, "white": 1}
    assert found["ko"] == "C3"
    assert "C3" not in found["legal"]


def test_colours_need_not_alternate(page: Page) -> None:
    found = page.ask("position", game=game("b:C3", "b:D3", first="white"))["position"]
    assert found["to_play"] == "white"
    assert sum(map(sum, found["stones"])) == 2


@pytest.mark.parametrize(
    ("wrong", "field", "words"),
    [
        (game("C3", "C3"), "game.moves", "move 2"),
        (game("Z9"), "game.moves", "Z9"),
        (game("x:C3"), "game.moves", "write D4 or b:D4"),
        (game(*KO, "C3"), "game.moves", "ko"),
        (game(black=["C3", "C3"]), "game.black", "two setup stones"),
        (game(white=["pass"]), "game.white", "no point"),
        (game(size=1), "game.size", "2"),
        (game(size=20), "game.size", "19"),
        (game(size="9"), "game.size", "int"),
        (game(komi=1e9), "game.komi", "1000"),
        (game(first="red"), "game.first", "red"),
        (game(*["pass"] * 2001), "game.moves", "2000"),
        (game(name="x"), "game.name", "unknown field"),
        ({"moves": []}, "game.size", "missing required field"),
        ([], "game", "object"),
    ],
)
def test_a_wrong_game_is_refused_with_its_field(
    page: Page, wrong: object, field: str, words: str
) -> None:
    text, named = page.refusal("position", game=wrong)
    assert named == field
    assert words in text


def test_a_record_may_break_the_rules_of_play(page: Page) -> None:
    suicide = ["B1", "A1", "B2", "E5", "A3", "A2"]
    assert "suicide" in page.refusal("position", game=game(*suicide))[0]
    found = page.ask("position", game=game(*suicide, record=True))
    assert found["position"]["number"] == 6


def test_handicap_stones_have_fixed_places(page: Page) -> None:
    assert page.ask("handicap", size=9, count=4)["stones"] == ["C3", "G7", "C7", "G3"]
    assert page.refusal("handicap", size=8, count=9) == (
        "at most 4 handicap stones have fixed places on 8x8",
        "count",
    )
    assert page.refusal("handicap", size=9, count=1)[1] == "count"


@pytest.mark.parametrize("player", ["random", "alp", "shape", "playouts:2"])
def test_a_player_answers(page: Page, player: str) -> None:
    found = page.ask("move", game=game("C3"), player=player, seconds=0.05)
    assert found["position"]["number"] == 2
    assert found["position"]["last"] == found["vertex"]
    assert found["result"] is None
    rate = found["win_rate"]
    assert rate is None or 0 <= rate <= 1


def test_a_pass_in_a_won_game_is_answered_by_a_pass_and_counted(page: Page) -> None:
    found = page.ask("move", game=game(*DONE[:-1], komi=0.5), player="random")
    assert found["vertex"] == "pass" or found["result"] is None
    won = page.ask("move", game=game(*DONE[:-1], komi=20.5), player="random")
    assert won["vertex"] == "pass"
    assert won["result"]["result"] == "W+15.5"
    assert won["position"]["is_over"]


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"game": game(*DONE), "player": "alp"}, "game.moves"),
        ({"game": game("C3", "C3"), "player": "alp"}, "game.moves"),
        ({"game": game(size=4), "player": "alp"}, "game.size"),
        ({"game": game(), "player": "nobody"}, "player"),
        ({"game": game(), "player": "/etc"}, "player"),
        ({"game": game(), "player": "gtp:sh -c ls"}, "player"),
        ({"game": game(), "player": "rlgo:/etc/passwd"}, "player"),
        ({"game": game(), "player": "shape:../../x"}, "player"),
        ({"game": game(), "player": "playouts:100000"}, "player"),
        ({"game": game(), "player": "linear9:linear9"}, "player"),
        ({"game": game(), "player": "alp", "seconds": 11}, "seconds"),
        ({"game": game(), "player": ""}, "player"),
        ({"game": game()}, "player"),
    ],
)
def test_a_wrong_move_request_is_refused(
    page: Page, fields: dict[str, object], field: str | None
) -> None:
    text, named = page.refusal("move", **fields)
    assert named == field
    assert "\n" not in text
    assert "wrong inside" not in text


def test_a_page_keeps_few_players(server: RunningSite, page: Page) -> None:
    for name in ("random", "alp", "influence", "playouts:1", "playouts:2", "playouts:3"):
        page.ask("move", game=game(), player=name)
    assert all(len(client.own) <= 4 for client in server.site.pages)


def test_a_score_counts_dead_stones_as_named(page: Page) -> None:
    with_stone = game(*DONE, white=["A1"], komi=0.5)
    proposed = page.ask("score", game=with_stone)
    assert proposed["dead"] == ["A1"]
    assert (proposed["black"], proposed["white"]) == (15, 10)
    assert proposed["result"] == "B+4.5"
    assert "Black wins by 4.5 points" in proposed["text"]
    alive = page.ask("score", game=with_stone, dead=[])
    assert alive["owners"][4][:2] == [2, 0]
    assert alive["result"] != "B+4.5"
    whole = page.ask("score", game=with_stone, dead=["D3"])
    assert whole["dead"] == ["D5", "D4", "D3", "D2", "D1"]
    assert page.refusal("score", game=with_stone, dead=["B2"]) == (
        "there is no stone on B2",
        "dead",
    )


def test_gnugo_plays_and_ends_with_its_page(server: RunningSite, gnugo: str) -> None:
    assert gnugo
    with server.page() as page:
        found = page.ask("move", game=game("C3", size=9), player="gnugo:1")
        assert found["position"]["number"] == 2
        programs = [each.program for each in server.site.hall.shared["engines"]]
        assert [each.is_running for each in programs] == [True]
    assert wait_until(lambda: not programs[0].is_running)


def test_few_programs_play_at_once(page: Page, gnugo: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert gnugo
    monkeypatch.setattr("katachi.interfaces.web.offers.MOST_ENGINES", 0)
    text, field = page.refusal("move", game=game(), player="phases:5:alp,gnugo:1")
    assert "too many programs" in text
    assert field == "player"


def test_a_number_is_no_folder(page: Page, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(find_model("shape9"), tmp_path / "2007")
    monkeypatch.chdir(tmp_path)
    for name in ("shape:2007", "2007", "search:2:shape:2007", "gibbs:2007"):
        text, field = page.refusal("move", game=game(size=9), player=name)
        assert field == "player"
        assert "2007" in text
    assert page.ask("move", game=game(size=9), player="search:1:shape:shape9", seconds=0.01)
