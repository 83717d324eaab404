import asyncio
import json
import threading
import time
from functools import partial

import pytest

from katachi.errors import KatachiError
from katachi.interfaces.cgos.playing import analysis_text
from katachi.interfaces.cgos.thinking import Thinker, allow_time, fallback_move
from katachi.players.protocol import Analyst, Choice, FailureKind, Player, PlayerFailure
from katachi.players.roster import make_player
from katachi.rules.color import BLACK, WHITE
from katachi.rules.game import Game
from katachi.rules.point import PASS, point_from_vertex
from tests.interfaces.cgos.playground import run, until
from tests.interfaces.cgos.sleepers import Sleeper, Stumbler
from tests.timing import SLACK

CENTRE = point_from_vertex("C3", 5)


def ask(
    player: Player, game: Game | None = None, seconds: float = 60.0
) -> tuple[int | None, str, list[str]]:
    """The move and its analysis, and what was logged."""
    log: list[str] = []

    async def think() -> tuple[int | None, str]:
        position = game or Game(5)
        return await Thinker(lambda: player, log.append).choose(position, position.to_play, seconds)

    return (*run(think()), log)


@pytest.mark.parametrize("seconds", [0.0, 0.001, 0.3, 1.0, 3.0, 60.0, 900.0, 1e7])
@pytest.mark.parametrize("is_late", [False, True])
def test_no_move_may_use_up_the_clock(seconds: float, is_late: bool) -> None:
    allowance = allow_time(seconds, Game(9), 0.5, is_late=is_late)
    assert 0 < allowance.budget <= max(0.01, allowance.deadline)
    assert allowance.deadline <= max(0.01, seconds / 3)


def test_a_move_comes_before_the_deadline_whatever_the_player_does() -> None:
    begin = time.monotonic()
    point, _, log = ask(Sleeper(extra=1000.0), seconds=2.0)
    assert time.monotonic() - begin < SLACK
    assert point is not None
    assert Game(5).is_legal(BLACK, point)
    assert len(log) == 1


def test_the_player_is_given_a_share_of_its_time() -> None:
    sleeper = Sleeper(longest=0.0)
    ask(sleeper, seconds=60.0)
    [seconds] = sleeper.budgets
    assert seconds is not None
    assert 1.0 < seconds < 10.0


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (Choice(CENTRE), "illegal move"),
        (Choice(863), "illegal move"),
        (Choice(None, failure=PlayerFailure(FailureKind.CRASH, "it crashed")), "it crashed"),
        (KatachiError("out of ideas"), "out of ideas"),
        (ZeroDivisionError("oops"), "ZeroDivisionError"),
    ],
)
def test_an_answer_nobody_can_use_is_replaced(answer: Choice | Exception, words: str) -> None:
    game = Game(5)
    game.play(BLACK, CENTRE)
    point, analysis, log = ask(Stumbler(answer), game)
    assert point is not None
    assert point != PASS
    assert game.is_legal(WHITE, point)
    assert analysis == ""
    assert len(log) == 1
    assert words in log[0]


def test_resigning_and_passing_are_answers() -> None:
    assert ask(Stumbler(Choice(None)))[::2] == (None, [])
    assert ask(Stumbler(Choice(PASS)))[::2] == (PASS, [])


def test_the_fallback_passes_only_when_nothing_else_is_left() -> None:
    game = Game(2)
    assert fallback_move(game, BLACK) != PASS
    for vertex in ("A1", "B2"):
        game.play(BLACK, point_from_vertex(vertex, 2))
    assert fallback_move(game, BLACK) == PASS


def test_a_player_that_always_fails_is_given_up() -> None:
    async def think() -> Thinker:
        thinker = Thinker(lambda: Stumbler(ValueError("no")), lambda _text: None)
        for _ in range(3):
            assert not thinker.is_unfit
            await thinker.choose(Game(5), BLACK, 60.0)
        return thinker

    assert run(think()).is_unfit


def test_a_player_as_fast_as_before_is_not_to_blame_for_a_short_clock() -> None:
    """It is left out for the rest of that game, and plays the next one."""
    slow: list[Sleeper] = []
    log: list[str] = []

    def make() -> Sleeper:
        slow.append(Sleeper(longest=0.0, extra=0.1))
        return slow[-1]

    async def think() -> Thinker:
        thinker = Thinker(make, log.append, lag=0.0)
        thinker.enter_game(0, 30.0)
        for seconds in (30.0, 20.0, 0.12, 0.11, 0.1, 0.1, 0.1):
            point, _ = await thinker.choose(Game(5), BLACK, seconds)
            assert point is not None
        assert sum(len(player.budgets) for player in slow) == 5
        thinker.enter_game(1, 30.0)
        await thinker.choose(Game(5), BLACK, 30.0)
        assert sum(len(player.budgets) for player in slow) == 6
        return thinker

    assert not run(think()).is_unfit
    assert [text.endswith("until the game is over") for text in log] == [False, False, True]


@pytest.mark.parametrize("main", [3.0, 0.3])
def test_only_a_player_that_never_answers_with_time_on_its_clock_is_given_up(main: float) -> None:
    async def think() -> Thinker:
        thinker = Thinker(partial(Sleeper, extra=100.0), lambda _text: None, lag=0.0)
        thinker.enter_game(0, main)
        for _ in range(4):
            point, _ = await thinker.choose(Game(5), BLACK, 0.15)
            assert point is not None
        thinker.close()
        return thinker

    assert run(think()).is_unfit == (main < 1.0)


def test_a_program_that_hangs_is_slow_and_not_broken() -> None:
    hang = Choice(None, failure=PlayerFailure(FailureKind.HANG, "no answer"))

    async def think(answer: Choice) -> Thinker:
        thinker = Thinker(lambda: Stumbler(Choice(CENTRE), answer), lambda _text: None)
        thinker.enter_game(0, 60.0)
        for _ in range(5):
            await thinker.choose(Game(5), BLACK, 60.0)
        return thinker

    assert not run(think(hang)).is_unfit
    crash = Choice(None, failure=PlayerFailure(FailureKind.CRASH, "it crashed"))
    assert run(think(crash)).is_unfit


class Restarting:
    """Starts its program again when it is ended in the middle of a move."""

    name = "restarting"

    def __init__(self) -> None:
        self.is_running = False
        self.users = 0
        self.most_users = 0
        self._ended = threading.Event()

    def choose(self, game: Game, color: int, seconds: float | None = None) -> Choice:
        self.users += 1
        self.most_users = max(self.users, self.most_users)
        self.is_running = True
        self._ended.wait()
        time.sleep(0.02)
        self.is_running = True
        self.users -= 1
        return Choice(PASS)

    def close(self) -> None:
        self.is_running = False
        self._ended.set()


@pytest.mark.parametrize("is_replaced", [True, False])
def test_no_program_is_left_behind_by_a_thread_that_thought_on(is_replaced: bool) -> None:
    players: list[Restarting] = []

    def make() -> Restarting:
        players.append(Restarting())
        return players[-1]

    async def think() -> None:
        thinker = Thinker(make, lambda _text: None, lag=0.0)
        task = asyncio.create_task(thinker.choose(Game(5), BLACK, 0.06 if is_replaced else 60.0))
        await (task if is_replaced else asyncio.sleep(0.02))
        task.cancel()
        thinker.close()
        await until(lambda: not any(player.users for player in players))
        await until(lambda: not any(player.is_running for player in players), 2.0)

    run(think())
    assert len(players) == 1 + is_replaced
    assert all(player.most_users <= 1 for player in players)


def test_a_new_player_thinks_while_the_old_one_still_does() -> None:
    players: list[Restarting] = []

    def make() -> Restarting:
        players.append(Restarting())
        return players[-1]

    async def think() -> None:
        thinker = Thinker(make, lambda _text: None, lag=0.0)
        thinker.enter_game(0, 60.0)
        for _ in range(3):
            await thinker.choose(Game(5), BLACK, 0.06)
        thinker.close()

    run(think())
    assert len(players) == 4
    assert all(player.most_users <= 1 for player in players)


def test_a_thought_nobody_needs_does_not_hold_up_the_next_move() -> None:
    async def think() -> float:
        thinker = Thinker(partial(Sleeper, extra=1000.0), lambda _text: None)
        lost = asyncio.create_task(thinker.choose(Game(5), BLACK, 60.0))
        await asyncio.sleep(0.05)
        lost.cancel()
        begin = time.monotonic()
        await thinker.choose(Game(5), BLACK, 2.0)
        thinker.close()
        return time.monotonic() - begin

    assert run(think()) < SLACK


@pytest.mark.parametrize("color", [BLACK, WHITE])
def test_the_analysis_is_one_line_in_the_movers_view(color: int) -> None:
    game = Game(5)
    game.play(WHITE if color == BLACK else BLACK, CENTRE)
    player = make_player("influence", 1)
    assert isinstance(player, Analyst)
    point = int(game.legal_moves(color)[0])
    text = analysis_text(player, game, color, point, "influence, 0.010 s")
    assert "\n" not in text
    record = json.loads(text)
    assert set(record) == {"winrate", "visits", "moves", "ownership", "comment"}
    assert record["winrate"] < 0.5
    assert set(record["moves"][0]) == {"move", "winrate", "prior", "pv", "visits"}
    assert len(record["ownership"]) == 25


def test_a_player_that_cannot_start_is_one_line() -> None:
    async def prepare(player: Player) -> None:
        await Thinker(lambda: player, lambda _text: None).prepare()

    for name in ("gtp:true", "gtp:cat"):
        with pytest.raises(KatachiError) as caught:
            run(prepare(make_player(name)))
        assert "\n" not in str(caught.value)
    run(prepare(make_player("alp")))
