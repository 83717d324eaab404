# pyright: reportArgumentType=false, reportReturnType=false, reportCallIssue=false
"""Propensity of squares of 5x5 to 9x9 points around a point, found by Zobrist hashing.

Wu and Baldi (2006) name this as an extension, for openings above all. What lies off the board is
part of a pattern, so patterns near the edge are their own and mean the same on every board. A
pattern, its images under the symmetries and those with the colours exchanged share one key, the
smallest of their sixteen. A point's propensity is that of the largest square around it that was
met in the games learned from.
"""

from functools import cache
from itertools import product
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from katachi._jit import inlined, kernel
from katachi.errors import KatachiError
from katachi.rules.color import BLACK, EDGE, EMPTY, WHITE
from katachi.rules.point import CELLS, STRIDE
from katachi.rules.state import COLOR, SIZE, Words
from katachi.rules.symmetry import SYMMETRIES, index_tables
from katachi.rules.zobrist import HASH_KEYS

SMALLEST, LARGEST = 2, 4
"""Half the width of the squares, the middle left out."""
SQUARES = LARGEST - SMALLEST + 1
_SIDE = 2 * LARGEST + 1
_IMAGES = 2 * SYMMETRIES
_NO_KEY = 0

Keys = npt.NDArray[np.uint64]
Floats = npt.NDArray[np.float32]


class LargeTable(NamedTuple):
    """What fitting learned; a model stores both arrays."""

    key: Keys
    """[2 ** k]: a key where its lowest bits say or, where that is taken, behind; 0 for none."""
    score: Floats
    """[2 ** k]: -1 (White's for certain) to 1, for the image whose key it is."""


class SquareKeys(NamedTuple):
    """How squares are hashed."""

    key: Keys
    """[4, 81, 16]: what a colour at a place of the largest square adds to the key of each image."""
    ring: npt.NDArray[np.int64]
    """[81]: number of the smallest square that the place belongs to."""


Hashes = npt.NDArray[np.uint64]
"""[CELLS, SQUARES, 16]: for each point, image and ring the keys of what the ring holds."""


def new_hashes() -> Hashes:
    """Memory for one position of any size."""
    return np.zeros((CELLS, SQUARES, _IMAGES), np.uint64)


def empty_table() -> LargeTable:
    """The table of someone who has seen no games."""
    return LargeTable(np.zeros(2, np.uint64), np.zeros(2, np.float32))


def check_table(table: LargeTable) -> LargeTable:
    """The table as kernels read it; raises KatachiError for arrays that are none."""
    length = len(table.key)
    shapes = {table.key.shape, table.score.shape}
    if shapes != {(length,)} or length < 2 or length & (length - 1) or table.key.all():
        raise KatachiError("no table of large patterns: two arrays of 2^k with free places needed")
    key, score = np.require(table.key, np.uint64, "W"), np.require(table.score, np.float32, "W")
    return LargeTable(key, score)


@cache
def square_keys() -> SquareKeys:
    """The keys, fixed for ever: tables may be stored."""
    random_keys = HASH_KEYS[1:].reshape(-1)[: 3 * _SIDE * _SIDE].reshape(3, _SIDE * _SIDE)
    of_color = np.zeros((4, _SIDE * _SIDE), np.uint64)
    of_color[[BLACK, WHITE, EDGE]] = random_keys
    carried = np.argsort(index_tables(_SIDE), axis=1)
    key = np.zeros((4, _SIDE * _SIDE, _IMAGES), np.uint64)
    for color, swapped in ((BLACK, WHITE), (WHITE, BLACK), (EDGE, EDGE)):
        key[color, :, :SYMMETRIES] = of_color[color][carried].T
        key[color, :, SYMMETRIES:] = of_color[swapped][carried].T
    reach = range(-LARGEST, LARGEST + 1)
    ring = [max(abs(i), abs(j), SMALLEST) - SMALLEST for i, j in product(reach, reach)]
    return SquareKeys(key, np.array(ring, np.int64))


@inlined
def _flip(hashes: Hashes, point: int, place: int, color: int, keys: SquareKeys) -> None:
    """Adds a colour at a place to the hashes of a point, or takes it away."""
    ring = keys.ring[place]
    for image in range(_IMAGES):
        hashes[point, ring, image] ^= keys.key[color, place, image]


@kernel
def flip_around(board: Words, point: int, color: int, keys: SquareKeys, hashes: Hashes) -> None:
    """Adds a stone to the hashes of all points whose squares hold it, or takes it away."""
    size = int(board[SIZE])
    row, col = point // STRIDE, point % STRIDE
    for center_row in range(max(row - LARGEST, 1), min(row + LARGEST, size) + 1):
        for center_col in range(max(col - LARGEST, 1), min(col + LARGEST, size) + 1):
            place = (row - center_row + LARGEST) * _SIDE + col - center_col + LARGEST
            _flip(hashes, center_row * STRIDE + center_col, place, color, keys)


@kernel
def _hash_edge(size: int, row: int, col: int, keys: SquareKeys, hashes: Hashes) -> None:
    for place in range(_SIDE * _SIDE):
        at_row, at_col = row + place // _SIDE - LARGEST, col + place % _SIDE - LARGEST
        if not (1 <= at_row <= size and 1 <= at_col <= size):
            _flip(hashes, row * STRIDE + col, place, EDGE, keys)


@kernel
def hash_edges(board: Words, keys: SquareKeys, hashes: Hashes) -> None:
    """Writes the hashes of an empty board of this size."""
    size = int(board[SIZE])
    hashes[:] = np.uint64(0)
    for row in range(1, size + 1):
        for col in range(1, size + 1):
            is_inner = min(min(row, col), size + 1 - max(row, col)) > LARGEST
            if not is_inner:
                _hash_edge(size, row, col, keys, hashes)


@kernel
def hash_squares(board: Words, keys: SquareKeys, hashes: Hashes) -> None:
    """Writes the hashes of every point of a position."""
    hash_edges(board, keys, hashes)
    size = int(board[SIZE])
    for row in range(1, size + 1):
        for point in range(row * STRIDE + 1, row * STRIDE + size + 1):
            color = np.int64(board[COLOR + point])
            if color != EMPTY:
                flip_around(board, point, color, keys, hashes)


@kernel
def square_key(hashes: Hashes, point: int, square: int) -> tuple[np.uint64, int]:
    """(the key of the square around a point, 1 or -1 as the colours of its keyed image are or are
    exchanged, 0 where both are the same)."""
    plain, swapped = ~np.uint64(0), ~np.uint64(0)
    for image in range(SYMMETRIES):
        one, other = np.uint64(0), np.uint64(0)
        for ring in range(square + 1):
            one ^= hashes[point, ring, image]
            other ^= hashes[point, ring, SYMMETRIES + image]
        plain, swapped = min(plain, one), min(swapped, other)
    # A square and a larger one with nothing more in it must differ, and no key may be 0.
    key = (min(plain, swapped) ^ np.uint64(2 * square)) | np.uint64(1)
    return key, np.int64(plain < swapped) - np.int64(swapped < plain)


@kernel
def find_key(keys: Keys, key: np.uint64) -> int:
    """Where a key is, or where it would go; `keys` must not be full."""
    mask = len(keys) - 1
    at = np.int64(key >> np.uint64(3)) & mask
    while keys[at] != np.uint64(_NO_KEY) and keys[at] != key:
        at = (at + 1) & mask
    return at


@kernel
def read_large(
    board: Words, keys: SquareKeys, table: LargeTable, hashes: Hashes, said: Floats
) -> None:
    """Writes into `said` [CELLS] what the largest known square says of each point; 0 for none."""
    hash_squares(board, keys, hashes)
    size = int(board[SIZE])
    for row in range(1, size + 1):
        for point in range(row * STRIDE + 1, row * STRIDE + size + 1):
            said[point] = np.float32(0)
            for smaller in range(SQUARES):
                key, sign = square_key(hashes, point, SQUARES - 1 - smaller)
                at = find_key(table.key, key)
                if table.key[at] == key:
                    said[point] = table.score[at] * np.float32(sign)
                    break
