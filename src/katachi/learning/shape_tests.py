# pyright: reportArgumentType=false, reportReturnType=false, reportCallIssue=false
"""Test games of local shape learners against the average liberties player, in one kernel."""

import numpy as np
import numpy.typing as npt

from katachi._jit import kernel
from katachi.evaluators.simple import average_liberties
from katachi.features.shape_tables import ShapeTables
from katachi.features.shape_tracker import Weights
from katachi.learning.shape_games import (
    GameSettings,
    ShapeGame,
    begin_game,
    choose_move,
    make_move,
)
from katachi.rules.area import count_filled_area
from katachi.rules.color import BLACK
from katachi.rules.kernels import lift_stone, place_stone
from katachi.rules.point import PASS
from katachi.rules.random_play import list_sensible_moves, next_random
from katachi.rules.state import PASSES
from katachi.search.selectors import draw_best

NOBODY = -1
"""The owner of a view that follows no shapes."""


@kernel
def choose_average_liberties(
    game: ShapeGame, ko_rule: int, color: int, random: np.uint64
) -> tuple[int, np.uint64]:
    """(a move of the average liberties player or PASS, new random state)."""
    count = list_sensible_moves(game.state, color, ko_rule, game.moves)
    if count == 0:
        return np.uint16(PASS), random
    board = game.state.words
    for index in range(count):
        place_stone(board, game.moves[index], color)
        score = average_liberties(board, color) - average_liberties(board, 3 - color)
        game.values[index] = score
        lift_stone(board)
    random = next_random(random)
    return game.moves[draw_best(game.values, count, random)], random


@kernel
def play_tests(
    game: ShapeGame,
    tables: ShapeTables,
    weights: Weights,
    agent: int,
    settings: GameSettings,
    randoms: npt.NDArray[np.uint64],
) -> int:
    """Plays a game a random state, the agent's colour alternating; returns the agent's wins."""
    wins = 0
    for number in range(len(randoms)):
        own = BLACK + number % 2
        game.owners[0] = agent if own == BLACK else NOBODY
        game.owners[1] = NOBODY if own == BLACK else agent
        game.owners[2] = 0
        begin_game(game, tables, weights, game.owners)
        board = game.state.words
        color = BLACK
        moves = 0
        random = randoms[number]
        while board[PASSES] < 2 and moves < len(game.record):
            if color == own:
                point, random = choose_move(game, tables, weights[agent], settings, color, random)
            else:
                point, random = choose_average_liberties(game, settings.ko_rule, color, random)
            make_move(game, tables, weights, game.owners, point, color)
            game.record[moves] = point
            moves += 1
            color = 3 - color
        margin = count_filled_area(board) - settings.komi
        wins += int(margin > 0) if own == BLACK else int(margin < 0)
    return wins
