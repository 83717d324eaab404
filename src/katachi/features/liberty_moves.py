# pyright: reportArgumentType=false, reportReturnType=false, reportCallIssue=false
"""Liberty shapes followed through a game.

A move changes the liberties of blocks, and with them windows far from it; but only those that are
tight: outside them a block has few liberties (`LibertyTracker.tight`).

A move is *staged* on the board before it is made: the cells that it changes are rewritten and
noted in a journal. Then it is weighed and taken back, or kept. Suicide is not followed.
"""

import numpy as np

from katachi._jit import inlined, kernel
from katachi.features.liberty_tables import COMPUTED, LibertyTables
from katachi.features.liberty_tracker import (
    AFTER,
    ATTACKED,
    BOTH,
    CHANGED,
    FREED,
    JOINED,
    MEMBERS,
    NOTED,
    NOWHERE,
    ONLY_THE_STONE,
    OWN_STATE,
    POINT,
    SERIAL,
    SEVERAL,
    UNKNOWN,
    VIEW,
    LibertyTracker,
    change_keys,
    find_weights,
    first_liberty_slot,
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
    rows_meet,
    unite_rows,
)
from katachi.features.shape_tables import ORIENTATIONS, ShapeTables
from katachi.features.shape_tracker import Sums, Weights, bin_of
from katachi.rules.color import EMPTY
from katachi.rules.kernels import DOWN, LEFT, RIGHT, UP
from katachi.rules.state import BLOCK, COLOR, NEXT, Words


@inlined
def _mark_window(tables: LibertyTables, tracker: LibertyTracker, window: int) -> None:
    """Notes that the staged move changes a window."""
    count = tracker.count
    if tracker.stamp[window] != count[SERIAL]:
        tracker.stamp[window] = count[SERIAL]
        tracker.changed[count[CHANGED], 0] = window
        count[CHANGED] += 1
        if count[VIEW] != BOTH:
            windows = len(tables.window)
            for orientation in range(ORIENTATIONS):
                key = tracker.keys[count[VIEW] * windows + window, orientation]
                tracker.keys[2 * windows + window, orientation] = key


@inlined
def _set_cell(
    tables: LibertyTables, tracker: LibertyTracker, window: int, cell: int, state: int
) -> None:
    """Stages another state of a cell."""
    before = np.int64(tracker.state[cell])
    if before == state:
        return
    count = tracker.count
    tracker.journal[count[NOTED], 0] = cell
    tracker.journal[count[NOTED], 1] = before
    count[NOTED] += 1
    tracker.state[cell] = state
    _mark_window(tables, tracker, window)
    windows = len(tables.window)
    change = 8 * before + state
    if count[VIEW] != BOTH:
        change_keys(tables, tracker, 2 * windows + window, count[VIEW], cell, change)
    else:
        change_keys(tables, tracker, window, 0, cell, change)
        change_keys(tables, tracker, windows + window, 1, cell, change)


@inlined
def _note_block(tracker: LibertyTracker, kind: int, root: int) -> bool:
    """Notes a block among those of its kind; whether it is new there."""
    for number in range(tracker.count[kind]):
        if tracker.blocks[kind - JOINED, number] == root:
            return False
    tracker.blocks[kind - JOINED, tracker.count[kind]] = root
    tracker.count[kind] += 1
    return True


@inlined
def _begin_staging(
    board: Words, tables: LibertyTables, tracker: LibertyTracker, point: int, color: int
) -> None:
    """Makes the new block of its friends, and takes the point from its enemies."""
    for kind in (CHANGED, NOTED, JOINED, ATTACKED, FREED):
        tracker.count[kind] = 0
    tracker.count[SERIAL] += 1
    tracker.count[POINT] = point
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
        root = np.int64(board[BLOCK + beside])
        if beside == point:
            add_bit(masks, AFTER + point, tables.bit[stone])
        elif board[COLOR + beside] == own:
            if has_bit(masks, MEMBERS + point, tables.bit[beside]):
                root = point
            elif _note_block(tracker, FREED, root):
                copy_row(masks, root, masks, AFTER + root)
            add_bit(masks, AFTER + root, tables.bit[stone])


@inlined
def _stage_captures(
    board: Words, tables: LibertyTables, tracker: LibertyTracker, point: int
) -> None:
    """Lifts the enemy's blocks that have lost their last liberty."""
    for number in range(tracker.count[ATTACKED]):
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
def _row_after(kind: int, root: int, point: int) -> int:
    """The row of a block after the move: a block that it joins is then that of its point."""
    return point if kind == JOINED else root


@inlined
def _color_of(kind: int, color: int) -> int:
    return 3 - color if kind == ATTACKED else color


@inlined
def _stage_far(tables: LibertyTables, tracker: LibertyTracker, point: int, color: int) -> None:
    """Stages what a move changes in windows that do not have its point."""
    for kind in range(JOINED, FREED + 1):
        for number in range(tracker.count[kind]):
            root = np.int64(tracker.blocks[kind - JOINED, number])
            if is_empty_row(tracker.masks, AFTER + root) and kind == ATTACKED:
                continue
            block = _row_after(kind, root, point)
            for k in range(1, np.int64(tracker.tight[root, 0]) + 1):
                window = np.int64(tables.cell[tracker.tight[root, k], 2])
                if not has_bit(tables.mask, window, tables.bit[point]):
                    _stage_block(tables, tracker, window, block, _color_of(kind, color))


@kernel
def _stage_whole(
    board: Words, tables: LibertyTables, tracker: LibertyTracker, point: int, color: int
) -> None:
    """Stages a move, begun by `_begin_staging`, whatever it does."""
    _stage_captures(board, tables, tracker, point)
    for k in range(tables.start[point], tables.start[point + 1]):
        window = np.int64(tables.touch[k, 0])
        _stage_block(tables, tracker, window, point, color)
        for number in range(tracker.count[FREED]):
            freed = np.int64(tracker.blocks[FREED - JOINED, number])
            _stage_block(tables, tracker, window, freed, color)
    _stage_far(tables, tracker, point, color)


@kernel
def stage_move(
    board: Words, tables: LibertyTables, tracker: LibertyTracker, point: int, color: int
) -> None:
    """Stages a move, no pass and no suicide, on the board before it; `keep_staged` must follow."""
    tracker.count[VIEW] = BOTH
    _begin_staging(board, tables, tracker, point, color)
    _stage_whole(board, tables, tracker, point, color)


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
    point = tracker.count[POINT]
    root = np.int64(board[BLOCK + point])
    copy_row(tracker.masks, AFTER + point, tracker.masks, AFTER + root)
    copy_row(tracker.masks, MEMBERS + point, tracker.masks, MEMBERS + root)
    if tracker.count[JOINED] > 1:
        _forget_block(tables, tracker, root)
    tracker.blocks[0, 0] = root
    tracker.count[JOINED] = 1
    for kind in range(3):
        for number in range(tracker.count[JOINED + kind]):
            block = np.int64(tracker.blocks[kind, number])
            copy_row(tracker.masks, AFTER + block, tracker.masks, block)
            if board[COLOR + block] != EMPTY:
                list_tight(tables, tracker, block)


@inlined
def use_changed(tables: ShapeTables, tracker: LibertyTracker, view: int, theta: Weights) -> None:
    """Lets a view use the weights of the windows that the staged move has changed."""
    liberty = tables.liberty
    windows = len(liberty.window)
    for number in range(tracker.count[CHANGED]):
        window = tracker.changed[number, 0]
        find_weights(tables, tracker.found, tracker.keys[view * windows + window], window)
        for cell in range(liberty.first_cell[window], liberty.first_cell[window + 1]):
            tracker.gains[view, cell] = UNKNOWN
    for number in range(tracker.count[CHANGED]):
        window = tracker.changed[number, 0]
        tracker.totals[view] += use_found(tables, tracker, view, window, theta)


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
    for number in range(tracker.count[CHANGED]):
        window = tracker.changed[number, 0]
        find_weights(tables, tracker.found, tracker.keys[2 * windows + window], window)
        gain += _growth(tables, tracker, view, theta, window)
    for number in range(tracker.count[NOTED] - 1, -1, -1):
        tracker.state[tracker.journal[number, 0]] = tracker.journal[number, 1]
    return gain


@inlined
def _is_capture(tracker: LibertyTracker) -> bool:
    for number in range(tracker.count[ATTACKED]):
        root = np.int64(tracker.blocks[ATTACKED - JOINED, number])
        if is_empty_row(tracker.masks, AFTER + root):
            return True
    return False


@inlined
def _changes_friends(
    tables: LibertyTables, tracker: LibertyTracker, window: int, outside: int
) -> bool:
    """Whether stones that the move joins carry other liberties in a window than the new block."""
    for number in range(tracker.count[JOINED]):
        root = np.int64(tracker.blocks[0, number])
        if rows_meet(tracker.masks, MEMBERS + root, tables.mask, window):
            if count_outside(tracker.masks, root, tables.mask, window) != outside:
                return True
    return False


@inlined
def _ask_for(tracker: LibertyTracker, window: int, place: int, block: int) -> None:
    """Notes that a window must be weighed (`LibertyTracker.changed`)."""
    number = tracker.count[CHANGED]
    tracker.changed[number, 0] = window
    tracker.changed[number, 1] = place
    tracker.changed[number, 2] = block
    tracker.count[CHANGED] = number + 1


@inlined
def _find_with_stone(
    tables: ShapeTables, tracker: LibertyTracker, view: int, cell: int, outside: int
) -> None:
    """Finds the weights of a window with an own stone in an empty cell more."""
    liberty = tables.liberty
    window = np.int64(liberty.cell[cell, 2])
    row = view * len(liberty.window) + window
    own = np.int64(liberty.cell[cell, 1]) + OWN_STATE + outside
    for slot in range(liberty.window[window, 0], liberty.window[window, 1]):
        smallest = tracker.keys[row, 0] ^ liberty.keys[own, 0]
        if liberty.first_listed[slot] != COMPUTED:
            at = np.int64(liberty.first_listed[slot]) + np.int64(smallest)
            tracker.found[slot] = liberty.listed[at]
            continue
        if liberty.group[slot, 0] == ORIENTATIONS:
            for i in range(1, ORIENTATIONS):
                smallest = min(smallest, tracker.keys[row, i] ^ liberty.keys[own, i])
        else:
            for k in range(2, liberty.group[slot, 0] + 1):
                i = liberty.group[slot, k]
                smallest = min(smallest, tracker.keys[row, i] ^ liberty.keys[own, i])
        tracker.found[slot] = np.int64(liberty.base[slot]) + bin_of(
            smallest ^ liberty.salt[slot], tables.bins
        )


@inlined
def _weigh_near(tables: ShapeTables, tracker: LibertyTracker, view: int, point: int) -> int:
    """The known gains of a move without captures in the windows that have its point."""
    liberty = tables.liberty
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
                _find_with_stone(tables, tracker, view, cell, outside)
                _ask_for(tracker, window, 4 * cell + outside, ONLY_THE_STONE)
    return total


@inlined
def _note_change(tracker: LibertyTracker, window: int, place: int, block: int) -> None:
    """Notes that a block changes in a window; its stamp becomes negative if several do."""
    count = tracker.count
    is_new = abs(tracker.stamp[window]) != count[SERIAL]
    tracker.stamp[window] = count[SERIAL] if is_new else -count[SERIAL]
    tracker.journal[count[NOTED], 0] = place
    tracker.journal[count[NOTED], 1] = block
    count[NOTED] += 1


@inlined
def _note_far(tables: LibertyTables, tracker: LibertyTracker, point: int, color: int) -> None:
    """Notes the blocks that a move without captures changes in windows that do not have its
    point."""
    for kind in range(JOINED, ATTACKED + 1):
        for number in range(tracker.count[kind]):
            root = np.int64(tracker.blocks[kind - JOINED, number])
            block = _row_after(kind, root, point)
            for k in range(1, np.int64(tracker.tight[root, 0]) + 1):
                cell = np.int64(tracker.tight[root, k])
                window = np.int64(tables.cell[cell, 2])
                outside = count_outside(tracker.masks, AFTER + block, tables.mask, window)
                if tracker.state[cell] != liberty_state(_color_of(kind, color), outside):
                    if not has_bit(tables.mask, window, tables.bit[point]):
                        _note_change(tracker, window, 4 * cell + outside, block)


@inlined
def _weigh_far(tables: LibertyTables, tracker: LibertyTracker, view: int) -> int:
    """The known gains of a move without captures in the windows that do not have its point."""
    total = 0
    for number in range(tracker.count[NOTED]):
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
    for number in range(-1, tracker.count[ATTACKED]):
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
    """What a move without captures, begun by `_begin_staging`, adds to a view's sum."""
    liberty = tables.liberty
    gain = _weigh_near(tables, tracker, view, move[0])
    _note_far(liberty, tracker, move[0], move[1])
    gain += _weigh_far(liberty, tracker, view)
    windows = len(liberty.window)
    for number in range(tracker.count[CHANGED]):
        if tracker.changed[number, 2] != ONLY_THE_STONE:
            _compose_window(liberty, tracker, view, number, move)
            window = tracker.changed[number, 0]
            find_weights(tables, tracker.found, tracker.keys[3 * windows], window)
    for number in range(tracker.count[CHANGED]):
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
    _stage_whole(board, tables.liberty, tracker, move[0], move[1])
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
    tracker.count[VIEW] = view
    _begin_staging(board, tables.liberty, tracker, move[0], move[1])
    if _is_capture(tracker):
        return _weigh_capture(board, tables, tracker, view, theta, move)
    return _weigh_plain(tables, tracker, view, theta, move)
