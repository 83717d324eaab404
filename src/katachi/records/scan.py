"""A fast reader for the plain form nearly all games in collections have.

`scan_games` reads whole main lines from a buffer in one kernel call: a root, nodes of one move
each, perhaps properties that do not matter, at the end perhaps territory marks. At the first tree
of any other form it stops, and the caller reads that tree through sgfmill. So it need not
understand SGF, only never misunderstand it: the tests hold it equal to sgfmill's reading.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from katachi._jit import kernel
from katachi.records.stones import COLOR_UNIT, Codes
from katachi.rules.color import BLACK, WHITE
from katachi.rules.limits import LONGEST_GAME
from katachi.rules.point import PASS, STRIDE
from katachi.rules.size import MAX_SIZE, MIN_SIZE

MAX_PLAIN_BYTES = 1 << 17
UNUSUAL = -1

# Fields of one scanned game.
START, HEADER, BODY, END, SIZE, MOVES_END, MARKS_END, IS_BODY_ASCII = range(8)
FIELDS = 8

# Fields of the cursor.
POSITION, GAMES, MOVES, MARKS, MOVE_IN_NODE = range(5)
CURSOR_FIELDS = 5

_TAB, _LINE, _RETURN, _SPACE = 9, 10, 13, 32
_OPEN, _CLOSE, _SEMICOLON = ord("("), ord(")"), ord(";")
_LEFT, _RIGHT, _BACKSLASH = ord("["), ord("]"), ord("\\")
_A, _Z, _LOWER_A, _T = ord("A"), ord("Z"), ord("a"), ord("t")
_ZERO, _NINE = ord("0"), ord("9")


def _name(text: str) -> int:
    """A property's name as the number `_scan_name` makes of it."""
    code = 0
    for letter in text:
        code = code * 32 + ord(letter) - 64
    return code


_MOVE_BLACK, _MOVE_WHITE, _SZ, _TB, _TW = map(_name, ("B", "W", "SZ", "TB", "TW"))
_AB, _AW, _AE, _PL = map(_name, ("AB", "AW", "AE", "PL"))
_GM, _FF, _CA = map(_name, ("GM", "FF", "CA"))


class Scanned(NamedTuple):
    """Room for the games of one call of `scan_games`."""

    games: npt.NDArray[np.int64]
    """[G, FIELDS]: byte offsets of the tree, its root's properties and the other nodes; size; ends
    of its moves and marks in the arrays below; whether its nodes are plain ASCII."""
    moves: Codes
    """[M] codes of the moves of all games."""
    marks: npt.NDArray[np.int8]
    """[K] size * size marks for each game that has any: +1 TB, -1 TW."""
    cursor: npt.NDArray[np.int64]
    """[CURSOR_FIELDS] how far the scan has come in the buffer and in the arrays."""


Bytes = npt.NDArray[np.uint8]


def new_scanned(buffer_bytes: int) -> Scanned:
    """Room for all games a buffer of that many bytes can hold, at most 8192 at a time."""
    games = min(8192, buffer_bytes // 4 + 1)
    return Scanned(
        np.zeros((games, FIELDS), np.int64),
        np.zeros(buffer_bytes // 4 + 1, np.uint16),
        np.zeros(games * 361 + MAX_SIZE * MAX_SIZE, np.int8),
        np.zeros(CURSOR_FIELDS, np.int64),
    )


@kernel
def scan_games(data: Bytes, scanned: Scanned) -> None:
    """Reads games from cursor[POSITION] until the room is full or a tree is not of the plain form.

    Moves the cursor behind the last game read.
    """
    cursor = scanned.cursor
    while cursor[GAMES] < len(scanned.games):
        if cursor[MARKS] + MAX_SIZE * MAX_SIZE > len(scanned.marks):
            break
        game = scanned.games[cursor[GAMES]]
        end = _scan_game(data, scanned, game)
        if end == UNUSUAL:
            break
        game[END] = end
        game[MOVES_END] = cursor[MOVES]
        game[MARKS_END] = cursor[MARKS]
        cursor[POSITION] = end
        cursor[GAMES] += 1


@kernel
def _scan_game(data: Bytes, scanned: Scanned, game: npt.NDArray[np.int64]) -> int:
    """The end of the game at the cursor, or UNUSUAL with the cursor's counts as they were."""
    cursor = scanned.cursor
    moves, marks = cursor[MOVES], cursor[MARKS]
    start = _skip_blank(data, cursor[POSITION])
    game[START] = start
    game[SIZE] = 19
    game[IS_BODY_ASCII] = 1
    at = UNUSUAL
    if start + 1 < len(data) and data[start] == _OPEN and data[start + 1] == _SEMICOLON:
        game[HEADER] = start + 2
        at = _scan_root(data, start + 2, game)
        if at - start > MAX_PLAIN_BYTES:
            at = UNUSUAL
    game[BODY] = at
    while at != UNUSUAL and data[at] != _CLOSE:
        cursor[MOVE_IN_NODE] = 0
        at = _scan_node(data, at + 1, scanned, game)
        if cursor[MOVES] - moves > LONGEST_GAME or at - start > MAX_PLAIN_BYTES:
            at = UNUSUAL
        if at != UNUSUAL and cursor[MARKS] > marks and data[at] != _CLOSE:
            at = UNUSUAL
    if at == UNUSUAL:
        cursor[MOVES] = moves
        cursor[MARKS] = marks
        return UNUSUAL
    return at + 1


@kernel
def _skip_blank(data: Bytes, at: int) -> int:
    while at < len(data) and (
        data[at] == _LINE or data[at] == _SPACE or data[at] == _RETURN or data[at] == _TAB
    ):
        at += 1
    return at


@kernel
def _scan_name(data: Bytes, at: int) -> tuple[int, int]:
    """The property name at `at` as a number, and where its first value begins; or UNUSUAL twice."""
    code = 0
    begin = at
    while at < len(data) and _A <= data[at] <= _Z and at < begin + 8:
        code = code * 32 + int(data[at]) - 64
        at += 1
    if code == 0 or at >= len(data) or data[at] != _LEFT:
        return UNUSUAL, UNUSUAL
    return code, at


@kernel
def _scan_root(data: Bytes, at: int, game: npt.NDArray[np.int64]) -> int:
    """The first sign behind the root's properties, `;` or `)`, or UNUSUAL."""
    at = _skip_blank(data, at)
    while at < len(data) and data[at] != _SEMICOLON and data[at] != _CLOSE:
        code, at = _scan_name(data, at)
        if at == UNUSUAL:
            return UNUSUAL
        if code == _SZ:
            at = _scan_size(data, at, game)
        else:
            at = _skip_plain_values(data, at)
        if at == UNUSUAL:
            return UNUSUAL
    return at if at < len(data) else UNUSUAL


@kernel
def _scan_size(data: Bytes, at: int, game: npt.NDArray[np.int64]) -> int:
    """Behind the value of SZ, one or two digits of a size that can be played."""
    size = 0
    at += 1
    begin = at
    while at < len(data) and _ZERO <= data[at] <= _NINE and at < begin + 2:
        size = size * 10 + int(data[at]) - _ZERO
        at += 1
    if at >= len(data) or data[at] != _RIGHT or size < MIN_SIZE or size > MAX_SIZE:
        return UNUSUAL
    game[SIZE] = size
    at = _skip_blank(data, at + 1)
    return at if at < len(data) and data[at] != _LEFT else UNUSUAL


@kernel
def _skip_plain_values(data: Bytes, at: int) -> int:
    """Behind the values at `at`, none of which has an escape or a control character in it."""
    while at < len(data) and data[at] == _LEFT:
        at += 1
        while at < len(data) and data[at] != _RIGHT:
            if data[at] == _BACKSLASH or data[at] < _SPACE:
                return UNUSUAL
            at += 1
        at = _skip_blank(data, at + 1)
    return at if at < len(data) else UNUSUAL


@kernel
def _scan_node(data: Bytes, at: int, scanned: Scanned, game: npt.NDArray[np.int64]) -> int:
    """The first sign behind a node, `;` or `)`, or UNUSUAL."""
    at = _skip_blank(data, at)
    while at < len(data) and data[at] != _SEMICOLON and data[at] != _CLOSE:
        code, at = _scan_name(data, at)
        if at == UNUSUAL:
            return UNUSUAL
        if code == _MOVE_BLACK or code == _MOVE_WHITE:
            at = _scan_move(data, at, BLACK if code == _MOVE_BLACK else WHITE, scanned, game)
        elif code == _TB or code == _TW:
            at = _scan_marks(data, at, 1 if code == _TB else -1, scanned, game)
        elif _matters(code):
            return UNUSUAL
        else:
            at = _skip_values(data, at, game)
        if at == UNUSUAL:
            return UNUSUAL
    return at if at < len(data) else UNUSUAL


@kernel
def _matters(code: int) -> bool:
    return (
        code == _AB
        or code == _AW
        or code == _AE
        or code == _PL
        or code == _SZ
        or code == _GM
        or code == _FF
        or code == _CA
    )


@kernel
def _skip_values(data: Bytes, at: int, game: npt.NDArray[np.int64]) -> int:
    """Behind values that do not matter; a line in one that may begin a game is UNUSUAL."""
    while at < len(data) and data[at] == _LEFT:
        at += 1
        while at < len(data) and data[at] != _RIGHT:
            if data[at] >= 128:
                game[IS_BODY_ASCII] = 0
            if data[at] == _OPEN and data[at - 1] == _LINE:
                return UNUSUAL
            at += 2 if data[at] == _BACKSLASH else 1
        at = _skip_blank(data, at + 1)
    return at if at < len(data) else UNUSUAL


@kernel
def _scan_point(data: Bytes, at: int, size: int) -> int:
    """The point of the two letters at `at`, or UNUSUAL."""
    if at + 2 >= len(data) or data[at + 2] != _RIGHT:
        return UNUSUAL
    col = int(data[at]) - _LOWER_A
    row = int(data[at + 1]) - _LOWER_A
    if col < 0 or row < 0 or col >= size or row >= size:
        return UNUSUAL
    return (row + 1) * STRIDE + col + 1


@kernel
def _is_pass(data: Bytes, at: int, size: int) -> bool:
    """Whether the value at `at` is `tt` on a board that has no such point."""
    return (
        size <= 19
        and at + 2 < len(data)
        and data[at] == _T
        and data[at + 1] == _T
        and data[at + 2] == _RIGHT
    )


@kernel
def _scan_move(
    data: Bytes, at: int, color: int, scanned: Scanned, game: npt.NDArray[np.int64]
) -> int:
    """Adds the move whose value begins at `at`; returns what is behind it, or UNUSUAL."""
    cursor = scanned.cursor
    at += 1
    point = PASS
    if at >= len(data) or cursor[MOVE_IN_NODE] or cursor[MOVES] >= len(scanned.moves):
        return UNUSUAL
    if _is_pass(data, at, game[SIZE]):
        at += 2
    elif data[at] != _RIGHT:
        point = _scan_point(data, at, game[SIZE])
        at += 2
    if point == UNUSUAL:
        return UNUSUAL
    scanned.moves[cursor[MOVES]] = color * COLOR_UNIT + point
    cursor[MOVES] += 1
    cursor[MOVE_IN_NODE] = 1
    at = _skip_blank(data, at + 1)
    return at if at < len(data) and data[at] != _LEFT else UNUSUAL


@kernel
def _marks_before(scanned: Scanned) -> int:
    """Where the marks of the game at the cursor begin."""
    games = scanned.cursor[GAMES]
    return scanned.games[games - 1, MARKS_END] if games else 0


@kernel
def _scan_marks(
    data: Bytes, at: int, owner: int, scanned: Scanned, game: npt.NDArray[np.int64]
) -> int:
    """Writes the marks whose values begin at `at`; returns what is behind them, or UNUSUAL."""
    size = game[SIZE]
    begin = _marks_before(scanned)
    cursor = scanned.cursor
    if cursor[MARKS] == begin:
        for index in range(begin, begin + size * size):
            scanned.marks[index] = 0
        cursor[MARKS] = begin + size * size
    while at < len(data) and data[at] == _LEFT:
        point = _scan_point(data, at + 1, size)
        if point == UNUSUAL:
            return UNUSUAL
        index = begin + (point // STRIDE - 1) * size + point % STRIDE - 1
        if scanned.marks[index] == -owner:
            return UNUSUAL
        scanned.marks[index] = owner
        at = _skip_blank(data, at + 4)
    return at if at < len(data) else UNUSUAL
