"""What our server says to whom, and whom it does not mind."""

import asyncio
import contextlib
import os
import random
from pathlib import Path

import pytest

from katachi.errors import KatachiError
from katachi.interfaces.cgos.server import Server
from katachi.interfaces.cgos.settings import Dialect, ServerSettings
from tests.interfaces.cgos.playground import (
    LOCAL,
    RawClient,
    make_client,
    run,
    running_server,
    server_settings,
    until,
)


async def pair_up(port: int, *names: str, greeting: str = "e1 test") -> list[RawClient]:
    """Two raw clients in a game: Black first."""
    clients = [await RawClient.log_in(port, name, greeting=greeting) for name in names]
    lines = [await client.await_command("setup") for client in clients]
    words = lines[0].split()
    is_white = words[5].partition("(")[0] == names[0]
    return clients[::-1] if is_white else clients


async def close_all(*clients: RawClient) -> None:
    for client in clients:
        await client.close()


def test_a_game_line_by_line() -> None:
    async def play() -> None:
        async with running_server(server_settings()) as server:
            black, white = await pair_up(server.port, "one", "two")
            assert (await black.expect("genmove")).split()[:2] == ["genmove", "b"]
            black.say("c3")
            assert (await white.expect("play")).split() == ["play", "b", "C3", "20000"]
            assert (await white.expect("genmove")).split()[:2] == ["genmove", "w"]
            white.say("PASS")
            assert (await black.expect("play")).split()[:3] == ["play", "w", "pass"]
            await black.expect("genmove")
            black.say("pass")
            assert (await white.expect("play")).split()[:3] == ["play", "b", "pass"]
            for client in (black, white):
                assert (await client.expect("gameover")).split()[2] == "B+18.0"
                client.say("ready")
            for client in (black, white):
                await client.expect("setup")
            await close_all(black, white)

    run(play())


def test_a_game_line_by_line_in_the_other_dialect() -> None:
    async def play() -> None:
        async with running_server(server_settings(Dialect.LITE, poll_every=0.1)) as server:
            one = await RawClient.log_in(server.port, "one")
            for _ in range(3):
                assert await one.expect("username") == "username"
                one.say("one")
            two = await RawClient.log_in(server.port, "two")
            setups = [await client.await_command("setup") for client in (one, two)]
            assert setups[0] == setups[1]
            assert setups[0] in (
                "setup 0 5 7 20000 one two",
                "setup 0 5 7 20000 two one",
            )
            black, white = (two, one) if setups[0].endswith("two") else (one, two)
            await black.expect("genmove")
            await asyncio.sleep(0.4)
            black.say("b2")
            words = (await white.expect("play")).split()
            assert words[:3] == ["play", "b", "B2"]
            assert words[3] == "20000", "the receiver's time"
            await white.expect("genmove")
            white.say("resign")
            for client in (black, white):
                assert await client.expect("username") == "username"
            await close_all(one, two)

    run(play())


@pytest.mark.parametrize(
    ("answer", "result", "reason"),
    [
        ("Z99", "Illegal", "no point of the board"),
        ("", "Illegal", "no point of the board"),
        ("resign", "Resign", ""),
    ],
)
def test_whoever_breaks_the_rules_loses(answer: str, result: str, reason: str) -> None:
    async def play() -> None:
        async with running_server(server_settings()) as server:
            black, white = await pair_up(server.port, "one", "two")
            await black.expect("genmove")
            black.say(answer)
            words = (await white.expect("gameover")).split(maxsplit=3)
            assert words[2:] == [f"W+{result}", *filter(None, [reason])]
            await close_all(black, white)

    run(play())


def test_a_silent_player_loses_on_time_and_the_other_plays_on() -> None:
    async def play() -> None:
        async with running_server(server_settings(time=0.3)) as server:
            black, white = await pair_up(server.port, "one", "two")
            assert (await white.expect("gameover")).split()[2] == "W+Time"
            white.say("ready")
            black.say("ready")
            for client in (black, white):
                await client.await_command("setup")
            await close_all(black, white)

    run(play())


def test_a_second_login_takes_over_the_game() -> None:
    async def play() -> None:
        async with running_server(server_settings()) as server:
            black, white = await pair_up(server.port, "one", "two")
            name = server.games[0].names[1]
            await black.expect("genmove")
            black.say("C3")
            await white.await_command("genmove")
            white.say("B2")
            await black.await_command("genmove")
            again = await RawClient.log_in(server.port, name)
            words = (await again.expect("setup")).split()
            assert words[7::2] == ["C3", "B2"]
            assert (await again.expect("genmove")).split()[1] == "b"
            assert (await black.await_command("Error:")).endswith("under this name")
            assert await black.hear() is None
            again.say("resign")
            assert (await white.await_command("gameover")).split()[2] == "W+Resign"
            await close_all(black, white, again)

    run(play())


def test_passwords_are_checked_and_changed() -> None:
    async def log_in() -> None:
        async with running_server(server_settings(first_look=100.0)) as server:
            first = await RawClient.log_in(server.port, "name", "original")
            await until(lambda: "name" in server.seats)
            wrong = await RawClient.log_in(server.port, "name", "guess")
            assert "does not match" in await wrong.expect("Error:")
            assert "name" in server.seats
            changed = await RawClient.log_in(server.port, "name", "original changed")
            await first.await_command("Error:")
            late = await RawClient.log_in(server.port, "name", "original")
            assert "does not match" in await late.expect("Error:")
            good = await RawClient.log_in(server.port, "name", "changed")
            await changed.await_command("Error:")
            await close_all(first, wrong, changed, late, good)

    run(log_in())


@pytest.mark.parametrize(
    ("greeting", "name", "password"),
    [
        ("hello", "name", "password"),
        ("e1 x", "1name", "password"),
        ("e1 x", "n", "password"),
        ("e1 x", "name", "pw"),
        ("e1 x", "name", "one two three"),
        ("e1 x", "na\x00me", "password"),
    ],
)
def test_a_bad_login_is_answered_with_the_reason(greeting: str, name: str, password: str) -> None:
    async def log_in() -> None:
        async with running_server(server_settings()) as server:
            client = await RawClient.connect(server.port)
            for answer in (greeting, name, password):
                client.say(answer)
            await client.await_command("Error:")
            assert await client.hear() is None
            assert server.seats == {}
            await client.close()

    run(log_in())


def test_new_players_start_at_the_mean_of_those_who_wait() -> None:
    async def log_in() -> None:
        settings = server_settings(first_look=100.0, anchors={"weak": 100.0, "strong": 900.0})
        async with running_server(settings) as server:
            clients = []
            for name in ("weak", "strong", "new"):
                clients.append(await RawClient.log_in(server.port, name))
                await until(lambda name=name: name in server.seats)  # type: ignore[misc]
            account = server.store.account("new")
            assert account is not None
            assert account.rating.elo == 500
            await close_all(*clients)

    run(log_in())


def test_a_round_waits_until_all_games_are_over() -> None:
    async def play() -> None:
        async with running_server(server_settings()) as server:
            black, white = await pair_up(server.port, "one", "two")
            more = [await RawClient.log_in(server.port, name) for name in ("three", "four")]
            await asyncio.sleep(0.4)
            assert len(server.games) == 1
            await black.expect("genmove")
            black.say("resign")
            for client in more:
                await client.await_command("setup")
            await close_all(black, white, *more)

    run(play())


async def misbehave(port: int, chance: random.Random) -> None:
    """One hostile connection of some kind, for a second or so."""
    with contextlib.suppress(OSError):
        reader, writer = await asyncio.open_connection(LOCAL, port)
        kind = chance.randrange(6)
        if kind == 0:
            writer.write(os.urandom(2000))
        elif kind == 1:
            writer.write(b"x" * 300_000)
        elif kind == 2:
            writer.write(b"e1 half")
        elif kind == 3:
            writer.write(b"e1 x\nsilent%d\npassword\n" % chance.randrange(3))
            writer.write(b"y" * 300_000)
        elif kind == 4:
            writer.write(b"e1 x\nbabbler\npassword\n" + b"A1\n" * 5000)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(1.0):
                await reader.read()
        writer.transport.abort()


def test_a_crowd_of_hostile_clients_disturbs_no_game(tmp_path: Path) -> None:
    """Two hundred of them. The good ones' games are over in time and by the rules."""

    async def play() -> None:
        settings = server_settings(folder=tmp_path, size=7, time=20.0, gift=0.25)
        chance = random.Random(3)
        async with running_server(settings) as server:
            good = [make_client(name, server.port, 1) for name in ("good", "fair")]
            tasks = [asyncio.create_task(client.run()) for client in good]
            await until(lambda: len(server.games) == 1)
            crowd = [asyncio.create_task(misbehave(server.port, chance)) for _ in range(200)]
            await asyncio.gather(*tasks)
            _, white, black, result = server.store.results()[0]
            assert {white.partition("(")[0], black.partition("(")[0]} == {"good", "fair"}
            assert "Time" not in result
            assert "Illegal" not in result
            await asyncio.gather(*crowd)
            late = await RawClient.log_in(server.port, "latecomer")
            await until(lambda: "latecomer" in server.seats)
            await late.close()
            await until(lambda: "latecomer" not in server.seats)

    run(play())


def test_a_player_who_only_talks_is_shown_the_door() -> None:
    async def talk() -> None:
        async with running_server(server_settings()) as server:
            client = await RawClient.log_in(server.port, "talker")
            for _ in range(200):
                client.say("and another thing")
            assert "nobody asked" in await client.await_command("Error:")
            await client.close()

    run(talk())


def test_a_connection_that_does_not_log_in_is_closed() -> None:
    async def wait() -> None:
        async with running_server(server_settings(login=0.2)) as server:
            client = await RawClient.connect(server.port)
            await client.expect("protocol")
            assert "no login in time" in await client.expect("Error:")
            await client.close()

    run(wait())


def test_a_full_server_says_so() -> None:
    async def fill() -> None:
        async with running_server(server_settings(connections=2)) as server:
            clients = [await RawClient.connect(server.port) for _ in range(2)]
            for client in clients:
                await client.expect("protocol")
            late = await RawClient.connect(server.port)
            assert "full" in await late.expect("Error:")
            await close_all(late, *clients)

    run(fill())


def test_a_client_that_reads_nothing_is_cut_off() -> None:
    async def flood() -> None:
        async with running_server(server_settings(first_look=100.0)) as server:
            deaf = await RawClient.log_in(server.port, "deaf")
            await until(lambda: "deaf" in server.seats)
            for _ in range(300):
                seat = server.seats.get("deaf")
                if seat is None:
                    break
                seat.stream.send("info " + "x" * 60_000)
                await asyncio.sleep(0)
            await until(lambda: "deaf" not in server.seats)
            await deaf.close()

    run(flood())


def test_the_same_port_cannot_be_had_twice() -> None:
    async def start() -> None:
        async with running_server(server_settings()) as server:
            twin = Server(server_settings(port=server.port), lambda _text: None)
            await twin.start()

    with pytest.raises(KatachiError, match="cannot listen on"):
        run(start())


@pytest.mark.parametrize(
    "change",
    [
        {"size": 1},
        {"komi": float("nan")},
        {"port": -1},
        {"time": 0.0},
        {"look_every": 0.0},
        {"pause": -1.0},
        {"anchors": {"x": 1.0}},
        {"anchors": {"anchor": float("nan")}},
    ],
)
def test_settings_no_game_can_be_played_with(change: dict[str, object]) -> None:
    with pytest.raises(KatachiError):
        ServerSettings(**change)  # type: ignore[arg-type]


def test_the_server_is_bound_to_this_machine_by_default() -> None:
    assert ServerSettings().host == LOCAL
