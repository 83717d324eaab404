"""What one process at a time may change: held by a lock that ends with the process."""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from katachi.rules.errors import KatachiError


@contextmanager
def locked(path: Path, what: str) -> Iterator[None]:
    """Holds a lock file, which is made where there is none and stays, while the block runs.

    Raises KatachiError, saying that `what` is in use, where another process holds it (or this one
    does already); OSError where there can be no such file.
    """
    with path.open("ab") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise KatachiError(f"{what} is in use by another process") from None
        yield
