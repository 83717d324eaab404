"""Lines in, replies out: the protocol without any of its commands; refusals and arguments."""

import math
import queue
import re
import threading
from collections.abc import Callable
from typing import NamedTuple

from katachi.errors import KatachiError
from katachi.files.plain_text import one_line, visible
from katachi.rules.color import BLACK, WHITE

MAX_LINE_BYTES = 1 << 16
_KEPT_BYTES = 64
_WAITING_LINES = 64
_CONTROLS = bytes(b for b in (*range(32), 127) if b not in b"\t\n")
_TAB_AS_SPACE = bytes.maketrans(b"\t", b" ")
_ID = re.compile(r"[0-9]+")


class Line(NamedTuple):
    """One line as it was sent, without comment and control characters."""

    text: str
    is_too_long: bool = False
    """The text is then only its beginning."""


class Request(NamedTuple):
    """A command with its id as written ("" when there was none) and its arguments."""

    id: str
    command: str
    arguments: list[str]
    is_too_long: bool = False


class LineSplitter:
    """Cuts a stream of bytes into lines and never holds much more than MAX_LINE_BYTES of one."""

    def __init__(self) -> None:
        self._begin_line()

    def _begin_line(self) -> None:
        self._kept = b""
        self._is_discarding = False
        self._is_too_long = False

    def feed(self, data: bytes) -> list[Line]:
        """The lines that these bytes complete."""
        *ends, rest = data.split(b"\n")
        lines = []
        for end in ends:
            self._extend(end)
            lines.append(self.finish())
        self._extend(rest)
        return lines

    def finish(self) -> Line:
        """The line under way, as if it ended here."""
        text = _clean(self._kept.partition(b"#")[0]).decode("utf-8", "replace")
        line = Line(text, self._is_too_long)
        self._begin_line()
        return line

    def _extend(self, data: bytes) -> None:
        if self._is_discarding:
            return
        self._kept += data
        if len(self._kept) > MAX_LINE_BYTES:
            self._shorten()

    def _shorten(self) -> None:
        """Forgets what cannot matter: leading blanks, a comment, or all of a line but its start."""
        head, mark, _ = self._kept.partition(b"#")
        self._kept = _clean(head).lstrip(b" ")
        self._is_discarding = bool(mark)
        if len(self._kept) > MAX_LINE_BYTES:
            self._kept = self._kept[:_KEPT_BYTES]
            self._is_discarding = self._is_too_long = True


def _clean(data: bytes) -> bytes:
    return data.translate(_TAB_AS_SPACE, _CONTROLS)


class Inbox:
    """The lines a client has sent, read by a thread of its own so that they can be awaited.

    `read` returns the next bytes, and b"" at the end of input. Only so many lines wait; then the
    thread stops reading until one is taken.
    """

    def __init__(self, read: Callable[[], bytes]) -> None:
        self._read = read
        self._lines: queue.Queue[Line | None] = queue.Queue(_WAITING_LINES)
        self._held: list[Line | None] = []
        threading.Thread(target=self._receive, name="gtp input", daemon=True).start()

    def take(self) -> Line | None:
        """The next line, awaited; None at the end of input, then and ever after."""
        line = self._held.pop() if self._held else self._lines.get()
        if line is None:
            self._held.append(None)
        return line

    def wait(self, seconds: float) -> bool:
        """Whether a line, or the end of input, is there within so many seconds; it is not taken."""
        if not self._held:
            try:
                self._held.append(self._lines.get(timeout=seconds))
            except queue.Empty:
                return False
        return True

    def _receive(self) -> None:
        splitter = LineSplitter()
        try:
            while data := self._read():
                for line in splitter.feed(data):
                    self._lines.put(line)
        except (OSError, ValueError):
            pass  # An input that cannot be read any more is at its end.
        self._lines.put(splitter.finish())
        self._lines.put(None)


def parse_line(line: Line) -> Request | None:
    """The command of a line; None for a line that holds none and gets no answer."""
    parts = [word for word in line.text.split(" ") if word]
    if not parts:
        return None
    match = _ID.match(parts[0])
    number = match[0] if match else ""
    parts[0] = parts[0][len(number) :]
    if not parts[0]:
        del parts[0]
    command = parts[0] if parts else ""
    return Request(number, command, parts[1:], line.is_too_long)


def begin_reply(request: Request, *, is_success: bool) -> str:
    """`=` or `?` and the id."""
    return ("=" if is_success else "?") + request.id


def format_reply(request: Request, text: str, *, is_success: bool) -> bytes:
    """A whole reply with its closing empty line; empty lines inside are left out."""
    first, *others = text.split("\n")
    lines = [f"{begin_reply(request, is_success=is_success)} {first}".rstrip()]
    lines += [line.rstrip() for line in others if line.strip()]
    return b"".join(map(encode_line, lines)) + b"\n"


def encode_line(line: str) -> bytes:
    """A line of a reply as it is sent: with one end, whatever text of others is in it."""
    return visible(line).replace("\n", " ").encode() + b"\n"


def format_error(request: Request, text: str) -> bytes:
    """A refusal; its text is made one line."""
    return format_reply(request, one_line(text), is_success=False)


SYNTAX_ERROR = "syntax error"
UNACCEPTABLE_SIZE = "unacceptable size"
ILLEGAL_MOVE = "illegal move"
CANNOT_UNDO = "cannot undo"
INVALID_COLOR = "invalid color"
INVALID_COLOR_OR_COORDINATE = "invalid color or coordinate"
INVALID_HANDICAP = "invalid handicap"
BAD_VERTEX_LIST = "bad vertex list"
CANNOT_LOAD_FILE = "cannot load file"


class CommandError(KatachiError):
    """A command that is refused; the text is the reply."""


def require(is_right: object, error: str = SYNTAX_ERROR) -> None:
    """Raises CommandError with `error` unless something is so."""
    if not is_right:
        raise CommandError(error)


_COLORS = {"b": BLACK, "black": BLACK, "w": WHITE, "white": WHITE}
_FLAGS = {"true": True, "false": False, "1": True, "0": False}
_INTEGER = re.compile(r"[+-]?[0-9]{1,9}", re.ASCII)
_NUMBER = re.compile(r"[+-]?(?:[0-9]{1,30}\.?[0-9]{0,30}|\.[0-9]{1,30})(?:[eE][+-]?[0-9]{1,3})?")


def is_color(text: str) -> bool:
    """Whether the text names a colour, in either case."""
    return text.lower() in _COLORS


def parse_color(text: str, error: str = INVALID_COLOR) -> int:
    """BLACK or WHITE; raises CommandError with `error` for any other text."""
    require(is_color(text), error)
    return _COLORS[text.lower()]


def parse_integer(text: str, error: str = SYNTAX_ERROR) -> int:
    """A whole number of at most nine digits; raises CommandError with `error` otherwise."""
    require(is_integer(text), error)
    return int(text)


def is_integer(text: str) -> bool:
    """Whether `parse_integer` takes the text."""
    return _INTEGER.fullmatch(text) is not None


def parse_number(text: str, error: str = SYNTAX_ERROR) -> float:
    """A finite number; raises CommandError with `error` for anything else, nan and inf included."""
    require(is_number(text), error)
    number = float(text)
    require(math.isfinite(number), error)
    return number


def is_number(text: str) -> bool:
    """Whether the text is written as a number."""
    return _NUMBER.fullmatch(text) is not None


def parse_flag(text: str) -> bool:
    """True or False as client programs write them."""
    require(text.lower() in _FLAGS)
    return _FLAGS[text.lower()]


def expect(arguments: list[str], *counts: int, error: str = SYNTAX_ERROR) -> None:
    """Raises CommandError unless there is one of these numbers of arguments."""
    require(len(arguments) in counts, error)


def color_argument(arguments: list[str]) -> int:
    """The colour that is the first argument."""
    require(arguments, INVALID_COLOR)
    return parse_color(arguments[0])
