"""Small matrix products and logistic units on many lanes at once: the steps of the sweep kernels;
and what comes out of the sweeps, the output net.

A vector of units is a flat array of rows of `LANES` numbers, one row a unit. A tile of fewer boards
uses the first lanes of a row, a multiple of eight: rows are a constant apart, so that the compiler
turns each inner loop into a few wide instructions. Indices are unsigned, for a signed index would
be tested for its sign at each use.
"""

from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from katachi._jit import inlined, kernel

BOARDS = 16
"""Boards that are worked on together, at most."""
FEWEST = 8
"""At least. In between any even number will do."""
PLANES = 4
LANES = PLANES * BOARDS
STEP = 8
"""Matrices have a multiple of this many rows and columns; the rest is filled with zeros."""

Floats = npt.NDArray[np.floating]
_U = np.uint64

# Rational approximation of tanh on [-7.9, 7.9], as in Eigen: numerator x * p(x^2), denominator
# q(x^2), the lowest power first; within 2e-7 of the true value.
_TOP = (4.89352455891786e-03, 6.37261928875436e-04, 1.48572235717979e-05, 5.12229709037114e-08)
_TOP_TAIL = (-8.60467152213735e-11, 2.00018790482477e-13, -2.76076847742355e-16)
_BOTTOM = (4.89352518554385e-03, 2.26843463243900e-03, 1.18534705686654e-04, 1.19825839466702e-06)
_LIMIT, _HALF = 7.90531110763549805, 0.5


@cache
def logistic_table(dtype: npt.DTypeLike) -> Floats:
    """The numbers that `apply_logistic` reads; one array for all."""
    return np.array((*_TOP, *_TOP_TAIL, *_BOTTOM, _LIMIT, _HALF), dtype)


def padded(matrix: Floats) -> Floats:
    """The matrix or vector with zeros behind each axis, up to a multiple of `STEP`."""
    shape = [length + -length % STEP for length in matrix.shape]
    found = np.zeros(shape, matrix.dtype)
    found[tuple(map(slice, matrix.shape))] = matrix
    return found


@kernel
def add_product(
    out: Floats, at: int, weights: Floats, inputs: Floats, first: int, lanes: int
) -> None:
    """Adds weights [J, K] x inputs [K, lanes] to out [J, lanes], which begin at `first` and `at`.

    Eight columns a round: their weights stay in registers while the lanes go by.
    """
    used = lanes & -8  # which tells the compiler that nothing is left over
    for j in range(weights.shape[0]):
        a = _U(at + j * LANES)
        for k in range(0, weights.shape[1], 8):
            i = _U(first + k * LANES)
            v0, v1, v2, v3 = weights[j, k], weights[j, k + 1], weights[j, k + 2], weights[j, k + 3]
            v4, v5, v6, v7 = (
                weights[j, k + 4],
                weights[j, k + 5],
                weights[j, k + 6],
                weights[j, k + 7],
            )
            for lane in range(used):
                x = i + _U(lane)
                x0, x1 = inputs[x], inputs[x + _U(LANES)]
                x2, x3 = inputs[x + _U(2 * LANES)], inputs[x + _U(3 * LANES)]
                x4, x5 = inputs[x + _U(4 * LANES)], inputs[x + _U(5 * LANES)]
                x6, x7 = inputs[x + _U(6 * LANES)], inputs[x + _U(7 * LANES)]
                out[a + _U(lane)] += ((v0 * x0 + v1 * x1) + (v2 * x2 + v3 * x3)) + (
                    (v4 * x4 + v5 * x5) + (v6 * x6 + v7 * x7)
                )


@inlined
def fill_rows(out: Floats, at: int, values: Floats) -> None:
    """Sets each row of `out` from `at` on to its number of `values`."""
    for j in range(values.shape[0]):
        value = values[j]
        row = _U(at + j * LANES)
        for lane in range(LANES):
            out[row + _U(lane)] = value


@kernel
def apply_logistic(values: Floats, at: int, rows: int, table: Floats, lanes: int) -> None:
    """Replaces rows from `at` on by 1 / (1 + exp(-x)), within 2e-7."""
    a0, a1, a2, a3, a4, a5, a6 = (
        table[0],
        table[1],
        table[2],
        table[3],
        table[4],
        table[5],
        table[6],
    )
    b0, b1, b2, b3, limit, half = table[7], table[8], table[9], table[10], table[11], table[12]
    used = lanes & -8
    for row in range(rows):
        first = _U(at + row * LANES)
        for i in range(used):
            x = min(max(values[first + _U(i)] * half, -limit), limit)
            s = x * x
            top = (((((a6 * s + a5) * s + a4) * s + a3) * s + a2) * s + a1) * s + a0
            bottom = ((b3 * s + b2) * s + b1) * s + b0
            values[first + _U(i)] = half * (x * top / bottom) + half


@kernel
def add_outer(sums: Floats, gradient: Floats, values: Floats, boards: int) -> None:
    """Adds gradient [J, lanes] x values [K, lanes]^T to sums [J, K, BOARDS].

    Each place of a sum takes the lanes of one board, so that nothing is added across lanes here.
    What places behind the `boards` take means nothing.
    """
    columns = sums.shape[1]
    flat = sums.reshape(sums.size)
    n = _U(boards)
    for j in range(sums.shape[0]):
        g = _U(j * LANES)
        for k in range(0, columns, 4):
            x = _U(k * LANES)
            s = _U((j * columns + k) * BOARDS)
            for i in range(BOARDS):
                a = _U(i)
                b, c, d = a + n, a + n + n, a + n + n + n
                g0, g1, g2, g3 = gradient[g + a], gradient[g + b], gradient[g + c], gradient[g + d]
                y, z, w = x + _U(LANES), x + _U(2 * LANES), x + _U(3 * LANES)
                flat[s + a] += (g0 * values[x + a] + g1 * values[x + b]) + (
                    g2 * values[x + c] + g3 * values[x + d]
                )
                flat[s + a + _U(BOARDS)] += (g0 * values[y + a] + g1 * values[y + b]) + (
                    g2 * values[y + c] + g3 * values[y + d]
                )
                flat[s + a + _U(2 * BOARDS)] += (g0 * values[z + a] + g1 * values[z + b]) + (
                    g2 * values[z + c] + g3 * values[z + d]
                )
                flat[s + a + _U(3 * BOARDS)] += (g0 * values[w + a] + g1 * values[w + b]) + (
                    g2 * values[w + c] + g3 * values[w + d]
                )


@inlined
def add_lanes(sums: Floats, gradient: Floats, boards: int) -> None:
    """Adds gradient [J, lanes] to sums [J, BOARDS], as `add_outer` does."""
    n = _U(boards)
    for j in range(sums.shape[0]):
        g = _U(j * LANES)
        for i in range(BOARDS):
            a = g + _U(i)
            b, c, d = a + n, a + n + n, a + n + n + n
            sums[j, i] += (gradient[a] + gradient[b]) + (gradient[c] + gradient[d])


@inlined
def _copy_eight(source: Floats, first: int, out: Floats, at: int) -> None:
    """All are read before the first is written: so they go as one."""
    a, b = _U(first), _U(at)
    x0, x1, x2, x3 = source[a], source[a + _U(1)], source[a + _U(2)], source[a + _U(3)]
    x4, x5, x6, x7 = source[a + _U(4)], source[a + _U(5)], source[a + _U(6)], source[a + _U(7)]
    out[b], out[b + _U(1)], out[b + _U(2)], out[b + _U(3)] = x0, x1, x2, x3
    out[b + _U(4)], out[b + _U(5)], out[b + _U(6)], out[b + _U(7)] = x4, x5, x6, x7


@inlined
def copy_boards(source: Floats, first: int, out: Floats, at: int, boards: int) -> None:
    """Copies a number a board between flat arrays: two runs of eight, which may overlap."""
    _copy_eight(source, first, out, at)
    _copy_eight(source, first + boards - 8, out, at + boards - 8)


@inlined
def clear_boards(out: Floats, at: int, boards: int) -> None:
    """Sets a number a board to zero, in the same way."""
    for i in range(8):
        out[_U(at) + _U(i)] = 0
    for i in range(8):
        out[_U(at + boards - 8) + _U(i)] = 0


@inlined
def apply_slope(gradient: Floats, values: Floats, rows: int) -> None:
    """Multiplies each gradient by the logistic function's slope where it had that value."""
    for i in range(rows * LANES):
        value = values[_U(i)]
        gradient[_U(i)] *= value - value * value


@kernel
def sum_boards(sums: Floats, out: Floats) -> None:
    """Fills out [n] from sums [n, boards], whose boards are added in NumPy's order."""
    for n in range(sums.shape[0]):
        a, b, c, d, e, f, g, h = (
            sums[n, 0] + sums[n, 8],
            sums[n, 1] + sums[n, 9],
            sums[n, 2] + sums[n, 10],
            sums[n, 3] + sums[n, 11],
            sums[n, 4] + sums[n, 12],
            sums[n, 5] + sums[n, 13],
            sums[n, 6] + sums[n, 14],
            sums[n, 7] + sums[n, 15],
        )
        out[n] = ((a + b) + (c + d)) + ((e + f) + (g + h))


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
            add_product(room.hidden, 0, weights.states, room.states, 0, LANES)
            apply_logistic(room.hidden, 0, weights.states.shape[0], room.table, LANES)
            _give(room.hidden, first, hidden[tile])
            fill_rows(room.logits, 0, weights.bias)
            add_product(room.logits, 0, weights.out, room.hidden, 0, LANES)
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
            add_outer(sums.out, room.logits, room.hidden, BOARDS)
            add_lanes(sums.bias, room.logits, BOARDS)
            apply_slope(room.gradient, room.hidden, weights.out.shape[1])
            add_outer(sums.states, room.gradient, room.states, BOARDS)
            room.by_states[:] = 0
            add_product(room.by_states, 0, turned, room.gradient, 0, LANES)
            _give(room.gradient, first, known.by_hidden[tile])
            _give(room.by_states, first, known.by_states[tile])
