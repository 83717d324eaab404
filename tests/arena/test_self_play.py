"""A program against itself: records that the program counts, and a set that can be interrupted."""

import dataclasses
import gzip
import json
import os
from pathlib import Path

import pytest

from katachi.arena.self_play import SelfPlaySet, SelfPlaySettings, name_program
from katachi.arena.settings import GameSettings
from katachi.errors import KatachiError
from katachi.records.dataset import open_games
from tests.arena.shell_engines import write_engine


def settings(gnugo: str, games: int, seed: int = 1) -> SelfPlaySettings:
    engine = f"{gnugo} --mode gtp --level 0 --chinese-rules --seed {{seed}}"
    return SelfPlaySettings(engine, games, GameSettings(5, 5.5, opening_moves=2), seed)


@pytest.mark.gnugo
def test_games_are_counted_and_marked_by_the_program(gnugo: str, tmp_path: Path) -> None:
    games = SelfPlaySet(tmp_path / "set.sgf.gz", settings(gnugo, 3))
    played = list(games.play())
    found = open_games(games.finish(), use_cache=False)
    assert len(found) == len(played) == 3
    assert not games.journal.exists()
    counted = [record for record in found if record.result.margin is not None]
    assert counted
    for record in counted:
        assert record.texts.black == games.name == "GNU Go 3.8"
        assert record.ownership is not None
        assert abs(int(record.ownership.sum()) - 5.5) == record.result.margin


@pytest.mark.gnugo
def test_an_interrupted_set_becomes_the_same(gnugo: str, tmp_path: Path) -> None:
    whole = SelfPlaySet(tmp_path / "whole.sgf.gz", settings(gnugo, 3))
    list(whole.play())
    begun = SelfPlaySet(tmp_path / "parts.sgf.gz", settings(gnugo, 3))
    next(iter(begun.play()))
    begun.close()
    with begun.journal.open("ab") as journal:
        journal.write(b'{"number": 1, "sgf": "(;cut')
    again = SelfPlaySet(tmp_path / "parts.sgf.gz", settings(gnugo, 3))
    assert sorted(again.lines) == [0]
    list(again.play())
    assert again.finish().read_bytes() == whole.finish().read_bytes()
    assert gzip.decompress(again.path.read_bytes()).count(b"\n") == 3


@pytest.mark.gnugo
def test_the_journal_of_another_set_is_refused(gnugo: str, tmp_path: Path) -> None:
    SelfPlaySet(tmp_path / "set.sgf.gz", settings(gnugo, 3)).close()
    with pytest.raises(KatachiError, match="is of another set: its seed is 1, not 2"):
        SelfPlaySet(tmp_path / "set.sgf.gz", settings(gnugo, 3, seed=2))
    other = dataclasses.replace(settings(gnugo, 3), game=GameSettings(5, 6.5, opening_moves=2))
    with pytest.raises(KatachiError, match=r"its komi is 5\.5, not 6\.5; choose another file"):
        SelfPlaySet(tmp_path / "set.sgf.gz", other)


@pytest.mark.gnugo
def test_games_that_are_there_are_not_thrown_away(gnugo: str, tmp_path: Path) -> None:
    path = tmp_path / "set.sgf.gz"
    begun = SelfPlaySet(path, settings(gnugo, 3))
    played = begun.play()
    for _ in range(2):
        next(played)
    begun.close()
    with pytest.raises(KatachiError, match="holds game 2 already: ask for as many"):
        SelfPlaySet(path, settings(gnugo, 1))
    assert sorted(SelfPlaySet(path, settings(gnugo, 2)).lines) == [0, 1]


@pytest.mark.gnugo
@pytest.mark.parametrize("journal", [b"", b"[]\n", b"{}\n", b"\xff\n"])
def test_a_journal_that_is_none_is_refused(gnugo: str, tmp_path: Path, journal: bytes) -> None:
    (tmp_path / "set.sgf.gz.part").write_bytes(journal)
    with pytest.raises(KatachiError, match="cannot be read: move it away"):
        SelfPlaySet(tmp_path / "set.sgf.gz", settings(gnugo, 1))


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("cat", "'cat': answered 'name' with 'name'; a program that speaks GTP is needed"),
        ("echo hello", "a program that speaks GTP is needed"),
        ("no-such-program", "there is no such program on the PATH"),
    ],
)
def test_a_command_that_does_not_speak_gtp_is_reported_in_one_line(
    command: str, words: str
) -> None:
    with pytest.raises(KatachiError) as error:
        name_program(command)
    assert words in str(error.value)
    assert "\n" not in str(error.value)


def test_a_set_is_a_compressed_file_and_no_other_file_is_written_over(tmp_path: Path) -> None:
    with pytest.raises(KatachiError, match=r"ends in \.sgf\.gz"):
        SelfPlaySet(tmp_path / "set.sgf", settings("gnugo", 1))
    for other in (b"", b"(;SZ[9])", gzip.compress(b"(;SZ[9])"), b"\x1f\x8b\x08\x10" + b"x" * 20):
        (tmp_path / "set.sgf.gz").write_bytes(other)
        with pytest.raises(KatachiError, match="is there already and does not say how"):
            SelfPlaySet(tmp_path / "set.sgf.gz", settings("gnugo", 1))
        assert (tmp_path / "set.sgf.gz").read_bytes() == other


def engine_settings(engine: str, games: int = 2) -> SelfPlaySettings:
    return SelfPlaySettings(engine, games, GameSettings(5, opening_moves=0))


def engine_of(tmp_path: Path, version: str = "1") -> str:
    does = {"version": f"echo '= {version}'", "name": "echo '= shell'"}
    return write_engine(tmp_path / "engine", **does, final_score="echo '= W+7.5'")


def test_a_set_that_is_open_elsewhere_is_refused(tmp_path: Path) -> None:
    wanted = engine_settings(engine_of(tmp_path))
    path = tmp_path / "set.sgf.gz"
    with SelfPlaySet(path, wanted) as games:
        with pytest.raises(KatachiError, match="in use by another process"):
            SelfPlaySet(path, wanted)
        list(games.play())
        games.finish()
    with SelfPlaySet(path, wanted) as games:
        assert games.is_whole
        games.finish()
    assert sorted(file.name for file in tmp_path.iterdir()) == ["engine", "set.sgf.gz"]


def test_a_finished_set_goes_on_to_be_the_larger_one(tmp_path: Path) -> None:
    engine = engine_of(tmp_path)
    with SelfPlaySet(tmp_path / "whole.sgf.gz", engine_settings(engine, 4)) as whole:
        list(whole.play())
        whole.finish()
    path = tmp_path / "set.sgf.gz"
    with SelfPlaySet(path, engine_settings(engine, 2)) as games:
        list(games.play())
        games.finish()
    with SelfPlaySet(path, engine_settings(engine, 4)) as games:  # interrupted
        next(iter(games.play()))
    assert len(open_games(path, use_cache=False)) == 2
    with SelfPlaySet(path, engine_settings(engine, 4)) as games:
        assert sorted(games.lines) == [0, 1, 2]
        list(games.play())
        games.finish()
    assert path.read_bytes() == whole.path.read_bytes()
    assert len(open_games(path, use_cache=False)) == 4
    names = {"engine", "set.sgf.gz", "whole.sgf.gz"}
    assert {file.name for file in tmp_path.iterdir()} == names


def test_a_finished_set_of_other_settings_is_refused_and_left(tmp_path: Path) -> None:
    engine = engine_of(tmp_path)
    path = tmp_path / "set.sgf.gz"
    with SelfPlaySet(path, engine_settings(engine, 2)) as games:
        list(games.play())
        games.finish()
    before = path.read_bytes()
    with pytest.raises(KatachiError, match=r"set\.sgf\.gz holds game 2 already: ask for as many"):
        SelfPlaySet(path, engine_settings(engine, 1))
    other = dataclasses.replace(engine_settings(engine, 3), seed=2)
    with pytest.raises(KatachiError, match="of another set: its seed is 1, not 2; choose"):
        SelfPlaySet(path, other)
    engine_of(tmp_path, "2")
    with pytest.raises(KatachiError, match="its program is 'shell 1', not 'shell 2'"):
        SelfPlaySet(path, engine_settings(engine, 3))
    assert path.read_bytes() == before


def test_a_set_is_refused_when_its_program_has_another_version(tmp_path: Path) -> None:
    wanted = engine_settings(engine_of(tmp_path))
    SelfPlaySet(tmp_path / "set.sgf.gz", wanted).close()
    engine_of(tmp_path, "2")
    with pytest.raises(KatachiError, match="its program is 'shell 1', not 'shell 2'"):
        SelfPlaySet(tmp_path / "set.sgf.gz", wanted)


def test_a_journal_of_an_older_version_goes_on_and_is_held_to_the_program(tmp_path: Path) -> None:
    wanted = engine_settings(engine_of(tmp_path))
    path = tmp_path / "set.sgf.gz"
    with SelfPlaySet(path, wanted) as games:
        next(iter(games.play()))
    heading, line = games.journal.read_text().splitlines()
    old = {key: value for key, value in json.loads(heading).items() if key != "program"}
    games.journal.write_text(f"{json.dumps(old)}\n{line}\n{line}\n")
    with SelfPlaySet(path, wanted) as games:
        assert sorted(games.lines) == [0]
    engine_of(tmp_path, "2")
    with pytest.raises(KatachiError, match="its program is 'shell 1', not 'shell 2'"):
        SelfPlaySet(path, wanted)


def test_the_journal_stays_until_the_set_and_its_name_are_on_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settled: list[Path] = []
    sync = os.fsync

    def note(handle: int) -> None:
        assert games.journal.exists()
        settled.append(Path(os.readlink(f"/proc/self/fd/{handle}")))
        sync(handle)

    with SelfPlaySet(tmp_path / "set.sgf.gz", engine_settings(engine_of(tmp_path))) as games:
        list(games.play())
        monkeypatch.setattr(os, "fsync", note)
        games.finish()
    assert len(settled) >= 2  # the file, then its folder
    assert settled[0].name.startswith(".set.sgf.gz")
    assert settled[1] == tmp_path
    assert not games.journal.exists()
