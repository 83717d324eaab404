"""The engine with a player that grows a tree: its parameters, and thinking on the opponent's
time."""

import time
from collections.abc import Callable
from dataclasses import replace

import pytest

from katachi.interfaces.gtp import EngineOptions
from katachi.interfaces.gtp.engine import COMMANDS, Engine
from katachi.interfaces.gtp.session import Session
from katachi.interfaces.gtp.wire import Inbox
from katachi.players.tree import TreePlayer
from katachi.search.tree_limits import TreeLimits
from katachi.search.tree_search import TreeSearch
from tests.interfaces.gtp.conversation import EngineProcess, ask
from tests.timing import SLACK

TREE = EngineOptions(player="tree:40:alp", size=5, limits=TreeLimits(memory=16 << 20))


@pytest.mark.parametrize(
    ("lines", "reply"),
    [
        ("kata-list-params", "= maxTime maxVisits numSearchThreads"),
        ("kata-get-param maxVisits", "= 40"),
        ("kata-set-param maxVisits 70|kata-get-param maxVisits", "= 70"),
        ("kata-set-param numSearchThreads 2|kata-get-param numSearchThreads", "= 2"),
        ("kata-set-param maxVisits 0", "? cannot search 0 visits: use 1 to 10000000"),
        ("kata-set-param numSearchThreads 0", "? cannot search by 0 threads: use 1 to 64"),
        ("kata-set-param numSearchThreads 1e3", "? syntax error"),
        (
            f"kata-set-param maxVisits {10**12}",
            "? cannot search 1000000000000 visits: use 1 to 10000000",
        ),
    ],
)
def test_visits_and_threads_are_parameters(lines: str, reply: str) -> None:
    assert ask(*lines.split("|"), options=TREE) == reply


def test_without_visits_in_its_name_a_tree_shows_the_most() -> None:
    assert ask("kata-get-param maxVisits", options=replace(TREE, player="tree")) == "= 10000000"


@pytest.mark.parametrize("is_made", [False, True])
def test_a_parameter_is_what_the_player_searches_by(is_made: bool) -> None:
    session = session_of(TREE, lambda: b"")
    if is_made:
        assert isinstance(session.player, TreePlayer)
    COMMANDS["kata-set-param"](session, ["maxVisits", "70"])
    COMMANDS["kata-set-param"](session, ["numSearchThreads", "2"])
    assert isinstance(session.player, TreePlayer)
    assert session.player.visits == 70
    assert session.player.searcher.limits == TreeLimits(threads=2, memory=16 << 20)
    assert sum(each.visits for each in session.analyse(1).candidates) >= 69


def session_of(options: EngineOptions, read: Callable[[], bytes]) -> Session:
    return Session(options, Inbox(read), COMMANDS, lambda _line: None)


class Waiting:
    """A client that thinks before each line that it sends after the first."""

    def __init__(self, *lines: str, seconds: float = 0.3) -> None:
        self.lines = iter(lines)
        self.pause, self.seconds = 0.0, seconds

    def __call__(self) -> bytes:
        time.sleep(self.pause)
        self.pause = self.seconds
        return "".join(f"{line}\n" for line in next(self.lines, "").split("|") if line).encode()


def new_visits(monkeypatch: pytest.MonkeyPatch, options: EngineOptions, *lines: str) -> list[int]:
    """How many visits the last move's search found before it began."""
    found: list[int] = []
    search = TreeSearch.search

    def noted(self: TreeSearch, *arguments: object) -> object:
        result = search(self, *arguments)  # type: ignore[arg-type]
        found.append(result.visits - result.new_visits)
        return result

    session = session_of(options, Waiting(*lines))
    assert session.player is not None
    monkeypatch.setattr(TreeSearch, "search", noted)
    Engine(session, lambda _data: None).run()
    return found


LINES = ("genmove b", "play w A1|genmove b")


def test_it_thinks_on_while_the_opponent_does(monkeypatch: pytest.MonkeyPatch) -> None:
    idle = new_visits(monkeypatch, TREE, *LINES)[-1]
    pondering = new_visits(monkeypatch, replace(TREE, ponders=True), *LINES)[-1]
    assert pondering > idle


@pytest.mark.parametrize("lines", ["genmove b|undo", "play b C3", "genmove b|clear_board"])
def test_it_thinks_on_after_its_own_moves_only(lines: str) -> None:
    session = session_of(replace(TREE, ponders=True), Waiting(lines))
    Engine(session, lambda _data: None).run()
    assert session.to_ponder is None


def test_any_line_ends_it_at_once() -> None:
    with EngineProcess("--player", "tree:40:alp", "--size", "9", "--ponder") as engine:
        engine.send("genmove b")
        assert engine.read_reply().is_success
        time.sleep(0.3)
        begin = time.perf_counter()
        engine.send("showboard")
        assert engine.read_reply().is_success
        engine.send("quit")
        assert engine.read_reply().is_success
        assert engine.process.wait(timeout=60) == 0
        assert time.perf_counter() - begin < SLACK
