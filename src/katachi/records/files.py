"""The bytes of files of games, plain or compressed, piece by piece."""

import gzip
import io
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from katachi.rules.errors import KatachiError

CHUNK_BYTES = 1 << 22
DAMAGE = (OSError, EOFError, zlib.error)
GAME_SUFFIXES = (".sgf", ".sgf.gz")

_GZIP_MAGIC = b"\x1f\x8b"


def read_chunks(source: str | Path | bytes) -> Iterator[bytes]:
    """The content of a file, or of bytes in memory, uncompressed, in pieces of about `CHUNK_BYTES`.

    Raises KatachiError when the file cannot be opened; and one of `DAMAGE`, behind all that could
    be read, when its compression is damaged.
    """
    with _open(source) as raw:
        is_compressed = raw.read(2) == _GZIP_MAGIC
        raw.seek(0)
        if is_compressed:
            yield from _uncompressed_chunks(raw)
        else:
            while chunk := raw.read(CHUNK_BYTES):
                yield chunk


def _uncompressed_chunks(raw: IO[bytes]) -> Iterator[bytes]:
    stream = gzip.GzipFile(fileobj=raw)
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


def _open(source: str | Path | bytes) -> IO[bytes]:
    if isinstance(source, bytes):
        return io.BytesIO(source)
    try:
        return Path(source).open("rb")
    except OSError as error:
        raise KatachiError(f"cannot read {source}: {error.strerror or error}") from None


def find_game_files(place: str | Path) -> list[Path]:
    """The file itself, or all files of games in a folder and the folders inside it, sorted.

    Raises KatachiError when the place does not exist or the folder holds no games.
    """
    path = Path(place)
    if not path.is_dir():
        if not path.exists():
            raise KatachiError(f"cannot read {place}: no such file or folder")
        return [path]
    found = sorted(
        entry
        for entry in path.rglob("*")
        if entry.name.lower().endswith(GAME_SUFFIXES) and entry.is_file()
    )
    if not found:
        raise KatachiError(f"the folder {place} holds no .sgf or .sgf.gz file")
    return found
