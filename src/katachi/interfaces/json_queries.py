"""Lines of queries, read by a thread of their own while earlier ones are answered, so that a client
can end what is under way and what waits.
"""

import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

import msgspec
from msgspec.json import Decoder

LONGEST_QUERY = 4 << 20
"""Bytes of a query line; a longer one is refused."""
MOST_WAITING = 64 << 20
"""Bytes of lines that wait for their answers; then nothing more is read until one is taken."""
_BYTES_BESIDE = 1 << 10
"""What a line that waits takes besides its own bytes, at most."""
_CHUNK_BYTES = 1 << 16


class Terminate(msgspec.Struct, tag_field="action", tag="terminate", rename="camel"):
    """Ends the queries of a name; of these turns only, where some are named."""

    terminate_id: str
    turn_numbers: list[int] | None = None


class TerminateAll(msgspec.Struct, tag_field="action", tag="terminate_all", rename="camel"):
    """Ends all queries; of these turns only, where some are named."""

    turn_numbers: list[int] | None = None


Ending = Terminate | TerminateAll
Form = TypeVar("Form")


class _Named(msgspec.Struct):
    """What is looked at of a query that waits."""

    id: str


_ENDINGS: Decoder[Ending] = Decoder(Ending)
_NAMES: Decoder[_Named] = Decoder(_Named)


class SentLine:
    """A line that a client has sent, and the turns of it that nobody waits for any more."""

    def __init__(self, line: bytes) -> None:
        self.line = line
        named = _decode(line, _NAMES)
        self.name = None if named is None else named.id
        self._ended: set[int] = set()
        self._is_ended = False

    @property
    def room(self) -> int:
        """Bytes that it takes while it waits."""
        return len(self.line) + _BYTES_BESIDE

    def end(self, ending: Ending) -> None:
        """Notes that turns of this line are ended, if it is one of those that are meant."""
        if isinstance(ending, Terminate) and ending.terminate_id != self.name:
            return
        if ending.turn_numbers is None:
            self._is_ended = True
        else:
            self._ended.update(ending.turn_numbers)

    def is_ended(self, turn: int) -> bool:
        """Whether nobody waits for the answer of this turn any more; asked from any thread."""
        return self._is_ended or turn in self._ended


class QueryReader:
    """The lines of a client in order, but for those that end queries: these come before all that
    waits, and hold from when they are read."""

    def __init__(self, lines: Iterable[bytes]) -> None:
        """A reader of these lines; blank ones are left out."""
        self._lines = lines
        self._changed = threading.Condition()
        self._endings: deque[SentLine] = deque()
        self._waiting: deque[SentLine] = deque()
        self._under_way: SentLine | None = None
        self._room = 0
        """Bytes of all that waits."""
        self._is_over = False
        self._failure: Exception | None = None

    def take_all(self) -> Iterator[SentLine]:
        """Each line once, as it comes. After the last one its thread has ended; then what the
        lines raised is raised."""
        thread = threading.Thread(target=self._read, name="queries", daemon=True)
        thread.start()
        try:
            while (sent := self._take()) is not None:
                yield sent
            thread.join()
            if self._failure is not None:
                raise self._failure
        finally:
            self._finish()

    def _take(self) -> SentLine | None:
        with self._changed:
            self._changed.wait_for(lambda: self._endings or self._waiting or self._is_over)
            queue = self._endings or self._waiting
            if not queue:
                return None
            sent = queue.popleft()
            if queue is self._waiting:
                self._under_way = sent
            self._room -= sent.room
            self._changed.notify_all()
            return sent

    def _read(self) -> None:
        try:
            for line in self._lines:
                if line.strip() and not self._put(SentLine(line)):
                    return
        except Exception as error:  # for whoever takes the lines, after those that came before
            self._failure = error
        finally:
            self._finish()

    def _put(self, sent: SentLine) -> bool:
        """Lets a line wait; whether anybody takes more."""
        ending = _decode(sent.line, _ENDINGS)
        with self._changed:
            if ending is None:
                self._waiting.append(sent)
            else:
                self._end(ending)
                self._endings.append(sent)
            self._room += sent.room
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._room < MOST_WAITING or self._is_over)
            return not self._is_over

    def _end(self, ending: Ending) -> None:
        for sent in self._waiting:
            sent.end(ending)
        if self._under_way is not None:
            self._under_way.end(ending)

    def _finish(self) -> None:
        """No line comes, or none is wanted, any more."""
        with self._changed:
            self._is_over = True
            self._changed.notify_all()


def read_lines(read: Callable[[int], bytes]) -> Iterator[bytes]:
    """Lines as they come, of an over-long one the beginning; `read` returns the next bytes, so many
    at most, and b"" at the end."""
    line = b""
    while data := read(_CHUNK_BYTES):
        *ends, rest = data.split(b"\n")
        for end in ends:
            yield line + end
            line = b""
        line = (line + rest)[: LONGEST_QUERY + 1]
    if line:
        yield line


def _decode(line: bytes, decoder: Decoder[Form]) -> Form | None:
    """What a line says in the decoder's form; None of any other line."""
    if len(line) > LONGEST_QUERY:
        return None
    try:
        return decoder.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
