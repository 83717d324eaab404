"""Queries that are read while others are answered, and ended by their client."""

import io
import json
import subprocess
import sys
import threading
import time
from collections.abc import Generator, Iterator
from typing import Any, cast

import pytest

from katachi.errors import KatachiError
from katachi.evaluators.protocol import Evaluation
from katachi.evaluators.simple import ConstantEvaluator
from katachi.interfaces import json_queries
from katachi.interfaces.json_analysis import answer_lines
from katachi.interfaces.json_queries import LONGEST_QUERY, read_lines
from katachi.players.evaluating import EvaluatingPlayer
from katachi.players.protocol import Analyst
from katachi.players.tree import TreePlayer
from katachi.rules.game import Game
from katachi.rules.state import BoardState
from katachi.search.analysis import Analysis
from katachi.search.stopping import look_for_stop
from katachi.search.tree_limits import TreeLimits
from katachi.search.tree_search import TreeSearch
from tests.timing import SLACK

LONG = 10 * SLACK
"""Seconds of a search that nothing but its client ends in time."""
PATIENCE = 60.0
COMMAND = (sys.executable, "-m", "katachi", "analysis", "--player", "tree:alp")
ALLOWED = [{"player": "B", "moves": ["C3", "D4"], "untilDepth": 1}]


def query(name: str, **parts: Any) -> bytes:
    form = {"id": name, "moves": [], "boardXSize": 5, "boardYSize": 5}
    return json.dumps(form | parts).encode()


def long_query(name: str, **parts: Any) -> bytes:
    return query(name, overrideSettings={"maxTime": LONG}, **parts)


def terminate(name: str, **parts: Any) -> bytes:
    action = {"id": "end", "action": "terminate", "terminateId": name}
    return json.dumps(action | parts).encode()


TERMINATE_ALL = b'{"id":"end","action":"terminate_all"}'


class Counting:
    """Judges every position alike, not in a hurry, and says when it has been asked often."""

    name = "counting"

    def __init__(self) -> None:
        self.looks = 0
        self.has_judged = threading.Event()

    def evaluate(self, states: BoardState) -> Evaluation:
        time.sleep(0.001)
        self.looks += 1
        if self.looks > 20:
            self.has_judged.set()
        return ConstantEvaluator().evaluate(states)

    def await_looks(self) -> None:
        """Returns when it has been asked often from now on."""
        self.looks = 0
        self.has_judged.clear()
        assert self.has_judged.wait(PATIENCE)


class Table:
    """A client that sends lines, and others later, each time when a search has been going on."""

    def __init__(self, *lines: bytes, later: tuple[tuple[bytes, ...], ...] = ()) -> None:
        self.lines, self.later = lines, later
        self.evaluator = Counting()
        limits = TreeLimits(memory=16 << 20)
        self.player = TreePlayer("tree", TreeSearch(self.evaluator, limits))

    def send(self) -> Iterator[bytes]:
        yield from self.lines
        for lines in self.later:
            self.evaluator.await_looks()
            yield from lines

    def answers(self) -> list[dict[str, Any]]:
        """All answers; they come long before the search would have ended."""
        begin = time.monotonic()
        answers = [json.loads(line) for line in answer_lines(self.send(), self.player)]
        assert time.monotonic() - begin < LONG / 2
        return answers


@pytest.mark.parametrize("parts", [{}, {"allowMoves": ALLOWED}])
def test_a_query_under_way_is_ended_with_what_was_found(parts: dict[str, Any]) -> None:
    table = Table(long_query("q", **parts), later=((terminate("q"),),))
    found, acknowledged = table.answers()
    assert (found["id"], found["isDuringSearch"], found["turnNumber"]) == ("q", False, 0)
    assert found["rootInfo"]["visits"] > 2
    assert not parts or {info["move"] for info in found["moveInfos"]} == {"C3", "D4"}
    assert (acknowledged["id"], acknowledged["terminateId"]) == ("end", "q")


def test_all_that_waits_is_ended_too_and_what_comes_later_is_not() -> None:
    lines = (long_query("a"), long_query("b"), long_query("c", moves=[["B", "C3"]]))
    later = query("d", maxVisits=20)
    first, acknowledged, *dropped, last = Table(*lines, later=((TERMINATE_ALL, later),)).answers()
    assert first["id"] == "a"
    assert first["moveInfos"]
    assert acknowledged == json.loads(TERMINATE_ALL)
    form = {"isDuringSearch": False, "turnNumber": 0, "noResults": True}
    assert dropped == [form | {"id": "b"}, form | {"id": "c", "turnNumber": 1}]
    assert last["id"] == "d"
    assert last["rootInfo"]["visits"] >= 19


def test_a_query_that_waits_is_ended_alone() -> None:
    lines = (long_query("a"), long_query("b"), query("c", maxVisits=20))
    answers = Table(*lines, later=((terminate("b"), terminate("a")),)).answers()
    named = {answer["id"]: answer for answer in answers if answer["id"] != "end"}
    assert list(named) == ["a", "b", "c"]
    assert {name: "noResults" in answer for name, answer in named.items()} == {
        "a": False,
        "b": True,
        "c": False,
    }


def test_turns_are_ended_alone() -> None:
    asked = long_query("q", moves=[["B", "C3"], ["W", "C4"]], analyzeTurns=[0, 1, 2])
    later = ((terminate("q", turnNumbers=[0, 2]),), (terminate("q", turnNumbers=[1]),))
    answers = [each for each in Table(asked, later=later).answers() if each["id"] == "q"]
    assert [answer["turnNumber"] for answer in answers] == [0, 1, 2]
    assert ["noResults" in answer for answer in answers] == [False, False, True]


def test_names_that_nobody_has_end_nothing() -> None:
    others = (terminate("x"), terminate("q", turnNumbers=[7]))
    found, *_ = Table(long_query("q"), later=(others, (terminate("q"),))).answers()
    assert found["rootInfo"]["visits"] > 2


def test_who_does_not_search_on_has_no_results() -> None:
    begun = threading.Event()

    class Looking:
        def analyse(self, _game: Game, _color: int, _points: object) -> Analysis:
            begun.set()
            while True:
                look_for_stop()
                time.sleep(0.01)

    def lines() -> Iterator[bytes]:
        yield query("q")
        assert begun.wait(PATIENCE)
        yield terminate("q")

    answers = [json.loads(line) for line in answer_lines(lines(), cast("Analyst", Looking()))]
    assert answers[0] == {"id": "q", "isDuringSearch": False, "turnNumber": 0, "noResults": True}


@pytest.mark.parametrize(
    ("action", "words"),
    [
        ({"action": "terminate"}, "missing required field `terminateId`"),
        ({"action": "terminate", "terminateId": 7}, "Expected `str`, got `int`"),
        (
            {"action": "terminate", "terminateId": "q", "turnNumbers": "all"},
            "Expected `array | null`, got `str`",
        ),
        ({"action": "terminate_all", "turnNumbers": [[]]}, "Expected `int`, got `array`"),
    ],
)
def test_a_wrong_end_is_one_clear_line_and_ends_nothing(action: dict[str, Any], words: str) -> None:
    lines = (query("q", maxVisits=20), json.dumps({"id": "end"} | action).encode())
    found, refused = Table(*lines).answers()
    assert found["moveInfos"]
    assert refused["id"] == "end"
    assert words in refused["error"]
    assert refused["field"]


@pytest.fixture
def quick() -> Analyst:
    return EvaluatingPlayer("quick", ConstantEvaluator())


def test_every_line_is_answered_though_few_may_wait(
    quick: Analyst, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(json_queries, "MOST_WAITING", 1)
    lines = [query(str(number), boardXSize=2, boardYSize=2) for number in range(100)]
    answers = [json.loads(line)["id"] for line in answer_lines([*lines, b" "], quick)]
    assert answers == [str(number) for number in range(100)]


def readers() -> set[threading.Thread]:
    return {thread for thread in threading.enumerate() if thread.name == "queries"}


def test_no_thread_is_left(quick: Analyst, monkeypatch: pytest.MonkeyPatch) -> None:
    before = readers()
    assert list(answer_lines([query("a"), b"{"], quick))
    assert readers() <= before
    monkeypatch.setattr(json_queries, "MOST_WAITING", 1)
    answers = cast("Generator[bytes, None, None]", answer_lines([query("a")] * 50, quick))
    next(answers)
    started = readers() - before
    answers.close()
    for thread in started:
        thread.join(PATIENCE)
        assert not thread.is_alive()


def test_an_input_that_breaks_says_so_after_the_answers(quick: Analyst) -> None:
    def lines() -> Iterator[bytes]:
        yield query("a")
        raise KatachiError("the input is broken")

    answers = answer_lines(lines(), quick)
    assert json.loads(next(iter(answers)))["id"] == "a"
    with pytest.raises(KatachiError, match="the input is broken"):
        next(iter(answers))


@pytest.mark.parametrize("piece", [1, 3, 1 << 16])
def test_lines_are_cut_where_they_end(piece: int) -> None:
    stream = io.BytesIO(b"one\n\ntwo\nthree")
    lines = read_lines(lambda size: stream.read(min(size, piece)))
    assert list(lines) == [b"one", b"", b"two", b"three"]


def test_of_an_over_long_line_little_is_kept() -> None:
    stream = io.BytesIO(b"x" * (3 * LONGEST_QUERY) + b"\nrest\n")
    long, rest = read_lines(stream.read)
    assert LONGEST_QUERY < len(long) < 2 * LONGEST_QUERY
    assert rest == b"rest"


def test_a_process_ends_what_is_under_way_at_once() -> None:
    with subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(query("ready", maxVisits=2) + b"\n")
        process.stdin.flush()
        assert json.loads(process.stdout.readline())["id"] == "ready"
        begin = time.monotonic()
        process.stdin.write(long_query("a") + b"\n" + long_query("b") + b"\n")
        process.stdin.flush()
        time.sleep(0.5)
        process.stdin.write(TERMINATE_ALL + b"\n")
        process.stdin.close()
        names = sorted(json.loads(line)["id"] for line in process.stdout)
        assert process.wait(PATIENCE) == 0
        assert names == ["a", "b", "end"]
        assert time.monotonic() - begin < LONG / 2


def test_a_client_that_goes_away_leaves_no_process_and_no_crash() -> None:
    with subprocess.Popen(
        COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        process.stdin.write(query("q", maxVisits=2) + b"\n")
        process.stdin.flush()
        process.wait(PATIENCE)
        assert not {b"Traceback", b"Fatal"} & set(process.stderr.read().split())
        process.stdin.close()
