# pyright: reportArgumentType=false, reportReturnType=false, reportCallIssue=false
"""Whole games of linear evaluators over windows, played and learned from inside a kernel.

The random numbers are those of `katachi.learning.sources`, so that equal seeds give equal games and
equal weights here and there.
"""

from typing import NamedTuple

import numpy as np

from katachi._jit import inlined, kernel
from katachi.evaluators.window_values import (
    WindowWeights,
    forget_values,
    nudge_codes,
    sum_codes,
    sum_moves,
)
from katachi.features.units import UNIT, Logits, Sums
from katachi.features.window_map import Codes, read_codes
from katachi.rules.area import count_filled_area
from katachi.rules.color import BLACK
from katachi.rules.kernels import play_move
from katachi.rules.legality import list_legal_moves
from katachi.rules.point import PASS
from katachi.rules.random_play import (
    copy_board,
    index_from_random,
    is_exploring,
    list_sensible_moves,
    next_random,
    sample_best,
)
from katachi.rules.ruleset import KoRule
from katachi.rules.state import (
    PASSES,
    BoardState,
    Words,
    new_states,
    state_of_game,
)
from katachi.td.targets import ErrorRule, Errors, fill_errors, fill_steps

_KO_RULE = int(KoRule.POSITIONAL)


class LinearGame(NamedTuple):
    """The memory of one game."""

    start: Words
    state: BoardState
    record: Words
    """[limit]: the moves."""
    moves: Words
    values: Sums
    codes: Codes
    """[limit, windows]: after each ply, as its mover sees it; a mover of fewer windows uses the
    first of them."""
    logits: Logits
    """[2, limit, 1]: by colour, after each of its own moves, in units."""
    errors: Errors
    """[limit, 1]"""
    steps: Logits
    """[limit, 1]"""
    general: np.ndarray[tuple[int, int], np.dtype[np.uint8]]
    """[1, 1]: there is one part."""
    rates: np.ndarray[tuple[int], np.dtype[np.float64]]
    """[1]: its step size."""
    has_pass: bool
    """Whether a pass is a move like any other, and own eyes may be filled; else nobody passes who
    has a move that fills none."""


def new_linear_game(size: int, windows: int, limit: int, *, has_pass: bool = False) -> LinearGame:
    """Memory for games of at most `limit` plies between models of at most so many windows."""
    return LinearGame(
        new_states(1, size, 1).words[0],
        state_of_game(new_states(1, size, limit + 1), 0),
        np.zeros(limit, np.uint16),
        np.zeros(size * size + 1, np.uint16),
        np.zeros(size * size + 1, np.int64),
        np.zeros((limit, windows), np.int32),
        np.zeros((2, limit, 1), np.int64),
        np.zeros((limit, 1)),
        np.zeros((limit, 1), np.int64),
        np.ones((1, 1), np.uint8),
        np.zeros(1),
        has_pass,
    )


@inlined
def _list_moves(game: LinearGame, color: int) -> int:
    """Writes the moves to choose from into `game.moves`; returns how many there are."""
    if not game.has_pass:
        return list_sensible_moves(game.state, color, _KO_RULE, game.moves)
    count = list_legal_moves(game.state, color, _KO_RULE, False, game.moves)
    game.moves[count] = PASS
    return count + 1


@inlined
def _choose(
    game: LinearGame, weights: WindowWeights, epsilon: float, color: int, random: np.uint64
) -> tuple[int, np.uint64]:
    """(an epsilon-greedy move or PASS, new random state)."""
    count = _list_moves(game, color)
    if count == 0:
        return np.uint16(PASS), random
    random = next_random(random)
    explores = is_exploring(random, epsilon)
    random = next_random(random)
    if explores:
        return game.moves[index_from_random(random, count)], random
    for index in range(count):
        game.values[index] = 0
    sum_moves(game.state.words, color, game.moves[:count], weights, game.values)
    return game.moves[sample_best(game.values, count, random)], random


@inlined
def _note(game: LinearGame, weights: WindowWeights, color: int, ply: int) -> None:
    """Keeps what the mover sees after its move, and what it is worth."""
    read_codes(game.state.words, weights.side, color, weights.codes)
    for window in range(len(weights.codes)):
        game.codes[ply, window] = weights.codes[window]
    game.logits[color - BLACK, ply // 2, 0] = sum_codes(weights)


@kernel
def play_linear_game(
    game: LinearGame,
    black: WindowWeights,
    white: WindowWeights,
    epsilons: np.ndarray[tuple[int], np.dtype[np.float64]],
    random: np.uint64,
) -> tuple[int, int]:
    """Plays a game, each colour exploring by its own of epsilons [2]; returns (plies, Black's area
    less White's). It ends by two passes, or without a meaning of the area at the limit."""
    copy_board(game.start, game.state.words)
    game.state.hashes[0] = np.uint64(0)
    board = game.state.words
    ply = 0
    while board[PASSES] < 2 and ply < len(game.record):
        color = BLACK + ply % 2
        if color == BLACK:
            point, random = _choose(game, black, epsilons[0], color, random)
        else:
            point, random = _choose(game, white, epsilons[1], color, random)
        play_move(game.state, point, color)
        if color == BLACK:
            _note(game, black, color, ply)
        else:
            _note(game, white, color, ply)
        game.record[ply] = point
        ply += 1
    return ply, count_filled_area(board)


@kernel
def find_steps(game: LinearGame, color: int, plies: int, outcome: float, rule: ErrorRule) -> int:
    """Writes how far a colour's positions ask the weights to move into `game.steps`; returns how
    many positions there are."""
    count = (plies + (2 - color)) // 2
    logits = game.logits[color - BLACK, :count]
    fill_errors(logits, game.general, outcome, rule, UNIT, game.errors[:count])
    fill_steps(game.errors[:count], game.rates, UNIT, game.steps[:count])
    return count


@kernel
def learn_linear_game(
    game: LinearGame,
    weights: WindowWeights,
    learners: np.ndarray[tuple[int], np.dtype[np.uint8]],
    plies: int,
    margin: float,
    rule: ErrorRule,
) -> None:
    """Lets the weights learn from the game just played, from the side of each colour that learns
    [2]; a draw counts as half a win. All values are from before any weight moves."""
    for color in range(BLACK, BLACK + 2):
        if learners[color - BLACK] != 0:
            won = margin if color == BLACK else -margin
            outcome = 0.5 if won == 0.0 else (1.0 if won > 0.0 else 0.0)
            count = find_steps(game, color, plies, outcome, rule)
            for own in range(count):
                codes = game.codes[2 * own + color - BLACK]
                nudge_codes(weights, codes, game.steps[own, 0])
    forget_values(weights)
