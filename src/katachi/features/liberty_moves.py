# pyright: reportArgumentType=false, reportReturnType=false, reportCallIssue=false
"""Liberty shapes followed through a game.

A move changes the liberties of blocks, and with them windows far from it; but only those that are
tight: outside them a block has few liberties (`LibertyTracker.tight`).

A move is *staged* on the board before it is made: the cells that it changes are rewritten and
noted in a journal. Then it is kept, or weighed (`liberty_gains`) and taken back. Suicide is not
followed. In the example of `liberty_tracker`, staging White A1 notes that A2 was 2 and writes 1.
"""

import numpy as np

from katachi._jit import inlined, kernel
from katachi.features.liberty_tables import LibertyTables
from katachi.features.liberty_tracker import (
    AFTER,
    ATTACKED,
    BOTH,
    CHANGED,
    FREED,
    JOINED,
    MEMBERS,
    NOTED,
    NOTHING,
    POINT,
    SERIAL,
    UNKNOWN,
    VIEW,
    LibertyTracker,
    change_keys,
    find_weights,
    liberty_state,
    list_tight,
    use_found,
)
from katachi.features.masks import (
    add_bit,
    clear_row,
    copy_row,
    count_outside,
    has_bit,
    is_empty_row,
    next_bit,
    remove_bit,
    unite_rows,
)
from katachi.features.shape_tables import ORIENTATIONS, ShapeTables
from katachi.features.units import Weights
from katachi.rules.color import EMPTY
from katachi.rules.kernels import DOWN, LEFT, RIGHT, UP
from katachi.rules.state import BLOCK, COLOR, NEXT, Words


@inlined
def _mark_window(tables: LibertyTables, tracker: LibertyTracker, window: int) -> None:
    """Notes that the staged move changes a window."""
    counts = tracker.counts
    if tracker.stamp[window] != counts[SERIAL]:
        tracker.stamp[window] = counts[SERIAL]
        tracker.changed[counts[CHANGED], 0] = window
        counts[CHANGED] += 1
        if counts[VIEW] != BOTH:
            windows = len(tables.window)
            for orientation in range(ORIENTATIONS):
                key = tracker.keys[counts[VIEW] * windows + window, orientation]
                tracker.keys[2 * windows + window, orientation] = key


@inlined
def _set_cell(
    tables: LibertyTables, tracker: LibertyTracker, window: int, cell: int, state: int
) -> None:
    """Stages another state of a cell."""
    before = np.int64(tracker.state[cell])
    if before == state:
        return
    counts = tracker.counts
    tracker.journal[counts[NOTED], 0] = cell
    tracker.journal[counts[NOTED], 1] = before
    counts[NOTED] += 1
    tracker.state[cell] = state
    _mark_window(tables, tracker, window)
    windows = len(tables.window)
    change = 8 * before + state
    if counts[VIEW] != BOTH:
        change_keys(tables, tracker, 2 * windows + window, counts[VIEW], cell, change)
    else:
        change_keys(tables, tracker, window, 0, cell, change)
        change_keys(tables, tracker, windows + window, 1, cell, change)


@inlined
def _note_block(tracker: LibertyTracker, kind: int, root: int) -> bool:
    """Notes a block among those of its kind; whether it is new there."""
    for number in range(tracker.counts[kind]):
        if tracker.blocks[kind - JOINED, number] == root:
            return False
    tracker.blocks[kind - JOINED, tracker.counts[kind]] = root
    tracker.counts[kind] += 1
    return True


@inlined
def begin_staging(
    board: Words, tables: LibertyTables, tracker: LibertyTracker, point: int, color: int
) -> None:
    """Makes the new block of its friends, and takes the point from its enemies."""
    for kind in (CHANGED, NOTED, JOINED, ATTACKED, FREED):
        tracker.counts[kind] = 0
    tracker.counts[SERIAL] += 1
    tracker.counts[POINT] = point
    masks = tracker.masks
    clear_row(masks, AFTER + point)
    clear_row(masks, MEMBERS + point)
    add_bit(masks, MEMBERS + point, tables.bit[point])
    for step in (UP, LEFT, RIGHT, DOWN):
        beside = board[COLOR + point + step]
        root = np.int64(board[BLOCK + point + step])
        if beside == EMPTY:
            add_bit(masks, AFTER + point, tables.bit[point + step])
        elif beside == color and _note_block(tracker, JOINED, root):
            unite_rows(masks, AFTER + point, masks, root)
            unite_rows(masks, MEMBERS + point, masks, MEMBERS + root)
        elif beside == 3 - color and _note_block(tracker, ATTACKED, root):
            copy_row(masks, root, masks, AFTER + root)
            remove_bit(masks, AFTER + root, tables.bit[point])
    remove_bit(masks, AFTER + point, tables.bit[point])


@inlined
def _free_stone(
    board: Words, tables: LibertyTables, tracker: LibertyTracker, point: int, stone: int
) -> None:
    """Gives a captured stone's point to the blocks of the mover beside it."""
    own = 3 - board[COLOR + stone]
    masks = tracker.masks
    for step in (UP, LEFT, RIGHT, DOWN):
        beside = np.int64(stone) + step
        is_own = board[COLOR + beside] == own
        if beside == point or (is_own and has_bit(masks, MEMBERS + point, tables.bit[beside])):
            add_bit(masks, AFTER + point, tables.bit[stone])
        elif is_own:
            root = np.int64(board[BLOCK + beside])
            if _note_block(tracker, FREED, root):
                copy_row(masks, root, masks, AFTER + root)
            add_bit(masks, AFTER + root, tables.bit[stone])


@inlined
def _stage_captures(
    board: Words, tables: LibertyTables, tracker: LibertyTracker, point: int
) -> None:
    """Lifts the enemy's blocks that have lost their last liberty."""
    for number in range(tracker.counts[ATTACKED]):
        root = np.int64(tracker.blocks[ATTACKED - JOINED, number])
        if not is_empty_row(tracker.masks, AFTER + root):
            continue
        stone = root
        while True:
            for k in range(tables.start[stone], tables.start[stone + 1]):
                _set_cell(tables, tracker, tables.touch[k, 0], tables.touch[k, 1], 0)
            _free_stone(board, tables, tracker, point, stone)
            stone = np.int64(board[NEXT + stone])
            if stone == root:
                break


@inlined
def _stage_block(
    tables: LibertyTables, tracker: LibertyTracker, window: int, block: int, color: int
) -> None:
    """Stages what a block's stones in a window carry after the move."""
    outside = count_outside(tracker.masks, AFTER + block, tables.mask, window)
    state = liberty_state(color, outside)
    for cell in range(tables.first_cell[window], tables.first_cell[window + 1]):
        if has_bit(tracker.masks, MEMBERS + block, tables.cell[cell, 0]):
            _set_cell(tables, tracker, window, cell, state)


@inlined
def row_after(kind: int, root: int, point: int) -> int:
    """The row of a block after the move: a block that it joins is then that of its point."""
    return point if kind == JOINED else root


@inlined
def color_of(kind: int, color: int) -> int:
    """The colour of blocks of a kind, if the move is one of `color`."""
    return 3 - color if kind == ATTACKED else color


@inlined
def _stage_far(tables: LibertyTables, tracker: LibertyTracker, point: int, color: int) -> None:
    """Stages what a move changes in windows that do not have its point."""
    for kind in range(JOINED, FREED + 1):
        for number in range(tracker.counts[kind]):
            root = np.int64(tracker.blocks[kind - JOINED, number])
            if is_empty_row(tracker.masks, AFTER + root) and kind == ATTACKED:
                continue
            block = row_after(kind, root, point)
            for k in range(1, np.int64(tracker.tight[root, 0]) + 1):
                window = np.int64(tables.cell[tracker.tight[root, k], 2])
                if not has_bit(tables.mask, window, tables.bit[point]):
                    _stage_block(tables, tracker, window, block, color_of(kind, color))


@kernel
def stage_whole(
    board: Words, tables: LibertyTables, tracker: LibertyTracker, point: int, color: int
) -> None:
    """Stages a move, begun by `begin_staging`, whatever it does."""
    _stage_captures(board, tables, tracker, point)
    for k in range(tables.start[point], tables.start[point + 1]):
        window = np.int64(tables.touch[k, 0])
        _stage_block(tables, tracker, window, point, color)
        for number in range(tracker.counts[FREED]):
            freed = np.int64(tracker.blocks[FREED - JOINED, number])
            _stage_block(tables, tracker, window, freed, color)
    _stage_far(tables, tracker, point, color)


@kernel
def stage_move(
    board: Words, tables: LibertyTables, tracker: LibertyTracker, point: int, color: int
) -> None:
    """Stages a move, no pass and no suicide, on the board before it; `keep_staged` must follow."""
    tracker.counts[VIEW] = BOTH
    begin_staging(board, tables, tracker, point, color)
    stage_whole(board, tables, tracker, point, color)


@inlined
def _forget_block(tables: LibertyTables, tracker: LibertyTracker, block: int) -> None:
    """Makes the gains of a block's cells unknown: it was several blocks."""
    bit = next_bit(tracker.masks, MEMBERS + block, 0)
    while bit >= 0:
        stone = tables.points[bit]
        for k in range(tables.start[stone], tables.start[stone + 1]):
            tracker.gains[0, tables.touch[k, 1]] = UNKNOWN
            tracker.gains[1, tables.touch[k, 1]] = UNKNOWN
        bit = next_bit(tracker.masks, MEMBERS + block, bit + 1)


@inlined
def keep_staged(board: Words, tables: LibertyTables, tracker: LibertyTracker) -> None:
    """Keeps the staged move, which has now been made on the board; `use_changed` must follow."""
    point = tracker.counts[POINT]
    root = np.int64(board[BLOCK + point])
    copy_row(tracker.masks, AFTER + point, tracker.masks, AFTER + root)
    copy_row(tracker.masks, MEMBERS + point, tracker.masks, MEMBERS + root)
    if tracker.counts[JOINED] > 1:
        _forget_block(tables, tracker, root)
    tracker.blocks[0, 0] = root
    tracker.counts[JOINED] = 1
    for kind in range(JOINED, FREED + 1):
        for number in range(tracker.counts[kind]):
            block = np.int64(tracker.blocks[kind - JOINED, number])
            copy_row(tracker.masks, AFTER + block, tracker.masks, block)
            if board[COLOR + block] != EMPTY:
                list_tight(tables, tracker, block)


@inlined
def use_changed(tables: ShapeTables, tracker: LibertyTracker, view: int, theta: Weights) -> None:
    """Lets a view use the weights of the windows that the staged move has changed."""
    liberty = tables.liberty
    windows = len(liberty.window)
    for number in range(tracker.counts[CHANGED]):
        window = tracker.changed[number, 0]
        find_weights(tables, tracker, view * windows + window, NOTHING, window)
        for cell in range(liberty.first_cell[window], liberty.first_cell[window + 1]):
            tracker.gains[view, cell] = UNKNOWN
    for number in range(tracker.counts[CHANGED]):
        window = tracker.changed[number, 0]
        tracker.totals[view] += use_found(tables, tracker, view, window, theta)
