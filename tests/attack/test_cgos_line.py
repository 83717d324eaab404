"""The line to a Go server for minutes: cuts, slow programs, restarts and watchers at once."""

import asyncio
import random
from dataclasses import replace
from pathlib import Path

import pytest

from katachi.interfaces.cgos.career import Patience
from katachi.interfaces.cgos.client import Client
from katachi.interfaces.cgos.playing import make_server_player
from katachi.interfaces.cgos.store import read_standings
from katachi.players.roster import make_player
from tests.interfaces.cgos.playground import (
    FlakyLine,
    RawClient,
    make_client,
    run,
    running_server,
    server_settings,
)
from tests.interfaces.cgos.sleepers import Sleeper

pytestmark = [pytest.mark.slow, pytest.mark.timeout(280)]
UNFAIR = ("Time", "Illegal", "Resign")


async def watch(port: int, stop: asyncio.Event) -> int:
    """Observes every game it hears of; how many lines it received."""
    viewer = await RawClient.connect(port)
    await viewer.expect("protocol")
    viewer.say("v1 watcher")
    count = 0
    while not stop.is_set():
        try:
            line = await viewer.hear(0.5)
        except TimeoutError:
            continue
        if line is None:
            break
        count += 1
        if line.startswith("match"):
            viewer.say(f"observe {line.split()[1]}")
    await viewer.close()
    return count


async def look_at_standings(folder: Path, stop: asyncio.Event) -> int:
    """Reads the standings again and again; how often."""
    count = 0
    while not stop.is_set():
        assert len(read_standings(folder)) <= 4
        count += 1
        await asyncio.sleep(0.05)
    return count


def test_games_are_played_over_lines_that_break_all_the_time(tmp_path: Path) -> None:
    """The defaults of the client, but for the first wait; each line holds for some lines only."""

    async def play() -> None:
        chance, stop = random.Random(5), asyncio.Event()
        settings = server_settings(folder=tmp_path, size=7, time=60.0)
        patience = replace(Patience(), first_retry=0.05)
        async with running_server(settings) as server, FlakyLine(server.port) as line:
            line.cuts_after = [chance.randrange(5, 40) for _ in range(400)]
            clients = [
                make_client(name, line.port, 4, lambda: Sleeper(longest=0.02), patience=patience)
                for name in ("one", "two", "three", "four")
            ]
            others = [
                asyncio.create_task(watch(server.port, stop)),
                asyncio.create_task(look_at_standings(tmp_path, stop)),
            ]
            await asyncio.gather(*(client.run() for client in clients))
            stop.set()
            assert all(count > 10 for count in await asyncio.gather(*others))
            results = [result for *_, result in server.store.results()]
        assert len(results) >= 8
        assert not any(word in result for result in results for word in UNFAIR)
        assert line.connections > 60

    run(play(), 240.0)


def slow_engine(tmp_path: Path, seconds: float) -> str:
    """A GTP program that takes this long over every move."""
    path = tmp_path / "slow_engine.py"
    path.write_text(
        "import random, sys, time\n"
        "for line in sys.stdin:\n"
        "    words = line.split()\n"
        "    answer = ''\n"
        "    if words[:1] == ['genmove']:\n"
        f"        time.sleep({seconds})\n"
        "        answer = 'pass'\n"
        "    elif words[:1] == ['known_command']:\n"
        "        answer = 'false'\n"
        "    sys.stdout.write(f'= {answer}\\n\\n')\n"
        "    sys.stdout.flush()\n"
    )
    return f"gtp:python3 {path}"


def test_a_program_too_slow_for_its_clock_plays_game_after_game(tmp_path: Path) -> None:
    async def play() -> Client:
        settings = server_settings(size=5, time=4.0, gift=0.0, flag_every=0.1)
        log: list[str] = []
        async with running_server(settings) as server:
            command = slow_engine(tmp_path, 0.5)
            slow = make_client(
                "slow", server.port, 3, lambda: make_server_player(command), log.append
            )
            other = make_client("other", server.port, 3, lambda: make_player("random", 3))
            await asyncio.gather(slow.run(), other.run())
            results = [result for *_, result in server.store.results()]
        assert not any(word in result for result in results for word in UNFAIR)
        return slow

    assert run(play(), 120.0).career.played == 3


def test_restarts_of_the_server_lose_no_game(tmp_path: Path) -> None:
    async def play() -> None:
        settings = server_settings(folder=tmp_path, size=7, time=60.0)
        patience = replace(Patience(), first_retry=0.05)
        tasks: list[asyncio.Task[object]] = []
        results: list[str] = []
        for round_number in range(6):
            async with running_server(settings) as server:
                settings = replace(settings, port=server.port)
                if not tasks:
                    for name in ("one", "two"):
                        client = make_client(
                            name, server.port, 3, lambda: Sleeper(longest=0.02), patience=patience
                        )
                        tasks.append(asyncio.create_task(client.run()))
                if round_number == 5:
                    await asyncio.gather(*tasks)
                else:
                    await asyncio.sleep(1.0)
                results = [result for *_, result in server.store.results()]
        assert len(results) >= 3
        assert not any(word in result for result in results for word in (*UNFAIR, "Abort"))

    run(play(), 200.0)
