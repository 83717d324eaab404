# pyright: reportArgumentType=false, reportReturnType=false, reportCallIssue=false
"""Random numbers as explicit state, and games of uniformly random moves.

A random move is drawn uniformly from the legal moves that do not fill an own simple eye; a player
without such a move passes. Two passes end the game.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from katachi._jit import inlined, kernel
from katachi._jit.lanes import lane_count, lane_number, meet, place_among_lanes
from katachi.rules.color import EMPTY
from katachi.rules.kernels import DOWN, LEFT, RIGHT, UP, place_stone, play_move
from katachi.rules.legality import (
    count_contacts,
    count_liberties,
    is_eye,
    is_retake,
    repeats_position,
    survives_inside,
)
from katachi.rules.point import CELLS, PASS, STRIDE
from katachi.rules.ruleset import KoRule
from katachi.rules.state import (
    BLOCK,
    CAPTURED,
    COLOR,
    EMPTIES,
    EMPTY_COUNT,
    FIELDS,
    INDEX,
    KO,
    LIBERTIES,
    PAST,
    SIZE,
    TRACE_CAPTURES,
    TRACE_JOINS,
    TRACE_LENGTHS,
    BoardState,
    Words,
)

_SIMPLE = int(KoRule.SIMPLE)

RandomStates = npt.NDArray[np.uint64]


def mix(numbers: RandomStates) -> RandomStates:
    """Numbers that look unrelated for any two different ones (multiply and shift, invertible)."""
    for _ in range(2):
        numbers = (numbers ^ (numbers >> np.uint64(32))) * np.uint64(0xD6E8FEB86659FD93)
    return numbers ^ (numbers >> np.uint64(32))


def state_of_run(seed: int) -> np.uint64:
    """What the number of a game is added to before it is mixed. The seed is mixed first, so runs
    of neighbouring seeds have nothing in common."""
    with np.errstate(over="ignore"):
        run = mix(np.full(1, seed % (1 << 64), np.uint64) + np.uint64(0x9E3779B97F4A7C15))
    return np.uint64(run[0])


def random_states(seed: int, first: int, count: int) -> RandomStates:
    """The random states of games `first` .. `first + count` of a run, [count], never zero."""
    return states_of_runs([seed], np.arange(first, first + count, dtype=np.uint64))[0]


def states_of_runs(seeds: Sequence[int], numbers: RandomStates) -> RandomStates:
    """[runs, games]: the random states of games of these numbers, of runs with these seeds."""
    runs = np.array([state_of_run(seed) for seed in seeds], np.uint64)
    with np.errstate(over="ignore"):
        states = mix(runs[:, None] + numbers)
    return np.where(states == 0, np.uint64(1), states)


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
def list_sensible_moves(state: BoardState, color: int, ko_rule: int, moves: Words) -> int:
    """Writes the legal moves that fill no own eye into `moves`, in the order of EMPTIES; returns
    their number. Suicide is not among them. Lanes share the points."""
    board = state.words
    is_first = ko_rule == _SIMPLE or board[CAPTURED + 1] + board[CAPTURED + 2] == 0
    empties = np.int64(board[EMPTY_COUNT])
    count = 0
    for first in range(0, empties, lane_count()):
        index = first + lane_number()
        point = board[EMPTIES + index]
        is_kept = index < empties and is_sensible(board, point, color)
        if is_kept and not is_first and board[PAST + point] & color:
            is_kept = not repeats_position(state, point, color, ko_rule)
        before, kept = place_among_lanes(int(is_kept))
        if is_kept or lane_count() == 1:  # one lane needs no branch: the next point overwrites it
            moves[count + before] = point
        count += kept
    meet()
    return count


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
    copy_part(source, target, 0, 1)


@inlined
def copy_part(source: Words, target: Words, number: int, count: int) -> None:
    """Copies part `number` of `count` parts of what `copy_board` copies."""
    cells = (source[SIZE] + 2) * STRIDE
    for word in range(number, COLOR, count):
        target[word] = source[word]
    for field in range(FIELDS):
        first = COLOR + field * CELLS
        for word in range(first + number, first + cells, count):
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
    """As `draw_move`, for any ko rule: every sensible move that repeats no position is equally
    likely. The second draw, over a full list, is needed only when the first one repeats."""
    board = state.words
    point, random = draw_move(board, color, random)
    if point == PASS or ko_rule == _SIMPLE or not repeats_position(state, point, color, ko_rule):
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
    """As `play_random_moves`, under any ko rule, with hashes kept and every move written into
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


@inlined
def _change_beside(board: Words, point: int, color: int, change: int, exact: Words) -> None:
    """Adds `change` to the liberties of each different block of a colour beside the point."""
    above = board[point + (BLOCK + UP)] * (board[point + (COLOR + UP)] == color)
    left = board[point + (BLOCK + LEFT)] * (board[point + (COLOR + LEFT)] == color)
    right = board[point + (BLOCK + RIGHT)] * (board[point + (COLOR + RIGHT)] == color)
    below = board[point + (BLOCK + DOWN)] * (board[point + (COLOR + DOWN)] == color)
    exact[above] += change
    exact[left] += change * int(left != above)
    exact[right] += change * int(right != above) * int(right != left)
    exact[below] += change * int(below != above) * int(below != left) * int(below != right)


@inlined
def _is_gained(board: Words, liberty: int, root: int) -> int:
    """1 if an empty point touches the block of `root` only once."""
    return int(board[COLOR + liberty] == EMPTY and count_contacts(board, liberty, root) == 1)


@kernel
def refresh_liberties(board: Words, point: int, exact: Words) -> None:
    """Keeps the exact liberties of every block, exact[root], after a stone was placed at `point`.

    A block that only grew by the stone gains the empty points that nothing else of it touches;
    one that joined others or captured is counted anew; its neighbours lose or gain a liberty for
    each point filled or freed beside them. Words of cells that are no roots mean nothing.
    """
    color = board[COLOR + point]
    root = board[BLOCK + point]
    joins = board[TRACE_JOINS]
    captures = board[TRACE_CAPTURES]
    _change_beside(board, point, 3 - color, -1, exact)
    freed = 0
    for capture in range(captures):
        freed += board[TRACE_LENGTHS + capture]
    end = board[EMPTY_COUNT]
    for index in range(end - freed, end):
        _change_beside(board, board[EMPTIES + index], color, 1, exact)
    if joins > 1 or captures > 0:
        exact[root] = count_liberties(board, root)
    elif joins == 0:
        exact[root] = board[LIBERTIES + root]
    else:
        gained = _is_gained(board, point - STRIDE, root) + _is_gained(board, point - 1, root)
        gained += _is_gained(board, point + 1, root) + _is_gained(board, point + STRIDE, root)
        exact[root] += gained - 1


@kernel
def play_random_moves_exactly(
    board: Words, color: int, limit: int, random: np.uint64, exact: Words
) -> tuple[int, np.uint64]:
    """As `play_random_moves`, with the exact liberties of every block kept in exact[root]."""
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
            refresh_liberties(board, point, exact)
        color = 3 - color
        moves += 1
    return moves, random


@inlined
def is_exploring(random: np.uint64, epsilon: float) -> bool:
    """Whether this draw is one of the share `epsilon` that explores."""
    return bool((random >> np.uint64(11)) * 2.0**-53 < epsilon)


@inlined
def sample_best(values: npt.NDArray[np.int64], count: int, random: np.uint64) -> int:
    """Index of a largest of the first `count` values, ties uniform."""
    best = values[0]
    ties, last = 1, 0
    for index in range(1, count):
        ties = 1 if values[index] > best else ties + int(values[index] == best)
        last = index if values[index] >= best else last
        best = max(best, values[index])
    if ties == 1:
        return last
    left = index_from_random(random, ties)
    for index in range(count):
        if values[index] == best:
            if left == 0:
                return index
            left -= 1
    return 0
