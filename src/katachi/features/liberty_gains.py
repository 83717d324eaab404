# pyright: reportArgumentType=false, reportReturnType=false, reportCallIssue=false
"""What moves add to the value of liberty shapes.

A move that captures is staged, weighed and taken back. Any other is weighed window by window: what
a window gains is remembered until the window changes, so that most are known from other moves.
"""

import numpy as np

from katachi._jit import inlined, kernel
from katachi.features.liberty_moves import begin_staging, color_of, row_after, stage_whole
from katachi.features.liberty_tables import LibertyTables
from katachi.features.liberty_tracker import (
    AFTER,
    ATTACKED,
    CHANGED,
    JOINED,
    MEMBERS,
    NOTED,
    NOTHING,
    NOWHERE,
    ONLY_THE_STONE,
    SERIAL,
    SEVERAL,
    VIEW,
    LibertyTracker,
    change_keys,
    find_weights,
    first_liberty_slot,
    key_row,
    liberty_state,
)
from katachi.features.masks import count_outside, has_bit, is_empty_row, rows_meet
from katachi.features.shape_tables import ORIENTATIONS, ShapeTables
from katachi.features.units import Sums, Weights
from katachi.rules.state import Words


@inlined
def _growth(
    tables: ShapeTables, tracker: LibertyTracker, view: int, theta: Weights, window: int
) -> int:
    """How much more a window would be worth to a view with the weights found for it."""
    liberty = tables.liberty
    before = first_liberty_slot(tables)
    growth = 0
    for slot in range(liberty.window[window, 0], liberty.window[window, 1]):
        growth += np.int64(theta[tracker.found[slot]]) - tracker.value[view, before + slot]
    return growth


@inlined
def _weigh_staged(tables: ShapeTables, tracker: LibertyTracker, view: int, theta: Weights) -> int:
    """What a staged move, shown to this view alone, adds to its sum; it is taken back."""
    gain = 0
    windows = len(tables.liberty.window)
    for number in range(tracker.counts[CHANGED]):
        window = tracker.changed[number, 0]
        find_weights(tables, tracker, 2 * windows + window, NOTHING, window)
        gain += _growth(tables, tracker, view, theta, window)
    for number in range(tracker.counts[NOTED] - 1, -1, -1):
        tracker.state[tracker.journal[number, 0]] = tracker.journal[number, 1]
    return gain


@inlined
def _is_capture(tracker: LibertyTracker) -> bool:
    for number in range(tracker.counts[ATTACKED]):
        root = np.int64(tracker.blocks[ATTACKED - JOINED, number])
        if is_empty_row(tracker.masks, AFTER + root):
            return True
    return False


@inlined
def _changes_friends(
    tables: LibertyTables, tracker: LibertyTracker, window: int, outside: int
) -> bool:
    """Whether stones that the move joins carry other liberties in a window than the new block."""
    for number in range(tracker.counts[JOINED]):
        root = np.int64(tracker.blocks[0, number])
        if rows_meet(tracker.masks, MEMBERS + root, tables.mask, window):
            if count_outside(tracker.masks, root, tables.mask, window) != outside:
                return True
    return False


@inlined
def _ask_for(tracker: LibertyTracker, window: int, place: int, block: int) -> None:
    """Notes that a window must be weighed (`LibertyTracker.changed`)."""
    number = tracker.counts[CHANGED]
    tracker.changed[number, 0] = window
    tracker.changed[number, 1] = place
    tracker.changed[number, 2] = block
    tracker.counts[CHANGED] = number + 1


@inlined
def _weigh_near(tables: ShapeTables, tracker: LibertyTracker, view: int, point: int) -> int:
    """The known gains of a move without captures in the windows that have its point."""
    liberty = tables.liberty
    windows = len(liberty.window)
    total = 0
    for k in range(liberty.start[point], liberty.start[point + 1]):
        window = np.int64(liberty.touch[k, 0])
        outside = count_outside(tracker.masks, AFTER + point, liberty.mask, window)
        if _changes_friends(liberty, tracker, window, outside):
            _ask_for(tracker, window, NOWHERE, point)
        else:
            cell = np.int64(liberty.touch[k, 1])
            gain = tracker.gains[view, cell]
            if gain & 3 == outside:
                total += gain >> 2
            else:
                stone = key_row(liberty, view, cell, liberty_state(view + 1, outside))
                find_weights(tables, tracker, view * windows + window, stone, window)
                _ask_for(tracker, window, 4 * cell + outside, ONLY_THE_STONE)
    return total


@inlined
def _note_change(tracker: LibertyTracker, window: int, place: int, block: int) -> None:
    """Notes that a block changes in a window; its stamp becomes negative if several do."""
    counts = tracker.counts
    is_new = abs(tracker.stamp[window]) != counts[SERIAL]
    tracker.stamp[window] = counts[SERIAL] if is_new else -counts[SERIAL]
    tracker.journal[counts[NOTED], 0] = place
    tracker.journal[counts[NOTED], 1] = block
    counts[NOTED] += 1


@inlined
def _note_far(tables: LibertyTables, tracker: LibertyTracker, point: int, color: int) -> None:
    """Notes the blocks that a move without captures changes in windows that do not have its
    point."""
    for kind in range(JOINED, ATTACKED + 1):
        for number in range(tracker.counts[kind]):
            root = np.int64(tracker.blocks[kind - JOINED, number])
            block = row_after(kind, root, point)
            for k in range(1, np.int64(tracker.tight[root, 0]) + 1):
                cell = np.int64(tracker.tight[root, k])
                window = np.int64(tables.cell[cell, 2])
                outside = count_outside(tracker.masks, AFTER + block, tables.mask, window)
                if tracker.state[cell] != liberty_state(color_of(kind, color), outside):
                    if not has_bit(tables.mask, window, tables.bit[point]):
                        _note_change(tracker, window, 4 * cell + outside, block)


@inlined
def _weigh_far(tables: LibertyTables, tracker: LibertyTracker, view: int) -> int:
    """The known gains of a move without captures in the windows that do not have its point."""
    total = 0
    for number in range(tracker.counts[NOTED]):
        place = np.int64(tracker.journal[number, 0])
        window = np.int64(tables.cell[place >> 2, 2])
        stamp = tracker.stamp[window]
        if stamp > 0:
            gain = tracker.gains[view, place >> 2]
            if gain & 3 == place & 3:
                total += gain >> 2
            else:
                _ask_for(tracker, window, place, np.int64(tracker.journal[number, 1]))
        elif stamp < 0:
            _ask_for(tracker, window, NOWHERE, SEVERAL)
            tracker.stamp[window] = 0
    return total


@inlined
def _change_scratch(
    tables: LibertyTables, tracker: LibertyTracker, view: int, window: int, block: int, color: int
) -> None:
    """Lets a window's scratch keys follow what a block's stones carry after the move."""
    row = 3 * len(tables.window)
    outside = count_outside(tracker.masks, AFTER + block, tables.mask, window)
    state = liberty_state(color, outside)
    for cell in range(tables.first_cell[window], tables.first_cell[window + 1]):
        before = np.int64(tracker.state[cell])
        if before != state and has_bit(tracker.masks, MEMBERS + block, tables.cell[cell, 0]):
            change_keys(tables, tracker, row, view, cell, 8 * before + state)


@inlined
def _compose_window(
    tables: LibertyTables, tracker: LibertyTracker, view: int, asked: int, move: Sums
) -> None:
    """Makes the scratch keys of a window that was asked for those of what it holds after the
    move."""
    window, block = tracker.changed[asked, 0], tracker.changed[asked, 2]
    windows = len(tables.window)
    for orientation in range(ORIENTATIONS):
        key = tracker.keys[view * windows + window, orientation]
        tracker.keys[3 * windows, orientation] = key
    for number in range(-1, tracker.counts[ATTACKED]):
        changing, color = move[0], move[1]
        if number >= 0:
            changing = np.int64(tracker.blocks[ATTACKED - JOINED, number])
            color = 3 - color
        if block == changing or block == SEVERAL:
            _change_scratch(tables, tracker, view, window, changing, color)


@inlined
def _weigh_plain(
    tables: ShapeTables, tracker: LibertyTracker, view: int, theta: Weights, move: Sums
) -> int:
    """What a move without captures, begun by `begin_staging`, adds to a view's sum."""
    liberty = tables.liberty
    gain = _weigh_near(tables, tracker, view, move[0])
    _note_far(liberty, tracker, move[0], move[1])
    gain += _weigh_far(liberty, tracker, view)
    windows = len(liberty.window)
    for number in range(tracker.counts[CHANGED]):
        if tracker.changed[number, 2] != ONLY_THE_STONE:
            _compose_window(liberty, tracker, view, number, move)
            window = tracker.changed[number, 0]
            find_weights(tables, tracker, 3 * windows, NOTHING, window)
    for number in range(tracker.counts[CHANGED]):
        growth = _growth(tables, tracker, view, theta, tracker.changed[number, 0])
        place = tracker.changed[number, 1]
        if place != NOWHERE:
            tracker.gains[view, place >> 2] = 4 * growth + (place & 3)
        gain += growth
    return gain


@kernel
def _weigh_capture(
    board: Words,
    tables: ShapeTables,
    tracker: LibertyTracker,
    view: int,
    theta: Weights,
    move: Sums,
) -> int:
    stage_whole(board, tables.liberty, tracker, move[0], move[1])
    return _weigh_staged(tables, tracker, view, theta)


@inlined
def liberty_gain(
    board: Words,
    tables: ShapeTables,
    tracker: LibertyTracker,
    view: int,
    theta: Weights,
    move: Sums,
) -> int:
    """What liberty shapes add to the sum of a view by a move of its own colour, no suicide;
    move = [point, colour, ..]. Nothing changes but what is known of gains."""
    tracker.counts[VIEW] = view
    begin_staging(board, tables.liberty, tracker, move[0], move[1])
    if _is_capture(tracker):
        return _weigh_capture(board, tables, tracker, view, theta, move)
    return _weigh_plain(tables, tracker, view, theta, move)
