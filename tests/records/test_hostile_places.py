"""Files and folders as they are found: torn, endless, unreadable, with names of any kind."""

import gzip
import io
import os
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from katachi.errors import KatachiError
from katachi.records import files, judgements, tree
from katachi.records.dataset import open_games
from katachi.records.files import CannotOpen, RawFile, find_game_files, open_raw, read_chunks
from katachi.records.judgements import read_judgements
from katachi.records.record import OnError, Rejection
from katachi.records.sgf import read_games

GAME = b"(;GM[1]FF[4]SZ[9]KM[7];B[ee];W[gc];B[cg])"


def reasons(found: tuple[Rejection, ...]) -> dict[str, str]:
    return {Path(entry.source.file).name: entry.reason for entry in found}


def through_pipe(data: bytes, read: Callable[[Path], object]) -> object:
    """What `read` makes of a pipe that gives `data` and then closes."""
    reading, writing = os.pipe()

    def write() -> None:
        with open(writing, "wb") as stream:
            stream.write(data)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        return read(Path(f"/dev/fd/{reading}"))
    finally:
        os.close(reading)
        writer.join()


@pytest.mark.timeout(20)
def test_a_folder_of_odd_things_is_read_as_far_as_can_be(tmp_path: Path) -> None:
    (tmp_path / "good.sgf").write_bytes(GAME)
    (tmp_path / "x.sgf").mkdir()
    (tmp_path / "x.sgf" / "inner.sgf.gz").write_bytes(gzip.compress(GAME))
    (tmp_path / "broken.sgf").symlink_to("nowhere")
    (tmp_path / "loop.sgf").symlink_to("loop.sgf")
    (tmp_path / "folder.sgf").symlink_to(tmp_path, target_is_directory=True)
    (tmp_path / "zero.sgf").symlink_to("/dev/zero")
    (tmp_path / "empty.SGF").touch()
    os.mkfifo(tmp_path / "pipe.sgf")
    games = open_games(tmp_path, cache_folder=tmp_path / "copies")
    assert len(games) == 2
    assert reasons(games.rejections) == {
        "broken.sgf": "cannot be read: No such file or directory",
        "loop.sgf": "cannot be read: Too many levels of symbolic links",
        "zero.sgf": "cannot be read: a device, not a file",
        "pipe.sgf": "cannot be read: a pipe, not a file",
        "empty.SGF": "no game found",
    }
    assert not (tmp_path / "copies").exists()


def test_a_file_or_folder_nobody_may_read_is_reported_and_spoils_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a/closed.sgf", "b/hidden.sgf", "c/open.sgf"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_bytes(GAME)

    def refuse_hidden(path: Path) -> object:
        if path.name == "b":
            raise PermissionError(13, "Permission denied")
        return scandir(path)

    def refuse_closed(path: Path, flags: int) -> int:
        if path.name == "closed.sgf":
            raise PermissionError(13, "Permission denied")
        return open_file(path, flags)

    scandir, open_file = os.scandir, os.open
    monkeypatch.setattr(os, "scandir", refuse_hidden)
    monkeypatch.setattr(os, "open", refuse_closed)
    games = open_games(tmp_path, use_cache=False)
    assert [Path(record.source.file).name for record in games] == ["open.sgf"]
    assert reasons(games.rejections) == {
        "closed.sgf": "cannot be read: Permission denied",
        "b": "cannot be read: a folder, not a file",
    }
    with pytest.raises(CannotOpen, match="Permission denied"):
        open_games(tmp_path / "a" / "closed.sgf", use_cache=False)
    with pytest.raises(CannotOpen, match="Permission denied"):
        find_game_files(tmp_path / "b")


@pytest.mark.parametrize("name", ["x" * 300, "a\0b", "", "M\udce9", "two\nlines", "/dev/zero/x"])
def test_a_place_that_cannot_be_is_refused_in_one_line(tmp_path: Path, name: str) -> None:
    with pytest.raises(KatachiError) as caught:
        open_games(tmp_path / name)
    text = str(caught.value)
    assert "\n" not in text
    assert text.encode("utf-8")


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_a_pipe_is_read_from_its_beginning(pack: Callable[[bytes], bytes]) -> None:
    data = pack(GAME * 1000)
    games = through_pipe(data, lambda path: len(open_games(path, use_cache=False)))
    records = through_pipe(data, lambda path: len(list(read_games(path))))
    assert games == records == 1000


def test_an_endless_stream_without_a_game_comes_to_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    class Endless(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            return b"y\n" * ((size or 2) // 2)

    monkeypatch.setattr(files, "_open", lambda *_, **__: Endless())
    reader = read_games("endless", OnError.SKIP)
    assert list(reader) == []
    assert [entry.reason for entry in reader.rejections] == ["the first 64 MiB hold no game"]


def test_a_game_behind_a_long_preface_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tree, "MAX_PREFACE_BYTES", 1 << 20)
    monkeypatch.setattr(files, "CHUNK_BYTES", 1 << 16)
    text = b"From: Ann\n" * 100_000
    assert len(list(read_games(text + GAME + b"\n" + text + GAME, OnError.SKIP))) == 2


def test_a_file_longer_than_the_limit_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "huge.sgf"
    with file.open("wb") as stream:
        stream.truncate(files.MAX_FILE_BYTES + 1)
    with pytest.raises(CannotOpen, match=r"huge\.sgf: longer than 16 GiB"):
        open_games(file)
    monkeypatch.setattr(files, "MAX_FILE_BYTES", 1000)
    monkeypatch.setattr(files, "CHUNK_BYTES", 100)
    reader = read_games(gzip.compress(GAME * 100), OnError.SKIP)
    assert len(list(reader)) == 1000 // len(GAME) + 2
    assert "the file is longer than 16 GiB" in reader.rejections[-1].reason


def test_a_bomb_is_given_up_early(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "_MAX_FREE_BYTES", 1 << 20)
    monkeypatch.setattr(files, "CHUNK_BYTES", 1 << 16)
    file = tmp_path / "bomb.sgf.gz"
    file.write_bytes(gzip.compress(GAME + b"\n" * (50 << 20)))
    games = open_games(file, use_cache=False)
    assert len(games) == 1
    assert "times as long unpacked" in games.rejections[-1].reason
    bomb = gzip.compress(b"\n" * (50 << 20))
    sizes: list[int] = []
    with pytest.raises(files.TooLong):
        sizes.extend(map(len, read_chunks(bomb)))
    assert sum(sizes) < 12 << 20


def test_a_pipe_that_took_a_files_place_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "1.sgf"
    file.write_bytes(GAME)
    status = file.stat()
    file.unlink()
    os.mkfifo(file)
    monkeypatch.setattr(Path, "stat", lambda *_, **__: status)
    with pytest.raises(CannotOpen, match="a pipe, not a file"):
        open_raw(file)


def test_a_file_cut_while_it_is_read_is_read_as_far_as_it_went(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "CHUNK_BYTES", 1 << 12)
    file = tmp_path / "1.sgf"
    file.write_bytes(GAME * 10_000)
    reader = read_games(file, OnError.SKIP)
    first = next(iter(reader))
    os.truncate(file, 10_000)
    left = list(reader)
    assert all(record == first for record in left)
    assert len(left) + 1 <= 10_000


def test_what_was_read_is_what_the_key_tells() -> None:
    for data in (GAME, gzip.compress(GAME), gzip.compress(GAME * 1000)[:-30], b"\x1f\x8b", b"x"):
        whole = RawFile(io.BytesIO(data)).key()
        raw = RawFile(io.BytesIO(data))
        with suppress(*files.DAMAGE):
            list(read_chunks(raw))
        assert raw.key() == whole


def test_judgements_of_any_length_are_bounded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(judgements, "MAX_BYTES", 1 << 20)
    file = tmp_path / "judgements.gz"
    file.write_bytes(gzip.compress(b"\n" * (5 << 20)))
    with pytest.raises(KatachiError, match="longer than 1 MiB"):
        read_judgements(file)
    with pytest.raises(KatachiError, match="a device, not a file"):
        read_judgements(Path("/dev/zero"))
