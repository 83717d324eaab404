"""Four sweeps over a square board, one from each corner, and their gradients: CPU kernels.

Each sweep goes over the board in its own frame, mirrored so that it begins at the top left. A cell
sees what its input gives (the projection) and the states of its predecessors: the cell before it in
its column, then the cell before it in its row. The corner has none and side cells one; corner, side
and lateral cells have nets of their own, the same for all four sweeps. Sweep number `2 * r + c`
mirrors the rows where r is 1 and the columns where c is 1.

Boards go in tiles, and a tile's four sweeps run together as the lanes of `lanes.py`.
Arrays lie in the board's order: states [tiles, sweep, unit, cell, board].
"""

from typing import NamedTuple

import numpy as np

from katachi._jit import inlined, kernel
from katachi.nets.lanes import (
    LANES,
    PLANES,
    STEP,
    Floats,
    add_lanes,
    add_outer,
    add_product,
    apply_logistic,
    apply_slope,
    clear_boards,
    copy_boards,
    fill_rows,
    logistic_table,
)


class Cells(NamedTuple):
    """Numbers of U units for each cell and sweep, kept apart by the kind of the cell.

    The boards of a tile are an even number from `FEWEST` to `BOARDS`.
    """

    corner: Floats
    """[tiles, 4, U, boards]."""
    side: Floats
    """[tiles, edge, direction, U, size, boards]: edges top, bottom, left, right; direction 1 goes
    against the board's order. The corner's own place is not used."""
    lateral: Floats
    """[tiles, 4, U, size * size, boards]; places on the edges a sweep begins at are not used."""


class StepWeights(NamedTuple):
    """What follows the projections, `padded` to whole steps."""

    side: Floats
    """[hidden, states]: from the one predecessor."""
    above: Floats
    """[hidden, states]: from the predecessor in the same column."""
    before: Floats
    """[hidden, states]: from the predecessor in the same row."""
    corner_out: Floats
    """[states, hidden], and so the next two."""
    side_out: Floats
    lateral_out: Floats
    corner_bias: Floats
    """[states], and so the next two."""
    side_bias: Floats
    lateral_bias: Floats


class Scratch(NamedTuple):
    """Room for one tile at work."""

    hidden: Floats
    states: Floats
    """Of one row of cells."""
    gradient: Floats
    """By hidden units."""
    down: Floats
    """Gradients by the states of one row of cells, from the row after it."""
    right: Floats
    """Gradients by the states of one cell, from the cell after it."""
    by_state: Floats
    table: Floats


def make_scratch(size: int, hidden: int, states: int, dtype: np.dtype[np.floating]) -> Scratch:
    """Room for tiles of boards of this size."""
    rows = (-(-hidden // STEP) * STEP) * LANES
    state_rows = (-(-states // STEP) * STEP) * LANES
    empty = [np.zeros(n, dtype) for n in (rows, size * state_rows, rows, size * state_rows)]
    one = [np.zeros(state_rows, dtype) for _ in range(2)]
    return Scratch._make([*empty, *one, logistic_table(dtype)])


@inlined
def _cell(sweep: int, row: int, column: int, size: int) -> int:
    """The board's cell at a place of the sweep's frame."""
    r = size - 1 - row if sweep >= 2 else row
    c = size - 1 - column if sweep % 2 == 1 else column
    return r * size + c


@inlined
def _edge_place(sweep: int, row: int, column: int, size: int) -> tuple[int, int, int]:
    """Edge, direction and place of a side cell: see `Cells.side`."""
    rows, columns = sweep // 2, sweep % 2
    if row == 0:
        return rows, columns, size - 1 - column if columns == 1 else column
    return 2 + columns, rows, size - 1 - row if rows == 1 else row


@inlined
def _numbers_of(
    cells: Cells, tile: int, sweep: int, place: tuple[int, int, int]
) -> tuple[Floats, int, int]:
    """Of a cell: the flat array, where its first unit begins there, from one unit to the next."""
    row, column, size = place
    units, boards = cells.corner.shape[2], cells.corner.shape[3]
    if row == 0 and column == 0:
        first = (tile * PLANES + sweep) * units
        return cells.corner.reshape(cells.corner.size), first * boards, boards
    if row == 0 or column == 0:
        edge, way, slot = _edge_place(sweep, row, column, size)
        first = ((tile * 4 + edge) * 2 + way) * units * size + slot
        return cells.side.reshape(cells.side.size), first * boards, size * boards
    first = (tile * PLANES + sweep) * units * size * size + _cell(sweep, row, column, size)
    return cells.lateral.reshape(cells.lateral.size), first * boards, size * size * boards


@kernel
def _load(cells: Cells, tile: int, place: tuple[int, int, int], out: Floats) -> None:
    """Copies the units of a cell of all four sweeps to lanes."""
    units, boards = cells.corner.shape[2], cells.corner.shape[3]
    for sweep in range(PLANES):
        numbers, first, step = _numbers_of(cells, tile, sweep, place)
        for unit in range(units):
            copy_boards(numbers, first + unit * step, out, unit * LANES + sweep * boards, boards)


@kernel
def _store(cells: Cells, tile: int, place: tuple[int, int, int], values: Floats) -> None:
    """Copies lanes to the units of a cell of all four sweeps."""
    units, boards = cells.corner.shape[2], cells.corner.shape[3]
    for sweep in range(PLANES):
        numbers, first, step = _numbers_of(cells, tile, sweep, place)
        for unit in range(units):
            copy_boards(values, unit * LANES + sweep * boards, numbers, first + unit * step, boards)


@kernel
def _clear_unused(cells: Cells, tile: int, place: tuple[int, int, int]) -> None:
    """Sets to zero the places that are not used because a side or corner cell has others."""
    row, column, size = place
    if row > 0 and column > 0:
        return
    _, _, units, area, boards = cells.lateral.shape
    lateral, side = cells.lateral.reshape(cells.lateral.size), cells.side.reshape(cells.side.size)
    for sweep in range(PLANES):
        rows, columns = sweep // 2, sweep % 2
        for unit in range(units):
            at = ((tile * PLANES + sweep) * units + unit) * area + _cell(sweep, row, column, size)
            clear_boards(lateral, at * boards, boards)
            if row == 0 and column == 0:
                at = (((tile * 4 + rows) * 2 + columns) * units + unit) * size
                clear_boards(side, (at + columns * (size - 1)) * boards, boards)
                at = (((tile * 4 + 2 + columns) * 2 + rows) * units + unit) * size
                clear_boards(side, (at + rows * (size - 1)) * boards, boards)


@kernel
def _step(weights: StepWeights, scratch: Scratch, row: int, column: int, lanes: int) -> None:
    """From a cell's projection in `scratch.hidden` to its state in the row of states."""
    state_rows = weights.side.shape[1]
    hidden, states, table = scratch.hidden, scratch.states, scratch.table
    at = column * state_rows * LANES
    before = at - state_rows * LANES
    if row > 0 and column > 0:
        add_product(hidden, 0, weights.above, states, at, lanes)
        add_product(hidden, 0, weights.before, states, before, lanes)
    elif row > 0:
        add_product(hidden, 0, weights.side, states, at, lanes)
    elif column > 0:
        add_product(hidden, 0, weights.side, states, before, lanes)
    apply_logistic(hidden, 0, weights.side.shape[0], table, lanes)
    if row > 0 and column > 0:
        fill_rows(states, at, weights.lateral_bias)
        add_product(states, at, weights.lateral_out, hidden, 0, lanes)
    elif row > 0 or column > 0:
        fill_rows(states, at, weights.side_bias)
        add_product(states, at, weights.side_out, hidden, 0, lanes)
    else:
        fill_rows(states, at, weights.corner_bias)
        add_product(states, at, weights.corner_out, hidden, 0, lanes)
    apply_logistic(states, at, state_rows, table, lanes)


@kernel
def _load_states(states: Floats, tile: int, place: tuple[int, int, int], out: Floats) -> None:
    """Copies the states of a cell of all four sweeps to lanes."""
    _, _, units, area, boards = states.shape
    numbers = states.reshape(states.size)
    for sweep in range(PLANES):
        first = (tile * PLANES + sweep) * units * area + _cell(sweep, *place)
        for unit in range(units):
            at = unit * LANES + sweep * boards
            copy_boards(numbers, (first + unit * area) * boards, out, at, boards)


@kernel
def _store_states(
    states: Floats, tile: int, place: tuple[int, int, int], values: Floats, at: int
) -> None:
    """Copies lanes from `at` on to the states of a cell of all four sweeps."""
    _, _, units, area, boards = states.shape
    numbers = states.reshape(states.size)
    for sweep in range(PLANES):
        first = (tile * PLANES + sweep) * units * area + _cell(sweep, *place)
        for unit in range(units):
            lane = at + unit * LANES + sweep * boards
            copy_boards(values, lane, numbers, (first + unit * area) * boards, boards)


@kernel
def sweep_forward(weights: StepWeights, cells: Cells, states: Floats, scratch: Scratch) -> None:
    """Turns projections into hidden activations, in place, and fills `states`.

    `cells` holds the projections with their bias; `states` is [tiles, 4, states, size * size,
    boards].
    """
    size, boards = cells.side.shape[4], cells.side.shape[5]
    state_rows = weights.side.shape[1]
    for tile in range(states.shape[0]):
        for row in range(size):
            for column in range(size):
                place = (row, column, size)
                _load(cells, tile, place, scratch.hidden)
                _step(weights, scratch, row, column, PLANES * boards)
                _store(cells, tile, place, scratch.hidden)
                _store_states(states, tile, place, scratch.states, column * state_rows * LANES)


@kernel
def _pass_back(weights: StepWeights, scratch: Scratch, row: int, column: int, lanes: int) -> None:
    """From the gradient by hidden units to those by the predecessors' states.

    Products need the transposed matrices: here `side`, `above`, `before` are [states, hidden].
    """
    many = weights.side.shape[0] * LANES
    at = column * many
    for i in range(many):
        scratch.down[np.uint64(at) + np.uint64(i)] = 0
        scratch.right[np.uint64(i)] = 0
    if row > 0 and column > 0:
        add_product(scratch.down, at, weights.above, scratch.gradient, 0, lanes)
        add_product(scratch.right, 0, weights.before, scratch.gradient, 0, lanes)
    elif row > 0:
        add_product(scratch.down, at, weights.side, scratch.gradient, 0, lanes)
    elif column > 0:
        add_product(scratch.right, 0, weights.side, scratch.gradient, 0, lanes)


@kernel
def _step_back(
    weights: StepWeights, sums: StepWeights, scratch: Scratch, row: int, column: int, boards: int
) -> None:
    """From the gradient by a cell's states, before their logistic, to that by its hidden units."""
    gradient, rows = scratch.gradient, weights.side.shape[1]
    lanes = PLANES * boards
    for i in range(rows * LANES):
        gradient[np.uint64(i)] = 0
    if row > 0 and column > 0:
        add_product(gradient, 0, weights.lateral_out, scratch.by_state, 0, lanes)
        add_outer(sums.lateral_out, scratch.by_state, scratch.hidden, boards)
        add_lanes(sums.lateral_bias, scratch.by_state, boards)
    elif row > 0 or column > 0:
        add_product(gradient, 0, weights.side_out, scratch.by_state, 0, lanes)
        add_outer(sums.side_out, scratch.by_state, scratch.hidden, boards)
        add_lanes(sums.side_bias, scratch.by_state, boards)
    else:
        add_product(gradient, 0, weights.corner_out, scratch.by_state, 0, lanes)
        add_outer(sums.corner_out, scratch.by_state, scratch.hidden, boards)
        add_lanes(sums.corner_bias, scratch.by_state, boards)
    apply_slope(gradient, scratch.hidden, rows)


@kernel
def _sum_predecessors(
    sums: StepWeights, states: Floats, tile: int, place: tuple[int, int, int], scratch: Scratch
) -> None:
    """Adds to the gradients by the weights between predecessors' states and hidden units."""
    row, column, size = place
    boards = states.shape[4]
    if row > 0:
        _load_states(states, tile, (row - 1, column, size), scratch.states)
        if column > 0:
            add_outer(sums.above, scratch.gradient, scratch.states, boards)
        else:
            add_outer(sums.side, scratch.gradient, scratch.states, boards)
    if column > 0:
        _load_states(states, tile, (row, column - 1, size), scratch.states)
        if row > 0:
            add_outer(sums.before, scratch.gradient, scratch.states, boards)
        else:
            add_outer(sums.side, scratch.gradient, scratch.states, boards)


class Known(NamedTuple):
    """What the backward sweep reads and fills."""

    hidden: Cells
    """Activations of the forward sweep."""
    states: Floats
    by_states: Floats
    """Gradients by the states, from whatever read them."""
    by_hidden: Cells
    """Filled: gradients by the projections; zeros in unused places."""


@kernel
def sweep_backward(weights: StepWeights, known: Known, sums: StepWeights, scratch: Scratch) -> None:
    """Fills `known.by_hidden` and adds to `sums`, the gradients by the weights.

    `weights` are the transposed matrices. `sums` has the shapes of the weights as they were, with
    `BOARDS` as a further last axis; those behind the boards of a tile mean nothing.
    """
    size, boards = known.hidden.side.shape[4], known.hidden.side.shape[5]
    state_rows = weights.side.shape[0]
    many = state_rows * LANES
    for tile in range(known.states.shape[0]):
        scratch.down[:] = 0
        for row in range(size - 1, -1, -1):
            scratch.right[:] = 0
            for column in range(size - 1, -1, -1):
                place = (row, column, size)
                _load_states(known.by_states, tile, place, scratch.by_state)
                below = np.uint64(column * many)
                for i in range(many):
                    lane = np.uint64(i)
                    scratch.by_state[lane] += scratch.down[below + lane] + scratch.right[lane]
                _load_states(known.states, tile, place, scratch.states)
                apply_slope(scratch.by_state, scratch.states, state_rows)
                _load(known.hidden, tile, place, scratch.hidden)
                _step_back(weights, sums, scratch, row, column, boards)
                _store(known.by_hidden, tile, place, scratch.gradient)
                _clear_unused(known.by_hidden, tile, place)
                _sum_predecessors(sums, known.states, tile, place, scratch)
                _pass_back(weights, scratch, row, column, PLANES * boards)
