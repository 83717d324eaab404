"""Regions grown from stones by dilation and trimmed by erosion."""

from katachi._jit import kernel
from katachi.rules.color import BLACK, EMPTY, WHITE
from katachi.rules.point import CELLS, STRIDE
from katachi.rules.state import COLOR, SIZE, Words

SCRATCH = 2 * CELLS
"""Words of scratch that `grow_regions` needs."""


@kernel
def _dilate(board: Words, scratch: Words) -> None:
    """Both colours take the empty points beside their region that the other does not reach."""
    size = board[SIZE]
    for row in range(1, size + 1):
        for point in range(row * STRIDE + 1, row * STRIDE + size + 1):
            reached = scratch[point]
            if reached == 0:
                reached = (
                    scratch[point - STRIDE]
                    | scratch[point - 1]
                    | scratch[point + 1]
                    | scratch[point + STRIDE]
                )
            scratch[CELLS + point] = reached if reached != BLACK + WHITE else 0


@kernel
def _erode(board: Words, scratch: Words) -> None:
    """Empty points of a region that touch a point outside it are given up."""
    size = board[SIZE]
    for row in range(1, size + 1):
        for point in range(row * STRIDE + 1, row * STRIDE + size + 1):
            region = scratch[point]
            kept = region
            for cell in (point - STRIDE, point - 1, point + 1, point + STRIDE):
                inside = scratch[cell] == region or board[COLOR + cell] > WHITE
                if board[COLOR + point] == EMPTY and not inside:
                    kept = 0
            scratch[CELLS + point] = kept


@kernel
def _take_step(scratch: Words) -> None:
    for cell in range(CELLS):
        scratch[cell] = scratch[CELLS + cell]


@kernel
def grow_regions(board: Words, dilations: int, erosions: int, scratch: Words) -> int:
    """Points in Black's region minus points in White's; scratch[p] then holds p's region.

    A region starts as a colour's stones. A dilation adds every empty point beside it, unless the
    other colour reaches the point in the same step or holds it already; an erosion removes every
    empty point that has a neighbour outside.
    """
    for cell in range(CELLS):
        color = board[COLOR + cell]
        scratch[cell] = color if color == BLACK or color == WHITE else 0
        scratch[CELLS + cell] = 0
    for _ in range(dilations):
        _dilate(board, scratch)
        _take_step(scratch)
    for _ in range(erosions):
        _erode(board, scratch)
        _take_step(scratch)
    balance = 0
    for cell in range(CELLS):
        balance += int(scratch[cell] == BLACK) - int(scratch[cell] == WHITE)
    return balance
