"""How far something long has come: a line that moves on the terminal, or now and then a plain one.

Something is shown within a second, and nothing where all is done by then.
"""

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TimeRemainingColumn,
)

from katachi.interfaces.console import Console, TextColumn

FIRST_SECONDS = 0.8
"""Without a terminal, the first line comes after this."""
LINE_SECONDS = 10.0
"""The next ones come no more often than this."""


@contextmanager
def working(what: str) -> Iterator[None]:
    """Says on standard error what is under way, which is not counted."""
    console = Console(stderr=True)
    if not _is_live(console):
        with _said_late(lambda: what):
            yield
        return
    columns = (SpinnerColumn(), TextColumn("{task.description}"))
    with Progress(*columns, console=console, transient=True) as progress:
        progress.add_task(what, total=None)
        yield


@contextmanager
def counted(
    total: int, what: str, done: int = 0, console: Console | None = None
) -> Iterator[Callable[[int], None]]:
    """A function to be told how many more are done, beside those of before; it shows the count, on
    standard error or where a console shows other things meanwhile."""
    shown = console or Console(stderr=True)
    if not _is_live(shown):
        lines = _Lines(total, what, done)
        with _said_late(lines.words):
            yield lines.add
        return
    columns = (
        MofNCompleteColumn(),
        BarColumn(24),
        TextColumn("{task.description}"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=shown, transient=True) as progress:
        task = progress.add_task(what, total=total, completed=done)
        yield lambda more: progress.advance(task, more)


def _is_live(console: Console) -> bool:
    return console.is_terminal and not console.is_dumb_terminal


def _say(words: str) -> None:
    sys.stderr.write(f"katachi: {words}\n")
    sys.stderr.flush()


@contextmanager
def _said_late(words: Callable[[], str]) -> Iterator[None]:
    """Says something unless all is over by then."""
    timer = threading.Timer(FIRST_SECONDS, lambda: _say(words()))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


class _Lines:
    """A plain line now and then."""

    def __init__(self, total: int, what: str, done: int) -> None:
        self.total = total
        self.what = what
        self.done = done
        self.due = time.monotonic() + LINE_SECONDS

    def words(self) -> str:
        """How far it is."""
        return f"{self.done:,} of {self.total:,} {self.what}"

    def add(self, more: int) -> None:
        self.done += more
        if time.monotonic() >= self.due:
            self.due = time.monotonic() + LINE_SECONDS
            _say(self.words())
