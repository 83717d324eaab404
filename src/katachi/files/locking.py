"""What one process at a time may change: held by a lock that ends with the process."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, Self

from katachi.errors import KatachiError

_HELD_FILES: set[IO[bytes]] = set()
"""The lock files that this process holds. A process that it forks closes them, for it would go on
holding them after this one's end."""


class Held:
    """What is held by a lock until it is closed, or the block ends that it was opened for."""

    _open: ExitStack
    """Whatever must be let go; its maker fills it."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Lets another process go on; safe to call twice."""
        self._open.close()


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
        if not _is_file_of(path, file.fileno()):
            raise KatachiError(f"{what} was in use by another process until now: try again")
        _HELD_FILES.add(file)
        try:
            yield
        finally:
            _HELD_FILES.discard(file)


def _is_file_of(path: Path, handle: int) -> bool:
    """Whether an open file still has its name: whoever held it may have removed it meanwhile, and
    then the next process would lock another file."""
    try:
        return os.path.samestat(os.fstat(handle), path.stat())
    except FileNotFoundError:
        return False


def is_held(path: Path) -> bool | None:
    """Whether some process holds a lock file now, without trying to hold it: that might be in the
    way of a process that begins just then. None where the system does not say."""
    try:
        number = path.stat().st_ino
        locks = Path("/proc/locks").read_text()
    except FileNotFoundError:
        return False if Path("/proc/locks").exists() else None
    except OSError:
        return None
    return any(f":{number} " in line for line in locks.splitlines() if "FLOCK" in line)


def _close_held_files() -> None:
    for file in _HELD_FILES:
        file.close()
    _HELD_FILES.clear()


os.register_at_fork(after_in_child=_close_held_files)
