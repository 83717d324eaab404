"""Runs as the page gets them, and the one that it begins."""

import asyncio
import os
import shutil
import sys
import time
from pathlib import Path
from typing import Any

import msgspec
import pytest

from katachi.errors import KatachiError
from katachi.files.locking import locked
from katachi.interfaces.web.operations import OPERATIONS, PLAYER_PREFIXES, Part, Result
from katachi.interfaces.web.run_shelf import (
    PagePreset,
    RunShelf,
    data_folder,
    identity_of,
    player_of,
    title_of,
)
from katachi.learning.run_folder import RunFolder
from katachi.players.roster import make_player
from katachi.rules.game import Game
from katachi.rules.point import point_from_vertex
from tests.interfaces.web.asking import Asking, make_run

TINY = PagePreset("tiny", "over at once", 5, 30, ("--sets", "1x1:LI", "--test-every", "10"))
ENDLESS = TINY._replace(games=100_000_000)


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Asking:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return Asking(tmp_path / "here")


@pytest.fixture
def run(page: Asking) -> Path:
    return make_run(page.folder / "runs" / "small")


def test_runs_of_the_folder_are_listed(page: Asking, run: Path) -> None:
    (page.folder / "no-run").mkdir()
    (found,) = page.ask("runs")["runs"]
    assert found == {
        "id": identity_of(run),
        "title": "small",
        "learner": "local shape",
        "size": 5,
        "done": 40,
        "of": 40,
        "is_running": False,
        "is_finished": True,
        "is_pages": False,
        "player": f"run:{identity_of(run)}",
        "seconds": found["seconds"],
    }


def test_a_run_has_rates_with_intervals_speed_and_games(page: Asking, run: Path) -> None:
    found = page.ask("run", id=identity_of(run))
    assert [row["done"] for row in found["metrics"]] == [10, 20, 30, 40]
    for row in found["metrics"]:
        assert row["win_rate_low_1"] <= row["win_rate_1"] <= row["win_rate_high_1"]
        assert row["speed"] > 0
    columns = {each["name"]: each for each in found["columns"]}
    assert columns["win_rate_2"]["low"] == "win_rate_low_2"
    assert set(columns) == {"win_rate_1", "win_rate_2", "speed"}
    sample = found["samples"][0]
    assert (sample["done"], sample["size"]) == (10, 5)
    game = Game(5)
    for vertex in sample["moves"]:
        game.play(game.to_play, point_from_vertex(vertex, 5))
    assert game.moves


def test_a_finished_run_plays_by_its_name(page: Asking, run: Path) -> None:
    name = PLAYER_PREFIXES["run"](identity_of(run), page.folder)
    assert make_player(name).choose(Game(5), 1).point
    with pytest.raises(KatachiError, match="no such run"):
        player_of("0123456789ab", page.folder)


def test_a_run_without_a_model_cannot_be_played(page: Asking, run: Path) -> None:
    (run / "result.json").unlink()
    for each in run.glob("*/weights.safetensors"):
        each.unlink()
    assert page.ask("runs")["runs"][0]["player"] is None
    with pytest.raises(KatachiError, match="not finished"):
        player_of(identity_of(run), page.folder)


def test_whether_a_run_goes_on_is_known_by_its_lock(page: Asking, run: Path) -> None:
    with locked(run / "lock", "the run"):
        assert page.ask("runs")["runs"][0]["is_running"] is Path("/proc/locks").exists()
    assert not page.ask("runs")["runs"][0]["is_running"]


def test_damaged_files_of_a_run_are_passed_over(page: Asking, run: Path) -> None:
    with (run / "metrics.jsonl").open("ab") as file:
        file.write(b'{"games": 50, "wins": "many", "intervals": 3}\nnonsense\n{"games": 60')
    (run / "samples" / "000000050-agents.sgf").write_text("(;")
    found = page.ask("run", id=identity_of(run))
    assert [row["done"] for row in found["metrics"]] == [10, 20, 30, 40, 50]
    assert all(each["done"] <= 40 for each in found["samples"])
    (run / "config.json").write_text("[]")
    assert page.ask("runs")["runs"] == []


def test_a_run_that_is_over_is_watched_once(page: Asking, run: Path) -> None:
    first, last = page.steps("watch", {"id": identity_of(run)})
    assert isinstance(first, Part)
    assert isinstance(last, Result)
    assert len(first.fields["metrics"]) == 4
    assert first.fields["samples"]
    assert last.fields["run"]["is_finished"]


async def _watch_while(page: Asking, run: Path) -> list[dict[str, Any]]:
    """What a watcher is sent while a line is added, and the run then ends."""
    known = OPERATIONS["watch"]
    answers: Any = known.handle(msgspec.convert({"id": identity_of(run)}, known.request), page)
    parts = []
    with locked(run / "lock", "the run"):
        parts.append((await anext(answers)).fields)
        lines = (run / "metrics.jsonl").read_bytes().splitlines(keepends=True)
        RunFolder(run).add_line(
            "metrics.jsonl", msgspec.json.decode(lines[-1]) | {"games": 50, "size_games": 50}
        )
        parts.append((await anext(answers)).fields)
    return parts + [each.fields async for each in answers]


@pytest.mark.skipif(not Path("/proc/locks").exists(), reason="the system does not list locks")
def test_a_watcher_is_sent_what_is_new_and_nothing_twice(page: Asking, run: Path) -> None:
    first, second, *_, last = asyncio.run(_watch_while(page, run))
    assert [row["done"] for row in first["metrics"]] == [10, 20, 30, 40]
    assert [row["done"] for row in second["metrics"]] == [50]
    assert second["samples"] == []
    assert not last["run"]["is_running"]


def test_unknown_runs_and_presets_are_one_clear_line(page: Asking) -> None:
    for name, fields in (
        ("run", {"id": "../.."}),
        ("watch", {"id": "0123456789ab"}),
        ("stop", {"id": "0123456789ab"}),
        ("start", {"preset": "shape19"}),
    ):
        with pytest.raises(KatachiError):
            page.ask(name, **fields)
    with pytest.raises(msgspec.ValidationError):
        page.ask("start", seed=-1)


def test_a_run_of_others_is_not_stopped(page: Asking, run: Path) -> None:
    with pytest.raises(KatachiError, match="only a run"):
        page.ask("stop", id=identity_of(run))


def test_the_page_begins_a_run_and_plays_by_it(
    page: Asking, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(sys.modules["katachi.interfaces.web.runs"].PRESETS, "shape5", TINY)
    name = page.ask("start", seed=5)["id"]
    *parts, last = (each for each in page.steps("watch", {"id": name}) if each is not None)
    assert last.fields["run"]["player"] == f"run:{name}"
    done = [row["done"] for part in parts for row in part.fields["metrics"]]
    assert done == [10, 20, 30]
    (kept,) = (tmp_path / "data" / "katachi" / "runs").iterdir()
    assert identity_of(kept) == name
    assert make_player(player_of(name, page.folder)).choose(Game(5), 1)


def test_one_run_at_a_time_and_it_can_be_stopped(
    page: Asking, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules["katachi.interfaces.web.runs"].PRESETS, "shape5", ENDLESS)
    name = page.ask("start")["id"]
    summary = page.ask("run", id=name)["run"]
    assert (summary["is_running"], summary["is_pages"]) == (True, True)
    with pytest.raises(KatachiError, match="goes on already"):
        page.ask("start")
    _wait_for(lambda: page.ask("run", id=name)["metrics"])
    assert not page.ask("stop", id=name)["run"]["is_running"]
    shelf = page.shared["runs"]
    assert isinstance(shelf, RunShelf)
    second = page.ask("start")["id"]
    assert not page.ask("stop", id=name)["run"]["is_running"]  # it stops no other run
    assert page.ask("run", id=second)["run"]["is_running"]
    shelf.close()
    assert not any(each["is_running"] for each in page.ask("runs")["runs"])


def test_only_the_newest_runs_of_the_page_are_kept(
    page: Asking, run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("katachi.interfaces.web.run_shelf.KEPT_RUNS", 3)
    monkeypatch.setattr("katachi.interfaces.web.run_shelf._begin", lambda *_: None)
    place = data_folder()
    for number, name in enumerate(
        ("shape5-20070101-000000", "shape5-20070101-000001", "shape5-20070101-000002", "mine")
    ):
        shutil.copytree(run, place / name)
        os.utime(place / name / "config.json", (number, number))
    RunShelf(page.folder).start("shape5", 1)
    kept = {path.name for path in place.iterdir()}
    assert kept == {"shape5-20070101-000001", "shape5-20070101-000002", "mine"}


def test_runs_of_the_page_have_a_title_in_words() -> None:
    assert title_of(Path("shape5-20070830-123456")) == "Local shape on 5x5, 2007-08-30 12:34:56"
    assert title_of(Path("mine-20070830-123456")) == "mine-20070830-123456"


def test_a_run_that_fails_says_why(page: Asking, monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = TINY._replace(options=("--sets", "nonsense"))
    monkeypatch.setitem(sys.modules["katachi.interfaces.web.runs"].PRESETS, "shape5", wrong)
    name = page.ask("start")["id"]
    with pytest.raises(KatachiError, match="nonsense"):
        page.steps("watch", {"id": name})


def _wait_for(is_there: Any, seconds: float = 30.0) -> None:
    end = time.monotonic() + seconds
    while not is_there():
        assert time.monotonic() < end
        time.sleep(0.05)
