"""What a viewer asks and is answered, as the program cgosview does it."""

import asyncio
from pathlib import Path

import pytest

from tests.interfaces.cgos.playground import (
    RawClient,
    make_client,
    run,
    running_server,
    server_settings,
    until,
)

GREETING = "v1 cgosview 0.32 Linux-x86_64 by Don Dailey"


async def open_viewer(port: int) -> RawClient:
    viewer = await RawClient.connect(port)
    await viewer.expect("protocol")
    viewer.say(GREETING)
    return viewer


async def next_line(viewer: RawClient) -> str:
    line = await viewer.hear()
    while line is not None and line.startswith("info"):
        line = await viewer.hear()
    assert line is not None
    return line


def test_a_viewer_follows_a_game_to_its_end() -> None:
    async def view() -> None:
        async with running_server(server_settings(gift=5.0)) as server:
            viewer = await open_viewer(server.port)
            names = ("one", "two")
            players = {name: await RawClient.log_in(server.port, name) for name in names}
            await until(lambda: bool(server.games))
            table = server.games[0]
            white, black = table.setup.white, table.setup.black
            assert await next_line(viewer) == f"match 1 - - 5 7 {white} {black} -"
            first, second = players[table.names[1]], players[table.names[2]]
            await first.await_command("genmove")
            first.say("C3")
            await second.await_command("genmove")
            viewer.say("observe 1")
            assert await next_line(viewer) == f"setup 1 - - 5 7 {white} {black} 20000 C3 20000"
            second.say("B2")
            assert await next_line(viewer) == "update 1 B2 20000"
            await first.await_command("genmove")
            first.say("resign")
            assert await next_line(viewer) == "update 1 resign 20000"
            assert await next_line(viewer) == "gameover 1 W+Resign 0 0"
            assert await next_line(viewer) == "update 1 W+Resign"
            for client in (viewer, first, second):
                await client.close()

    run(view())


def test_who_does_not_observe_hears_of_games_only() -> None:
    async def view() -> None:
        async with running_server(server_settings()) as server:
            viewer = await open_viewer(server.port)
            await asyncio.gather(*(make_client(n, server.port).run() for n in ("one", "two")))
            assert (await next_line(viewer)).startswith("match 1 - - ")
            assert (await next_line(viewer)).startswith("gameover 1 ")
            await viewer.close()

    run(view())


def test_games_of_the_past_are_listed_and_shown(tmp_path: Path) -> None:
    async def play() -> None:
        async with running_server(server_settings(folder=tmp_path)) as server:
            await asyncio.gather(*(make_client(n, server.port, 2).run() for n in ("one", "two")))

    async def view() -> None:
        async with running_server(server_settings(folder=tmp_path)) as server:
            viewer = await open_viewer(server.port)
            kept = server.store.last_games(40)
            for number, (setup, started, result) in enumerate(kept, 1):
                game = f"{number} {started[:16]} 5 7 {setup.white} {setup.black}"
                assert await next_line(viewer) == f"match {game} {result}"
            viewer.say("observe 2")
            words = (await next_line(viewer)).split()
            assert words[:6] == ["setup", "2", *kept[1][1][:16].split(), "5", "7"]
            assert words[8] == "20000"
            assert len(words[9:]) % 2 == 1
            assert words[-1] == kept[1][2]
            await viewer.close()

    run(play())
    run(view())


@pytest.mark.parametrize("number", ["99", "-1", "x", "9" * 500, "²"])
def test_a_game_nobody_knows(number: str) -> None:
    async def view() -> None:
        async with running_server(server_settings()) as server:
            viewer = await open_viewer(server.port)
            for line in ("", "hello", "observe", "observe 1 2"):
                viewer.say(line)
            viewer.say(f"observe {number}")
            assert await next_line(viewer) == f"setup {number[:15]} ?"
            viewer.say("quit")
            assert await viewer.hear() is None
            await viewer.close()

    run(view())
