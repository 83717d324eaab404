# pyright: reportArgumentType=false, reportReturnType=false, reportCallIssue=false
"""What a stone on each empty point would do at once: breathe, capture, threaten.

For nets that say where the next move will be; each colour as if it were its turn. A stone that
could not breathe does nothing.
"""

import numpy as np
import numpy.typing as npt

from katachi._jit import inlined, kernel
from katachi.rules.color import BLACK, EMPTY, WHITE
from katachi.rules.kernels import lift_stone, place_stone
from katachi.rules.legality import count_liberties, has_liberty_after
from katachi.rules.point import STRIDE
from katachi.rules.random_play import copy_board
from katachi.rules.state import CAPTURED, COLOR, SIZE, WORDS, Words

Planes = npt.NDArray[np.float32]

PARTS = 3
"""Of each colour: how the new block breathes, what it captures, what it threatens."""
BREATH_CAP = 5
"""More liberties count as this many, which is written 1."""


def new_board() -> Words:
    """Memory for one position."""
    return np.zeros(WORDS, np.uint16)


@inlined
def _fewest_liberties(board: Words, point: int, enemy: int) -> int:
    """Of the enemy's blocks beside a point; 0 where there are none."""
    fewest = 0
    for direction in range(4):
        step = (-STRIDE, -1, 1, STRIDE)[direction]
        if board[COLOR + point + step] == enemy:
            liberties = count_liberties(board, point + step)
            fewest = liberties if fewest == 0 else min(fewest, liberties)
    return fewest


@kernel
def fill_placing(
    position: Words, board: Words, views: npt.NDArray[np.int64], first: int, out: Planes
) -> None:
    """Writes PARTS planes of each colour from the first of `views` up to the second, Black being 0,
    whose planes begin at `first`: liberties of the stone's block in parts of the cap; c / (1 + c)
    for c captured stones; 1 / l for the l liberties left to the weakest enemy block beside it.
    Zeros where a stone stands. `board` is scratch."""
    size = np.int64(position[SIZE])
    copy_board(position, board)
    for plane in range(views[0] * PARTS, views[1] * PARTS):
        for row in range(size):
            for col in range(size):
                out[first + plane, row, col] = np.float32(0)
    for color in range(BLACK + views[0], BLACK + views[1]):
        enemy, plane = BLACK + WHITE - color, first + (color - BLACK) * PARTS
        for row in range(size):
            for col in range(size):
                point = (row + 1) * STRIDE + col + 1
                if board[COLOR + point] != EMPTY or not has_liberty_after(board, point, color):
                    continue
                before = np.int64(board[CAPTURED + enemy])
                place_stone(board, point, color)
                captured = np.float32(np.int64(board[CAPTURED + enemy]) - before)
                liberties = min(count_liberties(board, point), BREATH_CAP)
                fewest = _fewest_liberties(board, point, enemy)
                lift_stone(board)
                out[plane, row, col] = np.float32(liberties) / np.float32(BREATH_CAP)
                out[plane + 1, row, col] = captured / (np.float32(1) + captured)
                if fewest > 0:
                    out[plane + 2, row, col] = np.float32(1) / np.float32(fewest)
