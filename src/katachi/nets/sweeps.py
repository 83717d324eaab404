"""Four sweeps over a square board, one from each corner, and their gradients: CPU kernels.

Each sweep goes over the board in its own frame, mirrored so that it begins at the top left. A cell
sees what its input gives (the projection) and the states of its predecessors: the cell before it in
its column, then the cell before it in its row. The corner has none and side cells one; corner, side
and lateral cells have nets of their own, the same for all four sweeps. Sweep number `2 * r + c`
mirrors the rows where r is 1 and the columns where c is 1.

Boards go in tiles of `BOARDS`, and a tile's four sweeps run together as the lanes of `lanes.py`.
Arrays lie in the board's order: states [tiles, sweep, unit, cell, board].
"""

from typing import NamedTuple

import numpy as np

from katachi._jit import inlined, kernel
from katachi.nets.lanes import (
    BOARDS,
    LANES,
    PLANES,
    STEP,
    Floats,
    add_product,
    apply_logistic,
    apply_slope,
    fill_rows,
    logistic_table,
)


class Cells(NamedTuple):
    """Numbers of U units for each cell and sweep, kept apart by the kind of the cell."""

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
    """By hidden units; then by the states of one row of cells, and by those of one cell."""
    down: Floats
    right: Floats
    table: Floats


def make_scratch(size: int, hidden: int, states: int, dtype: np.dtype[np.floating]) -> Scratch:
    """Room for tiles of boards of this size."""
    rows = (-(-hidden // STEP) * STEP) * LANES
    state_rows = (-(-states // STEP) * STEP) * LANES
    empty = [np.zeros(n, dtype) for n in (rows, size * state_rows, rows, size * state_rows)]
    return Scratch(*empty, np.zeros(state_rows, dtype), logistic_table(dtype))


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


@kernel
def _load(cells: Cells, tile: int, place: tuple[int, int, int], out: Floats) -> None:
    """Copies the units of a cell of all four sweeps to lanes."""
    row, column, size = place
    for sweep in range(PLANES):
        edge, way, slot = _edge_place(sweep, row, column, size)
        cell = _cell(sweep, row, column, size)
        for unit in range(cells.corner.shape[2]):
            at = np.uint64(unit * LANES + sweep * BOARDS)
            if row == 0 and column == 0:
                for i in range(BOARDS):
                    out[at + np.uint64(i)] = cells.corner[tile, sweep, unit, i]
            elif row == 0 or column == 0:
                for i in range(BOARDS):
                    out[at + np.uint64(i)] = cells.side[tile, edge, way, unit, slot, i]
            else:
                for i in range(BOARDS):
                    out[at + np.uint64(i)] = cells.lateral[tile, sweep, unit, cell, i]


@kernel
def _store(cells: Cells, tile: int, place: tuple[int, int, int], values: Floats) -> None:
    """Copies lanes to the units of a cell of all four sweeps."""
    row, column, size = place
    for sweep in range(PLANES):
        edge, way, slot = _edge_place(sweep, row, column, size)
        cell = _cell(sweep, row, column, size)
        for unit in range(cells.corner.shape[2]):
            at = np.uint64(unit * LANES + sweep * BOARDS)
            if row == 0 and column == 0:
                for i in range(BOARDS):
                    cells.corner[tile, sweep, unit, i] = values[at + np.uint64(i)]
            elif row == 0 or column == 0:
                for i in range(BOARDS):
                    cells.side[tile, edge, way, unit, slot, i] = values[at + np.uint64(i)]
            else:
                for i in range(BOARDS):
                    cells.lateral[tile, sweep, unit, cell, i] = values[at + np.uint64(i)]


@kernel
def _step(
    weights: StepWeights, scratch: Scratch, row: int, column: int, state_rows: int
) -> None:
    """From a cell's projection in `scratch.hidden` to its state in the row of states."""
    hidden, states, table = scratch.hidden, scratch.states, scratch.table
    at = column * state_rows * LANES
    before = at - state_rows * LANES
    if row > 0 and column > 0:
        add_product(hidden, 0, weights.above, states, at)
        add_product(hidden, 0, weights.before, states, before)
    elif row > 0:
        add_product(hidden, 0, weights.side, states, at)
    elif column > 0:
        add_product(hidden, 0, weights.side, states, before)
    apply_logistic(hidden, 0, weights.side.shape[0], table)
    if row > 0 and column > 0:
        fill_rows(states, at, weights.lateral_bias)
        add_product(states, at, weights.lateral_out, hidden, 0)
    elif row > 0 or column > 0:
        fill_rows(states, at, weights.side_bias)
        add_product(states, at, weights.side_out, hidden, 0)
    else:
        fill_rows(states, at, weights.corner_bias)
        add_product(states, at, weights.corner_out, hidden, 0)
    apply_logistic(states, at, state_rows, table)


@kernel
def sweep_forward(weights: StepWeights, cells: Cells, states: Floats, scratch: Scratch) -> None:
    """Turns projections into hidden activations, in place, and fills `states`.

    `cells` holds the projections with their bias; `states` is [tiles, 4, states, size * size,
    boards].
    """
    size = cells.side.shape[4]
    state_rows = weights.side.shape[1]
    for tile in range(states.shape[0]):
        for row in range(size):
            for column in range(size):
                place = (row, column, size)
                _load(cells, tile, place, scratch.hidden)
                _step(weights, scratch, row, column, state_rows)
                _store(cells, tile, place, scratch.hidden)
                for sweep in range(PLANES):
                    cell = _cell(sweep, row, column, size)
                    for unit in range(states.shape[2]):
                        at = np.uint64((column * state_rows + unit) * LANES + sweep * BOARDS)
                        for i in range(BOARDS):
                            states[tile, sweep, unit, cell, i] = scratch.states[at + np.uint64(i)]


@kernel
def _load_states(states: Floats, tile: int, place: tuple[int, int, int], out: Floats) -> None:
    """Copies the states of a cell of all four sweeps to lanes."""
    row, column, size = place
    for sweep in range(PLANES):
        cell = _cell(sweep, row, column, size)
        for unit in range(states.shape[2]):
            at = np.uint64(unit * LANES + sweep * BOARDS)
            for i in range(BOARDS):
                out[at + np.uint64(i)] = states[tile, sweep, unit, cell, i]


@kernel
def _pass_back(weights: StepWeights, scratch: Scratch, row: int, column: int) -> None:
    """From the gradient by hidden units to those by the predecessors' states.

    Products need the transposed matrices: here `side`, `above`, `before` are [states, hidden].
    """
    state_rows = weights.side.shape[0]
    at = column * state_rows * LANES
    for i in range(state_rows * LANES):
        scratch.down[np.uint64(at) + np.uint64(i)] = 0
        scratch.right[np.uint64(i)] = 0
    if row > 0 and column > 0:
        add_product(scratch.down, at, weights.above, scratch.gradient, 0)
        add_product(scratch.right, 0, weights.before, scratch.gradient, 0)
    elif row > 0:
        add_product(scratch.down, at, weights.side, scratch.gradient, 0)
    elif column > 0:
        add_product(scratch.right, 0, weights.side, scratch.gradient, 0)


@kernel
def _step_back(
    weights: StepWeights, scratch: Scratch, by_state: Floats, row: int, column: int
) -> None:
    """From the gradient by a cell's states to that by its hidden units, and to predecessors."""
    gradient, rows = scratch.gradient, weights.side.shape[1]
    for i in range(rows * LANES):
        gradient[np.uint64(i)] = 0
    if row > 0 and column > 0:
        add_product(gradient, 0, weights.lateral_out, by_state, 0)
    elif row > 0 or column > 0:
        add_product(gradient, 0, weights.side_out, by_state, 0)
    else:
        add_product(gradient, 0, weights.corner_out, by_state, 0)
    apply_slope(gradient, scratch.hidden, rows)
    _pass_back(weights, scratch, row, column)


class Gradients(NamedTuple):
    """Gradients before the logistic functions, and what the forward sweep left."""

    hidden: Cells
    """Activations of the forward sweep."""
    states: Floats
    by_hidden: Cells
    """Filled: by the projections. Unused places are left alone."""
    by_out: Cells
    """Filled: by what goes into the states' logistic functions."""


@kernel
def sweep_backward(
    weights: StepWeights, known: Gradients, by_states: Floats, by_state: Floats, scratch: Scratch
) -> None:
    """Fills `by_hidden` and `by_out` of `known` from the gradients by the states.

    `weights` are the transposed matrices; `by_state` is room for the states of one cell.
    """
    size = known.hidden.side.shape[4]
    state_rows = weights.side.shape[0]
    many = state_rows * LANES
    for tile in range(by_states.shape[0]):
        scratch.down[:] = 0
        for row in range(size - 1, -1, -1):
            scratch.right[:] = 0
            for column in range(size - 1, -1, -1):
                place = (row, column, size)
                _load_states(by_states, tile, place, by_state)
                below = np.uint64(column * many)
                for i in range(many):
                    lane = np.uint64(i)
                    by_state[lane] += scratch.down[below + lane] + scratch.right[lane]
                _load_states(known.states, tile, place, scratch.states)
                apply_slope(by_state, scratch.states, state_rows)
                _store(known.by_out, tile, place, by_state)
                _load(known.hidden, tile, place, scratch.hidden)
                _step_back(weights, scratch, by_state, row, column)
                _store(known.by_hidden, tile, place, scratch.gradient)


@kernel
def fill_inputs(planes: Floats, windowed: int, out: Floats) -> None:
    """Fills inputs [tiles, inputs + 1, size, size, boards] from planes [boards, C, size, size].

    Nine rows for each of the `windowed` first planes (its 3x3 neighbourhood, row by row, zeros off
    the board), one for each other plane, and a last row of ones. Missing boards are all zeros.
    """
    size = planes.shape[2]
    for tile in range(out.shape[0]):
        boards = min(BOARDS, planes.shape[0] - tile * BOARDS)
        for plane in range(planes.shape[1]):
            at = 9 * plane + 4 if plane < windowed else 8 * windowed + plane
            for row in range(size):
                for column in range(size):
                    for i in range(boards):
                        board = tile * BOARDS + i
                        out[tile, at, row, column, i] = planes[board, plane, row, column]
                    for i in range(boards, BOARDS):
                        out[tile, at, row, column, i] = 0
            if plane < windowed:
                _fill_windows(out[tile], at)
        out[tile, -1] = 1


@kernel
def _fill_windows(inputs: Floats, centre: int) -> None:
    """Copies row `centre` of inputs [rows, size, size, boards] to its eight shifted neighbours."""
    size = inputs.shape[1]
    for part in range(9):
        if part == 4:
            continue
        down, right = part // 3 - 1, part % 3 - 1
        for row in range(size):
            for column in range(size):
                r, c = row + down, column + right
                if 0 <= r < size and 0 <= c < size:
                    for i in range(BOARDS):
                        inputs[centre - 4 + part, row, column, i] = inputs[centre, r, c, i]
                else:
                    for i in range(BOARDS):
                        inputs[centre - 4 + part, row, column, i] = 0
