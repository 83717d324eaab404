"""The one console of all commands: what is printed is text, whoever wrote it.

Rich reads `[bold]` and `:smile:` in strings, in cells of tables and in lines of progress, and lets
escape sequences through; a name such as `[/x]` would end a command. Here no string means anything
but itself; styles are given beside it, or by `rich.text.Text`. Progress (`counted`, `working`) and
JSON (`write_json`) are here too.
"""

import sys
import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import msgspec
from rich import console, progress
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TaskID,
    TimeRemainingColumn,
)
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from katachi.files.plain_text import visible
from katachi.interfaces.cold_start import tell


class Console(console.Console):
    """Standard output, or standard error, for people."""

    def __init__(self, **options: Any) -> None:
        """As rich's, but for what would read strings."""
        super().__init__(markup=False, emoji=False, highlight=False, **options)

    @property
    def has_colors(self) -> bool:
        """Whether colours reach the eye: a terminal that has some, and nobody who forbids them."""
        return self.color_system is not None and not self.no_color

    @property
    def is_ascii(self) -> bool:
        """Whether nothing but plain letters can be shown."""
        return self.options.ascii_only

    def render_str(self, text: str, **options: Any) -> Text:
        """A string as it will be shown, so that widths are right."""
        return super().render_str(visible(text), **options)

    def render(
        self, renderable: console.RenderableType, options: console.ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """The pieces of anything that can be shown; rich's own control codes stay what they are."""
        for piece in super().render(renderable, options):
            yield piece if piece.control else piece._replace(text=visible(piece.text))


class TextColumn(progress.TextColumn):
    """Words of a line of progress."""

    def __init__(self, text: str) -> None:
        super().__init__(text, markup=False)

    def render(self, task: progress.Task) -> Text:
        """The words as they will be shown, so that their width is right."""
        text = super().render(task)
        text.plain = visible(text.plain)
        return text


def grid_of(
    head: Sequence[str], rows: Iterable[Sequence[str]], left: Collection[int] = (0,), **look: Any
) -> Table:
    """A table without lines; the columns of these numbers begin at the left, others end at the
    right. `look` is rich's."""
    grid = Table(box=None, pad_edge=False, **look)
    for number, title in enumerate(head):
        grid.add_column(title, justify="left" if number in left else "right")
    for row in rows:
        grid.add_row(*row)
    return grid


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
    """A function that takes how many more are done, besides those of before; it shows the count, on
    standard error or where a console shows other things meanwhile."""
    shown = console or Console(stderr=True)
    if not _is_live(shown):
        lines = _Lines(total, what, done)
        with _said_late(lines.words):
            yield lines.add
        return
    with moving_bar(shown, total, what, done) as (progress, task):
        yield lambda more: progress.advance(task, more)


@contextmanager
def moving_bar(
    console: Console, total: int, text: str, done: int = 0, *, is_kept: bool = False
) -> Iterator[tuple[Progress, TaskID]]:
    """A line with count, bar, words and the time that is left; it goes in the end unless kept."""
    columns = (
        MofNCompleteColumn(),
        BarColumn(24),
        TextColumn("{task.description}"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=not is_kept) as progress:
        yield progress, progress.add_task(text, total=total, completed=done)


def _is_live(console: Console) -> bool:
    return console.is_terminal and not console.is_dumb_terminal


@contextmanager
def _said_late(words: Callable[[], str]) -> Iterator[None]:
    """Says something unless all is over by then."""
    timer = threading.Timer(FIRST_SECONDS, lambda: tell(words()))
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
            tell(self.words())


def encode_json(data: Any) -> bytes:
    """Plain data, or a struct, as one line; halves of characters, as bytes that are not UTF-8 are
    read, are written out."""
    try:
        return msgspec.json.encode(data) + b"\n"
    except UnicodeEncodeError:
        return msgspec.json.encode(_as_text(msgspec.to_builtins(data))) + b"\n"


def _as_text(data: Any) -> Any:
    """The same data with whole characters only."""
    if isinstance(data, str):
        return data.encode(errors="backslashreplace").decode()
    if isinstance(data, dict):
        return {_as_text(key): _as_text(value) for key, value in data.items()}
    return [_as_text(each) for each in data] if isinstance(data, (list, tuple)) else data


def write_json(data: Any) -> None:
    """Writes data as one line to standard output."""
    sys.stdout.write(encode_json(data).decode())
