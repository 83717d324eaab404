"""Lines of the protocol: what they say, and how long they may be."""

import asyncio
import contextlib
import math
import re
import socket
from typing import NamedTuple

from katachi.errors import KatachiError
from katachi.rules.ruleset import LARGEST_KOMI
from katachi.rules.size import check_size

LONGEST_LINE = 1 << 18
"""Bytes; a setup line that replays the longest game still fits."""
LONGEST_MILLISECONDS = 10**10
ANALYSIS = "genmove_analyze"
"""The word by which server and client agree that a move may carry its analysis."""

_READ_BYTES = 1 << 14
_FULL_BUFFER = 1 << 20
_NAME = re.compile(r"[A-Za-z_.-][A-Za-z0-9_.-]{2,17}")
_PASSWORD = re.compile(r"[A-Za-z0-9_.-]{3,16}")
_INTEGER = re.compile(r"-?[0-9]{1,15}")
_GAME_ID = re.compile(r"[A-Za-z0-9_-]{1,20}")
_KEEP_ALIVE = {
    "TCP_KEEPIDLE": 30,
    "TCP_KEEPINTVL": 10,
    "TCP_KEEPCNT": 3,
    "TCP_USER_TIMEOUT": 60_000,
}
"""A line that is dead is noticed after a minute, where the system has such an option."""


class ProtocolError(KatachiError):
    """The other side said what the protocol, or the rules of the game, do not allow."""


def require(is_right: object, error: str) -> None:
    """Raises ProtocolError with `error` unless something is so."""
    if not is_right:
        raise ProtocolError(error)


class TimedMove(NamedTuple):
    """A move as the server tells it: a vertex, and the mover's milliseconds left."""

    vertex: str
    milliseconds: int


class Setup(NamedTuple):
    """A game that begins, or goes on after the moves that are given."""

    game_id: str
    size: int
    komi: float
    milliseconds: int
    """Main time of each player."""
    white: str
    """Name with rating in parentheses, as the server writes it."""
    black: str
    moves: tuple[TimedMove, ...] = ()

    def __str__(self) -> str:
        """The line without its command."""
        head = f"{self.game_id} {self.size} {self.komi:g} {self.milliseconds}"
        moves = "".join(f" {move.vertex} {move.milliseconds}" for move in self.moves)
        return f"{head} {self.white} {self.black}{moves}"


def setup_from_words(words: list[str]) -> Setup:
    """The game of a setup line; raises ProtocolError for one that cannot be played."""
    require(len(words) >= 6 and len(words) % 2 == 0, f"a setup line of {len(words)} words")
    require(_GAME_ID.fullmatch(words[0]), f"a game called {shown(words[0], 40)!r}")
    pairs = zip(words[6::2], words[7::2], strict=True)
    return Setup(
        words[0],
        _board_size(words[1]),
        _komi(words[2]),
        milliseconds_from_text(words[3]),
        words[4],
        words[5],
        tuple(TimedMove(vertex, milliseconds_from_text(text)) for vertex, text in pairs),
    )


def _board_size(text: str) -> int:
    require(_INTEGER.fullmatch(text), f"a board of size {shown(text, 40)!r}")
    try:
        return check_size(int(text))
    except KatachiError as error:
        raise ProtocolError(str(error)) from None


def _komi(text: str) -> float:
    with contextlib.suppress(ValueError):
        komi = float(text)
        if math.isfinite(komi) and abs(komi) <= LARGEST_KOMI:
            return komi
    raise ProtocolError(f"a komi of {shown(text, 40)!r}")


def milliseconds_from_text(text: str) -> int:
    """Time on a clock, cut to what a game may last; raises ProtocolError where it is no integer."""
    require(_INTEGER.fullmatch(text), f"a time of {shown(text, 40)!r}")
    return min(max(int(text), 0), LONGEST_MILLISECONDS)


def bare_name(player: str) -> str:
    """A player's name without the rating."""
    return player.partition("(")[0]


def is_name(text: str) -> bool:
    """Whether a server takes this as a player's name."""
    return _NAME.fullmatch(text) is not None


def is_password(text: str) -> bool:
    """Whether our server takes this as a password."""
    return _PASSWORD.fullmatch(text) is not None


def is_one_word(text: str) -> bool:
    """Whether a line can carry this as one word: neither empty nor with blanks or control
    characters."""
    return bool(text) and text.isprintable() and not any(map(str.isspace, text))


def shown(text: str, longest: int = 200) -> str:
    """What a stranger wrote, fit for one line of a log."""
    plain = "".join(letter if letter.isprintable() else " " for letter in text[: 2 * longest])
    return " ".join(plain.split())[:longest]


class LineStream:
    """A connection as lines of text in both directions."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._kept = bytearray()
        self._searched = 0
        self.longest = LONGEST_LINE
        self.is_lost = False
        """Whether the connection broke, rather than being closed by the other side."""

    async def read_line(self) -> str | None:
        """The next line; None when the other side has closed or lost the connection.

        Raises ProtocolError for a line longer than `longest` bytes.
        """
        while (end := self._kept.find(b"\n", self._searched)) < 0:
            self._searched = len(self._kept)
            self._check_length(self._searched)
            try:
                data = await self._reader.read(_READ_BYTES)
            except OSError:
                self.is_lost = True
                data = b""
            if not data:
                return None
            self._kept += data
        self._check_length(end)
        line = self._kept[:end].decode("utf-8", "replace").strip()
        del self._kept[: end + 1]
        self._searched = 0
        return line

    def _check_length(self, length: int) -> None:
        require(length <= self.longest, f"a line longer than {self.longest} bytes")

    def send(self, line: str) -> None:
        """Sends one line in one write; nothing happens when the connection is gone.

        A connection whose other side takes nothing is cut, so that no memory is lost to it.
        """
        transport = self._writer.transport
        if transport.is_closing():
            return
        self._writer.write(line.encode() + b"\n")
        if transport.get_write_buffer_size() > _FULL_BUFFER:
            transport.abort()

    def close(self) -> None:
        """Closes the connection after what was sent; safe to call twice."""
        self._writer.close()

    def abort(self) -> None:
        """Cuts the connection at once."""
        self._writer.transport.abort()

    async def wait_closed(self, patience: float = 2.0) -> None:
        """Waits until the connection is closed; one that will not close is cut."""
        try:
            async with asyncio.timeout(patience):
                await self._writer.wait_closed()
        except TimeoutError:
            self.abort()
        except OSError:
            pass


async def open_stream(host: str, port: int) -> LineStream:
    """Connects; raises OSError when that fails."""
    reader, writer = await asyncio.open_connection(host, port)
    keep_alive(writer.get_extra_info("socket"))
    return LineStream(reader, writer)


def keep_alive(line: socket.socket) -> None:
    """Lets the system ask now and then whether the other side is still there."""
    with contextlib.suppress(OSError):
        line.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        for name, value in _KEEP_ALIVE.items():
            if hasattr(socket, name):
                line.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
