"""Whole games between our clients on our server."""

import asyncio
import json
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from sgfmill import sgf

from katachi.errors import KatachiError
from katachi.interfaces.cgos.client import Client
from katachi.interfaces.cgos.playing import make_server_player
from katachi.interfaces.cgos.settings import Dialect
from katachi.players.protocol import Choice
from katachi.players.roster import make_player
from katachi.records.result import Ending
from katachi.records.sgf import read_games
from katachi.rules.game import Game
from tests.interfaces.cgos.playground import (
    QUICK,
    FlakyLine,
    RawClient,
    make_client,
    run,
    running_server,
    server_settings,
    until,
)
from tests.interfaces.cgos.sleepers import TRY_OUT_SIZE, Sleeper, unhurried

DIALECTS = pytest.mark.parametrize("dialect", list(Dialect))


async def play_all(*clients: Client) -> None:
    await asyncio.gather(*(client.run() for client in clients))


@DIALECTS
def test_two_clients_play_a_match(dialect: Dialect) -> None:
    async def match() -> None:
        async with running_server(server_settings(dialect)) as server:
            clients = [make_client(name, server.port, 3) for name in ("one", "other")]
            await play_all(*clients)
            assert [client.career.played for client in clients] == [3, 3]
            results = [result for _, _, _, result in server.store.results()]
            assert len(results) == 3
            assert all("+" in result or result == "Draw" for result in results)
            shown = [result.replace(".0", "") for result in clients[0].career.results]
            assert shown == [result.replace(".0", "") for result in results]

    run(match())


@DIALECTS
def test_a_match_survives_dropped_connections(dialect: Dialect) -> None:
    async def match() -> list[str]:
        log: list[str] = []
        async with (
            running_server(server_settings(dialect, size=7)) as server,
            FlakyLine(server.port) as line,
        ):
            line.cuts_after = [12, 9, 30, 11]
            shaky = make_client("shaky", line.port, 2, log=log.append)
            steady = make_client("steady", server.port, 2)
            await play_all(shaky, steady)
            assert line.connections >= 5
            assert shaky.career.played == steady.career.played == 2
            results = [result for _, _, _, result in server.store.results()]
            assert len(results) == 2
            assert not any("Time" in result or "Illegal" in result for result in results)
        return log

    log = run(match())
    assert any("resumed after" in text for text in log)


def test_a_line_that_breaks_every_few_moves_costs_no_game() -> None:
    """Far more often than failures are allowed, and every wait but the shortest would be fatal."""

    async def match() -> list[str]:
        log: list[str] = []
        async with running_server(server_settings()) as server, FlakyLine(server.port) as line:
            line.cuts_after = [13] * 100
            patience = replace(QUICK, tries=2, first_retry=0.01, longest_retry=100.0)
            patience = replace(patience, longest_hurried_retry=0.02)
            shaky = make_client("shaky", line.port, 1, log=log.append, patience=patience)
            # The end of the game may be lost with the line: then the next game tells of it.
            steady = asyncio.create_task(make_client("steady", server.port, None).run())
            await shaky.run()
            steady.cancel()
            assert line.connections > patience.tries
            (_, _, _, result), *_ = server.store.results()
            assert result == "Draw" or result[2:].replace(".", "").isdigit()
        return log

    assert sum("resumed after" in text for text in run(match())) >= 2


@DIALECTS
def test_a_match_survives_a_restart_of_the_server(dialect: Dialect, tmp_path: Path) -> None:
    async def match() -> None:
        settings = server_settings(dialect, tmp_path, size=7, time=60.0)
        clients: list[Client] = []
        async with running_server(settings) as server:
            port = server.port
            clients = [make_client(name, port, 1, unhurried) for name in ("one", "other")]
            playing = asyncio.gather(*(client.run() for client in clients))
            await until(lambda: any(len(table.moves) > 4 for table in server.games))
            known = len(server.games[0].moves)
        again = server_settings(dialect, tmp_path, size=7, port=port)
        async with running_server(again) as server:
            assert len(server.games[0].moves) >= known
            assert server.games[0].setup.milliseconds == 60_000
            await playing
            [(number, _, _, result)] = server.store.results()
        assert number == 1
        assert "Time" not in result
        assert "Illegal" not in result
        assert [client.career.played for client in clients] == [1, 1]

    run(match())


def test_games_are_archived_with_what_the_players_thought(tmp_path: Path) -> None:
    async def match() -> None:
        settings = server_settings(Dialect.CLASSIC, tmp_path)
        async with running_server(settings) as server:
            alp = make_client("alp", server.port, 1, lambda: make_player("alp", 1))
            mute = make_client("mute", server.port, 1, unhurried)
            await play_all(alp, mute)

    run(match())
    [path] = tmp_path.glob("sgf/*/*.sgf")
    [record] = list(read_games(path))
    assert {record.texts.black, record.texts.white} == {"alp", "mute"}
    assert record.result.is_decided or record.result.ending is Ending.COUNT
    game = sgf.Sgf_game.from_bytes(path.read_bytes())
    seen = 0
    for node in game.get_main_sequence()[1:]:
        color, _ = node.get_move()
        is_alp = game.get_player_name(color) == "alp"
        assert node.has_property("BL" if color == "b" else "WL")
        analysis = json.loads(node.get("CC")) if node.has_property("CC") else {}
        assert 0 <= analysis.get("winrate", 0) <= 1
        assert ("ownership" in analysis) == is_alp
        if is_alp:
            assert len(analysis["ownership"]) == 25
            assert analysis["comment"] == node.get("C")
            seen += 1
    assert seen > 2


@pytest.mark.parametrize("extra", [0.0, 0.15])
def test_no_flag_falls_however_the_players_think(extra: float) -> None:
    """One second a game, for players that use all they get, and for some that take more."""

    async def match() -> None:
        settings = server_settings(time=1.0, gift=0.0, flag_every=0.05)
        async with running_server(settings) as server:
            clients = [
                make_client(name, server.port, 1, lambda: Sleeper(extra=extra))
                for name in ("one", "two")
            ]
            await play_all(*clients)
            [(_, _, _, result)] = server.store.results()
            assert "Time" not in result
            assert "Illegal" not in result

    run(match())


def test_a_player_that_hangs_is_replaced_and_given_up_after_the_game() -> None:
    async def match() -> list[str]:
        log: list[str] = []
        async with running_server(server_settings(time=3.0, flag_every=0.05)) as server:
            hang = partial(Sleeper, extra=1000.0)
            hanging = make_client("hanging", server.port, 1, hang, log.append)
            other = make_client("other", server.port, 1)
            results = await asyncio.gather(hanging.run(), other.run(), return_exceptions=True)
            assert "keeps failing" in str(results[0])
            [(_, _, _, result)] = server.store.results()
            assert result[2:].replace(".", "").isdigit()
        return log

    log = run(match())
    assert sum("gave no move in time" in text for text in log) == 3


def test_an_interrupt_lets_a_broken_player_end_its_game_too() -> None:
    async def match() -> None:
        async with running_server(server_settings()) as server:
            broken = make_client("broken", server.port, None, Crashing)
            task = asyncio.create_task(broken.run())
            other = await RawClient.log_in(server.port, "other")
            await other.await_command("setup")
            while not broken.career.is_helpless:
                await other.await_command("genmove")
                other.say("pass")
            broken.request_end()
            await other.await_command("genmove")
            assert not task.done()
            other.say("resign")
            with pytest.raises(KatachiError, match="keeps failing"):
                await task
            await other.close()

    run(match())


class Crashing(Sleeper):
    """Breaks down in every game but the one it is tried out in."""

    def choose(self, game: Game, color: int, seconds: float | None = None) -> Choice:
        if game.size != TRY_OUT_SIZE:
            raise ValueError("out of memory")
        return super().choose(game, color, 0.0)


def test_the_game_of_a_broken_player_is_played_to_its_end() -> None:
    async def match() -> None:
        async with running_server(server_settings()) as server:
            broken = make_client("broken", server.port, None, Crashing)
            other = make_client("other", server.port, 1)
            results = await asyncio.gather(broken.run(), other.run(), return_exceptions=True)
            assert "keeps failing: ValueError: out of memory" in str(results[0])
            [(_, _, _, result)] = server.store.results()
            assert result == "Draw" or result[2:].replace(".", "").isdigit()

    run(match())


@DIALECTS
def test_an_end_that_is_asked_for_waits_for_the_game(dialect: Dialect) -> None:
    async def match() -> None:
        async with running_server(server_settings(dialect)) as server:
            leaving = make_client("leaving", server.port, None, unhurried)
            staying = make_client("staying", server.port, None)
            tasks = [asyncio.create_task(client.run()) for client in (leaving, staying)]
            await until(lambda: any(len(table.moves) > 2 for table in server.games))
            leaving.request_end()
            career = await tasks[0]
            assert career.played == 1
            [(_, _, _, result)] = server.store.results()
            assert "Time" not in result
            staying.request_end()
            await tasks[1]

    run(match())


@pytest.mark.parametrize("moment", ["between games", "twice in a game"])
def test_an_end_can_be_had_at_once(moment: str) -> None:
    async def match() -> None:
        async with running_server(server_settings()) as server:
            leaving = make_client("leaving", server.port, None, unhurried)
            task = asyncio.create_task(leaving.run())
            await until(lambda: "leaving" in server.seats)
            others: list[RawClient] = []
            if moment == "twice in a game":
                other = await RawClient.log_in(server.port, "other")
                others.append(other)
                await other.await_command("setup")
                await asyncio.sleep(0.1)
                leaving.request_end()
                assert not task.done()
            leaving.request_end()
            async with asyncio.timeout(30):
                career = await task
            assert career.played == 0
            for client in others:
                await client.close()

    run(match())


def test_equal_clients_meet_again_with_colours_exchanged() -> None:
    async def match() -> None:
        async with running_server(server_settings()) as server:
            await play_all(*(make_client(name, server.port, 2) for name in ("one", "other")))
            (_, first, _, _), (_, second, _, _) = server.store.results()
            assert first.partition("(")[0] != second.partition("(")[0]

    run(match())


@pytest.mark.gnugo
def test_gnugo_takes_dead_stones_off_before_it_passes(gnugo: str) -> None:
    """Against a player that never gives up, area with all stones alive must favour GNU Go."""
    command = f"gtp:{gnugo} --mode gtp --level 0 --seed 1 --chinese-rules --positional-superko"

    async def match() -> None:
        async with running_server(server_settings(size=7, time=6.0)) as server:
            strong = make_client("gnugo", server.port, 1, lambda: make_server_player(command))
            weak = make_client("weak", server.port, 1)
            await play_all(strong, weak)
            [(_, white, _, result)] = server.store.results()
            winner = "W" if white.startswith("gnugo") else "B"
            assert result.startswith(f"{winner}+")
            assert float(result[2:]) > 30

    run(match())
