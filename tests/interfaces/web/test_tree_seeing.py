"""Trees that grow for what a page shows: visits, lines, owners, and how they end."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from katachi.interfaces.web import trees
from katachi.interfaces.web.messages import GameMessage, game_from_message
from katachi.interfaces.web.operations import OPERATIONS, RequestError
from katachi.players.roster import make_evaluator
from katachi.players.tree import TreePlayer
from katachi.rules.game import Game
from katachi.rules.point import vertex_from_point
from katachi.search.analysis import Analysis
from katachi.search.tree_leaves import judge_for_play
from katachi.search.tree_limits import Goal, TreeLimits
from katachi.search.tree_search import TreeSearch
from tests.interfaces.web.asking import Asking
from tests.interfaces.web.conftest import Page, RunningSite, wait_until

NINE: dict[str, Any] = {"size": 9, "moves": ["E5", "E4", "D4", "F4", "E3"]}
EMPTY = {"size": 19}
LONG = "tree:2000"


@pytest.fixture
def asking(tmp_path: Path) -> Asking:
    """A page without a server."""
    return Asking(tmp_path)


def begin(asking: Asking, op: str, **fields: Any) -> Iterator[Any]:
    """The steps of an answer."""
    known = OPERATIONS[op]
    steps: Any = known.handle(msgspec.convert(fields, known.request), asking)
    return iter(steps)


def nine() -> Game:
    return game_from_message(msgspec.convert(NINE, GameMessage))


def player_by(name: str) -> TreePlayer:
    limits = TreeLimits(memory=trees.MEMORY)
    return TreePlayer("tree", TreeSearch(make_evaluator(name), limits, judge_for_play))


def found_by(player: TreePlayer, *visits: int) -> Analysis:
    """What a tree player says of the position after it has grown its tree to these visits."""
    game = nine()
    goals = (Goal(visits=each, is_for_move=False) for each in visits)
    return [player.analyse_to(goal, game, game.to_play) for goal in goals][-1]


def test_candidates_have_visits_and_lines_as_the_player_itself_says(asking: Asking) -> None:
    told = asking.ask("analyse", game=NINE, evaluator="tree:40", count=5)
    known = found_by(player_by("selfplay"), 16, 32, 40)
    assert (told["visits"], told["most_visits"]) == (40, 40)
    assert told["to_play"] == "white"
    assert told["win_rate"] == pytest.approx(1.0 - known.win_rate)
    assert np.ravel(told["ownership"]) == pytest.approx((1.0 - known.ownership) / 2.0)
    for each, candidate in zip(told["candidates"], known.candidates, strict=False):
        line = [vertex_from_point(point, 9) for point in (candidate.point, *candidate.line)]
        assert (each["visits"], each["line"]) == (candidate.visits, line)
        assert each["lead"] == pytest.approx(-(candidate.lead or 0.0))


def test_parts_say_what_is_known_so_far(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trees, "SECONDS_A_PART", 0.0)
    *parts, last = page.answers("analyse", game=NINE, evaluator="tree:50")
    assert [each["part"]["visits"] for each in parts] == [16, 32, 48]
    assert all(each["part"].keys() == last["result"].keys() for each in parts)
    assert last["result"]["visits"] == 50


def test_nobody_else_has_visits(page: Page) -> None:
    told = page.ask("analyse", game=NINE, evaluator="territory")
    assert told["visits"] is None
    assert {each["visits"] for each in told["candidates"]} == {None}


def test_trees_are_offered(page: Page) -> None:
    offers = {each["name"]: each for each in page.ask("hello")["evaluators"]}
    assert offers["tree"]["has_visits"]
    assert not offers["territory"]["has_visits"]
    for name, offer in offers.items():
        assert trees.is_tree(name) == offer["has_visits"]


@pytest.mark.parametrize("name", ["tree:alp", "tree:20:shape", "tree:20:territory:owners9"])
def test_names_say_visits_and_player(asking: Asking, name: str) -> None:
    visits = 20 if "20" in name else trees.VISITS
    assert asking.ask("analyse", game={"size": 9}, evaluator=name)["visits"] == visits


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("tree:nobody", "no player 'tree:nobody': 'nobody' is not known here"),
        ("tree:../x", "'../x' is not known here"),
        ("tree:tree", "PLAYER must be one of"),
        ("tree:territory:moves9", "moves9 predicts moves and judges no position: search by"),
        ("tree:opening", "PLAYER must be one of"),
        ("tree:0", "VISITS 1 to"),
        ("tree:2001", "tree:2001 would think too long: use at most 2000 visits"),
        ("tree:crbm", "9x9 boards, not 13x13"),
        ("search:shape", "has no opinion of single positions"),
    ],
)
def test_wrong_names_get_one_line(page: Page, name: str, line: str) -> None:
    for op in ("analyse", "review"):
        game = {"size": 13, "moves": ["A2"]}
        text, field = page.refusal(op, game=game, evaluator=name)
        assert line in text
        assert "\n" not in text
        assert field == "evaluator"


def test_territory_is_the_mean_over_three_trees(asking: Asking) -> None:
    told = asking.ask("territory", game=NINE, evaluator="tree:40", vertex="F3")
    known = found_by(player_by("selfplay"), 16, 32, 40)
    now = np.ravel(told["now"]["ownership"])
    assert now == pytest.approx((1.0 - known.ownership) / 2.0)
    after, passed = (np.ravel(told[name]["ownership"]) for name in ("after_move", "after_pass"))
    assert np.ravel(told["difference"]["ownership"]) == pytest.approx(after - passed)
    assert told["difference"]["points"] < 0  # a move of White
    assert told["source"].startswith("as tree:40 sees it")


def test_a_reason_names_the_best_move_the_answer_and_points(asking: Asking) -> None:
    told = asking.ask("explain", game=NINE, evaluator="tree:60", vertex="A1")
    assert told["unit"] == "points"
    assert told["loss"] > 3
    assert told["rank"] > 1
    assert told["best"]["vertex"] != "A1"
    assert told["best"]["lead"] < told["reply"]["lead"]  # Black's
    assert told["territory"]["points_after"] > told["territory"]["points_before"] - 1
    assert told["shapes"] is None
    best = told["best"]["vertex"]
    same = asking.ask("explain", game=NINE, evaluator="tree:60", vertex=best)
    assert (same["rank"], same["loss"]) == (1, 0)


def test_shapes_at_the_leaves_give_reasons_too(asking: Asking) -> None:
    told = asking.ask("explain", game=NINE, evaluator="tree:20:shape", vertex="A1")
    assert told["shapes"]["changes"]


def test_a_second_pass_has_no_answer(asking: Asking) -> None:
    game = {"size": 5, "moves": ["pass"]}
    assert asking.ask("explain", game=game, evaluator="tree:20", vertex="pass")["reply"] is None


def test_a_game_that_is_over_is_still_judged(asking: Asking) -> None:
    game = {"size": 5, "moves": ["C3", "pass", "pass"]}
    assert asking.ask("analyse", game=game, evaluator="tree:20")["visits"] == 20


def test_a_review_searches_every_position(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trees, "REVIEW_VISITS", 20)
    game = {**NINE, "moves": [*NINE["moves"], "A1"]}
    *parts, last = page.answers("review", game=game, evaluator="tree")
    assert [each["part"]["number"] for each in parts] == list(range(7))
    assert all(each["part"]["lead"] is not None for each in parts)
    assert last["result"]["unit"] == "points"
    assert 6 in [each["number"] for each in last["result"]["mistakes"]]
    *_, last = page.answers("annotate", game=game, evaluator="tree")
    assert "as tree sees it" in last["result"]["text"]


def test_a_search_that_nobody_waits_for_ends_at_once(server: RunningSite) -> None:
    trees = server.site.hall.shared.setdefault("trees", set())
    with server.page() as page:
        page.ask("analyse", game=EMPTY, evaluator="tree:16")  # the model is there
        number = page.send("analyse", game=EMPTY, evaluator=LONG)
        assert "part" in page.receive()
        assert len(trees) == 1
        page.socket.send(msgspec.json.encode({"op": "cancel", "id": number}).decode())
        assert wait_until(lambda: not trees, 5.0)
        page.send("review", game={**EMPTY, "moves": ["D4", "Q16"]}, evaluator="tree")
        page.send("analyse", game=EMPTY, evaluator=LONG)
        assert wait_until(lambda: bool(trees), 5.0)
    assert wait_until(lambda: not trees, 5.0)


def test_other_pages_have_their_turn(server: RunningSite) -> None:
    with server.page() as first, server.page() as second, server.page() as third:
        for page in (first, second):
            for _ in range(2):
                page.send("analyse", game=EMPTY, evaluator=LONG)
            assert "part" in page.receive()
        assert third.ask("analyse", game={"size": 5}, evaluator="tree:32")["visits"] == 32
        growing = server.site.hall.shared["trees"]
        assert wait_until(lambda: len(growing) == 4, 5.0)  # those of the others go on


def test_a_page_has_two_trees_and_others_wait(asking: Asking) -> None:
    answers = [
        begin(asking, "analyse", game={"size": 5}, evaluator="tree:64:alp") for _ in range(3)
    ]
    for _ in range(3):
        for each in answers:
            next(each)
        assert len(asking.own["trees"]) <= trees.TREES_OF_PAGE
    assert list(answers[0])[-1] is not None
    assert len(asking.own["trees"]) == 1
    assert list(answers[2])[-1].fields["visits"] == 64
    assert list(answers[1])[-1].fields["visits"] == 64
    assert not asking.own["trees"]
    assert not asking.shared["trees"]


def test_trees_of_all_pages_are_bounded(asking: Asking, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trees, "MOST_TREES", 1)
    first = begin(asking, "analyse", game={"size": 5}, evaluator="tree:64:alp")
    assert [next(first) for _ in range(2)]
    with pytest.raises(RequestError, match="too many trees grow here already: ask again soon"):
        asking.steps("analyse", {"game": {"size": 5}, "evaluator": "tree:alp"})
    assert list(first)


@pytest.mark.slow
def test_a_tree_of_most_visits_fits_into_its_memory(asking: Asking) -> None:
    name = f"tree:{trees.MOST_VISITS}:alp"
    assert asking.ask("analyse", game=EMPTY, evaluator=name)["visits"] == trees.MOST_VISITS
