# pyright: reportArgumentType=false, reportReturnType=false, reportCallIssue=false
"""Games of random moves that answer: a stone that was left to be taken is taken, a block that was
put in danger is saved, and near the last move better shapes are likelier, by a table of what each
is worth. Where no answer is due a move is drawn from the whole board, as in `rules.random_play`."""

import numpy as np
import numpy.typing as npt

from katachi._jit import inlined, kernel
from katachi.rules.color import EMPTY
from katachi.rules.kernels import place_stone, step_to
from katachi.rules.legality import captures_any, count_contacts
from katachi.rules.point import PASS, STRIDE
from katachi.rules.random_play import draw_move, index_from_random, is_sensible, next_random
from katachi.rules.state import BLOCK, COLOR, KO, LIBERTIES, NEXT, Words

AROUND = (-STRIDE - 1, -STRIDE, -STRIDE + 1, -1, 1, STRIDE - 1, STRIDE, STRIDE + 1)
"""Steps to the eight points around one."""
SURROUNDINGS = 1 << 2 * len(AROUND)
"""What can stand on them, edges included: two bits each."""
ELSEWHERE = 30
"""The weight of all moves that are not near the last one, together. Chosen by few games on
9x9 with 200 visits a move: 30 won 36 of 60 against 100."""
ATTENTION = 15 / 16
"""How often a player looks for what can be taken or must be saved."""
_ATTENTION = int(256 * ATTENTION)

Guide = npt.NDArray[np.uint8]
"""[2, SURROUNDINGS]: how likely Black, and White, plays between such stones; [0, SURROUNDINGS]
where all moves are equally likely."""
NO_GUIDE = np.zeros((0, SURROUNDINGS), np.uint8)


@inlined
def surroundings_of(board: Words, point: int) -> int:
    """What stands on the eight points around a point, the first in the lowest bits."""
    at = np.int64(point) + COLOR
    found = np.int64(board[at + AROUND[0]])
    found |= np.int64(board[at + AROUND[1]]) << 2
    found |= np.int64(board[at + AROUND[2]]) << 4
    found |= np.int64(board[at + AROUND[3]]) << 6
    found |= np.int64(board[at + AROUND[4]]) << 8
    found |= np.int64(board[at + AROUND[5]]) << 10
    found |= np.int64(board[at + AROUND[6]]) << 12
    found |= np.int64(board[at + AROUND[7]]) << 14
    return found


@kernel
def only_liberty(board: Words, root: int) -> int:
    """The liberty of a block that has no other one; PASS where it has several."""
    contacts = board[LIBERTIES + root]
    if contacts > 4:
        return PASS  # a point touches a block four times at most
    stone = np.int64(root)
    while True:
        for direction in range(4):
            cell = stone + step_to(direction)
            if board[COLOR + cell] == EMPTY:
                return cell if count_contacts(board, cell, root) == contacts else PASS
        stone = np.int64(board[NEXT + stone])
        if stone == root:
            return PASS


@inlined
def _gives_room(board: Words, point: int, color: int) -> bool:
    """Whether a stone on the only liberty of an own block seems to leave it more than one: it takes
    something, or has room of its own and by the blocks that it joins (a point that touches a block
    twice counts as two)."""
    if captures_any(board, point, color):
        return True
    room = np.int64(board[LIBERTIES + point])
    for direction in range(4):
        cell = np.int64(point) + step_to(direction)
        if board[COLOR + cell] == color:
            root = np.int64(board[BLOCK + cell])
            room += np.int64(board[LIBERTIES + root]) - count_contacts(board, point, root)
    return room >= 2


@kernel
def find_answer(board: Words, last: int, color: int) -> int:
    """Where `color` takes the block of the last move, or saves one of its own beside it that has a
    single liberty; PASS for nowhere."""
    if board[COLOR + last] == 3 - color:
        point = only_liberty(board, np.int64(board[BLOCK + last]))
        if point != PASS and is_sensible(board, point, color):
            return point
    for direction in range(4):
        cell = np.int64(last) + step_to(direction)
        if board[COLOR + cell] == color:
            point = only_liberty(board, np.int64(board[BLOCK + cell]))
            has_room = point != PASS and _gives_room(board, point, color)
            if has_room and is_sensible(board, point, color):
                return point
    return PASS


@inlined
def _draw_near(
    board: Words, last: int, color: int, guide: Guide, random: np.uint64
) -> tuple[int, np.uint64]:
    """(a move beside the last one, as likely as the guide says, or PASS for one elsewhere; new
    random state)."""
    total = np.int64(ELSEWHERE)
    chosen = np.int64(PASS)
    for step in AROUND:
        point = np.int64(last) + step
        if board[COLOR + point] != EMPTY or not is_sensible(board, point, color):
            continue
        weight = guide[color - 1][surroundings_of(board, point)]
        total += weight
        random = next_random(random)
        if index_from_random(random, total) < weight:
            chosen = point
    return chosen, random


@inlined
def draw_guided_move(
    board: Words, last: int, color: int, guide: Guide, random: np.uint64
) -> tuple[int, np.uint64]:
    """(a move of `color` after the last one, which may be PASS; new random state)."""
    point = PASS
    if last != PASS:
        random = next_random(random)
        if index_from_random(random, 256) < _ATTENTION:
            point = find_answer(board, last, color)
        if point == PASS:
            point, random = _draw_near(board, last, color, guide, random)
    if point == PASS:
        # What was drawn above has been looked at: it is not a random number any more.
        point, random = draw_move(board, color, next_random(random))
    return np.int64(point), random


@kernel
def play_guided_moves(
    board: Words, color: int, last: int, limit: int, guide: Guide, random: np.uint64
) -> np.uint64:
    """Plays such moves under simple ko, `color` first, after a move at `last`, until two passes or
    `limit` moves; returns the new random state. Hashes and history are not kept."""
    passes = 0
    moves = 0
    while passes < 2 and moves < limit:
        last, random = draw_guided_move(board, last, color, guide, random)
        if last == PASS:
            passes += 1
            board[KO] = PASS
        else:
            passes = 0
            place_stone(board, last, color)
        color = 3 - color
        moves += 1
    return random
