# pyright: reportArgumentType=false, reportReturnType=false, reportCallIssue=false
"""What moves are worth to a follower of shapes: kernels between the rules and the tracker."""

import numpy as np
import numpy.typing as npt

from katachi._jit import inlined, kernel
from katachi.features.liberty_tracker import (
    LibertyTracker,
    first_liberty_slot,
    read_liberties,
    use_liberties,
)
from katachi.features.shape_tables import ShapeTables
from katachi.features.shape_tracker import (
    ShapeTracker,
    change_point,
    digit_of,
    gain_of_stone,
    lift_shapes,
    put_shapes_back,
    reset_view,
    shared_gain,
    sum_sets,
)
from katachi.features.units import LARGEST_WEIGHT, Counts, Sums, Weights
from katachi.rules.color import BLACK, EMPTY, WHITE
from katachi.rules.legality import captures_any, count_contacts, has_liberty_after
from katachi.rules.point import CELLS, STRIDE
from katachi.rules.state import (
    BLOCK,
    COLOR,
    EMPTIES,
    EMPTY_COUNT,
    LIBERTIES,
    NEXT,
    PLY,
    SIZE,
    BoardState,
    Words,
)

SIDES = (-STRIDE, -1, 1, STRIDE)


@inlined
def stone_change(color: int) -> int:
    """The `change` of `change_point` where a stone is put on an empty point."""
    return 3 * EMPTY + color


@inlined
def lifted_change(color: int) -> int:
    """The `change` of `change_point` where a stone is taken off."""
    return 3 * np.int64(color) + EMPTY


@inlined
def follow_stone(
    board: Words, tables: ShapeTables, tracker: ShapeTracker, view: int, theta: Weights, move: Sums
) -> None:
    """Lets a view follow a move already made: move = [point, colour, EMPTY_COUNT before it].

    The captured stones are the last entries of EMPTIES.
    """
    point, color, empties = move[0], move[1], move[2]
    change_point(tables, tracker, view, theta, point, stone_change(color))
    for index in range(empties - 1, board[EMPTY_COUNT]):
        stone = board[EMPTIES + index]
        change_point(tables, tracker, view, theta, stone, lifted_change(3 - color))


@inlined
def is_taken_beside(board: Words, point: int, color: int, step: int) -> bool:
    """Whether a stone of `color` on an empty point would take the block on this side of it, and
    no earlier one of the four sides belongs to the same block."""
    root = board[BLOCK + point + step]
    if board[COLOR + point + step] != 3 - color:
        return False
    if board[LIBERTIES + root] != count_contacts(board, point, root):
        return False
    for side in SIDES:
        if board[BLOCK + point + side] == root:
            return bool(side == step)
    return False


@inlined
def _lift_block(
    board: Words, tables: ShapeTables, tracker: ShapeTracker, view: int, theta: Weights, root: int
) -> int:
    """`lift_shapes` of every stone of a block; returns how much the view's sum grows."""
    growth = 0
    digit = digit_of(view, board[COLOR + root])
    stone = np.int64(root)
    while True:
        growth += lift_shapes(tables, tracker, view, theta, stone, digit)
        stone = np.int64(board[NEXT + stone])
        if stone == root:
            return growth


@inlined
def _put_block_back(
    board: Words, tables: ShapeTables, tracker: ShapeTracker, view: int, theta: Weights, root: int
) -> None:
    digit = digit_of(view, board[COLOR + root])
    stone = np.int64(root)
    while True:
        put_shapes_back(tables, tracker, view, theta, stone, digit)
        stone = np.int64(board[NEXT + stone])
        if stone == root:
            break


@kernel
def gain_of_capture(
    board: Words, tables: ShapeTables, tracker: ShapeTracker, view: int, theta: Weights, move: Sums
) -> int:
    """What the view's sum gains by a move that captures: the view reads the blocks that the move
    takes as if they were gone, then the stone, and the board itself does not change. All lanes
    weigh the same move."""
    point, color = move[0], move[1]
    gain, taken = 0, 0
    for step in SIDES:
        taken *= 2
        if is_taken_beside(board, point, color, step):
            taken += 1
            root = np.int64(board[BLOCK + point + step])
            gain += _lift_block(board, tables, tracker, view, theta, root)
    gain += shared_gain(tables, tracker, view, theta, point)
    for step in SIDES:
        taken *= 2
        if taken & (1 << len(SIDES)):
            root = np.int64(board[BLOCK + point + step])
            _put_block_back(board, tables, tracker, view, theta, root)
    return gain


@inlined
def gain_of_move(
    board: Words, tables: ShapeTables, tracker: ShapeTracker, view: int, theta: Weights, move: Sums
) -> int:
    """What the view's sum gains by a legal move of its own colour that is no suicide,
    move = [point, colour, ..].

    The tracker is as before when it returns.
    """
    if captures_any(board, move[0], move[1]):
        return gain_of_capture(board, tables, tracker, view, theta, move)
    return gain_of_stone(tables, tracker, view, theta, move[0])


@inlined
def is_suicide(board: Words, point: int, color: int) -> bool:
    """Whether a stone of `color` on an empty point would itself be taken off, with its block."""
    return not has_liberty_after(board, point, color)


@kernel
def gain_of_suicide(
    board: Words, tables: ShapeTables, tracker: ShapeTracker, view: int, theta: Weights, move: Sums
) -> int:
    """As `gain_of_move` of a suicide: the stone does not stay, and own blocks beside it, which the
    other colour could take there, are gone."""
    point, taker = move[0], 3 - move[1]
    gain = 0
    for step in SIDES:
        if is_taken_beside(board, point, taker, step):
            root = np.int64(board[BLOCK + point + step])
            gain += _lift_block(board, tables, tracker, view, theta, root)
    for step in SIDES:
        if is_taken_beside(board, point, taker, step):
            root = np.int64(board[BLOCK + point + step])
            _put_block_back(board, tables, tracker, view, theta, root)
    return gain


@kernel
def sync_view(
    board: Words,
    tables: ShapeTables,
    tracker: ShapeTracker,
    view: int,
    theta: Weights,
    colors: npt.NDArray[np.uint8],
) -> None:
    """Lets a view that stands at the position `colors` [CELLS] follow to the board's position;
    `colors` then holds it. A position costs the points in which it differs."""
    size = board[SIZE]
    for row in range(1, size + 1):
        for point in range(row * STRIDE + 1, row * STRIDE + size + 1):
            color = board[COLOR + point]
            if color != colors[point]:
                change = 3 * np.int64(colors[point]) + color
                change_point(tables, tracker, view, theta, point, change)
                colors[point] = color


@inlined
def last_mover(state: BoardState) -> int:
    """The colour that moved last (of a game without moves: White): it judges the position."""
    return BLACK if state.hashes[state.words[PLY]] & np.uint64(1) else WHITE


@kernel
def sum_shapes(
    states: BoardState,
    tables: ShapeTables,
    tracker: ShapeTracker,
    theta: Weights,
    colors: npt.NDArray[np.uint8],
    logits: Sums,
) -> None:
    """Writes each set's sum as the last mover sees it into logits [B, sets], for B positions; zero
    for a liberty set.

    colors is scratch [2, CELLS].
    """
    for view in range(2):
        reset_view(tables, tracker, view, theta)
        for cell in range(CELLS):
            colors[view, cell] = EMPTY
    for index in range(len(states.words)):
        board = states.words[index]
        view = last_mover(BoardState(board, states.hashes[index], states.keys)) - BLACK
        sync_view(board, tables, tracker, view, theta, colors[view])
        sum_sets(tables, tracker, view, logits[index])


@kernel
def nudge_shapes(
    states: BoardState,
    tables: ShapeTables,
    tracker: ShapeTracker,
    theta: Weights,
    seen: Counts,
    steps: Sums,
) -> None:
    """Adds steps [B, sets] to the weights of the shapes in each of B positions, as often as they
    occur in it, liberty sets left out. The positions are read again, one by one."""
    for index in range(len(states.words)):
        board = states.words[index]
        view = last_mover(BoardState(board, states.hashes[index], states.keys)) - BLACK
        reset_view(tables, tracker, view, theta)
        for at in range(board[SIZE] * board[SIZE]):
            point = STRIDE + 1 + at // board[SIZE] * STRIDE + at % board[SIZE]
            change_point(tables, tracker, view, theta, point, np.int64(board[COLOR + point]))
        for slot in range(first_liberty_slot(tables)):
            weight = tracker.used[view, slot]
            value = theta[weight] + steps[index, tables.slot_set[slot]]
            theta[weight] = min(max(value, -LARGEST_WEIGHT), LARGEST_WEIGHT)
            seen[weight] += np.uint64(1)


@kernel
def sum_liberty_shapes(
    states: BoardState,
    tables: ShapeTables,
    tracker: LibertyTracker,
    theta: Weights,
    logits: Sums,
) -> None:
    """Adds what `sum_shapes` leaves out: the sums of the liberty sets."""
    for index in range(len(states.words)):
        board = states.words[index]
        view = last_mover(BoardState(board, states.hashes[index], states.keys)) - BLACK
        read_liberties(board, tables.liberty, tracker)
        use_liberties(tables, tracker, view, theta)
        for slot in range(first_liberty_slot(tables), len(tables.slot_set)):
            logits[index, tables.slot_set[slot]] += tracker.value[view, slot]


@kernel
def nudge_liberty_shapes(
    states: BoardState,
    tables: ShapeTables,
    tracker: LibertyTracker,
    theta: Weights,
    seen: Counts,
    steps: Sums,
) -> None:
    """Does what `nudge_shapes` leaves out: the same for the liberty sets."""
    for index in range(len(states.words)):
        board = states.words[index]
        view = last_mover(BoardState(board, states.hashes[index], states.keys)) - BLACK
        read_liberties(board, tables.liberty, tracker)
        use_liberties(tables, tracker, view, theta)
        for slot in range(first_liberty_slot(tables), len(tables.slot_set)):
            weight = tracker.used[view, slot]
            value = theta[weight] + steps[index, tables.slot_set[slot]]
            theta[weight] = min(max(value, -LARGEST_WEIGHT), LARGEST_WEIGHT)
            seen[weight] += np.uint64(1)
