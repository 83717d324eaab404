"""Files that are written whole or not at all."""

import errno
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

_CANNOT_SYNC = (errno.EINVAL, errno.ENOTSUP, errno.EACCES)


@contextmanager
def atomic_file(path: Path, *, is_durable: bool = False) -> Iterator[IO[bytes]]:
    """A stream whose bytes become the file when the block ends well; else all is as before.

    With `is_durable` bytes and name are on the disk when the block has ended, so that not even a
    power cut leaves half of the file. Raises OSError, which names `path` and what is wrong with it.
    """
    with _named_errors(path):
        handle, temporary = _open_temporary(path)
    try:
        with open(handle, "wb") as stream:
            yield stream
            if is_durable:
                stream.flush()
                os.fsync(stream.fileno())
        with _named_errors(path):
            temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    if is_durable:
        _sync_folder(path.parent)


def write_atomically(path: Path, data: bytes, *, is_durable: bool = False) -> None:
    """Writes a file, or leaves what was there; raises OSError."""
    with atomic_file(path, is_durable=is_durable) as stream:
        stream.write(data)


@contextmanager
def _named_errors(path: Path) -> Iterator[None]:
    """Errors of the block tell of the file that was asked for, not of the temporary one."""
    try:
        yield
    except OSError as error:
        if error.errno == errno.ENOSPC:
            raise OSError(error.errno, error.strerror, str(path)) from None
        raise OSError(error.errno, f"cannot write {path}: {_hindrance(path, error)}") from None


def _hindrance(path: Path, error: OSError) -> str:
    """Why a file cannot be written, in words."""
    folder = path.parent
    if path.is_dir():
        return "it is a folder"
    if not folder.exists():
        return f"the folder {folder} does not exist"
    if not folder.is_dir():
        return f"{folder} is not a folder"
    return error.strerror or str(error)


def _open_temporary(path: Path) -> tuple[int, Path]:
    """A new file beside `path`; the system takes the user's mask off its permissions, for to ask
    for the mask is to change it in all threads."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | getattr(os, "O_NOFOLLOW", 0)
    while True:
        temporary = path.parent / f".{path.name[:40]}-{secrets.token_hex(8)}"
        try:
            return os.open(temporary, flags, 0o666), temporary
        except FileExistsError:
            continue


def _sync_folder(folder: Path) -> None:
    """Puts the folder's names on the disk, where its file system can do that for a folder."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in _CANNOT_SYNC:
            raise
    finally:
        os.close(handle)
