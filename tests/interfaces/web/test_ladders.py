"""Ladders as the page gets them."""

import shutil
from pathlib import Path

import msgspec
import pytest

from katachi.arena.database import Database
from katachi.arena.outcome import Ending
from katachi.arena.report import make_report, write_report
from katachi.files.shipped_folders import LADDER_REPORTS
from katachi.interfaces.web.operations import RequestError
from katachi.rules.color import WHITE
from tests.arena.stored_games import SETTINGS, contestant, new_game
from tests.interfaces.web.asking import Asking


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Asking:
    """A page in a folder with a ladder of six games."""
    monkeypatch.setattr("katachi.interfaces.web.ladders.LADDER_REPORTS", tmp_path / "elsewhere")
    with Database(tmp_path / "small.db") as database:
        database.agree_on(SETTINGS, {"name": "small ladder"})
        a, b, c = (
            database.enter(contestant("a")),
            database.enter(contestant("b", anchor=850.0)),
            database.enter(contestant("c")),
        )
        for number in range(4):
            database.add_game(new_game(a, b, number))
        database.add_game(new_game(b, a, 4, WHITE, Ending.RESIGN))
        database.add_game(new_game(b, c, 0))
    (tmp_path / "notes.txt").write_text("no ladder")
    (tmp_path / "ladder-broken.json").write_text("{")
    return Asking(tmp_path)


def _only(page: Asking) -> str:
    (found,) = page.ask("ladders")["ladders"]
    return str(found["id"])


def test_a_database_of_the_folder_is_a_ladder_with_games(page: Asking) -> None:
    (found,) = page.ask("ladders")["ladders"]
    assert found.pop("id").isalnum()
    assert found == {
        "title": "small ladder",
        "size": 5,
        "players": 3,
        "games": 6,
        "has_games": True,
    }


def test_rankings_have_intervals_and_the_cross_table_their_order(page: Asking) -> None:
    found = page.ask("ladder", id=_only(page))
    names = [each["name"] for each in found["ranking"]]
    assert names == ["a", "b", "c"]
    first, anchor = found["ranking"][:2]
    assert first["low"] < first["elo"] < first["high"]
    assert first["share"] == 1.0
    assert anchor["is_anchor"]
    assert found["cross"][0] == [None, {"won": 5.0, "of": 5}, None]
    assert found["cross"][1] == [{"won": 0.0, "of": 5}, None, {"won": 1.0, "of": 1}]
    assert found["komi"] == 7.5
    assert found["notes"]


def test_games_are_listed_newest_first_by_player_and_page(page: Asking) -> None:
    ladder = _only(page)
    every = page.ask("ladder_games", id=ladder)
    assert every["total"] == 6
    assert [each["number"] for each in every["games"]] == [6, 5, 4, 3, 2, 1]
    assert every["games"][1] | {"number": 5} == {
        "number": 5,
        "black": "b",
        "white": "a",
        "result": "W+resign",
        "moves_count": 0,
    }
    assert page.ask("ladder_games", id=ladder, black="a")["total"] == 4
    assert page.ask("ladder_games", id=ladder, black="b", white="c")["total"] == 1
    part = page.ask("ladder_games", id=ladder, offset=2, count=3)
    assert part == {"total": 6, "games": every["games"][2:5]}


def test_every_game_can_be_looked_at(page: Asking) -> None:
    game = page.ask("ladder_game", id=_only(page), number=1)
    assert game["size"] == 5
    assert [(each["color"], each["vertex"]) for each in game["nodes"]] == [
        ("black", "C3"),
        ("white", "B4"),
    ]


def test_new_games_are_seen(page: Asking) -> None:
    ladder = _only(page)
    with Database(page.folder / "small.db") as database:
        a, c = database.enter(contestant("a")), database.enter(contestant("c"))
        database.add_game(new_game(a, c, 0))
    assert page.ask("ladder_games", id=ladder)["total"] == 7
    assert page.ask("ladders")["ladders"][0]["games"] == 7


def test_a_report_is_a_ladder_without_games(page: Asking) -> None:
    with Database(page.folder / "small.db") as database:
        report = make_report(database)
    (page.folder / "small.db").unlink()
    write_report(report, page.folder / "ladder5.json")
    ladder = _only(page)
    assert len(page.ask("ladder", id=ladder)["ranking"]) == 3
    with pytest.raises(RequestError, match="only its report"):
        page.ask("ladder_games", id=ladder)


@pytest.mark.skipif(not LADDER_REPORTS.is_dir(), reason="there are no ladders")
def test_reports_beside_the_package_are_found(tmp_path: Path) -> None:
    shutil.copy(LADDER_REPORTS / "ladder9.json", tmp_path / "ladder-copy.json")
    titles = [each["title"] for each in Asking(tmp_path).ask("ladders")["ladders"]]
    assert titles == ["house ladder 9x9", "house ladder 9x9", "house ladder 19x19"]


def test_what_is_not_there_is_one_clear_line(page: Asking) -> None:
    ladder = _only(page)
    for name, fields in (
        ("ladder", {"id": "../small.db"}),
        ("ladder_games", {"id": "0123456789ab"}),
        ("ladder_games", {"id": ladder, "black": "nobody"}),
        ("ladder_game", {"id": ladder, "number": 99}),
    ):
        with pytest.raises(RequestError) as caught:
            page.ask(name, **fields)
        assert str(page.folder) not in str(caught.value)


def test_empty_ladders_and_strange_reports_do_no_harm(page: Asking) -> None:
    Database(page.folder / "empty.db").close()
    with Database(page.folder / "small.db") as database:
        report = msgspec.to_builtins(make_report(database))
    report["settings"] = {"komi": "much", "time": 3}
    (page.folder / "ladder-strange.json").write_bytes(msgspec.json.encode(report))
    found = page.ask("ladders")["ladders"]
    assert sorted(each["games"] for each in found) == [0, 6, 6]
    for each in found:
        page.ask("ladder", id=each["id"])
