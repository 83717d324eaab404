"""The binary copy of games already read."""

import errno
import logging
import os
from pathlib import Path

import numpy as np
import pytest

from katachi.records import cache, dataset
from katachi.records.dataset import open_games
from katachi.records.record import OnError, RecordError


@pytest.fixture
def copies(tmp_path: Path) -> Path:
    return tmp_path / "copies"


def no_reading(*_: object) -> None:
    raise AssertionError("the games were read again")


def test_a_second_opening_reads_the_copy(
    gnugo9: Path, copies: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = list(open_games(gnugo9, cache_folder=copies))
    monkeypatch.setattr(dataset, "BulkReader", no_reading)
    assert list(open_games(gnugo9, cache_folder=copies)) == first


def test_a_copy_serves_the_same_content_at_another_place(
    gnugo9: Path, copies: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_games(gnugo9, cache_folder=copies)
    moved = tmp_path / "moved.sgf"
    moved.write_bytes(gnugo9.read_bytes())
    monkeypatch.setattr(dataset, "BulkReader", no_reading)
    assert open_games(moved, cache_folder=copies)[0].source.file == str(moved)


def test_a_changed_file_is_read_again(copies: Path, tmp_path: Path) -> None:
    file = tmp_path / "one.sgf"
    file.write_text("(;SZ[9];B[aa])")
    open_games(file, cache_folder=copies)
    file.write_text("(;SZ[9];B[bb])")
    assert open_games(file, cache_folder=copies)[0].moves.tolist() == [66]


def test_a_changed_folder_is_read_again(copies: Path, tmp_path: Path) -> None:
    folder = tmp_path / "games"
    folder.mkdir()
    (folder / "a.sgf").write_text("(;SZ[9];B[aa])")
    assert len(open_games(folder, cache_folder=copies)) == 1
    (folder / "b.sgf").write_text("(;SZ[9];B[bb])")
    assert len(open_games(folder, cache_folder=copies)) == 2


def test_a_copy_remembers_what_could_not_be_read(copies: Path, tmp_path: Path) -> None:
    file = tmp_path / "some.sgf"
    file.write_text("(;SZ[9];B[aa])(;SZ[0])")
    first = open_games(file, cache_folder=copies).rejections
    assert open_games(file, cache_folder=copies).rejections == first
    with pytest.raises(RecordError, match=r"some\.sgf game 2"):
        open_games(file, cache_folder=copies, on_error=OnError.REFUSE)


def test_a_copy_is_not_made_unless_wanted(gnugo9: Path, copies: Path) -> None:
    open_games(gnugo9, cache_folder=copies, use_cache=False)
    assert not copies.exists()


def test_a_copy_of_another_format_is_not_used(
    gnugo9: Path, copies: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_games(gnugo9, cache_folder=copies)
    monkeypatch.setattr(cache, "FORMAT", cache.FORMAT + 1)
    open_games(gnugo9, cache_folder=copies)
    (copy,) = copies.iterdir()
    assert copy.name.endswith(f"-{cache.FORMAT}.npz")


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.9, 0.999])
def test_a_cut_copy_is_noticed_and_made_again(
    gnugo9: Path, copies: Path, share: float, caplog: pytest.LogCaptureFixture
) -> None:
    games = list(open_games(gnugo9, cache_folder=copies))
    (copy,) = copies.iterdir()
    whole = copy.read_bytes()
    copy.write_bytes(whole[: int(share * len(whole))])
    assert list(open_games(gnugo9, cache_folder=copies)) == games
    assert "is damaged and is made again" in caplog.text
    assert len(copy.read_bytes()) == len(whole)


def test_a_flipped_byte_of_the_games_is_noticed(
    gnugo9: Path, copies: Path, caplog: pytest.LogCaptureFixture
) -> None:
    games = list(open_games(gnugo9, cache_folder=copies))
    (copy,) = copies.iterdir()
    for place in np.linspace(100, copy.stat().st_size - 2000, 20).astype(int):
        damaged = bytearray(copy.read_bytes())
        damaged[place] ^= 0x10
        copy.write_bytes(damaged)
        assert list(open_games(gnugo9, cache_folder=copies)) == games


def test_a_folder_that_cannot_be_made_is_one_warning_and_no_error(
    gnugo9: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    assert len(open_games(gnugo9, cache_folder=blocked / "copies")) == 60
    (record,) = [entry for entry in caplog.records if entry.levelno == logging.WARNING]
    assert "cannot write the games cache" in record.getMessage()
    assert "\n" not in record.getMessage()


def test_a_full_disk_is_one_warning_and_leaves_nothing(
    gnugo9: Path, copies: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def no_room(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", no_room)
    assert len(open_games(gnugo9, cache_folder=copies)) == 60
    assert "No space left on device; going on without it" in caplog.text
    assert list(copies.iterdir()) == []


def test_the_copy_lives_in_the_users_cache_folder_by_default() -> None:
    assert cache.default_cache_folder().parts[-2:] == ("katachi", "games")


@pytest.mark.parametrize(
    ("name", "change"),
    [("moves_values", 5000), ("moves_values", 1024 + 900), ("setup_starts", -1), ("info", 77)],
)
def test_a_copy_that_kernels_could_not_read_is_made_again(
    gnugo9: Path, copies: Path, name: str, change: int, caplog: pytest.LogCaptureFixture
) -> None:
    first = list(open_games(gnugo9, cache_folder=copies))
    (copy,) = copies.iterdir()
    arrays = dict(np.load(copy))
    if name == "info":
        arrays[name]["size"][0] = change
    else:
        arrays[name][0] = change
    np.savez(copy, **arrays)
    assert list(open_games(gnugo9, cache_folder=copies)) == first
    assert "is damaged and is made again" in caplog.text
