"""Thinking that somebody may stop: a search looks here whenever it looks at its clock.

Who lets a player think in a thread says there when to stop; without that a look costs next to
nothing and never stops anything.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from katachi.errors import KatachiError


class Stopped(KatachiError):
    """Nobody waits for the answer any more."""


_of_thread = threading.local()


@contextmanager
def stoppable(is_stopped: Callable[[], bool]) -> Iterator[None]:
    """Lets what this thread does inside be stopped: it raises `Stopped` at its next look."""
    before = getattr(_of_thread, "is_stopped", None)
    _of_thread.is_stopped = is_stopped
    try:
        yield
    finally:
        _of_thread.is_stopped = before


def look_for_stop() -> None:
    """Raises `Stopped` where this thread has been asked to stop."""
    is_stopped = getattr(_of_thread, "is_stopped", None)
    if is_stopped is not None and is_stopped():
        raise Stopped("stopped: nobody waits for the answer")
