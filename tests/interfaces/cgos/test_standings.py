from pathlib import Path

import pytest

from katachi.errors import KatachiError
from katachi.interfaces.cgos.settings import anchor
from katachi.interfaces.cgos.store import Store, read_standings, standings_text
from katachi.interfaces.cgos.table import Table, Verdict
from katachi.interfaces.cgos.wire import Setup
from katachi.interfaces.cli.cgos import standings
from katachi.rules.color import BLACK, EMPTY, WHITE

STARTED = "2026-01-01 12:00:00"


def fill(store: Store) -> None:
    """Four games, one of them without a result, and one under way."""
    for name in ("strong", "weak", "new"):
        store.register(name, (b"salt", b"hash"), 1500)
    setup = Setup("0", 5, 7.0, 10_000, "weak(1500?)", "strong(1800)")
    verdicts = (
        Verdict(BLACK, "B+Resign"),
        Verdict(WHITE, "W+3.0"),
        Verdict(EMPTY, "Draw"),
        Verdict(EMPTY, "Abort"),
    )
    for verdict in verdicts:
        store.finish_game(Table(store.add_game(setup, STARTED), STARTED), verdict)
    store.add_game(setup, STARTED)


def test_who_stands_where_can_be_read_while_the_server_runs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store = Store(tmp_path, {"strong": anchor(1800)})
    fill(store)
    places = read_standings(tmp_path)
    assert [(place.name, place.games, *place[2:]) for place in places] == [
        ("strong", 3, 1, 1, 1),
        ("weak", 3, 1, 1, 1),
        ("new", 0, 0, 0, 0),
    ]
    assert standings(tmp_path) == 0
    store.close()
    assert read_standings(tmp_path / "server.sqlite") == places
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["name", "rating", "games", "won", "lost", "drawn"]
    assert lines[1].split() == ["1", "strong", "1800", "3", "1", "1", "1"]
    assert standings_text([]).split() == lines[0].split()


def test_what_is_no_servers_database_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(KatachiError, match="is not there"):
        read_standings(tmp_path)
    file = tmp_path / "server.sqlite"
    file.write_bytes(b"")
    with pytest.raises(KatachiError, match="not a database of this server"):
        read_standings(tmp_path)
    file.write_bytes(b"nonsense" * 1000)
    with pytest.raises(KatachiError, match="cannot be read"):
        read_standings(tmp_path)
