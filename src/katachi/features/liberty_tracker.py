# pyright: reportArgumentType=false, reportReturnType=false, reportCallIssue=false
"""The liberty shapes of a position, for both views.

Each stone of a window carries how many liberties its block has outside the window: none, one, or
more. `liberty_moves` lets a position follow a game.

An example, 3x3, and its window of 2x2 in the upper left corner:

    3 . . .        the window:  . .    outside it:  X has one liberty, A1
    2 X O .                     X O                 O has two, C2 and B1
    1 . . .
      A B C

Its cells A3, B3, A2, B2 have the states 0, 0, 2, 6: a stone has 3 * colour - 2 + liberties outside,
with Black 1, White 2 and at most two liberties counted. White A1 lies outside the window and yet
changes it: A2 becomes 1, a stone without a liberty outside. White C2 does not: its block then has
three liberties outside, and two are counted as before.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from katachi._jit import inlined, kernel
from katachi.features.liberty_tables import COMPUTED, LibertyTables
from katachi.features.masks import (
    Masks,
    add_bit,
    clear_row,
    count_outside,
    has_bit,
    has_three,
    leaves_three,
    next_bit,
)
from katachi.features.shape_tables import ORIENTATIONS, ShapeTables
from katachi.features.shape_tracker import ShapeTracker, bin_of, use_weight
from katachi.features.units import Sums, Weights
from katachi.rules.color import EMPTY
from katachi.rules.kernels import DOWN, LEFT, RIGHT, UP
from katachi.rules.point import CELLS
from katachi.rules.state import BLOCK, COLOR, Words

AFTER, MEMBERS = CELLS, 2 * CELLS
"""Where the parts of `LibertyTracker.masks` begin."""
CHANGED, NOTED, SERIAL, VIEW, POINT = 0, 1, 2, 3, 4
"""Places in `LibertyTracker.counts`: windows changed and cells noted by the staged move, its
number, the only view that it is shown to (or BOTH), and its point."""
JOINED, ATTACKED, FREED = 5, 6, 7
"""And the number of its blocks of each kind; `LibertyTracker.blocks` has them, from JOINED on."""
BOTH = -1
UNKNOWN = 3
"""No gain: it must be computed."""
NOWHERE = -1
"""No place among the gains."""
ONLY_THE_STONE, SEVERAL = -1, -2
"""No block (its weights are found already), or more than one."""
NOTHING = 0
"""The row of an empty point in the tables' keys."""


class LibertyTracker(NamedTuple):
    """The liberty shapes of one position, and of one move that is staged on it.

    A block's row is that of its root. Rows of other points mean nothing, but the row of the staged
    move's point is that of the block it makes.
    """

    masks: Masks
    """[3 * CELLS, words]: the liberties of each block; from AFTER on, its liberties after the
    staged move, where they change; from MEMBERS on, its stones."""
    state: npt.NDArray[np.uint8]
    """[C]: what each cell holds as Black sees it: 0, or 3 * colour - 2 + liberties outside."""
    keys: npt.NDArray[np.uint64]
    """[3 * W + 1, ORIENTATIONS]: of each window in either view; then of those that a staged move
    changes, shown to one view; and one row of scratch."""
    tight: npt.NDArray[np.uint32]
    """[CELLS, 1 + W]: the number of windows that have stones of a block and leave at most two of
    its liberties outside; and the block's first cell in each. Only there can a move outside the
    window change what it carries."""
    changed: Sums
    """[W, 3]: the windows that the staged move changes. Of a move that is only weighed: those that
    must be looked at, the place in `gains` of the result (4 * cell + liberties
    outside) or NOWHERE, and the row of the block
    that changes there, or ONLY_THE_STONE, or SEVERAL."""
    stamp: npt.NDArray[np.int64]
    """[W]: the number of the staged move that changed a window last."""
    journal: npt.NDArray[np.uint32]
    """[C, 2]: (cell, state before) of each cell that the staged move changes; of a move that is
    only weighed: (first cell of a block in a window, liberties outside after it)."""
    blocks: npt.NDArray[np.uint16]
    """[3, CELLS]: roots of the blocks that the staged move joins, of the enemy's that lose the
    point, and of others that gain liberties by a capture."""
    counts: Sums
    """[8]: how many there are of each, and what else is known of the staged move."""
    gains: Sums
    """[2, C]: how much a window's value would grow by an own stone in a cell, if it is empty, or
    else if the block of which it is the first cell had other liberties; times four, plus the
    liberties outside that are meant, or UNKNOWN."""
    found: npt.NDArray[np.uint32]
    """[liberty slots]: scratch: weights that are about to be read."""
    used: npt.NDArray[np.uint32]
    """[2, slots]: shared with the tracker of plain shapes, like the next two."""
    value: Weights
    totals: Sums


def new_liberties(tables: ShapeTables, tracker: ShapeTracker) -> LibertyTracker:
    """Memory for the liberty shapes of a tracker's position; `read_liberties` must follow."""
    cells = len(tables.liberty.cell)
    windows, words = tables.liberty.mask.shape
    return LibertyTracker(
        np.zeros((3 * CELLS, words), np.uint64),
        np.zeros(cells, np.uint8),
        np.zeros((3 * windows + 1, ORIENTATIONS), np.uint64),
        np.zeros((CELLS, 1 + windows), np.uint32),
        np.zeros((windows, 3), np.int64),
        np.zeros(windows, np.int64),
        np.zeros((cells, 2), np.uint32),
        np.zeros((3, CELLS), np.uint16),
        np.zeros(8, np.int64),
        np.full((2, cells), UNKNOWN, np.int64),
        np.zeros(len(tables.liberty.salt), np.uint32),
        tracker.used,
        tracker.value,
        tracker.totals,
    )


@inlined
def first_liberty_slot(tables: ShapeTables) -> int:
    """The number of the first liberty slot among all slots."""
    return len(tables.exact.slot) + len(tables.hashed.salt)


@inlined
def liberty_state(color: int, outside: int) -> int:
    """The state, as Black sees it, of a stone with so many liberties outside the window."""
    return 3 * np.int64(color) - 2 + outside


@inlined
def key_row(tables: LibertyTables, view: int, cell: int, state: int) -> int:
    """The row of the keys of a cell's state (as Black sees it), as a view sees it."""
    return view * (len(tables.keys) // 2) + np.int64(tables.cell[cell, 1]) + state


@inlined
def change_keys(
    tables: LibertyTables, tracker: LibertyTracker, row: int, view: int, cell: int, change: int
) -> None:
    """Lets a row of keys follow a cell; `change` is 8 * (state before) + (state after)."""
    gone = key_row(tables, view, cell, change >> 3)
    come = key_row(tables, view, cell, change & 7)
    for orientation in range(ORIENTATIONS):
        key = tables.keys[gone, orientation] ^ tables.keys[come, orientation]
        tracker.keys[row, orientation] ^= key


@inlined
def _list_if_tight(tables: LibertyTables, tracker: LibertyTracker, block: int, window: int) -> None:
    if tracker.stamp[window] == tracker.counts[SERIAL]:
        return
    tracker.stamp[window] = tracker.counts[SERIAL]
    if leaves_three(tracker.masks, block, tables.mask, window):
        return
    for cell in range(tables.first_cell[window], tables.first_cell[window + 1]):
        if has_bit(tracker.masks, MEMBERS + block, tables.cell[cell, 0]):
            count = np.int64(tracker.tight[block, 0]) + 1
            tracker.tight[block, count] = cell
            tracker.tight[block, 0] = count
            return


@inlined
def list_tight(tables: LibertyTables, tracker: LibertyTracker, block: int) -> None:
    """Lists the tight windows of a block. They miss at most two of its liberties, so that each of
    them has one of any three; where there are no three, they are looked for at every stone."""
    tracker.counts[SERIAL] += 1
    tracker.tight[block, 0] = 0
    source, left = block, 3
    if not has_three(tracker.masks, block):
        source, left = MEMBERS + block, CELLS
    bit = next_bit(tracker.masks, source, 0)
    while bit >= 0 and left > 0:
        point = tables.points[bit]
        for k in range(tables.start[point], tables.start[point + 1]):
            _list_if_tight(tables, tracker, block, tables.touch[k, 0])
        bit = next_bit(tracker.masks, source, bit + 1)
        left -= 1


@kernel
def _read_blocks(board: Words, tables: LibertyTables, tracker: LibertyTracker) -> None:
    for number in range(len(tables.points)):
        clear_row(tracker.masks, tables.points[number])
        clear_row(tracker.masks, MEMBERS + np.int64(tables.points[number]))
    for number in range(len(tables.points)):
        point = np.int64(tables.points[number])
        if board[COLOR + point] != EMPTY:
            root = np.int64(board[BLOCK + point])
            add_bit(tracker.masks, MEMBERS + root, number)
            for step in (UP, LEFT, RIGHT, DOWN):
                if board[COLOR + point + step] == EMPTY:
                    add_bit(tracker.masks, root, tables.bit[point + step])
    for number in range(len(tables.points)):
        point = np.int64(tables.points[number])
        if board[COLOR + point] != EMPTY and board[BLOCK + point] == point:
            list_tight(tables, tracker, point)


@inlined
def _read_window(board: Words, tables: LibertyTables, tracker: LibertyTracker, window: int) -> None:
    other = len(tables.window) + window
    for orientation in range(ORIENTATIONS):
        tracker.keys[window, orientation] = np.uint64(0)
        tracker.keys[other, orientation] = np.uint64(0)
    for cell in range(tables.first_cell[window], tables.first_cell[window + 1]):
        point = np.int64(tables.points[tables.cell[cell, 0]])
        state = 0
        if board[COLOR + point] != EMPTY:
            outside = count_outside(tracker.masks, board[BLOCK + point], tables.mask, window)
            state = liberty_state(board[COLOR + point], outside)
        tracker.state[cell] = state
        change_keys(tables, tracker, window, 0, cell, state)
        change_keys(tables, tracker, other, 1, cell, state)


@kernel
def read_liberties(board: Words, tables: LibertyTables, tracker: LibertyTracker) -> None:
    """Reads the board's position, whatever was followed before; `use_liberties` must follow."""
    _read_blocks(board, tables, tracker)
    for window in range(len(tables.window)):
        _read_window(board, tables, tracker, window)


@inlined
def find_weights(
    tables: ShapeTables, tracker: LibertyTracker, row: int, more: int, window: int
) -> None:
    """Writes the weights of a window's slots, if it has a row of keys and one state `more` (a row
    of the tables' keys, or NOTHING), into `found`.

    Weights are found first and read later: they lie far apart, and are then fetched from memory
    side by side.
    """
    liberty = tables.liberty
    for slot in range(liberty.window[window, 0], liberty.window[window, 1]):
        key = tracker.keys[row, 0] ^ liberty.keys[more, 0]
        if liberty.first_listed[slot] != COMPUTED:
            at = np.int64(liberty.first_listed[slot]) + np.int64(key)
            tracker.found[slot] = liberty.listed[at]
            continue
        if liberty.group[slot, 0] == ORIENTATIONS:
            for i in range(1, ORIENTATIONS):
                key = min(key, tracker.keys[row, i] ^ liberty.keys[more, i])
        else:
            for k in range(2, liberty.group[slot, 0] + 1):
                i = liberty.group[slot, k]
                key = min(key, tracker.keys[row, i] ^ liberty.keys[more, i])
        number = bin_of(key ^ liberty.salt[slot], tables.bins)
        tracker.found[slot] = np.int64(liberty.base[slot]) + number


@inlined
def use_found(
    tables: ShapeTables, tracker: LibertyTracker, view: int, window: int, theta: Weights
) -> int:
    """Lets a window's slots use the weights found for them; returns how much they grow."""
    liberty = tables.liberty
    before = first_liberty_slot(tables)
    growth = 0
    for slot in range(liberty.window[window, 0], liberty.window[window, 1]):
        growth += use_weight(tracker, view, before + slot, theta, tracker.found[slot])
    return growth


@kernel
def use_liberties(tables: ShapeTables, tracker: LibertyTracker, view: int, theta: Weights) -> None:
    """Lets all liberty slots of a view use the weights of what their windows hold."""
    windows = len(tables.liberty.window)
    for window in range(windows):
        find_weights(tables, tracker, view * windows + window, NOTHING, window)
    for window in range(windows):
        tracker.totals[view] += use_found(tables, tracker, view, window, theta)
    for cell in range(len(tables.liberty.cell)):
        tracker.gains[view, cell] = UNKNOWN
