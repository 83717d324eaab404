"""KataGo's JSON form, as KaTrain sends and reads it."""

import io
import json
import subprocess
import sys
from typing import Any, cast

import pytest

from katachi.interfaces.json_analysis import answer_lines, read_lines
from katachi.players.protocol import Analyst
from katachi.players.roster import make_player
from katachi.rules.game import Game
from katachi.search.analysis import Analysis

MOVE_KEYS = {
    "move", "visits", "winrate", "scoreLead", "scoreStdev", "scoreSelfplay", "prior", "utility",
    "lcb", "order", "pv",
}  # fmt: skip


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
    assert all(set(info) >= MOVE_KEYS for info in answer["moveInfos"])
    assert [info["order"] for info in answer["moveInfos"]] == list(range(24))
    assert answer["rootInfo"]["currentPlayer"] == "W"
    assert len(answer["ownership"]) == 25
    assert len(answer["policy"]) == 26
    assert answer["policy"][12] == -1


def test_each_asked_turn_is_answered(analyst: Analyst) -> None:
    answers = ask(analyst, moves=[["B", "C3"], ["W", "C4"]], analyzeTurns=[0, 2])
    assert [answer["turnNumber"] for answer in answers] == [0, 2]


def test_win_rates_are_blacks_unless_asked_otherwise(analyst: Analyst) -> None:
    moves = [["B", "C3"]]
    (black,) = ask(analyst, moves=moves)
    (mover,) = ask(
        analyst, moves=moves, overrideSettings={"reportAnalysisWinratesAs": "SIDETOMOVE"}
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
    answers = list(answer_lines(read_lines(stream.readline), analyst))
    assert len(answers) == 2


def test_territory_rules_are_answered(analyst: Analyst) -> None:
    (answer,) = ask(analyst, rules="japanese")
    assert "error" not in answer


@pytest.mark.parametrize(("komi", "leader"), [(60.5, "W"), (-60.5, "B")])
def test_who_leads_by_komi_is_the_likelier_winner(komi: float, leader: str) -> None:
    """Where the evaluator knows owners: win rate and lead are of one komi."""
    player = make_player("territory")
    assert isinstance(player, Analyst)
    board = {"boardXSize": 9, "boardYSize": 9, "moves": [["B", "E5"]], "komi": komi}
    (answer,) = ask(player, **board)
    for info in (answer["rootInfo"], *answer["moveInfos"]):
        assert (info["winrate"] > 0.9, info["scoreLead"] > 30) == (leader == "B", leader == "B")
        assert (info["winrate"] < 0.1, info["scoreLead"] < -30) == (leader == "W", leader == "W")


def test_turns_are_answered_as_they_are_known(analyst: Analyst) -> None:
    asked: list[int] = []

    class Slow:
        def analyse(self, game: Game, color: int) -> Analysis:
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
