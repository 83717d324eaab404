"""Weights of a DAG-RNN: their types, their order in mirrored frames, and as CPU kernels read them.

Arrays, no torch. Inputs of a cell, in order: for each windowed plane its 3x3 neighbourhood row by
row, the local planes, a row of ones (the bias is the column of weights for it), and for each of the
four sweeps of an earlier layer its states.
"""

import math
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from katachi._jit import kernel
from katachi.nets.lanes import BOARDS, Floats, OutputWeights, padded, sum_boards
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


class TiledLayer(NamedTuple):
    """A layer's weights as learning reads them."""

    projections: Projections
    steps: StepWeights
    back: StepWeights
    """The steps' matrices transposed."""
    columns: Columns
    """See `layer_columns`."""
    own: int
    """How many inputs are the board's; the row of ones follows them."""


class TiledOutput(NamedTuple):
    """The output net's weights as learning reads them."""

    first: Floats
    """[hidden, inputs]."""
    weights: OutputWeights
    back: Floats
    """`weights.states` transposed."""


class Packing(NamedTuple):
    """How the weights of nets of one shape are packed."""

    places: Columns
    """For each packed number its place among all weights; 0 where it is zero."""
    shapes: list[tuple[int, ...]]
    """Of the packed arrays."""
    columns: list[Columns]
    """Of each layer."""
    own: int


@cache
def find_packing(shapes: tuple[tuple[int, ...], ...], windowed: int, own: int) -> Packing:
    """For weights of these shapes: each layer's in the order of `LayerWeights`, then the output
    net's. Found by packing the numbers of the places themselves."""
    starts = np.cumsum([1, *(int(np.prod(shape)) for shape in shapes)])
    numbers = [
        np.arange(start, start + np.prod(shape)).reshape(shape)
        for start, shape in zip(starts, shapes, strict=False)
    ]
    found: list[Any] = []
    columns = []
    for layer in split_layers(numbers):
        columns.append(layer_columns(layer, windowed, own))
        steps = pack_steps(layer)
        found += [*pack_projections(layer, columns[-1], own), *steps, *turned(steps)]
    first, output = pack_output(NetWeights(*numbers[-4:]), own)
    found += [first, *output, output.states.T]
    places = np.concatenate([array.ravel() for array in found])
    return Packing(places, [array.shape for array in found], columns, own)


def split_layers(arrays: list[Any]) -> list[LayerWeights]:
    """The nets of each layer, from all weights of a net."""
    nets = [NetWeights(*arrays[i : i + 4]) for i in range(0, len(arrays) - 4, 4)]
    return [LayerWeights(*nets[i : i + 3]) for i in range(0, len(nets), 3)]


def pack(weights: Floats, packing: Packing) -> tuple[list[TiledLayer], TiledOutput]:
    """All weights, which follow a zero in one array, as learning reads them."""
    numbers = weights.take(packing.places)
    arrays, first = [], 0
    for shape in packing.shapes:
        many = math.prod(shape)
        arrays.append(numbers[first : first + many].reshape(shape))
        first += many
    *nets, output, states, out, bias, back = arrays
    layers = [
        _tiled_layer(nets[21 * i : 21 * i + 21], columns, packing.own)
        for i, columns in enumerate(packing.columns)
    ]
    return layers, TiledOutput(output, OutputWeights(states, out, bias), back)


def _tiled_layer(arrays: list[Floats], columns: Columns, own: int) -> TiledLayer:
    steps, back = StepWeights(*arrays[3:12]), StepWeights(*arrays[12:])
    return TiledLayer(Projections(*arrays[:3]), steps, back, columns, own)


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
    found = np.empty(len(total), total.dtype)
    sum_boards(total, found)
    return _parts(found, weights)


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


@kernel
def _sum_mirrored(found: Projections, columns: Columns, out: Floats) -> None:
    """Fills out [3 * hidden, inputs]: corner, side and lateral nets, sums over the four sweeps."""
    units = found.corner.shape[1]
    for unit in range(units):
        for i in range(columns.shape[1]):
            for sweep in range(columns.shape[0]):
                at, rows, cols = columns[sweep, i], sweep // 2, sweep % 2
                corner = found.corner[sweep, unit, at]
                side = found.side[rows, cols, unit, at] + found.side[2 + cols, rows, unit, at]
                lateral = found.lateral[sweep, unit, at]
                if sweep == 0:
                    out[unit, i], out[units + unit, i] = corner, side
                    out[2 * units + unit, i] = lateral
                else:
                    out[unit, i] += corner
                    out[units + unit, i] += side
                    out[2 * units + unit, i] += lateral


def unpack_layer(
    found: Projections, steps: StepWeights, layer: TiledLayer, states: int
) -> list[Floats]:
    """Gradients by a layer's weights in their own order, from those by the packed ones.

    Four arrays a net in the order of `NetWeights`. Mirroring twice changes nothing, so the columns
    lead back as they led here.
    """
    units, columns, own = found.corner.shape[1], layer.columns, layer.own
    summed = np.empty((3 * units, columns.shape[1]), found.corner.dtype)
    _sum_mirrored(found, columns, summed)
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
