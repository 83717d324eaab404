# pyright: reportArgumentType=false, reportReturnType=false, reportCallIssue=false
"""How strong each block is: its eyes, its liberties near and far, its weakest enemies.

Wu and Baldi (2006), table 1. Liberties of order 1 are the empty points beside a block; those of
order n lie beside order n - 1 and are of no lower order. A true eye is a simple eye of the block's
colour with a stone of the block beside it. A block is weaker than another when it has fewer eyes;
where these are equal, fewer liberties; then fewer stones.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from katachi._jit import inlined, kernel
from katachi.features.point_rows import (
    MARGIN,
    ROWS,
    PointRows,
    add_point,
    count_bits,
    read_color,
)
from katachi.rules.color import BLACK, EMPTY, WHITE
from katachi.rules.legality import is_eye
from katachi.rules.point import CELLS, STRIDE
from katachi.rules.size import MAX_SIZE
from katachi.rules.state import BLOCK, COLOR, LIBERTIES, NEXT, SIZE, STONES, Words

ORDERS = 4
"""Liberties are counted up to this order."""
MAX_BLOCKS = MAX_SIZE * MAX_SIZE

_NONE = 0


class BlockStrength(NamedTuple):
    """The blocks of one position, numbered from 1 in the order of their first stones."""

    blocks: Words
    """[1]: number of blocks."""
    number: Words
    """[CELLS]: number of the block a stone belongs to; 0 where there is none."""
    root: Words
    """[MAX_BLOCKS + 1]"""
    color: Words
    """[MAX_BLOCKS + 1]"""
    eyes: Words
    """[MAX_BLOCKS + 1]"""
    liberties: Words
    """[ORDERS, MAX_BLOCKS + 1]"""
    weakest: Words
    """[MAX_BLOCKS + 1, 2]: the weakest and the second weakest enemy block beside it, or 0."""
    spans: npt.NDArray[np.int64]
    """[MAX_BLOCKS + 1, 2]: first and last row of its stones."""
    stones: PointRows
    """[(MAX_BLOCKS + 1) * ROWS]: the stones of each block."""
    near: PointRows
    """[4 * ROWS]: the empty points; then scratch."""


def new_strength(blocks: int = MAX_BLOCKS) -> BlockStrength:
    """Memory for one position of so many blocks at most, by default one of any size."""
    root, color, eyes = np.zeros((3, blocks + 1), np.uint16)
    return BlockStrength(
        np.zeros(1, np.uint16),
        np.zeros(CELLS, np.uint16),
        root,
        color,
        eyes,
        np.zeros((ORDERS, blocks + 1), np.uint16),
        np.zeros((blocks + 1, 2), np.uint16),
        np.zeros((blocks + 1, 2), np.int64),
        np.zeros((blocks + 1) * ROWS, np.uint32),
        np.zeros(4 * ROWS, np.uint32),
    )


@kernel
def _begin_block(board: Words, root: int, number: int, strength: BlockStrength) -> None:
    """Gathers the stones of a block."""
    strength.root[number] = root
    strength.color[number] = board[COLOR + root]
    strength.eyes[number] = 0
    start = number * ROWS
    for word in range(ROWS):
        strength.stones[start + word] = np.uint32(0)
    first, last = np.int64(MAX_SIZE), np.int64(1)
    stone = np.int64(root)
    while True:
        strength.number[stone] = number
        add_point(strength.stones, start, stone)
        first = min(first, stone >> 5)
        last = max(last, stone >> 5)
        stone = np.int64(board[NEXT + stone])
        if stone == root:
            break
    strength.spans[number, 0] = first
    strength.spans[number, 1] = last


@kernel
def _number_blocks(board: Words, strength: BlockStrength) -> None:
    size = np.int64(board[SIZE])
    for cell in range((size + 2) * STRIDE):
        strength.number[cell] = _NONE
    count = 0
    for row in range(1, size + 1):
        for point in range(row * STRIDE + 1, row * STRIDE + size + 1):
            if board[COLOR + point] != EMPTY and strength.number[point] == _NONE:
                count += 1
                _begin_block(board, np.int64(board[BLOCK + point]), count, strength)
    strength.blocks[0] = count


@inlined
def _grow(near: PointRows, source: int, target: int, row: int) -> int:
    """The free points of a row that lie beside a set, which stop being free; how many."""
    at = source + row
    found = near[at] << 1 | near[at] >> 1 | near[at - 1] | near[at + 1]
    found = np.uint32(found & near[ROWS + row])
    near[target + row] = found
    near[ROWS + row] ^= found
    return count_bits(found)


@kernel
def _count_orders(strength: BlockStrength, number: int) -> None:
    """Liberties of every order of one block, by waves through the empty points."""
    near = strength.near
    source, target = 2 * ROWS, 3 * ROWS
    first, last = strength.spans[number, 0] + MARGIN, strength.spans[number, 1] + MARGIN
    for row in range(first - ORDERS, last + ORDERS + 1):
        near[ROWS + row] = near[row]
        near[source + row] = strength.stones[number * ROWS + row]
        near[target + row] = np.uint32(0)
    near[source + first - ORDERS - 1] = near[source + last + ORDERS + 1] = np.uint32(0)
    near[target + first - ORDERS - 1] = near[target + last + ORDERS + 1] = np.uint32(0)
    for order in range(ORDERS):
        count = 0
        for row in range(first - order - 1, last + order + 2):
            count += _grow(near, source, target, row)
        strength.liberties[order, number] = count
        source, target = target, source


@kernel
def _count_eye(board: Words, point: int, color: int, strength: BlockStrength) -> None:
    """Gives a simple eye to each block beside it, once."""
    above = strength.number[point - STRIDE]
    left = strength.number[point - 1]
    right = strength.number[point + 1]
    below = strength.number[point + STRIDE]
    if is_eye(board, point, color):
        strength.eyes[above] += 1
        if left != above:
            strength.eyes[left] += 1
        if right != above and right != left:
            strength.eyes[right] += 1
        if below != above and below != left and below != right:
            strength.eyes[below] += 1


@kernel
def _count_eyes(board: Words, strength: BlockStrength) -> None:
    """The number 0 of the edge may be given eyes: nobody reads them."""
    size = np.int64(board[SIZE])
    for row in range(1, size + 1):
        for point in range(row * STRIDE + 1, row * STRIDE + size + 1):
            if board[COLOR + point] == EMPTY and board[LIBERTIES + point] == 0:
                _count_eye(board, point, BLACK, strength)
                _count_eye(board, point, WHITE, strength)
    strength.eyes[_NONE] = 0


@inlined
def strength_of(board: Words, strength: BlockStrength, number: int) -> int:
    """A number that orders blocks from weak to strong: eyes, then liberties, then stones."""
    eyes = np.int64(strength.eyes[number])
    liberties = np.int64(strength.liberties[0, number])
    return ((eyes << 10 | liberties) << 10) | np.int64(board[STONES + strength.root[number]])


@kernel
def _meet_enemy(board: Words, strength: BlockStrength, number: int, enemy: int) -> None:
    """Keeps the two weakest of the enemies met so far."""
    first, second = strength.weakest[number, 0], strength.weakest[number, 1]
    if enemy == _NONE or enemy == first or enemy == second:
        return
    force = strength_of(board, strength, enemy)
    if first == _NONE or force < strength_of(board, strength, first):
        strength.weakest[number, 1] = first
        strength.weakest[number, 0] = enemy
    elif second == _NONE or force < strength_of(board, strength, second):
        strength.weakest[number, 1] = enemy


@inlined
def _meet_each_other(board: Words, strength: BlockStrength, point: int, other: int) -> None:
    one, two = strength.number[point], strength.number[other]
    if one != _NONE and two != _NONE and board[COLOR + point] != board[COLOR + other]:
        _meet_enemy(board, strength, one, two)
        _meet_enemy(board, strength, two, one)


@kernel
def _find_weakest(board: Words, strength: BlockStrength) -> None:
    for number in range(1, strength.blocks[0] + 1):
        strength.weakest[number, 0] = strength.weakest[number, 1] = _NONE
    size = np.int64(board[SIZE])
    for row in range(1, size + 1):
        for point in range(row * STRIDE + 1, row * STRIDE + size + 1):
            _meet_each_other(board, strength, point, point + 1)
            _meet_each_other(board, strength, point, point + STRIDE)


@kernel
def measure_blocks(board: Words, strength: BlockStrength) -> None:
    """Writes everything `BlockStrength` holds for a position."""
    _number_blocks(board, strength)
    read_color(board, EMPTY, strength.near, 0)
    for number in range(1, strength.blocks[0] + 1):
        _count_orders(strength, number)
    _count_eyes(board, strength)
    _find_weakest(board, strength)
