"""How far a long count has come: a bar on the terminal, or now and then a line."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

from katachi.interfaces.console import Console, TextColumn

LINE_SECONDS = 10.0
"""Without a terminal a line comes no more often than this."""


@contextmanager
def counted(total: int, what: str) -> Iterator[Callable[[int], None]]:
    """A function to be told how many more are done; it shows the count on standard error."""
    console = Console(stderr=True)
    if not console.is_terminal or console.is_dumb_terminal:
        yield _Lines(total, what).add
        return
    columns = (
        MofNCompleteColumn(),
        BarColumn(),
        TextColumn("{task.description}"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task(what, total=total)
        yield lambda more: progress.advance(task, more)


class _Lines:
    """A plain line now and then."""

    def __init__(self, total: int, what: str) -> None:
        self.total = total
        self.what = what
        self.done = 0
        self.due = time.monotonic() + LINE_SECONDS

    def add(self, more: int) -> None:
        self.done += more
        if time.monotonic() >= self.due:
            self.due = time.monotonic() + LINE_SECONDS
            sys.stderr.write(f"katachi: {self.done:,} of {self.total:,} {self.what}\n")
            sys.stderr.flush()
