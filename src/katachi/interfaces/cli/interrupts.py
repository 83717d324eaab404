"""Interrupts that wait for a good moment."""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def noted_interrupts() -> Iterator[Callable[[], bool]]:
    """Whether the user has asked to stop: the first interrupt is only noted, so that a game is
    learned from whole or not at all; a second one ends the program at once."""
    before = signal.getsignal(signal.SIGINT)
    asked: list[int] = []

    def note(number: int, _: FrameType | None) -> None:
        asked.append(number)
        signal.signal(signal.SIGINT, before)

    if before in (signal.SIG_IGN, None):  # as a shell may start a job: then so be it
        yield lambda: False
        return
    signal.signal(signal.SIGINT, note)
    try:
        yield lambda: bool(asked)
    finally:
        signal.signal(signal.SIGINT, before)
