# pyright: reportArgumentType=false, reportReturnType=false, reportCallIssue=false
"""Whether a move may be played: occupied, suicide, ko, superko; and simple eyes.

Kernels that only read. `board` is one game's words, `state` one game with its history.
"""

import numpy as np

from katachi._jit import inlined, kernel
from katachi.rules.color import EDGE, EMPTY
from katachi.rules.kernels import DOWN, LEFT, RIGHT, UP, play_move, step_to
from katachi.rules.point import PASS, STRIDE
from katachi.rules.ruleset import KoRule
from katachi.rules.state import (
    BLOCK,
    CAPTURED,
    COLOR,
    KO,
    LIBERTIES,
    NEXT,
    PAST,
    PLY,
    SIZE,
    TRACE,
    TRACE_WORDS,
    BoardState,
    Words,
)

LEGAL, OCCUPIED, SUICIDE, KO_RETAKE, REPETITION, OFF_BOARD = 0, 1, 2, 3, 4, 5
REASONS = ("legal", "occupied", "suicide", "ko", "superko", "off board")
"""What each verdict of `judge_move` is called."""

_SITUATIONAL = int(KoRule.SITUATIONAL)
_SIMPLE = int(KoRule.SIMPLE)
# Weight of a diagonal neighbour by colour, four bits each: an enemy stone 4, the edge 1. A sum of
# at most 4 is no enemy at all, or one enemy away from the edge.
_BLACK_EYE_WEIGHTS = 0x1400
_WHITE_EYE_WEIGHTS = 0x1040


@inlined
def _weight(board: Words, weights: int, cell: int) -> int:
    return (weights >> (board[cell] * 4)) & 15


@inlined
def is_eye(board: Words, point: int, color: int) -> bool:
    """Whether an empty point is a simple eye of `color`.

    Its neighbours are all own stones, and enemy stones stand on fewer than two of its diagonals
    (on none where the point is at the edge).
    """
    around = (
        board[point + (COLOR + UP)]
        & board[point + (COLOR + LEFT)]
        & board[point + (COLOR + RIGHT)]
        & board[point + (COLOR + DOWN)]
    )
    if around & color == 0:
        return False
    weights = _BLACK_EYE_WEIGHTS if color == 1 else _WHITE_EYE_WEIGHTS
    return (
        _weight(board, weights, point + (COLOR + UP + LEFT))
        + _weight(board, weights, point + (COLOR + UP + RIGHT))
        + _weight(board, weights, point + (COLOR + DOWN + LEFT))
        + _weight(board, weights, point + (COLOR + DOWN + RIGHT))
    ) <= 4


@inlined
def _rescue(board: Words, color: int, side: int, block: int, shared: int) -> int:
    """Positive when a neighbouring block saves a stone of `color`: friend with another liberty, or
    enemy that this point leaves with none. `shared` is how often the block touches the point."""
    spare = board[LIBERTIES + block] - shared
    return int(side == color) * spare + int(side == 3 - color) * int(spare == 0)


@kernel
def survives_inside(board: Words, point: int, color: int) -> bool:
    """Whether a stone on an empty point without empty neighbours would have a liberty."""
    above = board[point + (BLOCK + UP)]
    left = board[point + (BLOCK + LEFT)]
    right = board[point + (BLOCK + RIGHT)]
    below = board[point + (BLOCK + DOWN)]
    above_left = int(above == left)
    above_right = int(above == right)
    above_below = int(above == below)
    left_right = int(left == right)
    left_below = int(left == below)
    right_below = int(right == below)
    shared_above = 1 + above_left + above_right + above_below
    shared_left = 1 + above_left + left_right + left_below
    shared_right = 1 + above_right + left_right + right_below
    shared_below = 1 + above_below + left_below + right_below
    return (
        _rescue(board, color, board[point + (COLOR + UP)], above, shared_above)
        + _rescue(board, color, board[point + (COLOR + LEFT)], left, shared_left)
        + _rescue(board, color, board[point + (COLOR + RIGHT)], right, shared_right)
        + _rescue(board, color, board[point + (COLOR + DOWN)], below, shared_below)
    ) > 0


@inlined
def has_liberty_after(board: Words, point: int, color: int) -> bool:
    """Whether a stone of `color` on this empty point would have a liberty, captures included."""
    return board[LIBERTIES + point] > 0 or survives_inside(board, point, color)


@inlined
def is_retake(board: Words, point: int, color: int) -> bool:
    """Whether this would at once retake a stone that has just taken a single one."""
    return board[KO] == point and not _touches(board, point, color)


@inlined
def _touches(board: Words, point: int, color: int) -> bool:
    """Whether a stone of `color` stands beside the point."""
    return (
        board[point + (COLOR + UP)] == color
        or board[point + (COLOR + LEFT)] == color
        or board[point + (COLOR + RIGHT)] == color
        or board[point + (COLOR + DOWN)] == color
    )


@inlined
def count_contacts(board: Words, point: int, block: int) -> int:
    """How many of the point's neighbours belong to a block."""
    return (
        int(board[point + (BLOCK + UP)] == block)
        + int(board[point + (BLOCK + LEFT)] == block)
        + int(board[point + (BLOCK + RIGHT)] == block)
        + int(board[point + (BLOCK + DOWN)] == block)
    )


@inlined
def captures_any(board: Words, point: int, color: int) -> bool:
    """Whether a stone of `color` on this empty point would take a block: an enemy neighbour has
    no liberty but the point, which it touches as often as it has liberties."""
    enemy = 3 - color
    above = board[point + (BLOCK + UP)]
    left = board[point + (BLOCK + LEFT)]
    right = board[point + (BLOCK + RIGHT)]
    below = board[point + (BLOCK + DOWN)]
    above_left = int(above == left)
    above_right = int(above == right)
    above_below = int(above == below)
    left_right = int(left == right)
    left_below = int(left == below)
    right_below = int(right == below)
    dead_above = board[LIBERTIES + above] == 1 + above_left + above_right + above_below
    dead_left = board[LIBERTIES + left] == 1 + above_left + left_right + left_below
    dead_right = board[LIBERTIES + right] == 1 + above_right + left_right + right_below
    dead_below = board[LIBERTIES + below] == 1 + above_below + left_below + right_below
    return (
        int(dead_above) * int(board[point + (COLOR + UP)] == enemy)
        + int(dead_left) * int(board[point + (COLOR + LEFT)] == enemy)
        + int(dead_right) * int(board[point + (COLOR + RIGHT)] == enemy)
        + int(dead_below) * int(board[point + (COLOR + DOWN)] == enemy)
    ) > 0


@kernel
def _hash_of_block(state: BoardState, root: int) -> np.uint64:
    board = state.words
    color = board[COLOR + root]
    total = np.uint64(0)
    stone = root
    while True:
        total ^= state.keys[color, stone]
        stone = board[NEXT + stone]
        if stone == root:
            return total


@kernel
def _hash_of_neighbors(state: BoardState, point: int, color: int, last: int) -> np.uint64:
    """Keys of the neighbouring blocks of `color` whose only liberty is the point.

    With `last` 0 it takes all of that colour's neighbouring blocks.
    """
    board = state.words
    total = np.uint64(0)
    for direction in range(4):
        neighbor = np.int64(point) + step_to(direction)
        root = board[BLOCK + neighbor]
        if board[COLOR + neighbor] != color:
            continue
        seen = False
        for earlier in range(direction):
            seen = seen or board[BLOCK + np.int64(point) + step_to(earlier)] == root
        dying = board[LIBERTIES + root] == count_contacts(board, point, root)
        if not seen and (last == 0 or dying):
            total ^= _hash_of_block(state, root)
    return total


@kernel
def hash_after(state: BoardState, point: int, color: int) -> np.uint64:
    """The hash of the position that a move by `color` would make, its side bit included."""
    board = state.words
    total = state.hashes[board[PLY]] & ~np.uint64(1)
    if has_liberty_after(board, point, color):
        total ^= state.keys[color, point] ^ _hash_of_neighbors(state, point, 3 - color, 1)
    else:
        total ^= _hash_of_neighbors(state, point, color, 0)
    return total | np.uint64(color == 1)


@kernel
def repeats_position(state: BoardState, point: int, color: int, ko_rule: int) -> bool:
    """Whether the move would recreate an earlier position (by superko rule `ko_rule`).

    A repeated position has this stone in it, so a stone of this colour has stood here before and
    was captured: two cheap tests that spare nearly every search of the history. Only a suicide,
    which leaves no stone here, must always be searched.
    """
    board = state.words
    if board[CAPTURED + 1] + board[CAPTURED + 2] == 0 or board[PAST + point] & color == 0:
        if has_liberty_after(board, point, color):
            return False
    ignored = np.uint64(ko_rule != _SITUATIONAL)
    sought = hash_after(state, point, color) | ignored
    found = False
    for ply in range(board[PLY] + 1):
        found |= (state.hashes[ply] | ignored) == sought
    return found


@kernel
def judge_move(state: BoardState, point: int, color: int, ko_rule: int, suicide: bool) -> int:
    """LEGAL, or the code of the first rule that a move by `color` breaks. A pass is legal."""
    board = state.words
    if point == PASS:
        return LEGAL
    if board[COLOR + point] != EMPTY:
        return OFF_BOARD if board[COLOR + point] == EDGE else OCCUPIED
    if not has_liberty_after(board, point, color):
        if not suicide:
            return SUICIDE
        if ko_rule == _SIMPLE and not _touches(board, point, color):
            return SUICIDE
    if is_retake(board, point, color):
        return KO_RETAKE
    if ko_rule != _SIMPLE and repeats_position(state, point, color, ko_rule):
        return REPETITION
    return LEGAL


@kernel
def try_move(
    state: BoardState, point: int, color: int, ko_rule: int, suicide: bool, traces: Words
) -> int:
    """Judges a move and plays it if it is LEGAL; returns the verdict.

    What taking it back needs is kept in traces [H, TRACE_WORDS] at the ply it was played at.
    """
    verdict = judge_move(state, point, color, ko_rule, suicide)
    if verdict == LEGAL:
        ply = state.words[PLY]
        play_move(state, point, color)
        for word in range(TRACE_WORDS):
            traces[ply, word] = state.words[TRACE + word]
    return verdict


@kernel
def list_legal_moves(
    state: BoardState, color: int, ko_rule: int, suicide: bool, moves: Words
) -> int:
    """Writes the legal points (no pass) into `moves`, row by row; returns how many there are."""
    size = state.words[SIZE]
    count = 0
    for row in range(1, size + 1):
        for point in range(row * STRIDE + 1, row * STRIDE + size + 1):
            if judge_move(state, point, color, ko_rule, suicide) == LEGAL:
                moves[count] = point
                count += 1
    return count


@inlined
def _first_contact(board: Words, point: int, root: int) -> int:
    """The first neighbour of a point that belongs to the block (there must be one)."""
    if board[point + (BLOCK + UP)] == root:
        return point - STRIDE
    if board[point + (BLOCK + LEFT)] == root:
        return point - 1
    if board[point + (BLOCK + RIGHT)] == root:
        return point + 1
    return point + STRIDE


@inlined
def _is_counted_from(board: Words, stone: int, point: int, root: int) -> int:
    """1 if the point is a liberty of the block and `stone` is the first of it that it touches."""
    return int(board[COLOR + point] == EMPTY and _first_contact(board, point, root) == stone)


@kernel
def count_liberties(board: Words, stone: int) -> int:
    """The exact number of liberties of the block that a stone belongs to.

    An empty point that touches the block several times is counted only from the first of its
    neighbours, so no marks are needed.
    """
    root = board[BLOCK + stone]
    total = 0
    member = root
    while True:
        total += _is_counted_from(board, member, member - STRIDE, root)
        total += _is_counted_from(board, member, member - 1, root)
        total += _is_counted_from(board, member, member + 1, root)
        total += _is_counted_from(board, member, member + STRIDE, root)
        member = board[NEXT + member]
        if member == root:
            return total


@inlined
def count_blocks_beside(board: Words, point: int, color: int) -> int:
    """How many different blocks of a colour touch the point."""
    above = board[point + (BLOCK + UP)] * (board[point + (COLOR + UP)] == color)
    left = board[point + (BLOCK + LEFT)] * (board[point + (COLOR + LEFT)] == color)
    right = board[point + (BLOCK + RIGHT)] * (board[point + (COLOR + RIGHT)] == color)
    below = board[point + (BLOCK + DOWN)] * (board[point + (COLOR + DOWN)] == color)
    return (
        int(above != 0)
        + int(left != 0) * int(left != above)
        + int(right != 0) * int(right != above) * int(right != left)
        + int(below != 0) * int(below != above) * int(below != left) * int(below != right)
    )
