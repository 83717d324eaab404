# pyright: reportArgumentType=false, reportReturnType=false, reportCallIssue=false
"""Who owns which point: Tromp-Taylor area, with all stones alive."""

import numpy as np
import numpy.typing as npt

from katachi._jit import inlined, kernel
from katachi.rules.color import BLACK, EMPTY, WHITE
from katachi.rules.point import CELLS, STRIDE, points_of
from katachi.rules.state import COLOR, EMPTIES, EMPTY_COUNT, SIZE, Words

SCRATCH = 2 * CELLS
"""Words of scratch that `mark_area` needs: one mark a cell, then a stack of points."""


@inlined
def _visit(board: Words, scratch: Words, cell: int, depth: int) -> int:
    """Puts an empty, unmarked cell on the stack; returns the new depth."""
    if board[COLOR + cell] == EMPTY and scratch[cell] == 0:
        scratch[cell] = 4
        scratch[CELLS + depth] = cell
        depth += 1
    return depth


@kernel
def _spread(board: Words, scratch: Words, start: int) -> None:
    """Marks the empty region of `start` with the colours it touches (bits 1 and 2, and 4)."""
    scratch[start] = 4
    scratch[CELLS] = start
    depth = 1
    done = 0
    touched = 4
    while done < depth:
        point = scratch[CELLS + done]
        done += 1
        for cell in (point - STRIDE, point - 1, point + 1, point + STRIDE):
            color = board[COLOR + cell]
            if color == BLACK or color == WHITE:
                touched |= color
            depth = _visit(board, scratch, cell, depth)
    for index in range(depth):
        scratch[scratch[CELLS + index]] = touched


@kernel
def mark_area(board: Words, scratch: Words) -> int:
    """Black's area minus White's. A stone owns its point; an empty region that touches one colour
    only belongs to it. Afterwards scratch[p] & 3 is BLACK, WHITE, or 0 or 3 for neutral."""
    size = board[SIZE]
    for cell in range(CELLS):
        scratch[cell] = 0
    balance = 0
    for row in range(1, size + 1):
        for point in range(row * STRIDE + 1, row * STRIDE + size + 1):
            color = board[COLOR + point]
            if color != EMPTY:
                scratch[point] = color
            elif scratch[point] == 0:
                _spread(board, scratch, point)
            owner = scratch[point] & 3
            balance += int(owner == BLACK) - int(owner == WHITE)
    return balance


@kernel
def count_filled_area(board: Words) -> int:
    """Black's area minus White's on a board whose empty points have no empty neighbours, as random
    games leave it: each belongs to the one colour around it, if there is one."""
    size = board[SIZE]
    balance = 0
    for row in range(1, size + 1):
        for cell in range(COLOR + row * STRIDE + 1, COLOR + row * STRIDE + size + 1):
            balance += int(board[cell] == BLACK) - int(board[cell] == WHITE)
    for index in range(board[EMPTY_COUNT]):
        point = board[EMPTIES + index]
        around = (
            board[point + (COLOR - STRIDE)]
            & board[point + (COLOR - 1)]
            & board[point + (COLOR + 1)]
            & board[point + (COLOR + STRIDE)]
        )
        balance += int(around & BLACK != 0) - int(around & WHITE != 0)
    return balance


def area_difference(board: Words) -> int:
    """Black's area minus White's, all stones alive."""
    return int(mark_area(board, np.zeros(SCRATCH, np.uint16)))


def area_owners(board: Words) -> npt.NDArray[np.uint8]:
    """Owner of each point, BLACK, WHITE or EMPTY for neutral, row by row [size * size]."""
    scratch = np.zeros(SCRATCH, np.uint16)
    mark_area(board, scratch)
    owners = scratch[points_of(int(board[SIZE]))] & 3
    return np.where(owners == 3, 0, owners).astype(np.uint8)
