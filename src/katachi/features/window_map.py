# pyright: reportArgumentType=false, reportReturnType=false, reportCallIssue=false
"""Feature maps: what a position looks like as a list of numbers, one stretch for each window.

Every square of `side` x `side` points is a window, row by row from the top left. What stands in it
is its code: base 3, empty 0, the viewer's stones 1, the other's 2, the top left point worth 1, the
next one to its right 3, and so on. A map that looks at nothing but the stones of a window is a
table with a row for each code: what the window gives is looked up, and a move changes only the
windows that hold a changed point.
"""

from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from katachi._jit import inlined, kernel
from katachi.errors import KatachiError
from katachi.features.shape_sets import STATES
from katachi.rules.checking import check_boards, check_viewers
from katachi.rules.color import BLACK, EMPTY, WHITE
from katachi.rules.point import STRIDE
from katachi.rules.state import COLOR, SIZE, BoardState, Words

Floats = npt.NDArray[np.float32]
Codes = npt.NDArray[np.int32]
Viewers = npt.NDArray[np.uint8]

LARGEST_TABLE = 3
"""Side of the largest windows whose codes are few enough for a table."""


class WindowTable(NamedTuple):
    """What each of K features is in a window, by the stones in it; a kernel can take it."""

    side: int
    rows: Floats | None
    """[3 ** (side * side), K] by code; None where feature k is 1 in a window of code k, else 0."""

    @property
    def kinds(self) -> int:
        """K, the features of one window."""
        return count_codes(self.side) if self.rows is None else self.rows.shape[1]


class FeatureMap(Protocol):
    """Turns positions into features. Feature k of window w is number w * K + k."""

    name: str

    @property
    def table(self) -> WindowTable | None:
        """All there is to know of a map that looks only at the stones of each window; else None."""
        ...

    def count(self, size: int) -> int:
        """How many features a board of a size has; raises KatachiError where it is too small."""
        ...

    def transform(self, states: BoardState, viewers: Viewers | None = None) -> Floats:
        """[B, F] of B positions of one board size, each as its viewer sees it [B], whose stones
        count as black; Black where none are given. `states` is not changed."""
        ...


class WindowMap:
    """Features by a table: templates, or anything learned that looks at stones alone."""

    def __init__(self, name: str, table: WindowTable) -> None:
        """Raises KatachiError for a table that does not have a row for each code."""
        if not 1 <= table.side <= LARGEST_TABLE:
            raise KatachiError(
                f"no table for windows of side {table.side}: use 1 to {LARGEST_TABLE}"
            )
        if table.rows is not None and len(table.rows) != count_codes(table.side):
            raise KatachiError(
                f"{name} has {len(table.rows)} rows where {count_codes(table.side)} are needed"
            )
        self.name = name
        self.table = table

    def count(self, size: int) -> int:
        """How many features a board of a size has; raises KatachiError where it is too small."""
        return count_windows(size, self.table.side) * self.table.kinds

    def transform(self, states: BoardState, viewers: Viewers | None = None) -> Floats:
        """[B, F], as `FeatureMap` says."""
        codes = codes_of(states, self.table.side, viewers)
        if self.table.rows is not None:
            return self.table.rows[codes].reshape(len(codes), -1)
        features = np.zeros((*codes.shape, self.table.kinds), np.float32)
        np.put_along_axis(features, codes[..., None].astype(np.int64), 1.0, axis=2)
        return features.reshape(len(codes), -1)


def count_codes(side: int) -> int:
    """How many different codes a window can have."""
    return int(STATES ** (side * side))


def count_windows(size: int, side: int) -> int:
    """How many windows a board has; raises KatachiError where not even one fits."""
    if side > size:
        raise KatachiError(f"windows of {side}x{side} do not fit on a {size}x{size} board")
    return (size - side + 1) ** 2


def codes_of(states: BoardState, side: int, viewers: Viewers | None = None) -> Codes:
    """[B, windows]: the code of every window of B positions, as their viewers see them."""
    size = int(states.words.flat[SIZE])
    codes = np.zeros((len(states.words), count_windows(size, side)), np.int32)
    if viewers is None:
        viewers = np.full(len(codes), BLACK, np.uint8)
    check_boards(states.words)
    check_viewers(viewers, len(states.words))
    fill_codes(states.words, side, viewers, codes)
    return codes


@inlined
def seen_state(color: int, viewer: int) -> int:
    """What a point is to a viewer: empty 0, an own stone 1, the other's 2."""
    if viewer == WHITE and color != EMPTY:
        return BLACK + WHITE - color
    return color


@kernel
def read_codes(board: Words, side: int, viewer: int, codes: Codes) -> None:
    """Writes the code of every window of one position."""
    size = np.int64(board[SIZE])
    across = size - side + 1
    for row in range(across):
        for col in range(across):
            code, factor = np.int64(0), np.int64(1)
            for down in range(side):
                first = COLOR + (row + down + 1) * STRIDE + col + 1
                for right in range(side):
                    code += factor * seen_state(np.int64(board[first + right]), viewer)
                    factor *= STATES
            codes[row * across + col] = code


@kernel
def fill_codes(words: Words, side: int, viewers: Viewers, codes: Codes) -> None:
    """Writes the codes of many positions."""
    for index in range(len(words)):
        read_codes(words[index], side, np.int64(viewers[index]), codes[index])


@kernel
def add_to_codes(codes: Codes, size: int, side: int, cell: int, change: int) -> None:
    """Adds to the codes of all windows that hold a cell (row * size + column) what a change of its
    state, new less old, makes of them: a stone placed, taken, or taken back."""
    across = size - side + 1
    row, col = cell // size, cell % size
    for top in range(max(0, row - side + 1), min(row, across - 1) + 1):
        for left in range(max(0, col - side + 1), min(col, across - 1) + 1):
            place = (row - top) * side + col - left
            codes[top * across + left] += change * STATES**place
