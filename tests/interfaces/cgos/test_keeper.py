"""Games whose end could not be kept."""

import asyncio
import sqlite3
from pathlib import Path

import pytest

from katachi.interfaces.cgos.store import Store
from katachi.interfaces.cgos.table import Keeper, Table, Verdict
from katachi.interfaces.cgos.wire import Setup
from katachi.rules.color import BLACK
from tests.interfaces.cgos.playground import RawClient, run, running_server, server_settings, until

STARTED = "2026-01-01 12:00:00"


def begin_game(store: Store, white: str, black: str) -> Table:
    setup = Setup("0", 5, 7.0, 20_000, f"{white}(1500?)", f"{black}(1500?)")
    return Table(store.add_game(setup, STARTED), STARTED)


def test_the_end_of_an_old_game_leaves_its_player_at_the_new_one(tmp_path: Path) -> None:
    """Two unfinished games of one player, as after a full disk."""
    store = Store(tmp_path)
    for white in ("old", "new"):
        begin_game(store, white, "both")
    store.close()

    async def play() -> None:
        settings = server_settings(folder=tmp_path, absence=5.0, flag_every=0.05)
        async with running_server(settings) as server:
            assert [table.setup.game_id for table in server.games] == ["2"]
            assert server.store.results() == [(1, "old(1500?)", "both(1500?)", "Abort")]
            black = await RawClient.log_in(server.port, "both")
            assert (await black.expect("setup")).startswith("setup 2 ")
            await black.expect("genmove")
            black.say("C3")
            await until(lambda: len(server.games[0].moves) == 1)
            await black.close()

    run(play())


def test_a_table_that_is_not_the_players_is_left_without_a_word() -> None:
    async def play() -> None:
        async with running_server(server_settings(first_look=100.0)) as server:
            client = await RawClient.log_in(server.port, "both")
            await until(lambda: "both" in server.seats)
            old, new = (begin_game(server.store, name, "both") for name in ("one", "two"))
            for table in (old, new):
                server._seat(table)
            server._finish(old, Verdict(BLACK, "B+Time"))
            assert server.tables == {"both": new, "two": new}
            with pytest.raises(TimeoutError):
                await client.hear(0.1)
            await client.close()

    run(play())


class Refusing(Store):
    """A store on a full disk."""

    is_full = True

    def finish_game(self, table: Table, verdict: Verdict) -> None:
        if self.is_full:
            raise sqlite3.OperationalError("database or disk is full")
        super().finish_game(table, verdict)


def test_a_result_that_could_not_be_kept_is_kept_later() -> None:
    log: list[str] = []
    store = Refusing(None)
    keeper = Keeper(store, None, log.append)
    for white in ("one", "two"):
        keeper.keep(begin_game(store, white, "black"), Verdict(BLACK, "B+Resign"))
    keeper.try_again()
    assert store.results() == []
    store.is_full = False
    keeper.try_again()
    keeper.try_again()
    assert [result for *_, result in store.results()] == ["B+Resign"] * 2
    store.close()
    assert [text.split(":")[0] for text in log] == [
        "game 1 could not be kept",
        "game 2 could not be kept",
        "game 1 is kept now",
        "game 2 is kept now",
    ]


def test_a_server_tries_again_while_it_runs(tmp_path: Path) -> None:
    async def play() -> None:
        async with running_server(server_settings(folder=tmp_path, flag_every=0.02)) as server:
            (tmp_path / "sgf").write_text("in the way")
            server._finish(begin_game(server.store, "one", "two"), Verdict(BLACK, "B+Resign"))
            assert server.store.results() == []
            (tmp_path / "sgf").unlink()
            await until(lambda: len(server.store.results()) == 1)
            await asyncio.sleep(0)

    run(play())
    assert len(list(tmp_path.glob("sgf/*/1.sgf"))) == 1
