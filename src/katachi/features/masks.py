# pyright: reportArgumentType=false, reportReturnType=false, reportCallIssue=false
"""Sets of points as rows of bits: point number n of a board, row by row from the top left, is bit
n % 64 of word n // 64. Masks are arrays [rows, words]."""

import numpy as np
import numpy.typing as npt

from katachi._jit import inlined, kernel

Masks = npt.NDArray[np.uint64]

WORD = 64


def words_of(size: int) -> int:
    """How many words a mask of a board has."""
    return -(-size * size // WORD)


@inlined
def add_bit(masks: Masks, row: int, bit: int) -> None:
    """Puts a point into a row."""
    masks[row, np.int64(bit) >> 6] |= np.uint64(1) << np.uint64(np.int64(bit) & 63)


@inlined
def remove_bit(masks: Masks, row: int, bit: int) -> None:
    """Takes a point out of a row."""
    masks[row, np.int64(bit) >> 6] &= ~(np.uint64(1) << np.uint64(np.int64(bit) & 63))


@inlined
def has_bit(masks: Masks, row: int, bit: int) -> bool:
    """Whether a point is in a row."""
    word = masks[row, np.int64(bit) >> 6]
    return (word >> np.uint64(np.int64(bit) & 63)) & np.uint64(1) != np.uint64(0)


@inlined
def clear_row(masks: Masks, row: int) -> None:
    """Empties a row."""
    for word in range(masks.shape[1]):
        masks[row, word] = np.uint64(0)


@inlined
def copy_row(source: Masks, row: int, target: Masks, to: int) -> None:
    """Copies a row of one array over a row of another."""
    for word in range(source.shape[1]):
        target[to, word] = source[row, word]


@inlined
def unite_rows(target: Masks, to: int, source: Masks, row: int) -> None:
    """Adds a row of one array to a row of another."""
    for word in range(source.shape[1]):
        target[to, word] |= source[row, word]


@inlined
def rows_meet(masks: Masks, row: int, others: Masks, other: int) -> bool:
    """Whether two rows have a point in common."""
    common = np.uint64(0)
    for word in range(masks.shape[1]):
        common |= masks[row, word] & others[other, word]
    return common != np.uint64(0)


@inlined
def count_outside(masks: Masks, row: int, others: Masks, other: int) -> int:
    """How many points of a row are not in another: 0, 1, or 2 for more."""
    count = 0
    for word in range(masks.shape[1]):
        left = masks[row, word] & ~others[other, word]
        if left != np.uint64(0):
            count += 1 + int(left & (left - np.uint64(1)) != np.uint64(0))
    return min(count, 2)


@inlined
def leaves_three(masks: Masks, row: int, others: Masks, other: int) -> bool:
    """Whether three points of a row, or more, are not in another."""
    count = 0
    for word in range(masks.shape[1]):
        left = masks[row, word] & ~others[other, word]
        while left != np.uint64(0) and count < 3:
            left &= left - np.uint64(1)
            count += 1
    return count == 3


@inlined
def has_three(masks: Masks, row: int) -> bool:
    """Whether a row has three points, or more."""
    count = 0
    for word in range(masks.shape[1]):
        left = masks[row, word]
        while left != np.uint64(0) and count < 3:
            left &= left - np.uint64(1)
            count += 1
    return count == 3


@inlined
def is_empty_row(masks: Masks, row: int) -> bool:
    """Whether a row has no points."""
    bits = np.uint64(0)
    for word in range(masks.shape[1]):
        bits |= masks[row, word]
    return bits == np.uint64(0)


@inlined
def _lowest_bit(word: np.uint64) -> int:
    """The number of the lowest bit of a word that is not zero."""
    number = 0
    for width in (32, 16, 8, 4, 2, 1):
        if word & ((np.uint64(1) << np.uint64(width)) - np.uint64(1)) == np.uint64(0):
            word >>= np.uint64(width)
            number += width
    return number


@kernel
def next_bit(masks: Masks, row: int, first: int) -> int:
    """The first point of a row from number `first` on, or -1."""
    word = first >> 6
    if word >= masks.shape[1]:
        return -1
    skipped = np.uint64(first & 63)
    bits = masks[row, word] >> skipped << skipped
    while bits == np.uint64(0):
        word += 1
        if word == masks.shape[1]:
            return -1
        bits = masks[row, word]
    return WORD * word + _lowest_bit(bits)
