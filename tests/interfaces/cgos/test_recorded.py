"""Exchanges as real servers lead them: one written in Python, the older one in Tcl."""

import asyncio
from collections.abc import Callable
from dataclasses import replace

import pytest

from katachi.errors import KatachiError
from katachi.interfaces.cgos.career import Patience
from katachi.interfaces.cgos.client import Client
from katachi.interfaces.cgos.session import LoginRefused
from tests.interfaces.cgos.playground import (
    PASSWORD,
    QUICK,
    make_client,
    run,
    running_server,
    server_settings,
    until,
)
from tests.interfaces.cgos.recorded import (
    NAME,
    PYTHON_LOGIN,
    TCL_LOGIN,
    Reader,
    Recorded,
    playing_back,
)

PYTHON_GAME = f"""
{PYTHON_LOGIN}
> info Maximum time until next round: 01:30
> setup 7 5 7.0 60000 strong(1800) {NAME}(1500?)
> genmove b 60000
< C3 \\{{"winrate":0.25,.*\\}}
> play w pass 59800
> genmove b 59900
< B2 \\{{.*\\}}
> play w pass 59500
> genmove b 59800
< pass \\{{.*\\}}
> gameover 2026-01-01 B+18.0\x20
"""
TCL_GAME = f"""
{TCL_LOGIN}
> setup 7 5 7.0 60000 strong(1800) {NAME}(1500?)\x20
> genmove b 60000
< C3
> play w pass 59800
> genmove b 59900
< B2
> play w pass 59500
> genmove b 59800
< pass
> gameover 2026-01-01 B+18.0\x20
"""
TCL_RESUMED = f"""
{TCL_LOGIN}
> setup 7 5 7.0 60000 strong(1800) {NAME}(1500?) C3 59000 pass 58000 B2 57000 pass 56000
> genmove b 55000
< pass
> gameover 2026-01-01 B+18.0\x20
"""
RIVAL = "info another login is being attempted using this user name"


def client_of(
    port: int, log: list[str], games: int | None = 1, patience: Patience = QUICK
) -> Client:
    return make_client(NAME, port, games, lambda: Reader("C3", "B2"), log.append, patience)


def play_back(
    recorded: Recorded,
    games: int | None = 1,
    patience: Patience = QUICK,
    act: Callable[[Client], None] | None = None,
) -> tuple[Client, list[str]]:
    """A client's whole life with the server; `act` is called at the second connection."""
    log: list[str] = []

    async def live() -> Client:
        async with playing_back(recorded) as port:
            client = client_of(port, log, games, patience)
            task = asyncio.create_task(client.run())
            if act is not None:
                await until(lambda: sum(text.startswith("connected") for text in log) == 2)
                act(client)
            await task
            await asyncio.sleep(0.01)
            return client

    client = run(live())
    assert recorded.faults == []
    return client, log


def refusal_of(recorded: Recorded) -> tuple[str, list[str]]:
    """How the client was turned away, and its log."""
    log: list[str] = []

    async def live() -> str:
        async with playing_back(recorded) as port:
            with pytest.raises(LoginRefused) as caught:
                await client_of(port, log, None).run()
            return str(caught.value)

    text = run(live())
    assert recorded.faults == []
    assert all(line.isprintable() and PASSWORD not in line for line in [text, *log])
    return text, log


@pytest.mark.parametrize("game", [PYTHON_GAME, TCL_GAME], ids=["python", "tcl"])
def test_a_game_and_its_end(game: str) -> None:
    recorded = Recorded(game)
    client, log = play_back(recorded)
    assert recorded.rest == ["quit"]
    assert client.career.results == ["B+18.0"]
    assert "game over: B+18.0, won with Black against strong (1 played)" in log
    assert client.career.summary() == "played 1 games: B+18.0 (won); won 1"


def test_news_are_reported_once() -> None:
    news = "> info Maximum time until next round: 01:30\n"
    game = PYTHON_GAME.replace(news, 3 * news)
    _, log = play_back(Recorded(game))
    assert log.count("the server says: Maximum time until next round: 01:30") == 1


@pytest.mark.parametrize("end", ["close", "cut"])
def test_a_game_that_is_interrupted_goes_on(end: str) -> None:
    torn = TCL_GAME.partition("> genmove b 59800")[0] + end
    recorded = Recorded(torn, TCL_RESUMED)
    client, log = play_back(recorded)
    assert client.career.results == ["B+18.0"]
    assert any("resumed after 4 moves" in text for text in log)


def test_connections_that_played_are_no_failures() -> None:
    """More of them in a row than failures are allowed."""
    torn = TCL_GAME.partition("> genmove b 59900")[0] + "cut"
    again = f"{TCL_RESUMED.partition('> genmove')[0]}\ncut"
    count = 2 * QUICK.tries
    recorded = Recorded(torn, *[again] * count, TCL_RESUMED)
    patience = replace(QUICK, first_retry=0.01, longest_retry=100.0)
    client, log = play_back(recorded, patience=patience)
    assert client.career.results == ["B+18.0"]
    assert recorded.connections == count + 2
    assert all("in 0.0 s" in text for text in log if "connecting again" in text)


def test_waits_in_a_game_are_short_and_end_with_its_clock() -> None:
    assert Patience().retry_delay(100, 1.0, is_hurried=True) == 3.0
    game = f"{TCL_LOGIN}\n> setup 7 5 7.0 400 strong(1800) {NAME}(1500?)\nclose"
    login = "> protocol\nclose"
    recorded = Recorded(game, login)
    patience = replace(QUICK, first_retry=0.02, longest_retry=0.02, longest_hurried_retry=0.01)
    with pytest.raises(KatachiError, match="given up after 5 tries"):
        play_back(recorded, patience=patience)
    assert recorded.connections > 15


BAD_NAME = (
    "Not removing dead stones, many timeout, changed strength, or many similar programs. "
    "Change setting and try another name."
)


@pytest.mark.parametrize(
    ("script", "words"),
    [
        (f"{PYTHON_LOGIN.partition('> password')[0]}\n> Error: {BAD_NAME}\nclose", BAD_NAME),
        (f"{TCL_LOGIN.partition('> password')[0]}\n> Error: {BAD_NAME}\nclose", BAD_NAME),
        (f"{PYTHON_LOGIN}\n> Error: password doesn't match\nclose", "password doesn't match"),
        (f"{PYTHON_LOGIN}\n> Sorry, password doesn't match\nclose", "Sorry, password doesn't"),
        (f"{TCL_LOGIN}\n> Sorry, password doesn't match\nclose", "Sorry, password doesn't match"),
        (f"{TCL_LOGIN}\n> Error: Password limited to 16 characters.\nclose", "limited to 16"),
        (f"{TCL_LOGIN}\n> Sorry, \x1b[31m{PASSWORD}\x07 is wrong\nclose", "Sorry, [31m*** is"),
    ],
)
def test_a_refusal_is_reported_in_the_servers_words_and_not_tried_again(
    script: str, words: str
) -> None:
    recorded = Recorded(script)
    text, _ = refusal_of(recorded)
    assert words in text
    assert recorded.connections == 1


@pytest.mark.parametrize("words", ["", "> We do not know you\n"])
def test_a_close_right_after_the_password_is_a_refusal_at_the_second_time(words: str) -> None:
    recorded = Recorded(f"{TCL_LOGIN}\n{words}close")
    text, _ = refusal_of(recorded)
    assert "right after the password" in text
    assert ("We do not know you" in text) == bool(words)
    assert recorded.connections == 2


def test_a_close_after_the_password_says_nothing_of_one_that_was_good_before() -> None:
    torn = TCL_GAME.partition("> genmove b 59900")[0] + "close"
    recorded = Recorded(torn, *[f"{TCL_LOGIN}\nclose"] * 3, TCL_RESUMED)
    client, _ = play_back(recorded)
    assert client.career.results == ["B+18.0"]


def test_who_is_here_already_tries_again() -> None:
    login = TCL_LOGIN.partition("> password")[0]
    here = f"{login}\n> Error: You are already logged on!  Closing connection.\nclose"
    recorded = Recorded(here, here, TCL_GAME)
    client, log = play_back(recorded)
    assert client.career.results == ["B+18.0"]
    assert sum("already logged on" in text for text in log) == 2


def test_a_second_login_elsewhere_ends_the_client() -> None:
    """The Python server closes the older connection after these words."""
    recorded = Recorded(PYTHON_GAME.partition("> genmove b 59900")[0] + f"> {RIVAL}\nclose")
    text, log = refusal_of(recorded)
    assert RIVAL.removeprefix("info ") in text
    assert f"the server says: {RIVAL.removeprefix('info ')}" in log
    assert recorded.connections == 1


def test_a_second_login_that_was_turned_away_is_no_reason_to_leave() -> None:
    """The Tcl server keeps the older connection; that it breaks later has other reasons."""
    game = TCL_GAME.replace("> genmove b 59900", f"> {RIVAL}\n> genmove b 59900")
    torn = game.partition("> genmove b 59800")[0] + "close"
    client, _ = play_back(Recorded(torn, TCL_RESUMED))
    assert client.career.results == ["B+18.0"]


def test_on_our_server_the_second_login_stays_and_the_first_ends() -> None:
    async def log_in() -> None:
        async with running_server(server_settings(first_look=100.0)) as server:
            first, second = (client_of(server.port, [], None) for _ in range(2))
            one = asyncio.create_task(first.run())
            await until(lambda: NAME in server.seats)
            other = asyncio.create_task(second.run())
            with pytest.raises(LoginRefused, match="another connection has logged in"):
                await one
            assert NAME in server.seats
            second.request_end()
            await other

    run(log_in())


def test_an_end_that_is_asked_for_after_the_server_forgot_the_game_comes_soon() -> None:
    torn = TCL_GAME.partition("> genmove b 59900")[0] + "close"
    recorded = Recorded(torn, TCL_LOGIN + "> info welcome")
    patience = replace(QUICK, resume=0.1, long_silence=100.0)
    client, log = play_back(recorded, None, patience, Client.request_end)
    assert client.career.results == ["unknown"]
    assert "the server has forgotten the game" in log


@pytest.mark.parametrize("game", [PYTHON_GAME, TCL_GAME], ids=["python", "tcl"])
def test_a_dead_line_is_noticed_in_a_game(game: str) -> None:
    torn = game.partition("> genmove b 59900")[0]
    resumed = TCL_RESUMED if "analyze" not in game else TCL_RESUMED.replace("< pass", "< pass.*")
    patience = replace(QUICK, silence=0.1, long_silence=100.0)
    client, log = play_back(Recorded(torn, resumed), patience=patience)
    assert client.career.results == ["B+18.0"]
    assert any("the server is silent" in text for text in log)


def test_a_server_that_polls_may_be_silent_in_a_game() -> None:
    polled = TCL_LOGIN + f"> username\n< {NAME}\n" + TCL_GAME.removeprefix(f"\n{TCL_LOGIN}")
    patience = replace(QUICK, silence=0.001, long_silence=10.0)
    recorded = Recorded(polled)
    client, _ = play_back(recorded, patience=patience)
    assert recorded.connections == 1
    assert client.career.results == ["B+18.0"]
