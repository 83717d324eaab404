# pyright: reportArgumentType=false
"""Random games from many positions, and how they end: what search and ownership ask for.

A game depends on its position, the seed and its number alone: position `b` of a call has the games
`b * count` .. `(b + 1) * count` of the run of that seed. `finish_game` plays each of them, here as
on a GPU (`cuda_playouts`).
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from katachi._jit import inlined, kernel
from katachi.rules.area import mark_area
from katachi.rules.color import BLACK, WHITE
from katachi.rules.point import STRIDE
from katachi.rules.random_play import (
    RandomStates,
    copy_board,
    play_random_moves,
    random_states,
)
from katachi.rules.state import BLOCK, SIZE, Words

MOVES_A_POINT = 3
"""Moves of a random game at most, a point of the board."""
GAMES_AT_ONCE = 1 << 16
"""Whose random numbers are made together."""

Sides = npt.NDArray[np.uint8]
Counts = npt.NDArray[np.int32]


class Endings(NamedTuple):
    """How the random games from B positions ended, summed over the games of each."""

    wins: npt.NDArray[np.int64]
    """[B]: twice Black's wins, a draw being half a win."""
    margins: npt.NDArray[np.int64]
    """[B]: Black's area minus White's, komi left out."""
    moves: npt.NDArray[np.int64]
    """[B]"""
    owned: Counts
    """[B, size * size]: in how many games Black owned the point, less those in which White did."""


def new_endings(positions: int, size: int) -> Endings:
    """Of no games yet."""
    wins, margins, moves = np.zeros((3, positions), np.int64)
    return Endings(wins, margins, moves, np.zeros((positions, size * size), np.int32))


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


@kernel
def _finish_games(
    boards: Words, side: int, randoms: RandomStates, ends: Counts, owned: Counts
) -> None:
    """Plays a game from boards[0] on boards[1] by each of randoms [G]; writes (moves, margin) into
    ends [G, 2] and adds owners to owned [size * size]."""
    size = np.int64(boards[0, SIZE])
    for game in range(len(randoms)):
        copy_board(boards[0], boards[1])
        ends[game, 0], ends[game, 1] = finish_game(boards[1], side, randoms[game])
        for index in range(size * size):
            owned[index] += owner_at(boards[1], index, size)


def play_out(words: Words, sides: Sides, count: int, komi: float, seed: int) -> Endings:
    """Plays `count` random games from each of B positions [B, WORDS] of one size, sides[b] first,
    on one core."""
    found = new_endings(len(words), int(words[0, SIZE]))
    for index, (start, side) in enumerate(zip(words, sides.tolist(), strict=True)):
        boards = np.stack([start, start])
        for first in range(0, count, GAMES_AT_ONCE):
            games = min(GAMES_AT_ONCE, count - first)
            ends = np.zeros((games, 2), np.int32)
            randoms = random_states(seed, index * count + first, games)
            _finish_games(boards, side, randoms, ends, found.owned[index])
            moves, margins = ends.T
            found.wins[index] += (margins > komi).sum() + (margins >= komi).sum()
            found.margins[index] += margins.sum()
            found.moves[index] += moves.sum()
    return found
