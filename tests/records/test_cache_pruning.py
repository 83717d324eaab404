"""Which copies are dropped, and which file a copy is identified by."""

import errno
import io
import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from katachi.records import cache, dataset, files
from katachi.records.cache import FORMAT, KEPT_DAYS, prune_copies
from katachi.records.dataset import open_games
from katachi.records.files import RawFile, open_raw

BLACK_WON = b"(;GM[1]SZ[9]RE[B+R];B[aa];W[bb])"
WHITE_WON = b"(;GM[1]SZ[9]RE[W+R];B[aa];W[bb])"
DAY = 24 * 3600


@pytest.fixture
def copies(tmp_path: Path) -> Path:
    return tmp_path / "copies"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of one game that has been there for a while."""
    (tmp_path / "games").mkdir()
    write_at(tmp_path / "games" / "1.sgf", BLACK_WON)
    return tmp_path / "games"


@pytest.fixture
def settled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "_CLOCK_STEP_NS", -DAY * 10**9)


def write_at(file: Path, text: bytes, when: float = 0.0) -> None:
    file.write_bytes(text)
    os.utime(file, (when, when))


def result_of(place: Path, copies: Path) -> str:
    (record,) = open_games(place, cache_folder=copies)
    return record.texts.result


def copy_of(folder: Path, number: int, days: float, *, size: int = 1, form: int = FORMAT) -> Path:
    folder.mkdir(exist_ok=True)
    path = folder / f"{number:032x}-{form}.npz"
    write_at(path, b"x" * size, time.time() - days * DAY)
    return path


# What a copy is identified by.


@pytest.mark.usefixtures("settled")
def test_a_file_of_the_same_length_and_time_is_not_taken_for_the_old_one(
    folder: Path, copies: Path
) -> None:
    assert result_of(folder, copies) == "B+R"
    assert result_of(folder, copies) == "B+R"
    assert len(list(copies.iterdir())) == 1
    write_at(folder / "1.sgf", WHITE_WON)
    assert result_of(folder, copies) == "W+R"


@pytest.mark.usefixtures("settled")
def test_a_file_put_in_the_place_of_another_is_noticed(folder: Path, copies: Path) -> None:
    write_at(folder.parent / "other.sgf", WHITE_WON)
    assert result_of(folder, copies) == "B+R"
    (folder.parent / "other.sgf").replace(folder / "1.sgf")
    assert result_of(folder, copies) == "W+R"


def test_a_folder_changed_a_moment_ago_is_not_copied_yet(folder: Path, copies: Path) -> None:
    result_of(folder, copies)
    assert not copies.exists()


@pytest.mark.usefixtures("settled")
def test_a_folder_that_changes_while_it_is_read_is_not_copied(
    folder: Path, copies: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def read_and_change(*arguments: object) -> bool:
        is_sound = read_listed(*arguments)  # type: ignore[arg-type]
        write_at(folder / "2.sgf", WHITE_WON)
        return is_sound

    read_listed = dataset._read_listed
    monkeypatch.setattr(dataset, "_read_listed", read_and_change)
    assert result_of(folder, copies) == "B+R"
    assert not copies.exists()


def test_a_file_replaced_between_two_readings_is_copied_under_its_own_name(
    tmp_path: Path, copies: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def key_and_change(path: Path) -> str:
        key = content_key(path)
        path.write_bytes(WHITE_WON)
        return key

    file = tmp_path / "1.sgf"
    file.write_bytes(BLACK_WON)
    content_key = dataset._content_key
    monkeypatch.setattr(dataset, "_content_key", key_and_change)
    assert result_of(file, copies) == "W+R"
    monkeypatch.undo()
    file.write_bytes(BLACK_WON)
    assert result_of(file, copies) == "B+R"


class TornStream(io.BytesIO):
    """A disk that fails behind the first game."""

    def read(self, size: int | None = -1) -> bytes:
        if self.tell():
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return super().read(min(size or -1, 16))


def test_a_reading_that_the_system_broke_off_is_not_copied(
    tmp_path: Path, copies: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "1.sgf"
    file.write_bytes(BLACK_WON)
    monkeypatch.setattr(dataset, "_content_key", lambda _: "0" * 32)
    monkeypatch.setattr(dataset, "open_raw", lambda _: RawFile(TornStream(BLACK_WON)))
    (rejection,) = open_games(file, cache_folder=copies).rejections
    assert "Input/output error" in str(rejection)
    assert not copies.exists()


def test_a_disk_that_fails_at_once_is_one_clear_line(
    tmp_path: Path, copies: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "1.sgf"
    file.write_bytes(BLACK_WON)
    monkeypatch.setattr(files, "_open", lambda *_, **__: TornStream(BLACK_WON))
    with pytest.raises(files.CannotOpen, match="Input/output error"):
        open_games(file, cache_folder=copies)


def test_a_pipe_is_read_as_a_file_and_spoils_no_copy(tmp_path: Path, copies: Path) -> None:
    file = tmp_path / "1.sgf"
    file.write_bytes(BLACK_WON)
    with subprocess.Popen(["cat", file], stdout=subprocess.PIPE) as writer:
        assert writer.stdout is not None
        assert result_of(Path(f"/dev/fd/{writer.stdout.fileno()}"), copies) == "B+R"
    assert result_of(file, copies) == "B+R"


@pytest.mark.usefixtures("settled")
def test_a_name_that_is_not_utf8_is_read_and_copied(folder: Path, copies: Path) -> None:
    name = os.fsdecode(b"M\xe9.sgf")
    write_at(folder / name, b"(;SZ[9];B[zz])")
    for _ in range(2):
        games = open_games(folder, cache_folder=copies)
        assert [rejection.source.file for rejection in games.rejections] == [str(folder / name)]
        assert "sgf game 1: move 1 B[zz] is off the board" in str(games.rejections[0])
    assert len(list(copies.iterdir())) == 1


# Which copies go.


def test_copies_not_read_for_a_month_go(copies: Path) -> None:
    old, young = copy_of(copies, 1, KEPT_DAYS + 1), copy_of(copies, 2, KEPT_DAYS - 1)
    prune_copies(copies)
    assert list(copies.iterdir()) == [young]
    assert not old.exists()


def test_copies_of_older_formats_go_and_those_of_newer_ones_stay(copies: Path) -> None:
    copy_of(copies, 1, 0, form=FORMAT - 1)
    newer = copy_of(copies, 2, 0, form=FORMAT + 1)
    prune_copies(copies)
    assert list(copies.iterdir()) == [newer]


def test_beyond_the_room_the_least_recently_read_go(
    copies: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = [copy_of(copies, number, number, size=100) for number in range(4)]
    monkeypatch.setattr(cache, "KEPT_BYTES", 250)
    prune_copies(copies)
    assert sorted(copies.iterdir()) == made[:2]
    monkeypatch.setattr(cache, "KEPT_BYTES", 50)
    prune_copies(copies)
    assert list(copies.iterdir()) == made[:1]


def test_what_a_killed_process_left_goes_after_a_day(copies: Path) -> None:
    name = f".{1:032x}-{FORMAT}.npz-"
    copies.mkdir()
    for tail, days in (("abc_1", 0.5), ("0123abcd", 2)):
        write_at(copies / f"{name}{tail}", b"", time.time() - days * DAY)
    prune_copies(copies)
    assert [entry.name for entry in copies.iterdir()] == [f"{name}abc_1"]


def test_files_of_others_stay(copies: Path) -> None:
    copies.mkdir()
    for name in ("weights-1.npz", "notes.txt", f"{1:032x}-x.npz"):
        write_at(copies / name, b"mine")
    (copies / f"{2:032x}-0.npz").mkdir()
    prune_copies(copies)
    assert len(list(copies.iterdir())) == 4


def test_to_read_a_copy_is_to_use_it(tmp_path: Path, copies: Path) -> None:
    file = tmp_path / "1.sgf"
    file.write_bytes(BLACK_WON)
    open_games(file, cache_folder=copies)
    (copy,) = copies.iterdir()
    os.utime(copy, (0, 0))
    open_games(file, cache_folder=copies)
    assert time.time() - copy.stat().st_mtime < DAY


def test_five_edits_of_a_file_leave_what_is_young(tmp_path: Path, copies: Path) -> None:
    file = tmp_path / "1.sgf"
    for number in range(5):
        file.write_bytes(BLACK_WON + b"\n" * number)
        open_games(file, cache_folder=copies)
        for copy in copies.iterdir():
            os.utime(copy, (0, 0))
    assert len(list(copies.iterdir())) == 1


def test_a_copy_that_lies_about_its_lengths_is_a_miss(
    tmp_path: Path, copies: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file = tmp_path / "1.sgf"
    file.write_bytes(BLACK_WON)
    open_games(file, cache_folder=copies)
    (copy,) = copies.iterdir()
    with np.load(copy) as archive:
        arrays = dict(archive)
    for bad in ([0, 3], [1, 2], [0, -1], [0, 1 << 40]):
        np.savez(copy, allow_pickle=False, **(arrays | {"moves_starts": np.array(bad)}))
        caplog.clear()
        assert result_of(file, copies) == "B+R"
        assert "is damaged" in caplog.text


@pytest.mark.skipif(sys.platform != "linux", reason="names of pipes")
def test_a_device_is_refused_in_one_line(copies: Path) -> None:
    for name in ("/dev/zero", "/dev/null"):
        with pytest.raises(files.CannotOpen, match=f"cannot read {name}: a device, not a file"):
            open_games(name, cache_folder=copies)


def test_what_is_written_behind_the_end_of_a_reading_is_not_counted(tmp_path: Path) -> None:
    file = tmp_path / "grows.sgf"
    file.write_bytes(b"(;SZ[9]")
    with open_raw(file) as raw:
        assert raw.read(1 << 20) == b"(;SZ[9]"
        with file.open("ab") as more:
            more.write(b";B[aa])")
        key = raw.key()
    with open_raw(b"(;SZ[9]") as whole:
        assert key == whole.key()
