"""Files and folders that one process at a time may change."""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from katachi.rules.errors import KatachiError


@contextmanager
def locked(path: Path, what: str) -> Iterator[None]:
    """Holds the lock file `path` while the block runs; the system lets it go if the process dies.

    The file stays, for another process may be about to lock it. Raises KatachiError, saying that
    `what` is in use, where another process holds it, and OSError where there can be no such file.
    """
    with path.open("ab") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise KatachiError(f"{what} is in use by another process") from None
        yield
