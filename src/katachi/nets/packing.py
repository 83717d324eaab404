"""Weights of a DAG-RNN: their types, their order in mirrored frames, and as CPU kernels read them.

Arrays, no torch. Inputs of a cell, in order: for each windowed plane its 3x3 neighbourhood row by
row, the local planes, a row of ones (the bias is the column of weights for it), and for each of the
four sweeps of an earlier layer its states.
"""

from functools import cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from katachi.nets.lanes import BOARDS, Floats, OutputWeights, padded
from katachi.nets.sweeps import StepWeights


class NetWeights(NamedTuple):
    """One hidden layer of logistic units: H hidden units, O outputs."""

    hidden: Any
    """[H, inputs and then states of predecessors or of the four sweeps]."""
    hidden_bias: Any
    """[H]."""
    out: Any
    """[O, H]."""
    out_bias: Any
    """[O]."""


class LayerWeights(NamedTuple):
    """The nets of one layer of four sweeps."""

    corner: NetWeights
    side: NetWeights
    lateral: NetWeights


Columns = npt.NDArray[np.int64]


def _moved(parts: tuple[int, int, int], window: Columns, sweeps: Columns) -> Columns:
    """The order of all columns when windows and sweeps change places as given."""
    windowed, local, states = parts
    near = np.arange(windowed)[:, None] * 9 + window
    here = 9 * windowed + np.arange(local)
    swept = 9 * windowed + local + sweeps[:, None] * states + np.arange(states)
    return np.concatenate([near.ravel(), here, swept.ravel()])


def _mirrored(parts: tuple[int, int, int], sweep: int) -> Columns:
    grid = np.arange(9).reshape(3, 3)
    grid = grid[::-1] if sweep >= 2 else grid
    grid = grid[:, ::-1] if sweep % 2 else grid
    return _moved(parts, grid.ravel(), np.arange(4) ^ sweep)


@cache
def mirrored_columns(windowed: int, local: int, states: int) -> Columns:
    """[4, inputs]: for each sweep, the column of the net that takes each input of the board.

    The sweep's own states come first, then those of the sweeps mirrored by column, by row, by both.
    """
    return np.stack([_mirrored((windowed, local, states), sweep) for sweep in range(4)])


@cache
def transposed_columns(windowed: int, local: int, states: int) -> Columns:
    """[2, inputs]: the columns as they are and as they lie when rows and columns are exchanged."""
    parts = (windowed, local, states)
    turned = _moved(parts, np.arange(9).reshape(3, 3).T.ravel(), np.array([0, 2, 1, 3]))
    return np.stack([np.arange(len(turned)), turned])


@cache
def symmetric_columns(windowed: int, local: int, states: int) -> Columns:
    """[8, inputs]: the columns under each symmetry of the square."""
    turns = transposed_columns(windowed, local, states)
    mirrors = mirrored_columns(windowed, local, states)
    return np.concatenate([mirrors, turns[1][mirrors]])


EDGE_SWEEPS = np.array([(0, 1), (2, 3), (0, 2), (1, 3)])
"""The two sweeps that begin at the top, bottom, left and right edge: with its order and against."""


class Projections(NamedTuple):
    """Weights between inputs (with the ones) and hidden units, mirrored for each sweep."""

    corner: Floats
    """[4, hidden, inputs]."""
    side: Floats
    """[edge, direction, hidden, inputs]."""
    lateral: Floats
    """[4, hidden, inputs]."""


def layer_columns(layer: LayerWeights, windowed: int, own: int) -> Columns:
    """The mirrored order of the inputs of a layer on a board with `own` inputs a cell."""
    below = (layer.corner.hidden.shape[1] - own) // 4
    return mirrored_columns(windowed, own - 9 * windowed + 1, below)


def pack_projections(layer: LayerWeights, columns: Columns, own: int) -> Projections:
    """The weights of the matrix products before a sweep."""
    inputs = layer.corner.hidden.shape[1]
    hidden = np.concatenate([net.hidden[:, :inputs] for net in layer])
    bias = np.concatenate([net.hidden_bias for net in layer])[:, None]
    biased = np.concatenate([hidden[:, :own], bias, hidden[:, own:]], 1)
    mirrored = np.stack([np.take(biased, order, 1) for order in columns])
    units = len(layer.corner.hidden)
    corner, side, lateral = (
        np.ascontiguousarray(mirrored[:, i * units : (i + 1) * units]) for i in range(3)
    )
    return Projections(corner, side[EDGE_SWEEPS], lateral)


def pack_steps(layer: LayerWeights) -> StepWeights:
    """The weights that the sweep itself reads, padded."""
    inputs, states = layer.corner.hidden.shape[1], layer.corner.out.shape[0]
    lateral = layer.lateral.hidden[:, inputs:]
    found = (
        layer.side.hidden[:, inputs:],
        lateral[:, :states],
        lateral[:, states:],
        *(net.out for net in layer),
        *(net.out_bias for net in layer),
    )
    return StepWeights(*map(padded, found))


def pack_output(output: NetWeights, own: int) -> tuple[Floats, OutputWeights]:
    """The output net's weights [hidden, inputs] with the bias last, and what follows them."""
    rows = len(output.out) + len(output.out) % 2
    out = np.zeros((rows, padded(output.out).shape[1]), output.out.dtype)
    out[: len(output.out), : output.out.shape[1]] = output.out
    bias = np.zeros(rows, output.out.dtype)
    bias[: len(output.out)] = output.out_bias
    first = np.concatenate([output.hidden[:, :own], output.hidden_bias[:, None]], 1)
    return first, OutputWeights(padded(output.hidden[:, own:]), out, bias)


def empty_sums(weights: tuple[Floats, ...]) -> tuple[Floats, list[Floats]]:
    """Zeros [weights, boards], and parts of them in the shapes of the weights, boards last."""
    total = np.zeros((sum(array.size for array in weights), BOARDS), weights[0].dtype)
    return total, _parts(total, weights)


def summed_parts(total: Floats, weights: tuple[Floats, ...]) -> list[Floats]:
    """The sums over boards of what was added up in `empty_sums`, in the shapes of the weights."""
    return _parts(total.sum(-1), weights)


def _parts(total: Floats, weights: tuple[Floats, ...]) -> list[Floats]:
    found, first = [], 0
    for array in weights:
        part = total[first : first + array.size]
        found.append(part.reshape(array.shape + total.shape[1:]))
        first += array.size
    return found


def turned(steps: StepWeights) -> StepWeights:
    """Each matrix transposed."""
    return StepWeights(*(np.ascontiguousarray(array.T) for array in steps))


def unpack_layer(
    found: Projections, steps: StepWeights, columns: Columns, own: int, states: int
) -> list[Floats]:
    """Gradients by a layer's weights in their own order, from those by the packed ones.

    Four arrays a net in the order of `NetWeights`. Mirroring twice changes nothing, so the columns
    lead back as they led here.
    """
    units = found.corner.shape[1]
    side = found.side[[0, 0, 1, 1], [0, 1, 0, 1]] + found.side[[2, 3, 2, 3], [0, 0, 1, 1]]
    mirrored = np.concatenate([found.corner, side, found.lateral], 1)
    summed = mirrored[0][:, columns[0]]
    for sweep in range(1, len(columns)):
        summed += np.take(mirrored[sweep], columns[sweep], 1)
    hidden = np.concatenate([summed[:, :own], summed[:, own + 1 :]], 1)
    before = ((), (steps.side,), (steps.above, steps.before))
    outs = (steps.corner_out, steps.side_out, steps.lateral_out)
    biases = (steps.corner_bias, steps.side_bias, steps.lateral_bias)
    gradients: list[Floats] = []
    for i in range(3):
        mine = slice(i * units, (i + 1) * units)
        parts = [hidden[mine], *(part[:units, :states] for part in before[i])]
        weight = np.concatenate(parts, 1)
        gradients += [weight, summed[mine, own], outs[i][:states, :units], biases[i][:states]]
    return gradients
