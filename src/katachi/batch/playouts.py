"""Random games from many positions, and how they end: what search and ownership ask a card for.

A game depends on its position, the seed and its number alone: position `b` of a call has the games
`b * count` .. `(b + 1) * count` of the run of that seed. `finish_game` plays each of them, on a card
(`cuda_playouts`) as on the CPU.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from katachi._jit import inlined, kernel
from katachi.rules.area import mark_area
from katachi.rules.color import BLACK, WHITE
from katachi.rules.point import STRIDE
from katachi.rules.random_play import play_random_moves
from katachi.rules.state import BLOCK, SIZE, Words

MOVES_A_POINT = 3
"""Moves of a random game at most, a point of the board."""


class Endings(NamedTuple):
    """How the random games from B positions ended, summed over the games of each."""

    wins: npt.NDArray[np.int64]
    """[B]: twice Black's wins, a draw being half a win."""
    margins: npt.NDArray[np.int64]
    """[B]: Black's area minus White's, komi left out."""
    moves: npt.NDArray[np.int64]
    """[B]"""
    owned: npt.NDArray[np.int32]
    """[B, size * size]: in how many games Black owned the point, less those in which White did."""


def new_endings(positions: int, size: int) -> Endings:
    """Of no games yet."""
    sums = (np.zeros(positions, np.int64) for _ in range(3))
    return Endings(*sums, np.zeros((positions, size * size), np.int32))


@kernel
def finish_game(board: Words, side: int, random: np.uint64) -> tuple[int, int]:
    """Plays on at random, `side` first, under simple ko; returns (moves, Black's area minus
    White's). Then `owner_at` says who owns a point, until the next game is set up on the board."""
    size = np.int64(board[SIZE])
    moves, random = play_random_moves(board, side, MOVES_A_POINT * size * size, random)
    return moves, mark_area(board, board[BLOCK:])


@inlined
def owner_at(board: Words, index: int, size: int) -> int:
    """1 where Black owns a point of a finished game, -1 where White does, else 0; by the place of
    the point among those of the board, row by row."""
    owner = board[BLOCK + (index // size + 1) * STRIDE + index % size + 1] & 3
    return int(owner == BLACK) - int(owner == WHITE)
