"""Blocks and their liberties, summed over a position."""

from katachi._jit import kernel
from katachi.rules.color import EMPTY
from katachi.rules.legality import count_blocks_beside
from katachi.rules.point import STRIDE
from katachi.rules.state import BLOCK, COLOR, SIZE, Words


@kernel
def sum_liberties(board: Words, color: int) -> tuple[int, int]:
    """(exact liberties summed over the blocks of a colour, number of those blocks).

    An empty point is a liberty of as many blocks as it touches, so the sum needs no walk.
    """
    size = board[SIZE]
    liberties = 0
    blocks = 0
    for row in range(1, size + 1):
        for point in range(row * STRIDE + 1, row * STRIDE + size + 1):
            if board[COLOR + point] == EMPTY:
                liberties += count_blocks_beside(board, point, color)
            elif board[COLOR + point] == color:
                blocks += int(board[BLOCK + point] == point)
    return liberties, blocks
