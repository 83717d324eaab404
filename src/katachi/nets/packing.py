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


def _with_bias(net: NetWeights, own: int, inputs: int) -> Floats:
    bias = net.hidden_bias[:, None]
    return np.concatenate([net.hidden[:, :own], bias, net.hidden[:, own:inputs]], 1)


def pack_projections(layer: LayerWeights, columns: Columns, own: int) -> Projections:
    """The weights of the matrix products before a sweep."""
    inputs = layer.corner.hidden.shape[1]
    corner, side, lateral = (
        np.ascontiguousarray(_with_bias(net, own, inputs)[:, columns].transpose(1, 0, 2))
        for net in layer
    )
    return Projections(corner, side[EDGE_SWEEPS], lateral)


def pack_steps(layer: LayerWeights) -> StepWeights:
    """The weights that the sweep itself reads, not yet padded."""
    inputs, states = layer.corner.hidden.shape[1], layer.corner.out.shape[0]
    lateral = layer.lateral.hidden[:, inputs:]
    return StepWeights(
        layer.side.hidden[:, inputs:],
        lateral[:, :states],
        lateral[:, states:],
        *(net.out for net in layer),
        *(net.out_bias for net in layer),
    )


def pack_output(output: NetWeights, own: int) -> tuple[Floats, OutputWeights]:
    """The output net's weights [hidden, inputs] with the bias last, and what follows them."""
    out = padded(output.out)[:2]
    bias = np.array([output.out_bias[0], 0], output.out.dtype)
    first = np.concatenate([output.hidden[:, :own], output.hidden_bias[:, None]], 1)
    return first, OutputWeights(padded(output.hidden[:, own:]), out, bias)


def empty_sums(weights: tuple[Floats, ...]) -> list[Floats]:
    """Zeros in the shapes of padded weights, with the boards of a tile as a further last axis."""
    return [np.zeros((*array.shape, BOARDS), array.dtype) for array in weights]


def turned(steps: StepWeights) -> StepWeights:
    """Each matrix transposed."""
    return StepWeights(*(array.T for array in steps))


def unpack_layer(
    found: Projections, steps: StepWeights, columns: Columns, own: int
) -> list[Floats]:
    """Gradients by a layer's weights in their own order, from those by the packed ones.

    Four arrays a net in the order of `NetWeights`. Mirroring twice changes nothing, so the columns
    lead back as they led here.
    """
    side = np.zeros_like(found.corner)
    np.add.at(side, EDGE_SWEEPS, found.side)
    states = (None, (steps.side,), (steps.above, steps.before))
    outs = (steps.corner_out, steps.side_out, steps.lateral_out)
    biases = (steps.corner_bias, steps.side_bias, steps.lateral_bias)
    gradients: list[Floats] = []
    for number, mirrored in enumerate((found.corner, side, found.lateral)):
        summed = sum(mirrored[sweep][:, columns[sweep]] for sweep in range(4))
        assert isinstance(summed, np.ndarray)
        parts = [summed[:, :own], summed[:, own + 1 :], *(states[number] or ())]
        gradients += [np.concatenate(parts, 1), summed[:, own], outs[number], biases[number]]
    return gradients
