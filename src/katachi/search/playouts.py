"""Moves judged by random continuations."""

import numpy as np
import numpy.typing as npt

from katachi._jit import kernel
from katachi.rules.area import count_filled_area
from katachi.rules.random_play import copy_board, play_random_moves
from katachi.rules.state import SIZE, Words

Wins = npt.NDArray[np.int64]


@kernel
def add_playouts(
    boards: Words, color: int, komi: float, playouts: int, random: np.uint64, wins: Wins
) -> np.uint64:
    """Plays `playouts` random games from each of boards [M + 1, WORDS] but the last, which is the
    board they are played on, with `color` to move; adds twice Black's wins to wins [M], so that a
    draw is half a win.

    Returns the new random state.
    """
    board = boards[len(wins)]
    limit = 3 * boards[0, SIZE] * boards[0, SIZE]
    for index in range(len(wins)):
        for _ in range(playouts):
            copy_board(boards[index], board)
            _, random = play_random_moves(board, color, limit, random)
            margin = count_filled_area(board) - komi
            wins[index] += int(margin > 0) + int(margin >= 0)
    return random
