# pyright: reportArgumentType=false, reportReturnType=false, reportCallIssue=false
"""Test games of local shape learners against the average liberties player, in one kernel."""

import numpy as np
import numpy.typing as npt

from katachi._jit import inlined, kernel
from katachi._jit.lanes import lane_count, lane_number, meet
from katachi.evaluators.simple import average_liberties, mean_times_ten
from katachi.features.blocks import sum_liberties
from katachi.features.shape_tables import ShapeTables
from katachi.features.units import Sums, Weights
from katachi.rules.area import count_filled_area
from katachi.rules.color import BLACK, EMPTY
from katachi.rules.kernels import lift_stone, place_stone
from katachi.rules.legality import captures_any, count_blocks_beside, count_contacts
from katachi.rules.point import PASS, STRIDE
from katachi.rules.random_play import list_sensible_moves, next_random, sample_best
from katachi.rules.state import BLOCK, COLOR, PASSES, Words
from katachi.td.shape_games import begin_game, choose_move, make_move
from katachi.td.shape_memory import GameSettings, ShapeGame

NOBODY = -1
"""The owner of a view that follows no shapes."""
_LATER = np.iinfo(np.int64).min
"""The value of a move that is still to be tried on the board."""


@inlined
def _score_quiet_move(board: Words, point: int, color: int, sums: Sums) -> int:
    """The score after a move that takes nothing and joins at most one block.

    sums = [own liberties, own blocks, the other's liberties, the other's blocks] before it. The
    new stone's empty neighbours are new liberties unless the block it joins has them already.
    """
    joined = np.int64(0)
    for step in (-STRIDE, -1, 1, STRIDE):
        cell = np.int64(point) + step
        if board[COLOR + cell] == color:
            joined = np.int64(board[BLOCK + cell])
    liberties = sums[0] - np.int64(joined != 0)
    for step in (-STRIDE, -1, 1, STRIDE):
        cell = np.int64(point) + step
        if board[COLOR + cell] == EMPTY:
            liberties += np.int64(joined == 0 or count_contacts(board, cell, joined) == 0)
    blocks = sums[1] + np.int64(joined == 0)
    others = sums[2] - count_blocks_beside(board, point, 3 - color)
    return mean_times_ten(liberties, blocks) - mean_times_ten(others, sums[3])


@inlined
def _score_any_move(board: Words, point: int, color: int) -> int:
    """The score after a move, made and taken back."""
    place_stone(board, point, color)
    score = average_liberties(board, color) - average_liberties(board, 3 - color)
    lift_stone(board)
    return score


@kernel
def score_moves_by_liberties(
    board: Words, color: int, moves: Words, count: int, sums: Sums, values: Sums
) -> None:
    """Writes the average liberties score after each of the first `count` of these legal moves, own
    less the other's, into `values`; `sums` is scratch [4]. Lanes share the moves, but only the
    first one tries any on the board."""
    sums[0], sums[1] = sum_liberties(board, color)
    sums[2], sums[3] = sum_liberties(board, 3 - color)
    for index in range(lane_number(), count, lane_count()):
        point = moves[index]
        if captures_any(board, point, color) or count_blocks_beside(board, point, color) > 1:
            is_alone = lane_count() == 1
            values[index] = _score_any_move(board, point, color) if is_alone else _LATER
        else:
            values[index] = _score_quiet_move(board, point, color, sums)
    if lane_count() == 1:
        return
    meet()
    for index in range(count if lane_number() == 0 else 0):
        if values[index] == _LATER:
            values[index] = _score_any_move(board, moves[index], color)
    meet()


@kernel
def choose_average_liberties(
    game: ShapeGame, ko_rule: int, color: int, random: np.uint64
) -> tuple[int, np.uint64]:
    """(a move of the average liberties player or PASS, new random state)."""
    count = list_sensible_moves(game.state, color, ko_rule, game.moves)
    if count == 0:
        return np.uint16(PASS), random
    board = game.state.words
    score_moves_by_liberties(board, color, game.moves, count, game.sums, game.values)
    random = next_random(random)
    return game.moves[sample_best(game.values, count, random)], random


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
        meet()
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
