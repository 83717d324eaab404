"""What a client makes of each line, without any connection."""

import random
import re

import pytest

from katachi.interfaces.cgos.career import Career
from katachi.interfaces.cgos.session import (
    POLLS_AFTER_END,
    ClientSession,
    Identity,
    LoginRefused,
    Reaction,
    Turn,
)
from katachi.interfaces.cgos.wire import ProtocolError
from katachi.rules.color import BLACK, WHITE
from katachi.rules.game import Game
from katachi.rules.point import PASS, point_from_vertex, vertex_from_point
from katachi.rules.ruleset import KoRule, Rules

SETUP = "setup 7 5 7.0 60000 strong(1800) me(1500?)"
LITE_SETUP = "setup 0 5 7.0 60000 strong me"


def make_session(career: Career | None = None, *, analysis: bool = False) -> ClientSession:
    identity = Identity("me", "secret", analysis)
    return ClientSession(identity, career or Career(), lambda _text: None)


def logged_in(career: Career | None = None) -> ClientSession:
    session = make_session(career)
    for line in ("protocol genmove_analyze", "username", "password"):
        session.receive(line)
    return session


def play_through(session: ClientSession, *lines: str) -> Reaction:
    reaction = Reaction()
    for line in lines:
        reaction = session.receive(line)
    return reaction


@pytest.mark.parametrize(
    ("offered", "wanted", "promised"),
    [(True, True, True), (True, False, False), (False, True, False)],
)
def test_analysis_is_promised_only_if_both_want_it(
    offered: bool, wanted: bool, promised: bool
) -> None:
    session = make_session(analysis=wanted)
    reply = session.receive("protocol genmove_analyze" if offered else "protocol").reply
    assert reply is not None
    assert re.fullmatch(r"e1 katachi-\S+( genmove_analyze)?", reply)
    assert reply.endswith(" genmove_analyze") == promised


def test_the_login_and_what_needs_no_answer() -> None:
    session = make_session()
    assert session.receive("username").reply == "me"
    assert session.receive("password").reply == "secret"
    for line in ("info hello world", "", SETUP, "info"):
        assert session.receive(line) == Reaction()


def test_a_game_is_played() -> None:
    session = logged_in()
    reaction = play_through(session, SETUP, "genmove b 60000")
    assert reaction.turn == Turn(BLACK, 60000)
    assert session.answer(point_from_vertex("C3", 5)) == "C3"
    reaction = play_through(session, "play w c4 59000", "genmove b 59500")
    assert reaction.turn == Turn(BLACK, 59500)
    assert session.answer(PASS, '{"winrate":0.5}') == "pass"
    reaction = play_through(session, "play w PASS 58000", "gameover 2026-01-01 W+7.0")
    assert reaction == Reaction("ready")
    assert session.career.results == ["W+7.0"]


def test_analysis_goes_with_the_move_once_promised() -> None:
    session = make_session(analysis=True)
    play_through(session, "protocol genmove_analyze", "username", "password", SETUP, "genmove b 9")
    assert session.answer(point_from_vertex("C3", 5), '{"visits":1}') == 'C3 {"visits":1}'


def test_a_resumed_game_is_replayed() -> None:
    session = logged_in()
    reaction = play_through(session, SETUP + " C3 50000 pass 59000 B2 48000", "genmove w 59000")
    assert reaction.turn == Turn(WHITE, 59000)
    game = session.career.game
    assert game is not None
    assert [move.color for move in game.moves] == [BLACK, WHITE, BLACK]


@pytest.mark.parametrize("state", ["login", "waiting", "set up", "thinking", "over"])
def test_the_name_is_given_in_every_state(state: str) -> None:
    session = make_session() if state == "login" else logged_in()
    if state in ("set up", "thinking", "over"):
        session.receive(SETUP)
    if state == "thinking":
        session.receive("genmove b 60000")
    if state == "over":
        session.receive("gameover 2026-01-01 B+Resign")
    assert session.receive("username") == Reaction("me")


def test_the_last_of_the_wanted_games_ends_with_quit() -> None:
    career = Career(wanted=2)
    session = logged_in(career)
    assert play_through(session, SETUP, "gameover 2026-01-01 B+Resign").reply == "ready"
    reaction = play_through(session, SETUP, "gameover 2026-01-01 Draw")
    assert reaction == Reaction("quit", is_last=True)
    assert career.is_done


def test_after_a_request_to_end_the_game_under_way_is_the_last() -> None:
    career = Career()
    session = logged_in(career)
    session.receive(SETUP)
    career.is_ending = True
    assert not career.is_done
    assert session.receive("gameover 2026-01-01 B+Time") == Reaction("quit", is_last=True)


def test_a_poll_after_two_passes_ends_a_game_nobody_ends() -> None:
    career = Career(wanted=1)
    session = logged_in(career)
    play_through(session, LITE_SETUP, "genmove b 60000", "username")
    assert career.is_playing
    session.answer(PASS)
    assert session.receive("username").reply == "me"
    session.receive("play w PASS 60000")
    assert session.receive("username") == Reaction(is_last=True)
    assert career.results == ["W+7"]


def test_a_poll_after_our_resignation_ends_the_game() -> None:
    session = logged_in()
    play_through(session, LITE_SETUP, "genmove b 60000")
    assert session.answer(None) == "resign"
    session.receive("username")
    assert session.career.results == ["resigned"]


def test_nothing_but_polls_means_that_the_opponent_gave_up() -> None:
    session = logged_in()
    session.receive(LITE_SETUP)
    for _ in range(POLLS_AFTER_END + 1):
        session.receive("username")
    assert session.career.results == ["unknown"]
    assert session.receive("genmove b 60000").turn is not None
    assert session.career.results == []
    assert session.career.played == 0


def test_a_game_that_comes_back_is_counted_once() -> None:
    career = Career()
    play_through(logged_in(career), SETUP, "genmove b 60000")
    play_through(logged_in(career), SETUP, "genmove b 60000")
    assert career.played == 0
    play_through(logged_in(career), SETUP.replace("setup 7", "setup 8"))
    assert career.results == ["unknown"]


def test_a_new_game_with_the_old_number_is_known_by_its_moves() -> None:
    career = Career()
    play_through(logged_in(career), LITE_SETUP + " C3 1 B2 1 B3 1")
    play_through(logged_in(career), LITE_SETUP + " C3 1 B2 1 B3 1 B4 1")
    assert career.played == 0
    play_through(logged_in(career), LITE_SETUP)
    assert career.played == 1


def repeating_moves() -> list[str]:
    """Moves on 3x3, legal under simple ko, of which only the last repeats a position."""
    for seed in range(1000):
        chance = random.Random(seed)
        game = Game(3, 0.0, Rules(KoRule.SIMPLE))
        while len(game.moves) < 40 and not game.is_over:
            moves = game.legal_moves(game.to_play).tolist() or [PASS]
            point = chance.choice(moves)
            strict = game.copy()
            strict.rules = Rules()
            verdict = strict.judge(game.to_play, point)
            game.play(game.to_play, point)
            if verdict == "superko":
                return [vertex_from_point(move.point, 3) for move in game.moves]
    raise AssertionError("no repetition found")


def test_a_server_may_hold_to_simple_ko_but_our_moves_do_not() -> None:
    moves = repeating_moves()
    session = logged_in()
    session.receive("setup 1 3 0 60000 a b")
    for number, vertex in enumerate(moves):
        session.receive(f"play {'bw'[number % 2]} {vertex} 60000")
    game = session.career.game
    assert game is not None
    assert len(game.moves) == len(moves)
    assert game.rules == Rules()


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (["genmove b 60000"], "before any game"),
        (["play b C3 60000"], "before any game"),
        ([SETUP, "genmove w 60000"], "whose turn it is not"),
        ([SETUP, "genmove x 60000"], "colour 'x'"),
        ([SETUP, "genmove b"], "1 words"),
        ([SETUP, "genmove b soon"], "time of 'soon'"),
        ([SETUP, "genmove b 1", "genmove b 1"], "asked for twice"),
        ([SETUP, "genmove b 1", "play b C3 1"], "made for us"),
        ([SETUP, "play b Z9 1"], "impossible move"),
        ([SETUP, "play b banana 1"], "impossible move"),
        ([SETUP, "play b C3 1", "play w C3 1"], "occupied"),
        ([SETUP, "play b C3"], "2 words"),
        ([SETUP + " C3 1 C3 1"], "occupied"),
        ([SETUP, "gameover x B+1", "genmove b 1"], "after the game was over"),
        (["setup 7 99 7.0 60000 a b"], "size 99"),
        (["setup 7 1 7.0 60000 a b"], "size 1"),
        (["info", "Error: the end is near"], "the end is near"),
        (["hello"] * 21, "no Computer Go Server"),
    ],
)
def test_a_lie_is_reported_in_one_line(lines: list[str], words: str) -> None:
    with pytest.raises(ProtocolError, match=words) as caught:
        play_through(logged_in(), *lines)
    assert "\n" not in str(caught.value)


def test_a_refused_login_is_final() -> None:
    with pytest.raises(LoginRefused, match="password does not match"):
        logged_in().receive("Error: the password does not match")
    with pytest.raises(ProtocolError, match="full"):
        make_session().receive("Error: full")
    with pytest.raises(LoginRefused, match="again and again"):
        play_through(make_session(), *["password"] * 4)


def test_the_password_is_not_in_any_description() -> None:
    assert "secret" not in repr(Identity("me", "secret"))
