"""The positions one move away."""

from typing import NamedTuple

import numpy as np

from katachi._jit import kernel
from katachi.rules.checking import check_moves
from katachi.rules.game import Game
from katachi.rules.kernels import play_move
from katachi.rules.legality import is_eye
from katachi.rules.point import Points
from katachi.rules.random_play import copy_board
from katachi.rules.state import PLY, BoardState, Words


class Afterstates(NamedTuple):
    """What each of a player's moves leads to."""

    points: Points
    """[M]: the moves."""
    states: BoardState
    """M positions; their history holds nothing but the position itself."""


@kernel
def _drop_eyes(board: Words, color: int, moves: Words) -> int:
    """Moves the points that are no own eyes to the front; returns how many there are."""
    kept = 0
    for index in range(len(moves)):
        if not is_eye(board, moves[index], color):
            moves[kept] = moves[index]
            kept += 1
    return kept


@kernel
def expand_moves(state: BoardState, color: int, moves: Words, after: BoardState) -> None:
    """Writes the positions after each of these legal moves, at least as many as there are moves,
    into `after`; their history holds the position before and the new one."""
    present = state.hashes[state.words[PLY]]
    for index in range(len(moves)):
        board = after.words[index]
        copy_board(state.words, board)
        board[PLY] = 0
        after.hashes[index, 0] = present
        play_move(BoardState(board, after.hashes[index], after.keys), moves[index], color)


def sensible_moves(game: Game, color: int) -> Points:
    """The legal moves of `color` that do not fill an own simple eye, row by row."""
    moves = game.legal_moves(color)
    return moves[: _drop_eyes(game.words, color, moves)]


def afterstates(game: Game, color: int, points: Points) -> Afterstates:
    """The positions after each of these legal moves of `color`; the game is not changed. Raises
    KatachiError where no stone can be placed."""
    check_moves(game.words, color, points)
    words = np.tile(game.words, (len(points), 1))
    hashes = np.zeros((len(points), 2), np.uint64)
    states = BoardState(words, hashes, game.state.keys)
    expand_moves(game.state, color, points, states)
    return Afterstates(points, states)
