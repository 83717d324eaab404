# pyright: reportArgumentType=false, reportReturnType=false, reportCallIssue=false
"""Shapes followed through a game: a move costs only the windows it changes.

A tracker has two *views*, one a colour: view 0 sees Black's stones as own, view 1 White's. Each
view reads the weights of whoever plays that colour.

Weights are integers, so many `UNIT`s each. Sums of integers do not depend on the order in which
they are made: a value followed move by move equals the one computed from nothing, mirror images
have exactly equal values, and parts of a difference add up to it. For the same reason lanes
(`katachi._jit.lanes`) may share slots and windows.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from katachi._jit import inlined, kernel
from katachi._jit.lanes import lane_count, lane_number, meet, sum_lanes
from katachi.features.shape_tables import ORIENTATIONS, HashedTables, ShapeTables
from katachi.features.units import Sums, Weights
from katachi.rules.color import EMPTY
from katachi.rules.point import CELLS

ROW = 8
AT, USED, VALUE, BASE, SINCE = 0, 2, 4, 6, 7
"""Words of a slot's row in `ShapeTracker.rows`; the first three have one of each view."""


class ShapeTracker(NamedTuple):
    """The shapes of one position as both colours see them. Liberty shapes are not followed here
    (`liberty_tracker`), but their slots have their places among the others."""

    rows: npt.NDArray[np.int32]
    """[ROW * slots]: what is known of a slot lies together: of an exact one, where it reads the
    rank tables (AT) and its first weight (BASE); of any, the weight USED and its VALUE. SINCE is
    left to whoever follows a game."""
    keys: npt.NDArray[np.uint64]
    """[2, hashed windows, ORIENTATIONS]"""
    used: npt.NDArray[np.uint32]
    """[2, slots]: the weight in use, as part of `rows`."""
    value: Weights
    """[2, slots]: its value, as part of `rows`."""
    totals: npt.NDArray[np.int64]
    """[2]: the sum of all values."""
    gains: npt.NDArray[np.int64]
    """[2, CELLS]: what an own stone on an empty point would add, captures left out."""
    stale: npt.NDArray[np.uint8]
    """[CELLS]: a bit a view: whether its gain must be computed again, as a point nearby changed."""


def new_tracker(tables: ShapeTables) -> ShapeTracker:
    """Memory for one position; `reset_view` must follow."""
    # Two rows at least: of one row, the parts below would be contiguous, and arrays of another type
    # to the compiler.
    rows = np.zeros((max(2, len(tables.slot_set)), ROW), np.int32)
    return ShapeTracker(
        rows.reshape(-1),
        np.zeros((2, len(tables.hashed.window), ORIENTATIONS), np.uint64),
        rows.view(np.uint32)[:, USED : USED + 2].T,
        rows[:, VALUE : VALUE + 2].T,
        np.zeros(2, np.int64),
        np.zeros((2, CELLS), np.int64),
        np.zeros(CELLS, np.uint8),
    )


@inlined
def digit_of(view: int, color: int) -> int:
    """0 for an empty point, 1 for an own stone, 2 for the other's."""
    return np.int64(color != EMPTY) * (1 + ((np.int64(color) - 1) ^ view))


@inlined
def bin_of(key: np.uint64, bins: int) -> int:
    """One of `bins` numbers, by the lower half of a key: the upper half of the smallest of several
    keys is small, and would crowd the shapes into few bins."""
    return np.int64(((key & np.uint64(0xFFFFFFFF)) * np.uint64(bins)) >> np.uint64(32))


@inlined
def index_of(word: int) -> int:
    """A word of a row as an index; the compiler sees that it is not negative."""
    return np.int64(word) & 0xFFFFFFFF


@inlined
def use_weight(tracker: ShapeTracker, view: int, slot: int, theta: Weights, index: int) -> int:
    """Lets a slot use another weight; returns how much its value grows."""
    value = theta[index]
    growth = np.int64(value) - tracker.value[view, slot]
    tracker.used[view, slot] = index
    tracker.value[view, slot] = value
    return growth


@inlined
def change_slot(
    tables: ShapeTables, tracker: ShapeTracker, view: int, theta: Weights, slot: int, step: int
) -> int:
    """Moves an exact slot's code by a step; returns how much its value grows."""
    rows = tracker.rows
    row = ROW * np.int64(slot) + (view & 1)
    at = index_of(rows[row + AT] + step)
    index = index_of(rows[ROW * np.int64(slot) + BASE]) + tables.exact.rank[at]
    value = theta[index]
    growth = np.int64(value) - rows[row + VALUE]
    rows[row + AT] = at
    rows[row + USED] = index
    rows[row + VALUE] = value
    return growth


@kernel
def reset_view(tables: ShapeTables, tracker: ShapeTracker, view: int, theta: Weights) -> None:
    """Makes a view the empty board's, with these weights."""
    exact, hashed = tables.exact, tables.hashed
    for cell in range(lane_number(), CELLS, lane_count()):
        tracker.stale[cell] |= 1 << view
    for slot in range(lane_number(), len(tables.slot_set), lane_count()):
        tracker.value[view, slot] = 0
    meet()
    total = 0
    for slot in range(lane_number(), len(exact.slot), lane_count()):
        tracker.rows[ROW * slot + AT + view] = exact.slot[slot, 0]
        tracker.rows[ROW * slot + BASE] = exact.slot[slot, 1]
        total += change_slot(tables, tracker, view, theta, slot, 0)
    for window in range(lane_number(), len(hashed.window), lane_count()):
        for orientation in range(ORIENTATIONS):
            tracker.keys[view, window, orientation] = np.uint64(0)
        total += _use_hashed_weights(tables, tracker, view, window, theta)
    tracker.totals[view] = sum_lanes(total)


@inlined
def hashed_index(tables: HashedTables, bins: int, slot: int, keys: npt.NDArray[np.uint64]) -> int:
    """The weight of a hashed slot whose window has these keys [ORIENTATIONS]; the identity, which
    comes first, counts everywhere."""
    smallest = keys[0]
    if tables.group[slot, 0] == ORIENTATIONS:
        for i in range(1, ORIENTATIONS):
            smallest = min(smallest, keys[i])
    else:
        for i in range(2, tables.group[slot, 0] + 1):
            smallest = min(smallest, keys[tables.group[slot, i]])
    return np.int64(tables.base[slot]) + bin_of(smallest ^ tables.salt[slot], bins)


@kernel
def _use_hashed_weights(
    tables: ShapeTables, tracker: ShapeTracker, view: int, window: int, theta: Weights
) -> int:
    hashed = tables.hashed
    before = len(tables.exact.slot)
    growth = 0
    for slot in range(hashed.window[window, 0], hashed.window[window, 1]):
        index = hashed_index(hashed, tables.bins, slot, tracker.keys[view, window])
        growth += use_weight(tracker, view, before + slot, theta, index)
    return growth


@inlined
def mark_stale(tables: ShapeTables, tracker: ShapeTracker, views: int, point: int) -> None:
    """Gains near a point that changes must be computed again; `views` has a bit a view."""
    first, end = tables.near_start[point], tables.near_start[point + 1]
    for k in range(first + lane_number(), end, lane_count()):
        tracker.stale[tables.near[k]] |= views


@kernel
def change_hashed(
    tables: ShapeTables, tracker: ShapeTracker, view: int, theta: Weights, point: int, digits: int
) -> int:
    """Follows the change of one point in this lane's part of the hashed windows; returns how much
    their sum grows.

    `digits` is 3 * (digit before) + (digit after).
    """
    hashed = tables.hashed
    growth = 0
    for k in range(hashed.start[point] + lane_number(), hashed.start[point + 1], lane_count()):
        window = hashed.touch[k, 0]
        gone = np.int64(hashed.touch[k, 1]) + ORIENTATIONS * (digits // 3)
        come = np.int64(hashed.touch[k, 1]) + ORIENTATIONS * (digits % 3)
        for orientation in range(ORIENTATIONS):
            keys = hashed.keys[gone + orientation] ^ hashed.keys[come + orientation]
            tracker.keys[view, window, orientation] ^= keys
        growth += _use_hashed_weights(tables, tracker, view, window, theta)
    return growth


@inlined
def add_growth(tracker: ShapeTracker, view: int, growth: int) -> None:
    """Adds to a view's sum; it is the first lane's to read."""
    if lane_number() == 0:
        tracker.totals[view] += growth


@inlined
def change_point(
    tables: ShapeTables, tracker: ShapeTracker, view: int, theta: Weights, point: int, change: int
) -> None:
    """Follows the change of one point; `change` is 3 * (colour before) + (colour after)."""
    before = digit_of(view, change // 3)
    after = digit_of(view, change % 3)
    mark_stale(tables, tracker, 1 << view, point)
    exact = tables.exact
    growth = 0
    for k in range(exact.start[point] + lane_number(), exact.start[point + 1] - 1, lane_count()):
        step = (after - before) * exact.touch[k, 1]
        growth += change_slot(tables, tracker, view, theta, exact.touch[k, 0], step)
    if len(tables.hashed.window) > 0:
        growth += change_hashed(tables, tracker, view, theta, point, 3 * before + after)
    add_growth(tracker, view, sum_lanes(growth))


@inlined
def _exact_gain(
    tables: ShapeTables,
    tracker: ShapeTracker,
    view: int,
    theta: Weights,
    point: int,
    part: tuple[int, int],
) -> int:
    # The zero that ends the list spares a counter, and keeps the compiler from gathering by vector
    # instructions, which take longer. Who takes only part of the list would step over it.
    exact, rows = tables.exact, tracker.rows
    k = np.uint64(exact.start[point]) + np.uint64(part[0])
    end = np.uint64(exact.start[point + 1] - 1)
    total = 0
    while exact.touch[k, 1] != 0 if part[1] == 1 else k < end:
        row = ROW * np.int64(exact.touch[k, 0])
        rank = exact.rank[index_of(rows[row + (view & 1) + AT]) + exact.touch[k, 1]]
        value = np.int64(theta[index_of(rows[row + BASE]) + rank])
        total += value - rows[row + (view & 1) + VALUE]
        k += np.uint64(part[1])
    return total


@kernel
def _hashed_gain(
    tables: ShapeTables,
    tracker: ShapeTracker,
    view: int,
    theta: Weights,
    point: int,
    part: tuple[int, int],
) -> int:
    hashed = tables.hashed
    before = len(tables.exact.slot)
    total = 0
    for k in range(hashed.start[point] + part[0], hashed.start[point + 1], part[1]):
        window = hashed.touch[k, 0]
        own = np.int64(hashed.touch[k, 1]) + ORIENTATIONS
        keys = tracker.keys[view, window]
        for slot in range(hashed.window[window, 0], hashed.window[window, 1]):
            group = hashed.group[slot]
            smallest = keys[0] ^ hashed.keys[own]
            if group[0] == ORIENTATIONS:
                for i in range(1, ORIENTATIONS):
                    smallest = min(smallest, keys[i] ^ hashed.keys[own + i])
            else:
                for i in range(2, group[0] + 1):
                    smallest = min(smallest, keys[group[i]] ^ hashed.keys[own + group[i]])
            index = hashed.base[slot] + bin_of(smallest ^ hashed.salt[slot], tables.bins)
            total += np.int64(theta[index]) - tracker.value[view, before + slot]
    return total


@inlined
def shape_gain(
    tables: ShapeTables, tracker: ShapeTracker, view: int, theta: Weights, point: int
) -> int:
    """How much the view's sum would grow by an own stone on an empty point, captures left out."""
    return _part_of_gain(tables, tracker, view, theta, point, (0, 1))


@inlined
def shared_gain(
    tables: ShapeTables, tracker: ShapeTracker, view: int, theta: Weights, point: int
) -> int:
    """As `shape_gain`, all lanes at one point."""
    part = lane_number(), lane_count()
    return sum_lanes(_part_of_gain(tables, tracker, view, theta, point, part))


@inlined
def _part_of_gain(
    tables: ShapeTables,
    tracker: ShapeTracker,
    view: int,
    theta: Weights,
    point: int,
    part: tuple[int, int],
) -> int:
    """The first and then each of so many of the windows that the point touches."""
    gain = _exact_gain(tables, tracker, view, theta, point, part)
    if len(tables.hashed.window) > 0:
        gain += _hashed_gain(tables, tracker, view, theta, point, part)
    return gain


@inlined
def gain_of_stone(
    tables: ShapeTables, tracker: ShapeTracker, view: int, theta: Weights, point: int
) -> int:
    """As `shape_gain`, remembered until a point nearby changes."""
    if not is_stale(tracker, view, point):
        return tracker.gains[view, point]
    return keep_gain(tracker, view, point, shape_gain(tables, tracker, view, theta, point))


@inlined
def is_stale(tracker: ShapeTracker, view: int, point: int) -> bool:
    """Whether the gain of a point must be computed again."""
    return tracker.stale[point] & (1 << view) != 0


@inlined
def keep_gain(tracker: ShapeTracker, view: int, point: int, gain: int) -> int:
    """Remembers a gain, and returns it."""
    tracker.gains[view, point] = gain
    tracker.stale[point] &= 3 - (1 << view)
    return gain


@inlined
def lift_shapes(
    tables: ShapeTables, tracker: ShapeTracker, view: int, theta: Weights, point: int, digit: int
) -> int:
    """Reads the stone on a point, which is `digit` to the view, as if it were gone, until
    `put_shapes_back`; returns how much the view's sum grows. The weights in use and what is known
    of gains stay as they are."""
    exact, rows = tables.exact, tracker.rows
    growth = 0
    for k in range(exact.start[point] + lane_number(), exact.start[point + 1] - 1, lane_count()):
        row = ROW * np.int64(exact.touch[k, 0])
        at = index_of(rows[row + (view & 1) + AT] - digit * np.int64(exact.touch[k, 1]))
        value = theta[index_of(rows[row + BASE]) + exact.rank[at]]
        growth += np.int64(value) - rows[row + (view & 1) + VALUE]
        rows[row + (view & 1) + AT] = at
        rows[row + (view & 1) + VALUE] = value
    if len(tables.hashed.window) > 0:
        growth += change_hashed(tables, tracker, view, theta, point, 3 * digit)
    return sum_lanes(growth)


@inlined
def put_shapes_back(
    tables: ShapeTables, tracker: ShapeTracker, view: int, theta: Weights, point: int, digit: int
) -> None:
    """Undoes `lift_shapes`: values are those of the weights in use again."""
    exact, rows = tables.exact, tracker.rows
    for k in range(exact.start[point] + lane_number(), exact.start[point + 1] - 1, lane_count()):
        row = ROW * np.int64(exact.touch[k, 0]) + (view & 1)
        rows[row + AT] += digit * np.int64(exact.touch[k, 1])
        rows[row + VALUE] = theta[index_of(rows[row + USED])]
    if len(tables.hashed.window) > 0:
        change_hashed(tables, tracker, view, theta, point, digit)
    meet()


@inlined
def sum_sets(tables: ShapeTables, tracker: ShapeTracker, view: int, sums: Sums) -> None:
    """Writes the sum of each set's values into sums [sets]."""
    for number in range(len(tables.windows)):
        sums[number] = 0
    for slot in range(len(tables.slot_set)):
        sums[tables.slot_set[slot]] += tracker.value[view, slot]
