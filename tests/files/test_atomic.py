"""Files that are written whole or not at all."""

import os
import stat
import threading
from pathlib import Path

import pytest

from katachi.files.atomic import atomic_file, write_atomically


@pytest.mark.parametrize(("mask", "mode"), [(0o022, 0o644), (0o077, 0o600), (0o002, 0o664)])
def test_a_file_has_the_permissions_the_users_mask_leaves(
    tmp_path: Path, mask: int, mode: int
) -> None:
    before = os.umask(mask)
    try:
        write_atomically(tmp_path / "file", b"x")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "file").stat().st_mode) == mode


def test_the_mask_is_never_touched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: int) -> int:
        raise AssertionError("the mask belongs to all threads")

    monkeypatch.setattr(os, "umask", refuse)
    write_atomically(tmp_path / "file", b"x")


def test_a_block_that_fails_leaves_what_was_there(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"old")

    def fail() -> None:
        with atomic_file(file) as stream:
            stream.write(b"new")
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert (file.read_bytes(), len(list(tmp_path.iterdir()))) == (b"old", 1)


def test_a_durable_file_is_synced_and_then_its_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[bool] = []
    monkeypatch.setattr(
        os, "fsync", lambda handle: synced.append(stat.S_ISDIR(os.fstat(handle).st_mode))
    )
    write_atomically(tmp_path / "plain", b"x")
    assert synced == []
    write_atomically(tmp_path / "durable", b"x", is_durable=True)
    assert synced == [False, True]


@pytest.mark.parametrize("name", ["本" * 80, "M\udce9", "." + "x" * 200])
def test_any_name_can_be_written(tmp_path: Path, name: str) -> None:
    write_atomically(tmp_path / name, b"x")
    assert [entry.name for entry in tmp_path.iterdir()] == [name]


def test_threads_that_write_one_file_leave_one_of_their_texts(tmp_path: Path) -> None:
    file = tmp_path / "file"
    texts = [bytes([number]) * 10_000 for number in range(8)]
    threads = [threading.Thread(target=write_atomically, args=(file, text)) for text in texts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert file.read_bytes() in texts
    assert list(tmp_path.iterdir()) == [file]


def test_an_error_names_the_file_that_was_asked_for(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"x")
    (tmp_path / "folder").mkdir()
    wrong = {
        "none/x.svg": f"the folder {tmp_path}/none does not exist",
        "file/x.svg": f"{tmp_path}/file is not a folder",
        "folder": "it is a folder",
    }
    for name, words in wrong.items():
        with pytest.raises(OSError, match=f"cannot write {tmp_path / name}: {words}"):
            write_atomically(tmp_path / name, b"y")
    assert sorted(each.name for each in tmp_path.iterdir()) == ["file", "folder"]
