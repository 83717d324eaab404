import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from katachi.errors import KatachiError
from katachi.interfaces.cgos.settings import anchor
from katachi.interfaces.cgos.store import Store, is_right_password, new_secret
from katachi.interfaces.cgos.table import Table, Verdict, sgf_from_table
from katachi.interfaces.cgos.wire import Setup
from katachi.records.sgf import read_games
from katachi.rules.color import BLACK, EMPTY, WHITE

SETUP = Setup("0", 5, 7.0, 10_000, "white(1500?)", "black(1500?)")
SECRET = (b"salt", b"hash")


def fill(store: Store) -> Table:
    """Two accounts and a game of two moves."""
    for name in ("white", "black"):
        store.register(name, SECRET, 1500)
    table = Table(store.add_game(SETUP, "2026-01-01 12:00:00"), "2026-01-01 12:00:00")
    for answer in ('C3 {"comment": "centre"}', "B2"):
        table.hear(answer, 0.0, takes_analysis=True)
        store.add_moves(table)
    return table


def test_everything_is_there_after_a_restart(tmp_path: Path) -> None:
    store = Store(tmp_path)
    table = fill(store)
    store.close()
    store = Store(tmp_path)
    [again] = store.unfinished_games(0.25)
    assert again == table
    assert store.secret("white") == SECRET
    store.finish_game(again, Verdict(BLACK, "B+Resign"))
    store.close()
    store = Store(tmp_path)
    assert store.unfinished_games(0.25) == []
    assert store.results() == [(1, "white(1500?)", "black(1500?)", "B+Resign")]
    black, white = store.account("black"), store.account("white")
    assert black is not None
    assert white is not None
    assert black.rating.elo > 1500 > white.rating.elo
    assert (black.blacks, black.whites, white.blacks, white.whites) == (1, 0, 0, 1)
    store.close()


def test_a_game_without_a_result_rates_nobody() -> None:
    store = Store(None)
    store.finish_game(fill(store), Verdict(EMPTY, "Abort"))
    account = store.account("black")
    assert account is not None
    assert (account.rating.elo, account.blacks) == (1500, 0)
    store.close()


def test_an_anchor_keeps_what_the_command_line_says(tmp_path: Path) -> None:
    store = Store(tmp_path)
    fill(store)
    store.close()
    store = Store(tmp_path, {"white": anchor(850)})
    [table] = store.unfinished_games(0.25)
    store.finish_game(table, Verdict(WHITE, "W+Time"))
    account = store.account("white")
    assert account is not None
    assert account.rating == anchor(850)
    store.close()


def test_passwords_are_hashed_with_salt() -> None:
    secret, other = new_secret("opensesame"), new_secret("opensesame")
    assert secret != other
    assert b"opensesame" not in b"".join(secret)
    assert is_right_password("opensesame", secret)
    assert not is_right_password("opensesamE", secret)


def test_two_servers_cannot_share_a_folder(tmp_path: Path) -> None:
    store = Store(tmp_path)
    with pytest.raises(KatachiError, match="locked"):
        Store(tmp_path)
    store.close()


def test_others_can_read_while_the_server_writes(tmp_path: Path) -> None:
    store = Store(tmp_path)
    table = fill(store)
    with closing(sqlite3.connect(tmp_path / "server.sqlite", timeout=0)) as reader:
        assert reader.execute("SELECT count(*) FROM moves").fetchone() == (2,)
        store.finish_game(table, Verdict(BLACK, "B+Resign"))
        assert reader.execute("SELECT result FROM games").fetchone() == ("B+Resign",)
    store.close()


def test_a_move_that_could_not_be_kept_is_kept_with_the_next(tmp_path: Path) -> None:
    store = Store(tmp_path)
    table = fill(store)
    for answer in ("D4", "B4"):
        table.hear(answer, 0.0, takes_analysis=True)
    store.add_moves(table)
    [again] = store.unfinished_games(0.25)
    assert again == table
    table.hear("A1", 0.0, takes_analysis=True)
    store.finish_game(table, Verdict(BLACK, "B+Resign"))
    kept = store.finished_game(1)
    assert kept is not None
    assert kept[0].moves == table.moves
    assert kept[1] == "B+Resign"
    assert store.finished_game(2) is None
    store.close()


def test_a_database_of_another_version_is_left_alone(tmp_path: Path) -> None:
    Store(tmp_path).close()
    with sqlite3.connect(tmp_path / "server.sqlite") as database:
        database.execute("PRAGMA user_version = 99")
    database.close()
    with pytest.raises(KatachiError, match="version 99"):
        Store(tmp_path)


@pytest.mark.parametrize("content", [b"not a database at all" * 100, b""])
def test_a_file_that_is_no_database(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "server.sqlite").write_bytes(content)
    if content:
        with pytest.raises(KatachiError, match="cannot be used"):
            Store(tmp_path)
    else:
        Store(tmp_path).close()


def test_a_database_of_someone_else_is_left_alone(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "server.sqlite") as database:
        database.execute("CREATE TABLE recipes (name TEXT)")
    database.close()
    with pytest.raises(KatachiError, match="not a database of this server"):
        Store(tmp_path)


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(KatachiError):
        Store(tmp_path / "file" / "folder")


@pytest.mark.parametrize(
    ("verdict", "text"),
    [
        (Verdict(BLACK, "B+3.5"), "B+3.5"),
        (Verdict(WHITE, "W+Resign"), "W+R"),
        (Verdict(WHITE, "W+Time"), "W+T"),
        (Verdict(WHITE, "W+Illegal", "superko"), "W+F"),
        (Verdict(EMPTY, "Draw"), "0"),
        (Verdict(EMPTY, "Abort", "no end"), "Void"),
    ],
)
def test_an_archived_game_tells_its_result(verdict: Verdict, text: str) -> None:
    store = Store(None)
    data = sgf_from_table(fill(store), verdict)
    store.close()
    [record] = list(read_games(data))
    assert str(record.result) == text
    assert record.texts.black_rank == "1500?"
    assert b"C[centre]" in data
    assert b"CC[" in data
