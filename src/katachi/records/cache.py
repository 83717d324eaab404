"""A binary copy of games already read, so that the next reading takes a fraction of the time.

A copy is an uncompressed NumPy archive, whose checksums tell a damaged or cut file at once. It is
named by what it was made from and by `FORMAT`; it appears under its name only when it is whole. A
copy that cannot be written or read costs time, never a result. Its time of change tells when it was
read last: copies nobody reads any more are dropped.
"""

import hashlib
import logging
import os
import re
import stat
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np
from platformdirs import user_cache_path

from katachi.files.atomic import atomic_file
from katachi.records.columns import INFO, RAGGED, Columns, is_sound
from katachi.records.record import Rejection, Source
from katachi.records.stones import Ragged

FORMAT = 2
"""Raised whenever the arrays, or what is read from a game, change their meaning."""

KEPT_DAYS = 30
"""A copy that was not read for so long is dropped."""
KEPT_BYTES = 2 << 30
"""What all copies together may take."""

_NAME = re.compile(r"(\.?)[0-9a-f]{32}-(\d{1,9})\.npz(?:-\w+)?", re.ASCII)
_DAY = 24 * 3600
# Some file systems count time in steps of two seconds.
_CLOCK_STEP_NS = 2_500_000_000

_log = logging.getLogger(__name__)


class _Words(msgspec.Struct):
    """What the archive holds besides arrays."""

    format: int
    files: tuple[bytes, ...]
    """In bytes, for names of files need not be UTF-8."""
    rejections: list[tuple[bytes, int, str]]


def default_cache_folder() -> Path:
    """Where copies live unless the caller names a folder."""
    return user_cache_path("katachi") / "games"


class FolderLook(NamedTuple):
    """A folder's files as they were at one moment."""

    key: str
    """A name for the files' names, lengths, times of change and places on the disk."""
    is_settled: bool
    """Whether every file was old enough then for any later change to show in its times."""


def look_at(folder: Path, files: list[Path]) -> FolderLook:
    """The files as they are now; one that cannot be looked at counts by its name alone."""
    digest = hashlib.blake2b(digest_size=16, person=b"folder")
    settled = time.time_ns() - _CLOCK_STEP_NS
    newest = 0
    for file in files:
        digest.update(os.fsencode(file.relative_to(folder).as_posix()) + b"\0")
        with suppress(OSError):
            status = file.stat()
            newest = max(newest, status.st_mtime_ns, status.st_ctime_ns)
            digest.update(_face_of(status))
    return FolderLook(digest.hexdigest(), newest < settled)


def _face_of(status: os.stat_result) -> bytes:
    times = status.st_mtime_ns, status.st_ctime_ns
    return repr((status.st_size, *times, status.st_dev, status.st_ino)).encode()


def load_columns(folder: Path, key: str) -> tuple[Columns, list[Rejection]] | None:
    """The copy named `key`, or None where there is none that is whole."""
    path = _path(folder, key)
    try:
        stream = path.open("rb")
    except OSError:
        return None
    try:
        with stream, np.load(stream, allow_pickle=False) as archive:
            found = _unpack(archive)
    except Exception as error:  # whatever a damaged archive makes of zipfile and NumPy
        _log.warning("the games cache %s is damaged and is made again: %s", path, error)
        return None
    with suppress(OSError):
        os.utime(path)
    return found


def store_columns(folder: Path, key: str, columns: Columns, rejections: list[Rejection]) -> None:
    """Writes the copy named `key`; where that fails a warning is logged and nothing remains."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _write(_path(folder, key), columns, rejections)
    except OSError as error:
        reason = error.strerror or error
        _log.warning("cannot write the games cache in %s: %s; going on without it", folder, reason)
    else:
        prune_copies(folder)


def prune_copies(folder: Path) -> None:
    """Drops copies of older formats, those not read for `KEPT_DAYS`, and the least recently read
    of the others while all take more than `KEPT_BYTES`; the newest stays, and so does any other
    file. Whoever reads a copy just then reads it to its end."""
    now, kept = time.time(), 0
    for copy in sorted(_find_copies(folder), key=lambda copy: -copy.used):
        is_too_much = kept > 0 and kept + copy.bytes > KEPT_BYTES
        if now - copy.used > copy.kept_days * _DAY or copy.format < FORMAT or is_too_much:
            with suppress(OSError):
                copy.path.unlink()
        else:
            kept += copy.bytes


class _Copy(NamedTuple):
    path: Path
    format: int
    used: float
    bytes: int
    kept_days: int


def _find_copies(folder: Path) -> Iterator[_Copy]:
    with suppress(OSError):
        for path in folder.iterdir():
            match = _NAME.fullmatch(path.name)
            with suppress(OSError):
                status = path.lstat()
                if match and stat.S_ISREG(status.st_mode):
                    # One that begins with a dot was left unfinished, unless it is being written.
                    days = 1 if match[1] else KEPT_DAYS
                    yield _Copy(path, int(match[2]), status.st_mtime, status.st_size, days)


def _path(folder: Path, key: str) -> Path:
    return folder / f"{key}-{FORMAT}.npz"


def _write(path: Path, columns: Columns, rejections: list[Rejection]) -> None:
    with atomic_file(path, is_durable=True) as stream:
        np.savez(stream, allow_pickle=False, **_pack(columns, rejections))


def _pack(columns: Columns, rejections: list[Rejection]) -> dict[str, np.ndarray]:
    said = [(os.fsencode(e.source.file), e.source.number, e.reason) for e in rejections]
    words = msgspec.json.encode(_Words(FORMAT, tuple(map(os.fsencode, columns.files)), said))
    arrays = {"info": columns.info, "words": np.frombuffer(words, np.uint8)}
    for name in RAGGED:
        ragged: Ragged = getattr(columns, name)
        arrays[f"{name}_starts"] = ragged.starts
        arrays[f"{name}_values"] = ragged.values
    return arrays


def _unpack(archive: np.lib.npyio.NpzFile) -> tuple[Columns, list[Rejection]]:
    words = msgspec.json.decode(archive["words"].tobytes(), type=_Words)
    info = archive["info"]
    if words.format != FORMAT or info.dtype != INFO:
        raise ValueError("another format")
    lists = {n: Ragged(archive[f"{n}_starts"], archive[f"{n}_values"]) for n in RAGGED}
    columns = Columns(info=info, files=tuple(map(os.fsdecode, words.files)), **lists)
    if not is_sound(columns):
        raise ValueError("arrays that do not fit together")
    said = [Rejection(Source(os.fsdecode(file), n), why) for file, n, why in words.rejections]
    return columns, said
