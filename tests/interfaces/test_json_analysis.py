"""KataGo's JSON form, as KaTrain sends and reads it."""

import io
import json
import subprocess
import sys
import time
from typing import Any, cast

import pytest

from katachi.interfaces.json_analysis import answer_lines
from katachi.interfaces.json_queries import read_lines
from katachi.players.protocol import Analyst
from katachi.players.roster import make_player
from katachi.rules.board import Board
from katachi.rules.color import BLACK, WHITE
from katachi.rules.game import Game
from katachi.rules.point import vertex_from_point
from katachi.search.analysis import Analysis
from tests.timing import SLACK

MOVE_KEYS = {"move", "visits", "winrate", "prior", "utility", "lcb", "order", "pv"}
SCORE_KEYS = {"scoreLead", "scoreMean", "scoreStdev", "scoreSelfplay"}
BOARD9 = {"boardXSize": 9, "boardYSize": 9}


@pytest.fixture(scope="module")
def surveyor() -> Analyst:
    """A player that knows owners."""
    player = make_player("territory")
    assert isinstance(player, Analyst)
    return player


@pytest.fixture(scope="module")
def analyst() -> Analyst:
    player = make_player("alp")
    assert isinstance(player, Analyst)
    return player


def ask(analyst: Analyst, **query: Any) -> list[dict[str, Any]]:
    message = {"id": "q", "moves": [], "boardXSize": 5, "boardYSize": 5} | query
    lines = [json.dumps(message).encode()]
    return [json.loads(line) for line in answer_lines(lines, analyst)]


def test_an_answer_has_what_katrain_reads(analyst: Analyst) -> None:
    (answer,) = ask(analyst, moves=[["B", "C3"]], includeOwnership=True, includePolicy=True)
    assert (answer["id"], answer["isDuringSearch"], answer["turnNumber"]) == ("q", False, 1)
    assert all(set(info) == MOVE_KEYS for info in answer["moveInfos"])
    assert [info["order"] for info in answer["moveInfos"]] == list(range(24))
    assert answer["rootInfo"]["currentPlayer"] == "W"
    assert len(answer["ownership"]) == 25
    assert len(answer["policy"]) == 26
    assert answer["policy"][12] == -1


def test_a_tree_answers_with_its_visits_and_lines() -> None:
    tree = make_player("tree:60:alp")
    assert isinstance(tree, Analyst)
    (answer,) = ask(tree, moves=[["B", "C3"]], includeOwnership=True, includeMovesOwnership=True)
    infos = answer["moveInfos"]
    assert answer["rootInfo"]["visits"] == 59
    assert [info["visits"] for info in infos] == sorted(
        (info["visits"] for info in infos), reverse=True
    )
    assert len(infos[0]["pv"]) > 1
    assert "scoreLead" in infos[0]
    assert all(len(info["ownership"]) == 25 for info in infos)


@pytest.mark.parametrize("visits", [1, 30, 90])
def test_a_tree_searches_as_many_visits_as_a_query_says(visits: int) -> None:
    tree = make_player("tree:60:alp")
    assert isinstance(tree, Analyst)
    (answer,) = ask(tree, maxVisits=visits)
    assert answer["rootInfo"]["visits"] == visits - 1


def test_a_tree_searches_as_long_as_a_query_says() -> None:
    tree = make_player("tree:alp")
    assert isinstance(tree, Analyst)
    begin = time.perf_counter()
    ask(tree, overrideSettings={"maxTime": 0.05})
    ask(tree, overrideSettings={"maxTime": 60}, maxVisits=2)
    assert time.perf_counter() - begin < SLACK


@pytest.mark.parametrize(
    ("query", "field", "text"),
    [
        ({"maxVisits": 0}, "maxVisits", "cannot search 0 visits: use 1 to 10000000"),
        ({"maxVisits": 10**12}, "maxVisits", "cannot search 1000000000000 visits: use 1 to"),
        ({"maxVisits": "many"}, "maxVisits", "Expected `int | null`, got `str`"),
    ],
)
def test_senseless_visits_are_one_clear_line(
    analyst: Analyst, query: dict[str, Any], field: str, text: str
) -> None:
    (answer,) = ask(analyst, **query)
    assert answer["field"] == field
    assert text in answer["error"]


@pytest.mark.parametrize("seconds", [0, -1, 1e9, "long", True, []])
def test_a_senseless_time_is_one_clear_line(analyst: Analyst, seconds: Any) -> None:
    (answer,) = ask(analyst, overrideSettings={"maxTime": seconds})
    assert answer["field"] == "overrideSettings"
    assert answer["error"] == "maxTime must be seconds above 0, 1e+06 at most"


def test_each_asked_turn_is_answered(analyst: Analyst) -> None:
    answers = ask(analyst, moves=[["B", "C3"], ["W", "C4"]], analyzeTurns=[0, 2])
    assert [answer["turnNumber"] for answer in answers] == [0, 2]


def test_win_rates_are_blacks_unless_asked_otherwise(surveyor: Analyst) -> None:
    moves = [["B", "C3"]]
    (black,) = ask(surveyor, moves=moves)
    (mover,) = ask(
        surveyor, moves=moves, overrideSettings={"reportAnalysisWinratesAs": "SIDETOMOVE"}
    )
    assert black["rootInfo"]["winrate"] == pytest.approx(1 - mover["rootInfo"]["winrate"])
    assert black["rootInfo"]["scoreLead"] == pytest.approx(-mover["rootInfo"]["scoreLead"])


def test_avoided_moves_are_left_out(analyst: Analyst) -> None:
    avoid = [{"player": "B", "moves": ["C3", "B2"], "untilDepth": 1}]
    (answer,) = ask(analyst, avoidMoves=avoid)
    assert not {"C3", "B2"} & {info["move"] for info in answer["moveInfos"]}


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ({"moves": [["B", "Z9"]]}, "moves"),
        ({"moves": [["B", "C3"], ["W", "C3"]]}, "moves"),
        ({"moves": [["green", "C3"]]}, "moves"),
        ({"boardXSize": 40, "boardYSize": 40}, "boardXSize"),
        ({"boardXSize": 9}, "boardXSize"),
        ({"initialStones": [["B", "C3"], ["W", "C3"]]}, "initialStones"),
        ({"analyzeTurns": [7]}, "analyzeTurns"),
        ({"komi": "lots"}, "komi"),
        ({"komi": 1e300}, "komi"),
        ({"komi": -10001}, "komi"),
        ({"rules": {"ko": "SPIRAL"}}, "rules"),
        ({"rules": {"suicide": "no"}}, "rules"),
        ({"rules": "klingon"}, "rules"),
        ({"avoidMoves": [{"player": "B", "moves": 5}]}, "avoidMoves[0].moves"),
        ({"action": "dance"}, "action"),
    ],
)
def test_a_wrong_query_is_answered_with_its_field(
    analyst: Analyst, query: dict[str, Any], field: str
) -> None:
    (answer,) = ask(analyst, **query)
    assert answer["id"] == "q"
    assert answer["error"]
    assert answer["field"] == field


@pytest.mark.parametrize("line", [b"{", b"[]", b"\xff\xfe", b"null", b"[" * 100000])
def test_what_is_no_query_is_answered_with_an_error(analyst: Analyst, line: bytes) -> None:
    (answer,) = [json.loads(reply) for reply in answer_lines([line], analyst)]
    assert set(answer) == {"error"}


def test_terminate_is_acknowledged(analyst: Analyst) -> None:
    (answer,) = ask(analyst, action="terminate", terminateId="x")
    assert (answer["action"], answer["terminateId"]) == ("terminate", "x")


def test_the_process_answers_line_by_line_and_ends_with_its_input() -> None:
    queries = b'{"id":"a","moves":[],"boardXSize":3,"boardYSize":3}\n\n{"id":"b"}\n'
    done = subprocess.run(
        [sys.executable, "-m", "katachi", "analysis", "--player", "alp"],
        input=queries,
        capture_output=True,
        timeout=120,
        check=True,
    )
    assert [json.loads(line)["id"] for line in done.stdout.splitlines()] == ["a", "b"]


def test_an_over_long_line_is_answered_once(analyst: Analyst) -> None:
    stream = io.BytesIO(b"x" * (9 << 20) + b'\n{"id":"b"}\n')
    answers = list(answer_lines(read_lines(stream.read), analyst))
    assert len(answers) == 2


def test_territory_rules_are_answered(analyst: Analyst) -> None:
    (answer,) = ask(analyst, rules="japanese")
    assert "error" not in answer


@pytest.mark.parametrize(("komi", "leader"), [(60.5, "W"), (-60.5, "B")])
def test_who_leads_by_komi_is_the_likelier_winner(
    surveyor: Analyst, komi: float, leader: str
) -> None:
    """Where the evaluator knows owners: win rate and lead are of one komi."""
    (answer,) = ask(surveyor, **BOARD9, moves=[["B", "E5"]], komi=komi)
    for info in (answer["rootInfo"], *answer["moveInfos"]):
        assert (info["winrate"] > 0.9, info["scoreLead"] > 30) == (leader == "B", leader == "B")
        assert (info["winrate"] < 0.1, info["scoreLead"] < -30) == (leader == "W", leader == "W")


def test_turns_are_answered_as_they_are_known(analyst: Analyst) -> None:
    asked: list[int] = []

    class Slow:
        def analyse(self, game: Game, color: int, _points: object) -> Analysis:
            asked.append(len(game.moves))
            return analyst.analyse(game, color)

    query = {"id": "q", "moves": [["B", "C3"], ["W", "C4"]], "analyzeTurns": [2, 0, 1]}
    line = json.dumps(query | {"boardXSize": 5, "boardYSize": 5}).encode()
    for turn, answer in enumerate(answer_lines([line], cast("Analyst", Slow()))):
        assert json.loads(answer)["turnNumber"] == turn
        assert asked == list(range(turn + 1))
    assert len(asked) == 3


def test_a_query_that_is_wrong_late_gets_no_other_answer(analyst: Analyst) -> None:
    moves = [["B", "C3"], ["W", "C4"], ["B", "C4"]]
    (answer,) = ask(analyst, moves=moves, analyzeTurns=[0, 1, 3])
    assert answer["field"] == "moves"
    assert len(ask(analyst, moves=moves, analyzeTurns=[0, 1])) == 2


@pytest.mark.parametrize("name", ["alp", "shape", "crbm", "territory:moves9"])
def test_who_knows_no_owners_sends_no_score(name: str) -> None:
    player = make_player(name)
    assert isinstance(player, Analyst)
    (answer,) = ask(player, **BOARD9, moves=[["B", "E5"]], includeMovesOwnership=True)
    for info in (answer["rootInfo"], *answer["moveInfos"]):
        assert not SCORE_KEYS & set(info)
        assert "ownership" not in info


def test_the_root_is_worth_its_best_move_and_the_pass_is_among_them(surveyor: Analyst) -> None:
    (answer,) = ask(surveyor, **BOARD9, moves=[["B", "E5"]], includeMovesOwnership=True)
    root, moves = answer["rootInfo"], answer["moveInfos"]
    assert set(root) > SCORE_KEYS
    for key in ("winrate", "scoreLead"):
        assert root[key] == moves[0][key]
    assert all(len(info["ownership"]) == 81 for info in moves)
    assert moves[0]["move"] != "pass"


FINISHED = """
    . . . X O . . . .
    . X . X O . . O .
    . . X X O . O . .
    X X X O O O O O O
    X . X X O . . O .
    . X . X O O O O O
    X X X X X O . O .
    . X . . X O O . O
    . . X X X O . O .
"""


def test_where_nothing_is_left_to_gain_the_pass_comes_first(surveyor: Analyst) -> None:
    board = Board.from_diagram(FINISHED)
    stones = [
        [letter, vertex_from_point(point, 9)]
        for letter, color in (("B", BLACK), ("W", WHITE))
        for point in board.points_of_color(color)
    ]
    (answer,) = ask(surveyor, **BOARD9, initialStones=stones, moves=[["B", "pass"]])
    assert answer["moveInfos"][0]["move"] == "pass"
    assert len(answer["moveInfos"]) > 1


def test_alternatives_are_found_beside_the_moves_shown(surveyor: Analyst) -> None:
    (first,) = ask(surveyor, **BOARD9)
    shown = [info["move"] for info in first["moveInfos"]]
    avoid = [{"player": "B", "moves": shown, "untilDepth": 1}]
    (second,) = ask(surveyor, **BOARD9, avoidMoves=avoid)
    others = {info["move"] for info in second["moveInfos"]}
    assert others
    assert not others & set(shown)


@pytest.mark.parametrize(
    "rules",
    [
        *("japanese", "chinese", "korean", "aga", "tromp-taylor", "new zealand", "stone-scoring"),
        *("stone_scoring", "New Zealand", "chinese-ogs"),
    ],
)
def test_every_rule_set_that_katrain_sends_is_played(analyst: Analyst, rules: str) -> None:
    (answer,) = ask(analyst, rules=rules)
    assert "error" not in answer


def test_an_illegal_move_is_called_so_in_the_words_that_katrain_looks_for(
    analyst: Analyst,
) -> None:
    (answer,) = ask(analyst, moves=[["B", "C3"], ["W", "C3"]])
    assert answer["error"].startswith("Illegal move")
