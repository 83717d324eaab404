# pyright: reportArgumentType=false, reportReturnType=false, reportCallIssue=false
"""Placing stones, capturing blocks and taking moves back: the board as kernels.

Every function works on one game's words (`state.py`), allocates nothing and raises nothing, so the
same source compiles for CPU and CUDA. `board` is a uint16 vector [WORDS], a point is an index into
the padded board, and a colour is BLACK or WHITE. Nothing here asks whether a move is legal.

Where a test of four neighbours would be four unpredictable branches it is written as one sum or
product. Steps to a neighbour are folded into the field's offset, so that every index is visibly a
sum of non-negative numbers and the compiler drops its check for negative indices. `np.int64` costs
nothing compiled; it keeps sums and products from overflowing when a kernel runs as plain Python.
"""

import numpy as np

from katachi._jit import inlined, kernel
from katachi.rules.color import EMPTY
from katachi.rules.point import PASS, STRIDE
from katachi.rules.state import (
    BLOCK,
    CAPTURED,
    COLOR,
    EMPTIES,
    EMPTY_COUNT,
    INDEX,
    KO,
    LIBERTIES,
    NEWEST,
    NEXT,
    PASSES,
    PAST,
    PLY,
    RECENT,
    RECENT_MOVES,
    STONES,
    TRACE,
    TRACE_CAPTURES,
    TRACE_COLOR,
    TRACE_INDEX,
    TRACE_JOINED,
    TRACE_JOINS,
    TRACE_KO,
    TRACE_LENGTHS,
    TRACE_OLDEST,
    TRACE_PASSES,
    TRACE_PAST,
    TRACE_POINT,
    TRACE_WORDS,
    BoardState,
    Words,
)

UP, LEFT, RIGHT, DOWN = -STRIDE, -1, 1, STRIDE


@inlined
def add_liberties_around(board: Words, point: int) -> None:
    """Gives a liberty to whatever lies on the four sides of a point that becomes empty."""
    board[LIBERTIES + board[point + (BLOCK + UP)]] += 1
    board[LIBERTIES + board[point + (BLOCK + LEFT)]] += 1
    board[LIBERTIES + board[point + (BLOCK + RIGHT)]] += 1
    board[LIBERTIES + board[point + (BLOCK + DOWN)]] += 1


@inlined
def take_liberties_around(board: Words, point: int) -> None:
    """Takes a liberty from whatever lies on the four sides of a point that is filled."""
    board[LIBERTIES + board[point + (BLOCK + UP)]] -= 1
    board[LIBERTIES + board[point + (BLOCK + LEFT)]] -= 1
    board[LIBERTIES + board[point + (BLOCK + RIGHT)]] -= 1
    board[LIBERTIES + board[point + (BLOCK + DOWN)]] -= 1


@inlined
def _swap_next(board: Words, a: int, b: int) -> None:
    """Makes one ring of two, or two of one."""
    after = board[NEXT + a]
    board[NEXT + a] = board[NEXT + b]
    board[NEXT + b] = after


@inlined
def _relabel(board: Words, first: int, root: int) -> None:
    """Writes `root` into every stone of the ring that starts at `first`."""
    stone = first
    while True:
        board[BLOCK + stone] = root
        stone = board[NEXT + stone]
        if stone == first:
            break


@inlined
def _note_join(board: Words, lost: int) -> None:
    """Writes into the trace what parting the block of `lost` again will need."""
    joins = board[TRACE_JOINS]
    at = TRACE_JOINED + 3 * joins
    board[at] = lost
    board[at + 1] = board[STONES + lost]
    board[at + 2] = board[LIBERTIES + lost]
    board[TRACE_JOINS] = joins + 1


@kernel
def join_blocks(board: Words, a: int, b: int) -> int:
    """Joins two blocks given by their roots; returns the root of the whole, the larger one's."""
    if board[STONES + a] < board[STONES + b]:
        a, b = b, a
    _relabel(board, b, a)
    board[STONES + a] += board[STONES + b]
    board[LIBERTIES + a] += board[LIBERTIES + b]
    _swap_next(board, a, b)
    _note_join(board, b)
    return a


@inlined
def _on_side(direction: int, above: int, left: int, right: int, below: int) -> int:
    """Of what lies around a point, that in direction 0, 1, 2 or 3."""
    if direction == 0:
        return above
    if direction == 1:
        return left
    return right if direction == 2 else below


@kernel
def _join_others(board: Words, root: int, above: int, left: int, right: int, below: int) -> int:
    # What is joined is looked for before it is joined, so that on a GPU the games which do so on
    # different sides do it together; so, too, for captures.
    direction = 0
    while direction < 4:
        other = _on_side(direction, above, left, right, below)
        while direction < 3 and (other == 0 or board[BLOCK + other] == root):
            direction += 1
            other = _on_side(direction, above, left, right, below)
        if other != 0 and board[BLOCK + other] != root:
            root = join_blocks(board, root, other)
        direction += 1
    return root


@inlined
def _connect(board: Words, point: int, above: int, left: int, right: int, below: int) -> int:
    """Connects a new stone with its own colour's blocks (roots, 0 for none); returns its root."""
    root = max(max(above, left), max(right, below))
    if root == 0:
        return point
    board[BLOCK + point] = root
    board[STONES + root] += 1
    board[LIBERTIES + root] += board[LIBERTIES + point]
    board[NEXT + point] = board[NEXT + root]
    board[NEXT + root] = point
    _note_join(board, point)
    others = above * (root - above) + left * (root - left)
    others += right * (root - right) + below * (root - below)
    if others != 0:
        root = _join_others(board, root, above, left, right, below)
    return root


@kernel
def capture_block(board: Words, root: int) -> None:
    """Lifts a block off the board; its stones become the last entries of EMPTIES."""
    first = board[EMPTY_COUNT]
    count = first
    board[CAPTURED + board[COLOR + root]] += board[STONES + root]
    stone = root
    while True:
        following = board[NEXT + stone]
        board[COLOR + stone] = EMPTY
        board[BLOCK + stone] = stone
        board[NEXT + stone] = stone
        board[LIBERTIES + stone] = 0
        board[STONES + stone] = 1
        board[EMPTIES + count] = stone
        board[INDEX + stone] = count
        count += 1
        stone = following
        if stone == root:
            break
    for index in range(first, count):
        add_liberties_around(board, board[EMPTIES + index])
    board[EMPTY_COUNT] = count
    captures = board[TRACE_CAPTURES]
    board[TRACE_LENGTHS + captures] = count - first
    board[TRACE_CAPTURES] = captures + 1


@inlined
def step_to(direction: int) -> int:
    """0, 1, 2, 3 as up, left, right, down."""
    if direction == 0:
        return UP
    if direction == 3:
        return DOWN
    return 2 * direction - 3


@inlined
def _dead_side(board: Words, point: int, enemy: int, direction: int) -> int:
    """The first side of a point, from this one on, where a block has no liberties; 4 for none."""
    while direction < 4:
        cell = np.int64(point) + step_to(direction)
        if board[COLOR + cell] == enemy and board[LIBERTIES + board[BLOCK + cell]] == 0:
            break
        direction += 1
    return direction


@kernel
def _capture_around(board: Words, point: int, enemy: int) -> None:
    direction = _dead_side(board, point, enemy, 0)
    while direction < 4:
        capture_block(board, board[BLOCK + np.int64(point) + step_to(direction)])
        direction = _dead_side(board, point, enemy, direction + 1)


@inlined
def _remove_from_empties(board: Words, point: int) -> None:
    last = board[EMPTY_COUNT] - 1
    index = board[INDEX + point]
    moved = board[EMPTIES + last]
    board[EMPTIES + index] = moved
    board[INDEX + moved] = index
    board[EMPTY_COUNT] = last
    board[TRACE_INDEX] = index


@inlined
def place_stone(board: Words, point: int, color: int) -> int:
    """Plays a stone on an empty point and captures; returns the root of its block. The captured
    stones are the last entries of EMPTIES. A block left without liberties (suicide) stays on the
    board: `play_move` removes it. Hashes, PLY and PASSES are not touched."""
    # One long function: split up, its parts would load the neighbours again after each store.
    enemy = 3 - color
    above = np.int64(board[point + (BLOCK + UP)])
    left = np.int64(board[point + (BLOCK + LEFT)])
    right = np.int64(board[point + (BLOCK + RIGHT)])
    below = np.int64(board[point + (BLOCK + DOWN)])
    color_above = board[point + (COLOR + UP)]
    color_left = board[point + (COLOR + LEFT)]
    color_right = board[point + (COLOR + RIGHT)]
    color_below = board[point + (COLOR + DOWN)]
    _remove_from_empties(board, point)
    board[COLOR + point] = color
    board[TRACE_POINT] = point
    board[TRACE_COLOR] = color
    board[TRACE_KO] = board[KO]
    board[TRACE_JOINS] = 0
    board[TRACE_CAPTURES] = 0
    board[LIBERTIES + above] -= 1
    board[LIBERTIES + left] -= 1
    board[LIBERTIES + right] -= 1
    board[LIBERTIES + below] -= 1
    # A factor is zero when that neighbour is an enemy stone without liberties.
    any_dead = (
        np.int64(board[LIBERTIES + above] | (color_above ^ enemy))
        * np.int64(board[LIBERTIES + left] | (color_left ^ enemy))
        * np.int64(board[LIBERTIES + right] | (color_right ^ enemy))
        * np.int64(board[LIBERTIES + below] | (color_below ^ enemy))
    ) == 0
    root = _connect(
        board,
        point,
        above * (color_above == color),
        left * (color_left == color),
        right * (color_right == color),
        below * (color_below == color),
    )
    ko = PASS
    if any_dead:
        before = board[EMPTY_COUNT]
        _capture_around(board, point, enemy)
        taken = board[EMPTY_COUNT] - before
        if taken == 1 and board[STONES + root] == 1 and board[LIBERTIES + root] == 1:
            ko = board[EMPTIES + before]
    board[KO] = ko
    return root


@kernel
def place_stones(board: Words, points: Words, colors: Words) -> None:
    """Sets up stones one after another. If every block of the whole has a liberty, then so has
    every block on the way and nothing is captured; otherwise CAPTURED or a suicide shows it."""
    for index in range(len(points)):
        point = points[index]
        board[PAST + point] |= colors[index]
        root = place_stone(board, point, colors[index])
        if board[LIBERTIES + root] == 0:
            capture_block(board, root)
    board[KO] = PASS


@inlined
def _note_move(board: Words, point: int) -> None:
    """Keeps a move among the recent ones; the oldest goes to the trace."""
    newest = (board[NEWEST] + 1) % RECENT_MOVES
    board[NEWEST] = newest
    board[TRACE_OLDEST] = board[RECENT + newest]
    board[RECENT + newest] = point


@inlined
def _forget_move(board: Words) -> None:
    """Undoes the last `_note_move`, whose trace is in place."""
    newest = board[NEWEST]
    board[RECENT + newest] = board[TRACE_OLDEST]
    board[NEWEST] = (newest + RECENT_MOVES - 1) % RECENT_MOVES


@kernel
def play_move(state: BoardState, point: int, color: int) -> None:
    """Plays a legal move or pass by `color` on one game and records the new position's hash, for
    which the caller has left room in `hashes`."""
    board = state.words
    ply = board[PLY]
    position = state.hashes[ply] & ~np.uint64(1)
    board[TRACE_PASSES] = board[PASSES]
    _note_move(board, point)
    if point == PASS:
        board[TRACE_POINT] = PASS
        board[TRACE_KO] = board[KO]
        board[TRACE_JOINS] = 0
        board[TRACE_CAPTURES] = 0
        board[KO] = PASS
        board[PASSES] += 1
    else:
        board[PASSES] = 0
        board[TRACE_PAST] = board[PAST + point]
        board[PAST + point] |= color
        before = board[EMPTY_COUNT] - 1
        root = place_stone(board, point, color)
        position ^= state.keys[color, point]
        removed = 3 - color
        if board[LIBERTIES + root] == 0:
            capture_block(board, root)
            removed = color
        for index in range(before, board[EMPTY_COUNT]):
            position ^= state.keys[removed, board[EMPTIES + index]]
    board[PLY] = ply + 1
    state.hashes[ply + 1] = position | np.uint64(color == 1)


@kernel
def _restore_block(board: Words, length: int, color: int) -> None:
    """Puts the last `length` entries of EMPTIES back on the board as the block they were."""
    end = board[EMPTY_COUNT]
    first = end - length
    root = board[EMPTIES + first]
    for index in range(first, end):
        take_liberties_around(board, board[EMPTIES + index])
    for index in range(first, end):
        stone = board[EMPTIES + index]
        following = root
        if index + 1 < end:
            following = board[EMPTIES + index + 1]
        board[COLOR + stone] = color
        board[BLOCK + stone] = root
        board[NEXT + stone] = following
    board[STONES + root] = length
    board[LIBERTIES + root] = 0
    board[CAPTURED + color] -= length
    board[EMPTY_COUNT] = first


@kernel
def _part_blocks(board: Words, point: int) -> None:
    """Undoes the joins of the last stone, the latest first."""
    for join in range(board[TRACE_JOINS], 0, -1):
        at = TRACE_JOINED + 3 * (join - 1)
        lost = board[at]
        root = board[BLOCK + point]
        _swap_next(board, root, lost)
        _relabel(board, lost, lost)
        board[STONES + lost] = board[at + 1]
        board[LIBERTIES + lost] = board[at + 2]
        board[STONES + root] -= board[at + 1]
        board[LIBERTIES + root] -= board[at + 2]


@inlined
def _return_to_empties(board: Words, point: int) -> None:
    last = board[EMPTY_COUNT]
    index = board[TRACE_INDEX]
    if index != last:  # the point was not the last entry: another one took its place
        moved = board[EMPTIES + index]
        board[EMPTIES + last] = moved
        board[INDEX + moved] = last
    board[EMPTIES + index] = point
    board[INDEX + point] = index
    board[EMPTY_COUNT] = last + 1


@kernel
def lift_stone(board: Words) -> None:
    """Takes back the last `place_stone` (and suicide) exactly, also the order of EMPTIES, which
    nothing may have shuffled in between."""
    point = board[TRACE_POINT]
    color = board[TRACE_COLOR]
    removed = 3 - color
    if board[COLOR + point] == EMPTY:
        removed = color
    for capture in range(board[TRACE_CAPTURES], 0, -1):
        _restore_block(board, board[TRACE_LENGTHS + capture - 1], removed)
    _part_blocks(board, point)
    board[COLOR + point] = EMPTY
    add_liberties_around(board, point)
    _return_to_empties(board, point)
    board[KO] = board[TRACE_KO]


@kernel
def take_back_move(state: BoardState, trace: Words) -> None:
    """Takes back the last `play_move`; `trace` [TRACE_WORDS] is what it left at TRACE."""
    board = state.words
    for word in range(TRACE_WORDS):
        board[TRACE + word] = trace[word]
    _forget_move(board)
    if board[TRACE_POINT] == PASS:
        board[KO] = board[TRACE_KO]
    else:
        lift_stone(board)
        board[PAST + board[TRACE_POINT]] = board[TRACE_PAST]
    board[PASSES] = board[TRACE_PASSES]
    board[PLY] -= 1
