"""The file of a finished set of games: compressed SGF, one game a line, that says how it was made.

The settings are the comment of the compressed file's header (RFC 1952), where every reader passes
over them; a set can then go on to be a larger one.
"""

import gzip
import json
import zlib
from pathlib import Path
from typing import Any

from katachi.errors import KatachiError
from katachi.files.atomic import write_atomically

_MAGIC = b"\x1f\x8b\x08"
_HAS_COMMENT = 0x10
_HEADER = 10
"""Bytes before the comment; no time among them, so that equal sets are equal bytes."""


def write_set(path: Path, heading: dict[str, Any], lines: list[str]) -> None:
    """Writes games, each a line of SGF, whole or not at all; raises OSError."""
    data = "".join(f"{line}\n" for line in lines).encode()
    header = _MAGIC + bytes([_HAS_COMMENT]) + bytes(4) + b"\x02\xff"
    deflate = zlib.compressobj(9, wbits=-zlib.MAX_WBITS)
    packed = deflate.compress(data) + deflate.flush()
    ends = zlib.crc32(data).to_bytes(4, "little") + (len(data) % 2**32).to_bytes(4, "little")
    comment = json.dumps(heading).encode("ascii") + b"\0"
    write_atomically(path, header + comment + packed + ends, is_durable=True)


def read_set(path: Path) -> tuple[dict[str, Any], list[str]]:
    """(how it was made, its games) of a finished set; raises KatachiError for any other file."""
    data = path.read_bytes()
    try:
        if not data.startswith(_MAGIC + bytes([_HAS_COMMENT])):
            raise ValueError("no comment")
        heading = json.loads(data[_HEADER : data.index(b"\0", _HEADER)])
        lines = gzip.decompress(data).decode().splitlines()
        if not isinstance(heading, dict):
            raise TypeError("no heading")
    except (ValueError, TypeError, OSError, EOFError, zlib.error):
        raise KatachiError(
            f"{path} is there already and does not say how it was made: choose another file"
        ) from None
    return heading, lines
