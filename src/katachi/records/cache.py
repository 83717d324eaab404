"""A binary copy of games already read, so that the next reading takes a fraction of the time.

A copy is an uncompressed NumPy archive, whose checksums tell a damaged or cut file at once. It is
named by what it was made from and by `FORMAT`; it appears under its name only when it is whole. A
copy that cannot be written or read costs time, never a result.
"""

import hashlib
import logging
import zipfile
import zlib
from pathlib import Path

import msgspec
import numpy as np
from platformdirs import user_cache_path

from katachi.records.atomic import atomic_file
from katachi.records.columns import INFO, Columns
from katachi.records.record import Rejection, Source
from katachi.records.stones import Ragged

FORMAT = 2
"""Raised whenever the arrays, or what is read from a game, change their meaning."""

_RAGGED = ("moves", "setup", "owners", "texts")
_DAMAGE = (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile, zlib.error)
_READ_BYTES = 1 << 20

_log = logging.getLogger(__name__)


class _Words(msgspec.Struct):
    """What the archive holds besides arrays."""

    format: int
    files: tuple[str, ...]
    rejections: list[tuple[str, int, str]]


def default_cache_folder() -> Path:
    """Where copies live unless the caller names a folder."""
    return user_cache_path("katachi") / "games"


def content_key(path: Path) -> str:
    """A name for the content of one file, the same wherever the file lies."""
    digest = hashlib.blake2b(digest_size=16)
    with path.open("rb") as stream:
        while block := stream.read(_READ_BYTES):
            digest.update(block)
    return digest.hexdigest()


def folder_key(folder: Path, files: list[Path]) -> str:
    """A name for a folder's files as they are now: their names, lengths and times of change."""
    digest = hashlib.blake2b(digest_size=16)
    for file in files:
        status = file.stat()
        name = file.relative_to(folder).as_posix()
        digest.update(f"{name}\0{status.st_size}\0{status.st_mtime_ns}\n".encode())
    return digest.hexdigest()


def load_columns(folder: Path, key: str) -> tuple[Columns, list[Rejection]] | None:
    """The copy named `key`, or None where there is none that is whole."""
    path = _path(folder, key)
    try:
        stream = path.open("rb")
    except OSError:
        return None
    try:
        with stream, np.load(stream, allow_pickle=False) as archive:
            return _unpack(archive)
    except (*_DAMAGE, msgspec.DecodeError) as error:
        _log.warning("the games cache %s is damaged and is made anew: %s", path, error)
        return None


def store_columns(folder: Path, key: str, columns: Columns, rejections: list[Rejection]) -> None:
    """Writes the copy named `key`; where that fails a warning is logged and nothing remains."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        _write(_path(folder, key), columns, rejections)
    except OSError as error:
        reason = error.strerror or error
        _log.warning("cannot write the games cache in %s: %s; going on without it", folder, reason)


def _path(folder: Path, key: str) -> Path:
    return folder / f"{key}-{FORMAT}.npz"


def _write(path: Path, columns: Columns, rejections: list[Rejection]) -> None:
    with atomic_file(path, is_durable=True) as stream:
        np.savez(stream, allow_pickle=False, **_pack(columns, rejections))


def _pack(columns: Columns, rejections: list[Rejection]) -> dict[str, np.ndarray]:
    said = [(entry.source.file, entry.source.number, entry.reason) for entry in rejections]
    words = msgspec.json.encode(_Words(FORMAT, columns.files, said))
    arrays = {"info": columns.info, "words": np.frombuffer(words, np.uint8)}
    for name in _RAGGED:
        ragged: Ragged = getattr(columns, name)
        arrays[f"{name}_starts"] = ragged.starts
        arrays[f"{name}_values"] = ragged.values
    return arrays


def _unpack(archive: np.lib.npyio.NpzFile) -> tuple[Columns, list[Rejection]]:
    words = msgspec.json.decode(archive["words"].tobytes(), type=_Words)
    info = archive["info"]
    if words.format != FORMAT or info.dtype != INFO:
        raise ValueError("another format")
    lists = {n: Ragged(archive[f"{n}_starts"], archive[f"{n}_values"]) for n in _RAGGED}
    if any(len(ragged.starts) != len(info) + 1 for ragged in lists.values()):
        raise ValueError("arrays that do not fit together")
    rejections = [Rejection(Source(file, number), why) for file, number, why in words.rejections]
    return Columns(info=info, files=words.files, **lists), rejections
