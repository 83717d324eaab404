"""The main lines of the game trees in a stream of SGF bytes.

One linear scan that knows only brackets, parentheses and semicolons. It finds where each tree ends,
keeps the main line (the first variation at every branch, which is everything up to the first
closing parenthesis) and refuses what is cut off, nested absurdly deep or absurdly long before any
parser sees it. Memory stays within a few times `MAX_TREE_BYTES`, whatever the input.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

from katachi.records.encoding import utf8_chunks, utf8_from_game, whole_file_charset
from katachi.records.files import DAMAGE, explain_damage

MAX_TREE_BYTES = 8 << 20
MAX_MAIN_LINE_BYTES = 1 << 20
MAX_PREFACE_BYTES = 64 << 20
"""The longest text in front of the first game; what holds none until then is no file of games."""
MAX_DEPTH = 2000
MAX_TOKENS = 500_000
MAX_MAIN_LINE_TOKENS = 100_000

_TOKEN = re.compile(rb"\[(?>(?:[^\]\\]++|\\.)*)\]|[();\[]", re.DOTALL)
_START = re.compile(rb"(\(\s*;)")
# A new line that can only be the beginning of a game: it opens a tree with a root property.
_ROOT_LINE = re.compile(rb"\n(\(\s*;)\s*(?:GM|FF|CA|SZ)\s*\[")
_BLANK = b" \t\r\n\f\v\0\x1a"
_OPEN, _CLOSE, _NODE, _VALUE = b"();["


@dataclass(frozen=True, slots=True)
class MainLine:
    """The main line of one tree, without its variations, as a tree of its own, in UTF-8."""

    text: bytes


@dataclass(frozen=True, slots=True)
class BrokenTree:
    """A tree that cannot be read, and why."""

    reason: str


class _Broken(Exception):
    """Ends the scan of one tree; reading goes on at the next line that begins a game."""


class _NoGame(Exception):
    """Text between games; reading goes on behind it."""


class _NeedMore(Exception):
    """The tree goes on beyond the bytes at hand."""


class TreeBuffer:
    """A window on a stream of SGF bytes that moves on tree by tree.

    `data` are the bytes at hand and `position` the first one not yet read; a faster reader may take
    whole trees from there and say so by `skip_trees`.
    """

    def __init__(self, chunks: Iterator[bytes], *, is_utf8: bool | None = None) -> None:
        """`is_utf8` where the bytes are known to be UTF-8, whatever CA says."""
        self.data = b""
        self.position = 0
        self.begin = 0
        """Where in `data` the latest tree begins; it ends at `position`."""
        self.is_complete = False
        self._chunks = chunks
        self._is_utf8 = is_utf8
        self._damage = ""
        self._is_seeking = False
        self._has_begun = False
        self._preface = 0

    def utf8_of(self, text: bytes) -> bytes:
        """A game of this buffer as UTF-8; what its CA names counts only where the stream has not
        been decoded as a whole already."""
        return text if self._is_utf8 else utf8_from_game(text)

    @property
    def is_between_games(self) -> bool:
        """Whether `position` is known to be outside of any tree."""
        return not self._is_seeking

    def skip_trees(self, position: int) -> None:
        """Moves to `position`, behind trees that were read in another way."""
        self._has_begun = True
        self.position = position

    def read_more(self) -> None:
        """Drops what has been read and adds the next piece of the stream."""
        try:
            chunk = self._next_chunk()
        except DAMAGE as error:
            chunk = None
            self._damage = explain_damage(error)
        self.is_complete = chunk is None
        self.data = self.data[self.position :] + (chunk or b"")
        self.position = 0

    def _next_chunk(self) -> bytes | None:
        chunk = next(self._chunks, None)
        if self._is_utf8 is None and chunk is not None:
            charset = whole_file_charset(chunk)
            self._is_utf8 = charset is not None
            if charset is not None:
                self._chunks = utf8_chunks(chain([chunk], self._chunks), charset)
                chunk = next(self._chunks, None)
        return chunk

    def next_tree(self) -> MainLine | BrokenTree | None:
        """The tree at `position`, which moves behind it; None when the stream is at its end."""
        while True:
            try:
                if not self._find_start():
                    return self._finish()
                self._has_begun = True
                self.begin = self.position
                text, self.position = _scan_tree(
                    self.data, self.position, is_complete=self.is_complete
                )
                return MainLine(self.utf8_of(text))
            except _NeedMore:
                if len(self.data) - self.position > MAX_TREE_BYTES:
                    return self._give_up(f"longer than {MAX_TREE_BYTES >> 20} MiB")
                self.read_more()
            except _Broken as error:
                return self._give_up(str(error))
            except _NoGame:
                return BrokenTree("text that belongs to no game")

    def _finish(self) -> BrokenTree | None:
        damage, self._damage = self._damage, ""
        return BrokenTree(damage) if damage else None

    def _give_up(self, reason: str) -> BrokenTree:
        self._is_seeking = True
        self.position += 1
        return BrokenTree(reason)

    def _find_start(self) -> bool:
        """Moves to the next tree; False at the end of the stream, _NoGame at text that is none."""
        while True:
            pattern = _ROOT_LINE if self._is_seeking else _START
            match = pattern.search(self.data, self.position)
            if match or self.is_complete:
                self._cross_gap(match.start(1) if match else len(self.data))
                self._is_seeking = False
                return match is not None
            self._skip_gap()

    def _cross_gap(self, end: int) -> None:
        """Moves to `end`; text on the way is allowed before any game and behind a broken one."""
        gap, self.position = self.data[self.position : end], end
        if self._has_begun and not self._is_seeking and gap.strip(_BLANK):
            raise _NoGame

    def _skip_gap(self) -> None:
        if self._is_seeking or not self._has_begun:
            # Keep enough for a start that straddles two pieces.
            begin, self.position = self.position, max(self.position, len(self.data) - 64)
            self._count_preface(self.position - begin)
        elif len(self.data) - self.position > MAX_TREE_BYTES:
            self._cross_gap(len(self.data))
        self.read_more()

    def _count_preface(self, count: int) -> None:
        """Ends a stream whose first megabytes hold no game: it may have no end."""
        self._preface += 0 if self._has_begun else count
        if self._preface > MAX_PREFACE_BYTES:
            self._chunks = iter(())
            self._damage = f"the first {MAX_PREFACE_BYTES >> 20} MiB hold no game"


def _scan_tree(data: bytes, start: int, *, is_complete: bool) -> tuple[bytes, int]:
    """The main line of the tree at `start` as a tree without branches, and the tree's end."""
    pieces: list[bytes] = []
    depth, begin, previous = 0, start, _NODE
    for count, match in enumerate(_TOKEN.finditer(data, start)):
        at, sign = match.start(), data[match.start()]
        _check_order(previous, sign)
        if count > (MAX_MAIN_LINE_TOKENS if begin >= 0 else MAX_TOKENS):
            raise _Broken("more nodes and values than any game has")
        if sign == _VALUE:
            if match.end() == at + 1:
                break
            _check_value(data, at, match.end())
        elif sign != _NODE:
            depth += 1 if sign == _OPEN else -1
            _check_depth(data, at, depth)
            if begin >= 0:
                pieces.append(data[begin:at])
                begin = at + 1 if sign == _OPEN else _end_main_line(pieces)
            if depth == 0:
                return b"(" + b"".join(pieces) + b")", match.end()
        previous = sign
    if not is_complete:
        raise _NeedMore
    raise _Broken("cut off before its end")


def _end_main_line(pieces: list[bytes]) -> int:
    if sum(map(len, pieces)) > MAX_MAIN_LINE_BYTES:
        raise _Broken(f"main line longer than {MAX_MAIN_LINE_BYTES >> 20} MiB")
    return -1


def _check_order(previous: int, sign: int) -> None:
    if previous == _CLOSE and sign in (_NODE, _VALUE):
        raise _Broken("a node follows the variations")


def _check_depth(data: bytes, at: int, depth: int) -> None:
    if depth > MAX_DEPTH:
        raise _Broken(f"variations nested more than {MAX_DEPTH} deep")
    if depth > 1 and _ROOT_LINE.match(data, at - 1):
        raise _Broken("cut off before its end: the next game begins inside it")


def _check_value(data: bytes, start: int, end: int) -> None:
    """Raises _Broken for a value that swallowed the beginning of the next game."""
    if data.find(b"\n(", start, end) >= 0 and _ROOT_LINE.search(data, start, end):
        raise _Broken("cut off before its end: the next game begins inside a value")
