"""Weights of a DAG-RNN in the order in which the CPU kernels read them, and gradients back again.

Arrays, no torch. Among the inputs of a cell a row of ones follows the board's own inputs: the bias
is the column of weights for it.
"""

from typing import NamedTuple

import numpy as np

from katachi.nets.lanes import BOARDS, Floats, padded
from katachi.nets.mirrors import Columns, mirrored_columns
from katachi.nets.outputs import OutputWeights
from katachi.nets.sweeps import StepWeights
from katachi.nets.weights import LayerWeights, NetWeights

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
