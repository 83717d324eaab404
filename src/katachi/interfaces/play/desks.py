"""How a person is shown a game and asked for a line: by lines, or by keys on a screen."""

import codecs
import os
import re
import select
import sys
import termios
import tty
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from textwrap import wrap
from typing import Any, Protocol

from rich.control import Control
from rich.text import Text

from katachi.interfaces.console import Console
from katachi.interfaces.play.table import Table
from katachi.interfaces.views.board_text import NO_MARKS, Marks, has_letters, render_board
from katachi.rules import point
from katachi.rules.color import BLACK, COLOR_NAMES, WHITE

COMMANDS = (
    ("D4", "a move"),
    ("pass", "two passes end the game"),
    ("undo", "take back your last move"),
    ("hint", "good moves"),
    ("score", "who is ahead"),
    ("save FILE", "write the game as SGF"),
    ("resign", "give up"),
    ("quit", "leave; the game is kept"),
)
KEYS = (
    "arrows and Enter, or D4: a move",
    "pass  undo  hint  score",
    "save FILE  resign  quit  help",
)
"""The same in short, beside a board."""
GAP = 3
"""Columns between the board and what stands beside it."""
NARROWEST = 30
"""Columns that a panel beside the board needs."""


@dataclass(frozen=True)
class View:
    """A table as it is shown."""

    table: Table
    message: tuple[str, ...] = ()
    marks: Marks = NO_MARKS
    is_board_new: bool = True
    """Whether the board changed, or its marks, since it was shown last."""


def command_lines() -> list[str]:
    """What can be typed, a line each."""
    return [f"{name:10} {what}" for name, what in COMMANDS]


def status_lines(console: Console, table: Table) -> list[str]:
    """Who plays what, the captures, and the last move."""
    game = table.game
    captures = dict(zip((BLACK, WHITE), game.captures, strict=True))
    letters = {BLACK: " (X)", WHITE: " (O)"} if has_letters(console) else {BLACK: "", WHITE: ""}
    lines = []
    for color in (BLACK, WHITE):
        who = "you" if color == table.person else table.player.name
        name = f"{COLOR_NAMES[color].capitalize()}{letters[color]}"
        lines.append(f"{name}: {who}, captured {captures[color]}")
    return [*lines, f"komi {game.komi:g}; {last_move(table)}"]


def last_move(table: Table) -> str:
    """The number and name of the last move."""
    moves = table.game.moves
    if not moves:
        return "no move yet"
    name = point.vertex_from_point(moves[-1].point, table.game.size)
    return f"move {len(moves)}: {COLOR_NAMES[moves[-1].color].capitalize()} {name}"


def board_lines(console: Console, view: View, cursor: int | None = None) -> list[Text]:
    """The board, line by line."""
    marks = Marks(cursor, view.marks.labels, view.marks.owners)
    return list(render_board(console, view.table.game, marks).split("\n"))


def panel_lines(console: Console, view: View, width: int) -> list[str]:
    """What stands beside the board, in lines of at most `width` columns."""
    parts = [
        *status_lines(console, view.table),
        "",
        *KEYS,
        "",
        *view.message,
    ]
    return [line for part in parts for line in (wrap(part, width, subsequent_indent="  ") or [""])]


def board_width(size: int) -> int:
    """Columns that a board takes with its coordinates."""
    return 2 * size + 5


ESCAPE = "\x1b"
ESCAPE_SECONDS = 0.05
"""How long the rest of a key's sequence may take."""
END_OF_INPUT = "\x04"
ARROWS = {"A": (-1, 0), "B": (1, 0), "C": (0, 1), "D": (0, -1)}
_KEY = re.compile(r"\x1b(?:\[[0-9;]*|O)([A-Za-z~])|\x1b|.", re.DOTALL)
_UNFINISHED = re.compile(r"\x1b(?:\[[0-9;]*|O)?\Z")
LONGEST_LINE = 200


class Desk(Protocol):
    """Where a person sits."""

    def show(self, view: View) -> None:
        """Shows what has changed."""
        ...

    def ask(self, view: View) -> str | None:
        """The next line that the person enters; None when there will be no more."""
        ...


class LineDesk:
    """Plain lines in and out: for pipes, dumb terminals, and boards larger than the window."""

    def __init__(self, console: Console) -> None:
        self.console = console

    def show(self, view: View) -> None:
        """Prints the board where it is new, and the message."""
        if view.is_board_new:
            for drawn in board_lines(self.console, view):
                self.console.print(drawn)
            for line in status_lines(self.console, view.table):
                self.console.print(line)
        for line in view.message:
            self.console.print(line)

    def ask(self, view: View) -> str | None:
        """Prompts and reads a line."""
        self.console.print(prompt_of(view), end="")
        self.console.file.flush()
        line = sys.stdin.readline()
        if not line or not self.console.is_terminal:
            self.console.print()
        return line.strip() if line else None


def prompt_of(view: View) -> str:
    """What the person is asked."""
    if view.table.is_over:
        return "undo, save FILE or quit: "
    return f"{COLOR_NAMES[view.table.person].capitalize()}'s move, or help: "


class KeyDesk:
    """A board that stays in its place: arrow keys and Enter, or typed lines."""

    def __init__(self, console: Console) -> None:
        self.console = console
        self._cursor: int | None = None
        self._typed = ""
        self._waiting = ""
        self._decoder = codecs.getincrementaldecoder("utf-8")(errors="ignore")

    def show(self, view: View) -> None:
        """Draws the whole screen."""
        self._draw(view, None)

    def ask(self, view: View) -> str | None:
        """Follows keys until a line, or the point under the cursor, is entered."""
        self._typed = ""
        self._cursor = self._start(view)
        while True:
            self._draw(view, self._cursor)
            key = self._key()
            if key is None or (key == END_OF_INPUT and not self._typed):
                return None
            if key in "\r\n":
                return self._entered(view)
            self._press(key, view)

    def _entered(self, view: View) -> str:
        if self._typed.strip():
            return self._typed.strip()
        if self._cursor is None or view.table.is_over:
            return ""
        return point.vertex_from_point(self._cursor, view.table.game.size)

    def _start(self, view: View) -> int:
        """Where the cursor is at first: where it was, or in the middle."""
        size = view.table.game.size
        if self._cursor is None:
            return point.point_from_row_col(size // 2, size // 2)
        return self._cursor

    def _press(self, key: str, view: View) -> None:
        if key[-1] in ARROWS and key.startswith(ESCAPE) and self._cursor is not None:
            row, col = point.row_col_from_point(self._cursor)
            down, right = ARROWS[key[-1]]
            size = view.table.game.size
            moved = point.point_from_row_col(row + down, col + right)
            self._cursor = moved if point.is_on_board(moved, size) else self._cursor
        elif key in ("\x7f", "\x08"):
            self._typed = self._typed[:-1]
        elif key == ESCAPE:
            self._typed = ""
        elif key.isprintable() and len(self._typed) < LONGEST_LINE:
            self._typed += key

    def _key(self) -> str | None:
        """The next key, an arrow as its whole sequence; None at the end of input."""
        while not self._waiting or _UNFINISHED.match(self._waiting):
            is_lone = bool(self._waiting)
            if is_lone and not select.select([sys.stdin], [], [], ESCAPE_SECONDS)[0]:
                break
            more = _read_some()
            if not more:
                return None
            self._waiting += self._decoder.decode(more)
        found = _KEY.match(self._waiting)
        assert found is not None
        self._waiting = self._waiting[found.end() :]
        return found[0]

    def _draw(self, view: View, cursor: int | None) -> None:
        width = self.console.width
        beside = board_width(view.table.game.size) + GAP
        room = width - beside - 1 if width > beside + NARROWEST else width - 1
        panel = panel_lines(self.console, view, room)
        board = board_lines(self.console, view, cursor)
        if room == width - 1:
            lines = [*board, *map(Text, panel)]
        else:
            lines = _side_by_side(board, panel, beside)
        with self.console:
            self.console.control(Control.home(), Control.clear())
            for line in lines[: self.console.height - 1]:
                self.console.print(line, no_wrap=True, crop=True)
            if cursor is not None:
                self.console.print(prompt_of(view) + self._typed, end="", no_wrap=True)


def _side_by_side(board: list[Text], panel: list[str], width: int) -> list[Text]:
    count = max(len(board), len(panel))
    left = board + [Text()] * (count - len(board))
    right = panel + [""] * (count - len(panel))
    lines = []
    for drawn, words in zip(left, right, strict=True):
        line = drawn.copy()
        line.append(" " * (width - line.cell_len) + words if words else "")
        lines.append(line)
    return lines


def _read_some() -> bytes:
    """What has been typed, at least one byte; nothing at the end of input."""
    try:
        return os.read(sys.stdin.fileno(), 1024)
    except OSError:  # the terminal is gone
        return b""


def can_take_keys(console: Console, size: int) -> bool:
    """Whether there is a terminal in which a board of this size stays in its place."""
    if not (sys.stdin.isatty() and console.is_terminal):
        return False
    if console.is_dumb_terminal:
        return False
    is_wide = console.width > board_width(size) + GAP + NARROWEST
    rows = max(size + 2, 20) if is_wide else size + 20
    return console.width >= board_width(size) and console.height > rows


@contextmanager
def open_desk(console: Console, size: int) -> Iterator[Desk]:
    """A desk that fits the terminal, which is put back as it was when the block ends."""
    if not can_take_keys(console, size):
        yield LineDesk(console)
        return
    before: list[Any] = termios.tcgetattr(sys.stdin)
    tty.setcbreak(sys.stdin)
    try:
        yield KeyDesk(console)
    finally:
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, before)
