"""Files that are written whole or not at all."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO


@contextmanager
def atomic_file(path: Path, *, is_durable: bool = False) -> Iterator[IO[bytes]]:
    """A stream whose bytes become the file when the block ends well; else all is as before.

    With `is_durable` they are on the disk before the file has its name, so that not even a power
    cut leaves half of it. Raises OSError.
    """
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:40]}-")
    try:
        with open(handle, "wb") as stream:
            yield stream
            if is_durable:
                stream.flush()
                os.fsync(stream.fileno())
        Path(temporary).chmod(0o666 & ~_umask())
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def write_atomically(path: Path, data: bytes, *, is_durable: bool = False) -> None:
    """Writes a file, or leaves what was there; raises OSError."""
    with atomic_file(path, is_durable=is_durable) as stream:
        stream.write(data)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
