"""Blocks and their liberties, summed over a position."""

from katachi._jit import kernel
from katachi.rules.legality import count_liberties
from katachi.rules.point import STRIDE
from katachi.rules.state import BLOCK, COLOR, SIZE, Words


@kernel
def sum_liberties(board: Words, color: int) -> tuple[int, int]:
    """(exact liberties summed over the blocks of a colour, number of those blocks)."""
    size = board[SIZE]
    liberties = 0
    blocks = 0
    for row in range(1, size + 1):
        for point in range(row * STRIDE + 1, row * STRIDE + size + 1):
            if board[COLOR + point] == color and board[BLOCK + point] == point:
                liberties += count_liberties(board, point)
                blocks += 1
    return liberties, blocks
