"""Random numbers as explicit state, and games of uniformly random moves.

A random move is drawn uniformly from the legal moves that do not fill an own simple eye; a player
without such a move passes. Two passes end the game.
"""

import numpy as np
import numpy.typing as npt

from katachi._jit import inlined, kernel
from katachi.rules.kernels import place_stone, play_move
from katachi.rules.legality import is_eye, is_retake, repeats_position, survives_inside
from katachi.rules.point import CELLS, PASS, STRIDE
from katachi.rules.state import (
    COLOR,
    EMPTIES,
    EMPTY_COUNT,
    FIELDS,
    INDEX,
    KO,
    LIBERTIES,
    SIZE,
    BoardState,
    Words,
)

RandomStates = npt.NDArray[np.uint64]


def random_states(seed: int, first: int, count: int) -> RandomStates:
    """The random states of games `first` .. `first + count` of a run, [count], never zero."""
    with np.errstate(over="ignore"):
        mixed = np.arange(first, first + count, dtype=np.uint64) + np.uint64(seed % (1 << 64))
        mixed = mixed * np.uint64(0x9E3779B97F4A7C15) + np.uint64(0xD1B54A32D192ED03)
        for _ in range(2):
            mixed = (mixed ^ (mixed >> np.uint64(32))) * np.uint64(0xD6E8FEB86659FD93)
    return np.asarray(mixed ^ (mixed >> np.uint64(32)) | np.uint64(1), np.uint64)


@inlined
def next_random(random: np.uint64) -> np.uint64:
    """The state after this one (xorshift: only shifts and exclusive or)."""
    random ^= random << np.uint64(13)
    random ^= random >> np.uint64(7)
    random ^= random << np.uint64(17)
    return random


@inlined
def index_from_random(random: np.uint64, count: int) -> int:
    """A number from 0 to `count` - 1, as good as uniform for the counts of a Go board."""
    return np.int64(((random >> np.uint64(32)) * np.uint64(count)) >> np.uint64(32))


@inlined
def is_sensible(board: Words, point: int, color: int) -> bool:
    """Whether an empty point may be played under simple ko without filling an own eye."""
    if board[LIBERTIES + point] > 0:
        return True
    return (
        not is_eye(board, point, color)
        and survives_inside(board, point, color)
        and not is_retake(board, point, color)
    )


@inlined
def draw_move(board: Words, color: int, random: np.uint64) -> tuple[int, np.uint64]:
    """(uniformly random sensible move or PASS, new random state).

    A point that may not be played is swapped to the end of the draw, so EMPTIES is shuffled.
    """
    count = board[EMPTY_COUNT]
    while count > 0:
        index = index_from_random(random, count)
        random = next_random(random)
        point = board[EMPTIES + index]
        if is_sensible(board, point, color):
            return point, random
        count -= 1
        other = board[EMPTIES + count]
        board[EMPTIES + count] = point
        board[EMPTIES + index] = other
        board[INDEX + point] = count
        board[INDEX + other] = index
    return np.uint16(PASS), random


@inlined
def copy_board(source: Words, target: Words) -> None:
    """Copies one game's words, only as many cells of each field as the board size uses."""
    cells = (source[SIZE] + 2) * STRIDE
    for word in range(COLOR):
        target[word] = source[word]
    for field in range(FIELDS):
        first = COLOR + field * CELLS
        for word in range(first, first + cells):
            target[word] = source[word]


@kernel
def play_random_moves(
    board: Words, color: int, limit: int, random: np.uint64
) -> tuple[int, np.uint64]:
    """Plays random moves under simple ko, `color` first, until two passes or `limit` moves.

    Returns (moves played, new random state). Hashes and history are not kept.
    """
    passes = 0
    moves = 0
    while passes < 2 and moves < limit:
        point, random = draw_move(board, color, random)
        if point == PASS:
            passes += 1
            board[KO] = PASS
        else:
            passes = 0
            place_stone(board, point, color)
        color = 3 - color
        moves += 1
    return moves, random


@kernel
def draw_unrepeated_move(
    state: BoardState, color: int, ko_rule: int, random: np.uint64
) -> tuple[int, np.uint64]:
    """As `draw_move`, for a superko rule: every sensible move that repeats no position is equally
    likely. The second draw, over a full list, is needed only when the first one repeats."""
    board = state.words
    point, random = draw_move(board, color, random)
    if point == PASS or not repeats_position(state, point, color, ko_rule):
        return point, random
    chosen = np.uint16(PASS)
    found = 0
    for index in range(board[EMPTY_COUNT]):
        point = board[EMPTIES + index]
        if is_sensible(board, point, color) and not repeats_position(state, point, color, ko_rule):
            found += 1
            random = next_random(random)
            if index_from_random(random, found) == 0:
                chosen = point
    return chosen, random


@kernel
def play_random_game(
    state: BoardState, color: int, ko_rule: int, record: Words, random: np.uint64
) -> tuple[int, np.uint64]:
    """As `play_random_moves`, under a superko rule, with hashes kept and every move written into
    `record`, whose length is the limit (and must be less than the room in `hashes`)."""
    passes = 0
    moves = 0
    while passes < 2 and moves < len(record):
        point, random = draw_unrepeated_move(state, color, ko_rule, random)
        passes = passes + 1 if point == PASS else 0
        play_move(state, point, color)
        record[moves] = point
        color = 3 - color
        moves += 1
    return moves, random
