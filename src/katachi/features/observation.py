# pyright: reportArgumentType=false, reportReturnType=false, reportCallIssue=false
"""A board as planes of zeros and ones, as a learning agent sees it."""

import numpy as np
import numpy.typing as npt

from katachi._jit import inlined, kernel
from katachi.rules.checking import check_color
from katachi.rules.color import BLACK, EMPTY
from katachi.rules.game import Game
from katachi.rules.point import PASS, STRIDE
from katachi.rules.state import COLOR, NEWEST, PASSES, RECENT, SIZE, Words

Planes = npt.NDArray[np.uint8]

PLANES = ("own stones", "opponent's stones", "empty points", "last move", "passed", "White")
"""What each plane of an observation shows. The last two are full or empty: whether the last move
was a pass, and whether it is White who sees."""
PLANE_COUNT = len(PLANES)


def observation_planes(game: Game, color: int | None = None) -> Planes:
    """[6, size, size]: `PLANES` of a game as `color` sees it, the one to move by default.

    The planes are 0 or 1: own stones, the opponent's, empty points, the last move, whether it was
    a pass, whether White sees.

    >>> game = katachi.Game(9)
    >>> game.play("D4")
    >>> planes = katachi.observation_planes(game)
    >>> planes.shape, int(planes[1].sum())
    ((6, 9, 9), 1)
    """
    color = game.to_play if color is None else color
    check_color(color)
    planes = np.zeros((PLANE_COUNT, game.size, game.size), np.uint8)
    write_planes(game.words, color, planes)
    return planes


@kernel
def write_planes(board: Words, color: int, planes: Planes) -> None:
    """Writes planes [PLANE_COUNT, size, size], all zeros before, of a board as `color` sees it."""
    size = np.int64(board[SIZE])
    for row in range(size):
        first = COLOR + (row + 1) * STRIDE + 1
        for col in range(size):
            there = board[first + col]
            plane = 2 if there == EMPTY else int(there != color)
            planes[plane, row, col] = 1
    last = np.int64(board[RECENT + board[NEWEST]])
    if last != PASS:
        planes[3, last // STRIDE - 1, last % STRIDE - 1] = 1
    if board[PASSES] > 0:
        _fill_plane(planes[4])
    if color != BLACK:
        _fill_plane(planes[5])


@inlined
def _fill_plane(plane: Planes) -> None:
    for row in range(plane.shape[0]):
        for col in range(plane.shape[1]):
            plane[row, col] = 1
