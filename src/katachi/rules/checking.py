# pyright: reportArgumentType=false, reportReturnType=false, reportCallIssue=false
"""Is this something that kernels may be asked about? They do not check their arguments again."""

import numpy as np
import numpy.typing as npt

from katachi._jit import kernel
from katachi.errors import KatachiError
from katachi.rules.color import COLOR_NAMES, EMPTY
from katachi.rules.point import CELLS, PASS, Points
from katachi.rules.state import COLOR, PLY, SIZE, WORDS, BoardState, Words


def check_color(color: int) -> None:
    """Raises KatachiError unless `color` is a player's."""
    if color not in COLOR_NAMES:
        raise KatachiError(f"{color!r} is no player's colour: use BLACK or WHITE")


def check_moves(board: Words, color: int, points: Points) -> None:
    """Raises KatachiError unless each of these is a pass or an empty point of the board, and
    `color` a player's. Whether the rules allow the moves is not asked."""
    check_color(color)
    wrong = _first_taken(board, points)
    if wrong >= 0:
        raise KatachiError(f"point {points[wrong]} is not an empty point of the board")


@kernel
def _first_taken(board: Words, points: Points) -> int:
    """Which of the points is the first that no stone can be placed on; -1 for none."""
    for index in range(len(points)):
        point = int(points[index])
        if point != PASS and not (0 < point < CELLS and board[COLOR + point] == EMPTY):
            return index
    return -1


def check_boards(words: Words) -> None:
    """Raises KatachiError unless these are whole boards of one size, [B, WORDS]."""
    if words.ndim != 2 or words.shape[1] != WORDS or _count_unlike(words):
        raise KatachiError("these are not positions of one board size")


def check_states(states: BoardState) -> None:
    """Raises KatachiError unless these are whole positions of one board size, each with its own
    hash in its history."""
    check_boards(states.words)
    hashes = states.hashes
    if len(hashes) < len(states.words) or _latest_ply(states.words) >= hashes.shape[1]:
        raise KatachiError("these positions are without their history")


def check_viewers(viewers: npt.NDArray[np.generic], count: int) -> None:
    """Raises KatachiError unless each of so many positions has one viewer."""
    if viewers.shape != (count,):
        raise KatachiError(f"{viewers.size} viewers of {count} positions: give one each")


@kernel
def _count_unlike(words: Words) -> int:
    """How many boards are of another size than the first."""
    count = 0
    for index in range(len(words)):
        count += int(words[index, SIZE] != words[0, SIZE])
    return count


@kernel
def _latest_ply(words: Words) -> int:
    latest = 0
    for index in range(len(words)):
        latest = max(latest, int(words[index, PLY]))
    return latest
