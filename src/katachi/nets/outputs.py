"""What goes in and what comes out of the sweeps on a CPU: inputs of cells, and the output net."""

from typing import NamedTuple

import numpy as np

from katachi._jit import inlined, kernel
from katachi.nets.lanes import (
    BOARDS,
    LANES,
    Floats,
    add_lanes,
    add_outer,
    add_product,
    apply_logistic,
    apply_slope,
    fill_rows,
    logistic_table,
)


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


class OutputWeights(NamedTuple):
    """What follows the output net's projection; `padded`, but `out` only to an even number of
    rows: those behind the outputs are nothing but zeros."""

    states: Floats
    """[hidden, states of all four sweeps]."""
    out: Floats
    """[rows, hidden]."""
    bias: Floats
    """[rows]."""


class OutputScratch(NamedTuple):
    """Room for `LANES` cells at work."""

    hidden: Floats
    states: Floats
    gradient: Floats
    logits: Floats
    by_states: Floats
    table: Floats


def make_output_scratch(weights: OutputWeights) -> OutputScratch:
    """Room for these weights."""
    dtype = weights.out.dtype
    hidden, states = weights.states.shape
    room = [np.zeros(n * LANES, dtype) for n in (hidden, states, hidden, len(weights.out), states)]
    return OutputScratch._make([*room, logistic_table(dtype)])


@inlined
def _take(source: Floats, first: int, out: Floats) -> None:
    """Copies `LANES` cells of source [units, cells] from `first` on; zeros past its end."""
    many = min(LANES, source.shape[1] - first)
    for unit in range(source.shape[0]):
        for i in range(many):
            out[np.uint64(unit * LANES) + np.uint64(i)] = source[unit, np.uint64(first + i)]
        for i in range(many, LANES):
            out[np.uint64(unit * LANES) + np.uint64(i)] = 0


@inlined
def _give(values: Floats, first: int, target: Floats) -> None:
    """Copies lanes back to cells: the reverse of `_take`."""
    many = min(LANES, target.shape[1] - first)
    for unit in range(target.shape[0]):
        for i in range(many):
            target[unit, np.uint64(first + i)] = values[np.uint64(unit * LANES) + np.uint64(i)]


@kernel
def give_logits(
    weights: OutputWeights, hidden: Floats, states: Floats, logits: Floats, room: OutputScratch
) -> None:
    """Turns projections into hidden activations, in place, and fills logits [tiles, outputs,
    cells].

    `hidden` is [tiles, hidden, cells], `states` [tiles, 4 * states, cells]; the boards of a tile
    count among the cells.
    """
    for tile in range(hidden.shape[0]):
        for first in range(0, hidden.shape[2], LANES):
            _take(hidden[tile], first, room.hidden)
            _take(states[tile], first, room.states)
            add_product(room.hidden, 0, weights.states, room.states, 0)
            apply_logistic(room.hidden, 0, weights.states.shape[0], room.table)
            _give(room.hidden, first, hidden[tile])
            fill_rows(room.logits, 0, weights.bias)
            add_product(room.logits, 0, weights.out, room.hidden, 0)
            _give(room.logits, first, logits[tile])


@inlined
def _spread_back(out: Floats, outputs: int, by_logits: Floats, gradient: Floats) -> None:
    """Fills gradient [hidden, lanes] from that by the logits [outputs, lanes]."""
    for unit in range(out.shape[1]):
        row = np.uint64(unit * LANES)
        weight = out[0, unit]
        for i in range(LANES):
            gradient[row + np.uint64(i)] = weight * by_logits[np.uint64(i)]
        for output in range(1, outputs):
            weight = out[output, unit]
            first = np.uint64(output * LANES)
            for i in range(LANES):
                gradient[row + np.uint64(i)] += weight * by_logits[first + np.uint64(i)]


class OutputKnown(NamedTuple):
    """What going back through the output net reads and fills; shapes as in `give_logits`."""

    hidden: Floats
    states: Floats
    by_logits: Floats
    by_hidden: Floats
    """Filled."""
    by_states: Floats
    """Filled."""


@kernel
def give_back_logits(
    weights: OutputWeights,
    turned: Floats,
    known: OutputKnown,
    sums: OutputWeights,
    room: OutputScratch,
) -> None:
    """Fills the gradients of `known` and adds to `sums`, the gradients by the weights.

    `turned` is `weights.states` transposed; `sums` has the boards of a tile as a further last axis.
    """
    for tile in range(known.hidden.shape[0]):
        for first in range(0, known.hidden.shape[2], LANES):
            _take(known.hidden[tile], first, room.hidden)
            _take(known.states[tile], first, room.states)
            _take(known.by_logits[tile], first, room.logits)
            _spread_back(weights.out, known.by_logits.shape[1], room.logits, room.gradient)
            add_outer(sums.out, room.logits, room.hidden, 0)
            add_lanes(sums.bias, room.logits)
            apply_slope(room.gradient, room.hidden, weights.out.shape[1])
            add_outer(sums.states, room.gradient, room.states, 0)
            room.by_states[:] = 0
            add_product(room.by_states, 0, turned, room.gradient, 0)
            _give(room.gradient, first, known.by_hidden[tile])
            _give(room.by_states, first, known.by_states[tile])
