"""The bytes of files of games, plain or compressed, piece by piece.

A file is read once, from its beginning to its end, so a pipe is as good as a file; what was read is
what its digest tells. Devices are refused, and nothing is read beyond `MAX_FILE_BYTES`: the reading
of any file comes to an end.
"""

import gzip
import hashlib
import io
import os
import stat
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from katachi.errors import KatachiError
from katachi.files.plain_text import shown_text

CHUNK_BYTES = 1 << 22
MAX_FILE_BYTES = 16 << 30
"""The most that is read of one file, packed and unpacked."""
MAX_RATIO = 200
"""How many times its packed length a long file may have: collections of games have less than 20."""
GAME_SUFFIXES = (".sgf", ".sgf.gz")

_MAX_FREE_BYTES = 128 << 20
_GZIP_MAGIC = b"\x1f\x8b"


class TooLong(Exception):
    """Ends the reading of a file that is longer than `MAX_FILE_BYTES`, or a bomb."""

    def __init__(self, reason: str = f"longer than {MAX_FILE_BYTES >> 30} GiB") -> None:
        super().__init__(reason)


DAMAGE = (OSError, EOFError, zlib.error, TooLong)


class CannotOpen(KatachiError):
    """A file that cannot be opened, and why."""

    def __init__(self, path: str | Path, reason: str) -> None:
        super().__init__(f"cannot read {shown_text(str(path))}: {reason}")
        self.reason = reason


class RawFile:
    """The bytes of a file as they lie there, each read once and counted into a digest."""

    def __init__(self, stream: IO[bytes]) -> None:
        self.is_sound = True
        """Whether the system gave all that was asked of it so far."""
        self._stream = stream
        self._digest = hashlib.blake2b(digest_size=16)
        self._ahead = b""
        self._is_over = False
        self.count = 0
        """Bytes read so far."""

    def __enter__(self) -> "RawFile":
        return self

    def __exit__(self, *_: object) -> None:
        self._stream.close()

    def starts_with(self, magic: bytes) -> bool:
        """Whether these are the first bytes; asked before anything is read. Raises OSError."""
        self._ahead = self._take(len(magic))
        return self._ahead == magic

    def read(self, size: int) -> bytes:
        """The next bytes, fewer than `size` only at the end; raises OSError, TooLong."""
        ahead, self._ahead = self._ahead[:size], self._ahead[size:]
        return ahead + self._take(size - len(ahead)) if len(ahead) < size else ahead

    def key(self) -> str:
        """A name for the whole content, which is read to its end; raises OSError, TooLong."""
        while self._take(CHUNK_BYTES):
            pass
        return self._digest.hexdigest()

    def _take(self, size: int) -> bytes:
        if self._is_over:  # what grows behind its end was not there for those who read it
            return b""
        try:
            data = self._stream.read(size)
            while len(data) < size and (more := self._stream.read(size - len(data))):
                data += more
        except OSError:
            self.is_sound = False
            raise
        self._is_over = len(data) < size
        self._digest.update(data)
        self.count += len(data)
        if self.count > MAX_FILE_BYTES:
            raise TooLong
        return data


def open_raw(source: str | Path | bytes, *, may_be_pipe: bool = True) -> RawFile:
    """A file, a pipe where that is allowed, or bytes in memory; raises CannotOpen."""
    if isinstance(source, bytes):
        return RawFile(io.BytesIO(source))
    try:
        return RawFile(_open(Path(source), may_be_pipe=may_be_pipe))
    except (OSError, ValueError) as error:
        raise CannotOpen(source, getattr(error, "strerror", None) or str(error)) from None


def _open(path: Path, *, may_be_pipe: bool) -> IO[bytes]:
    """Raises OSError, or ValueError for what is no file; waits for nobody but a pipe's writer."""
    _check_kind(path.stat(), may_be_pipe=may_be_pipe)
    if not path.is_file():
        return path.open("rb")
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    try:
        # A pipe may have taken the file's place meanwhile.
        _check_kind(os.fstat(handle), may_be_pipe=False)
    except ValueError:
        os.close(handle)
        raise
    return open(handle, "rb")


def _check_kind(status: os.stat_result, *, may_be_pipe: bool) -> None:
    """Raises ValueError, saying what it is, for all but files of a length that is read, and pipes
    where those are allowed."""
    mode = status.st_mode
    if stat.S_ISREG(mode):
        if status.st_size > MAX_FILE_BYTES:
            raise ValueError(str(TooLong()))
    elif stat.S_ISDIR(mode):
        raise ValueError("a folder, not a file")
    elif not stat.S_ISFIFO(mode):
        raise ValueError("a device, not a file")
    elif not may_be_pipe:
        raise ValueError("a pipe, not a file")


def read_chunks(source: str | Path | bytes | RawFile) -> Iterator[bytes]:
    """The content of a file, or of bytes in memory, uncompressed, in pieces of about `CHUNK_BYTES`.

    Raises CannotOpen; and one of `DAMAGE`, behind all that could be read, when its compression is
    damaged, the system fails to read on, or it is too long.
    """
    if isinstance(source, RawFile):
        yield from _chunks(source)
    else:
        with open_raw(source) as raw:
            yield from _chunks(raw)


def _chunks(raw: RawFile) -> Iterator[bytes]:
    count = 0
    for chunk in _packed_chunks(raw) if raw.starts_with(_GZIP_MAGIC) else _plain_chunks(raw):
        yield chunk
        count += len(chunk)
        if count > MAX_FILE_BYTES:
            raise TooLong
        if count > max(_MAX_FREE_BYTES, MAX_RATIO * raw.count):
            raise TooLong(f"more than {MAX_RATIO} times as long unpacked: no games")


def _plain_chunks(raw: RawFile) -> Iterator[bytes]:
    while chunk := raw.read(CHUNK_BYTES):
        yield chunk


def _packed_chunks(raw: RawFile) -> Iterator[bytes]:
    stream = gzip.GzipFile(fileobj=raw, mode="rb")  # type: ignore[call-overload]
    pieces, size = [b""], 0
    try:
        while piece := stream.read1(CHUNK_BYTES):
            pieces.append(piece)
            size += len(piece)
            if size >= CHUNK_BYTES:
                yield b"".join(pieces)
                pieces, size = [], 0
    except DAMAGE:
        yield b"".join(pieces)
        raise
    yield b"".join(pieces)


def explain_damage(error: BaseException) -> str:
    """Why the reading of a file ended before its end, given one of `DAMAGE`."""
    if isinstance(error, OSError) and not isinstance(error, gzip.BadGzipFile):
        return f"the file cannot be read to its end: {error.strerror or error}"
    if isinstance(error, TooLong):
        return f"the file is {error}"
    return f"the file is damaged: {error}"


def find_game_files(place: str | Path) -> list[Path]:
    """The file itself, or all files of games in a folder and the folders inside it, sorted.

    Links to folders are not followed. What is named like a file of games but cannot be read, and a
    folder inside that cannot be looked into, are among them, so that nobody takes the rest for all.
    Raises KatachiError when the place does not exist or the folder holds no games.
    """
    path = Path(place)
    try:
        if not stat.S_ISDIR(path.stat().st_mode):
            return [path]
        found = sorted(_walk(path))
    except FileNotFoundError:
        raise CannotOpen(place, "no such file or folder") from None
    except (OSError, ValueError) as error:
        raise CannotOpen(place, getattr(error, "strerror", None) or str(error)) from None
    if not found:
        raise KatachiError(f"the folder {shown_text(str(place))} holds no .sgf or .sgf.gz file")
    return found


def _walk(top: Path) -> Iterator[Path]:
    """Raises OSError when `top` itself cannot be looked into."""
    folders = [top]
    while folders:
        folder = folders.pop()
        try:
            with os.scandir(folder) as entries:
                found = list(entries)
        except OSError:
            if folder == top:
                raise
            yield folder
            continue
        folders.extend(Path(entry.path) for entry in found if entry.is_dir(follow_symlinks=False))
        yield from (Path(entry.path) for entry in found if _is_named_as_games(entry))


def _is_named_as_games(entry: os.DirEntry[str]) -> bool:
    if not entry.name.lower().endswith(GAME_SUFFIXES):
        return False
    try:
        return not entry.is_dir()
    except OSError:
        return True
