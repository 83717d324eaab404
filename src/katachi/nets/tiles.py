"""DAG-RNN on a CPU: projections as matrix products, sweeps and their gradients as kernels.

Boards are taken in tiles, in which they lie innermost in memory. One autograd function is the
whole net: few steps in Python, whatever the size of the board.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from katachi.nets.cell_inputs import fill_inputs, fill_rims
from katachi.nets.lanes import (
    BOARDS,
    FEWEST,
    PLANES,
    Floats,
    OutputKnown,
    OutputWeights,
    give_back_logits,
    give_logits,
    make_output_scratch,
)
from katachi.nets.packing import (
    LayerWeights,
    NetWeights,
    Projections,
    TiledLayer,
    TiledOutput,
    empty_sums,
    find_packing,
    pack,
    summed_parts,
    unpack_layer,
)
from katachi.nets.sweeps import (
    Cells,
    Known,
    StepWeights,
    make_scratch,
    sweep_backward,
    sweep_forward,
)


def tiled_logits(
    planes: Tensor, windowed: int, layers: list[LayerWeights], output: NetWeights
) -> Tensor:
    """Logits [B, outputs, N, N] of planes [B, C, N, N]; no gradient goes back to the planes."""
    flat = [tensor for layer in layers for net in layer for tensor in net]
    found: Tensor = _Net.apply(planes, windowed, *flat, *output)  # type: ignore[no-untyped-call]
    return found


class _Net(torch.autograd.Function):
    """The whole net, from planes to logits."""

    @staticmethod
    def forward(ctx: Any, planes: Tensor, windowed: int, *flat: Tensor) -> Tensor:
        """Takes the tensors of each layer's `LayerWeights`, then those of the output net."""
        inputs = _tiled_inputs(planes, windowed)
        shapes = tuple(tensor.shape for tensor in flat)
        packing = find_packing(shapes, windowed, inputs.shape[1] - 1)
        weights = torch.cat([flat[0].new_zeros(1), *(tensor.flatten() for tensor in flat)])
        layers, output = pack(_array(weights), packing)
        ctx.layers = []
        states: Tensor | None = None
        for layer in layers:
            seen = inputs if states is None else torch.cat([inputs, states], 1)
            ctx.layers.append(_sweep(seen, layer, len(flat[2])))
            states = ctx.layers[-1].states
        assert states is not None
        ctx.output = _give_logits(inputs, states, output, len(flat[-1]))
        tiles, _, size, _, boards = inputs.shape
        logits = ctx.output.logits.reshape(tiles, -1, size, size, boards).transpose(0, 4, 1, 2, 3)
        shown = logits.reshape(tiles * boards, -1, size, size)[: len(planes)]
        return torch.from_numpy(np.ascontiguousarray(shown))

    @staticmethod
    def backward(ctx: Any, *by_outputs: Tensor) -> tuple[Tensor | None, ...]:
        """Gradients by the weights, in the order of `forward`."""
        by_states, found = _take_back_logits(ctx.output, _array(by_outputs[0]))
        for number in range(len(ctx.layers) - 1, -1, -1):
            swept = ctx.layers[number]
            by_hidden, by_weights = _sweep_back(swept, by_states)
            found = by_weights + found
            if number > 0:
                below = ctx.layers[number - 1].states.shape[1]
                by_states = _array(_by_inputs(swept, by_hidden)[:, -below:].contiguous())
        return (None, None, *map(torch.from_numpy, found))


class _Swept(NamedTuple):
    """What going back through a layer needs."""

    inputs: Tensor
    """[tiles, inputs, N, N, boards]."""
    rims: tuple[Tensor, Tensor]
    layer: TiledLayer
    hidden: Cells
    states: Tensor
    """[tiles, 4 * states, N, N, boards]."""


class _Given(NamedTuple):
    """What going back through the output net needs."""

    inputs: Tensor
    output: TiledOutput
    hidden: Floats
    states: Tensor
    logits: Floats
    """[tiles, outputs, cells], the boards of a tile among the cells."""


def _tiled_inputs(planes: Tensor, windowed: int) -> Tensor:
    """[tiles, inputs + 1, N, N, boards]: see `fill_inputs`."""
    boards, count, size, _ = planes.shape
    tiles = -(-boards // BOARDS)
    each = max(FEWEST, -(-boards // (2 * tiles)) * 2)
    shape = (tiles, 8 * windowed + count + 1, size, size, each)
    inputs = planes.new_empty(shape)
    fill_inputs(_array(planes.contiguous()), windowed, _array(inputs))
    return inputs


def _sweep(inputs: Tensor, layer: TiledLayer, units: int) -> _Swept:
    """Runs one layer forward."""
    rims = _rims(inputs)
    hidden = _project(inputs, rims, layer.projections)
    tiles, _, size, _, boards = inputs.shape
    states = inputs.new_empty(tiles, PLANES * units, size, size, boards)
    by_sweep = _array(states).reshape(tiles, PLANES, units, size * size, boards)

    def run(part: slice) -> None:
        scratch = make_scratch(size, hidden.side.shape[3], units, by_sweep.dtype)
        sweep_forward(layer.steps, _part(hidden, part), by_sweep[part], scratch)

    _share(run, tiles)
    return _Swept(inputs, rims, layer, hidden, states)


def _sweep_back(swept: _Swept, by_states: Floats) -> tuple[Cells, list[Floats]]:
    """Gradients by a layer's projections and by its weights."""
    shape = (len(by_states), PLANES, swept.states.shape[1] // PLANES, -1, swept.states.shape[4])
    by_hidden = Cells(*map(np.empty_like, swept.hidden))
    states = _array(swept.states).reshape(shape)
    known = Known(swept.hidden, states, by_states.reshape(shape), by_hidden)
    by_steps = _step_gradients(swept.layer, known)
    by_projections = _projection_gradients(swept.inputs, swept.rims, by_hidden)
    return by_hidden, unpack_layer(by_projections, by_steps, swept.layer, shape[2])


def _step_gradients(layer: TiledLayer, known: Known) -> StepWeights:
    """Gradients by the weights of the sweep's steps; fills `known.by_hidden`."""
    units, size = known.hidden.side.shape[3:5]
    totals = []

    def run(part: slice) -> None:
        scratch = make_scratch(size, units, known.states.shape[2], known.states.dtype)
        total, sums = empty_sums(layer.steps)
        mine = Known(
            _part(known.hidden, part),
            known.states[part],
            known.by_states[part],
            _part(known.by_hidden, part),
        )
        sweep_backward(layer.back, mine, StepWeights(*sums), scratch)
        total[:, known.states.shape[4] :] = 0
        totals.append(total)

    _share(run, len(known.states))
    return StepWeights(*summed_parts(_added(totals), layer.steps))


def _added(totals: list[Floats]) -> Floats:
    found = totals[0]
    for total in totals[1:]:
        found = found + total
    return found


def _give_logits(inputs: Tensor, states: Tensor, output: TiledOutput, outputs: int) -> _Given:
    """Runs the output net forward."""
    hidden = _array(_product(output.first, inputs.flatten(2)))
    swept = _array(states.flatten(2))
    logits = np.empty((len(swept), outputs, swept.shape[2]), swept.dtype)

    def run(part: slice) -> None:
        room = make_output_scratch(output.weights)
        give_logits(output.weights, hidden[part], swept[part], logits[part], room)

    _share(run, len(inputs))
    return _Given(inputs, output, hidden, states, logits)


def _take_back_logits(given: _Given, by_logits: Floats) -> tuple[Floats, list[Floats]]:
    """Gradients by the states [tiles, 4 * states, cells] and by the output net's weights."""
    hidden = given.hidden
    swept = _array(given.states.flatten(2))
    outputs, boards = by_logits.shape[1], given.states.shape[4]
    whole = np.zeros((len(hidden) * boards, outputs * swept.shape[2] // boards), swept.dtype)
    whole[: len(by_logits)] = by_logits.reshape(len(by_logits), -1)
    turned_round = whole.reshape(len(hidden), boards, -1).transpose(0, 2, 1)
    tiled = np.ascontiguousarray(turned_round).reshape(len(hidden), outputs, -1)
    known = OutputKnown(hidden, swept, tiled, np.empty_like(hidden), np.empty_like(swept))
    sums = _output_back(given.output, known)
    first = _outer(torch.from_numpy(known.by_hidden), given.inputs.flatten(2))
    units, states = hidden.shape[1], swept.shape[1]
    by_hidden = np.concatenate([first[:, :-1], sums.states[:units, :states]], 1)
    return known.by_states, [
        by_hidden,
        first[:, -1],
        sums.out[:outputs, :units],
        sums.bias[:outputs],
    ]


def _output_back(output: TiledOutput, known: OutputKnown) -> OutputWeights:
    """Gradients by the weights behind the projection; fills the gradients of `known`."""
    weights = output.weights
    totals = []

    def run(part: slice) -> None:
        total, sums = empty_sums(weights)
        mine = OutputKnown(*(array[part] for array in known))
        room = make_output_scratch(weights)
        give_back_logits(weights, output.back, mine, OutputWeights(*sums), room)
        totals.append(total)

    _share(run, len(known.hidden))
    return OutputWeights(*summed_parts(_added(totals), weights))


def _project(inputs: Tensor, rims: tuple[Tensor, Tensor], weights: Projections) -> Cells:
    """What the inputs and the bias give."""
    tiles, _, size, _, boards = inputs.shape
    hidden = weights.corner.shape[1]
    corner = _products(weights.corner, rims[0])
    side = _products(weights.side.reshape(4, 2 * hidden, -1), rims[1])
    lateral = _product(weights.lateral.reshape(-1, inputs.shape[1]), inputs.flatten(2))
    return Cells(
        _array(corner.view(tiles, PLANES, hidden, boards)),
        _array(side.view(tiles, 4, 2, hidden, size, boards)),
        _array(lateral.view(tiles, PLANES, hidden, size * size, boards)),
    )


def _projection_gradients(
    inputs: Tensor, rims: tuple[Tensor, Tensor], by_hidden: Cells
) -> Projections:
    """Gradients by the weights of the projections, from those by what they gave."""
    corner, side, lateral = map(torch.from_numpy, by_hidden)
    units = lateral.shape[2]
    by_corner = _outers(corner, rims[0])
    by_side = _outers(side.flatten(4).flatten(2, 3), rims[1])
    # This way round the library takes less time, to the same end.
    by_lateral = _outer(inputs.flatten(2), lateral.flatten(3).flatten(1, 2)).T
    return Projections(
        _array(by_corner),
        _array(by_side).reshape(4, 2, units, -1),
        by_lateral.reshape(PLANES, units, -1),
    )


def _by_inputs(swept: _Swept, by_hidden: Cells) -> Tensor:
    """Gradient by the inputs of a layer."""
    weights, inputs = swept.layer.projections, swept.inputs
    corner, side, lateral = map(torch.from_numpy, by_hidden)
    flat = weights.lateral.reshape(-1, inputs.shape[1]).T
    found = _product(flat, lateral.flatten(3).flatten(1, 2)).view(inputs.shape)
    edges = torch.from_numpy(weights.side).flatten(1, 2).transpose(1, 2)
    by_edges = torch.matmul(edges, side.flatten(4).flatten(2, 3))
    top, bottom, left, right = by_edges.view(*by_edges.shape[:3], -1, inputs.shape[4]).unbind(1)
    found[:, :, 0] += top
    found[:, :, -1] += bottom
    found[:, :, :, 0] += left
    found[:, :, :, -1] += right
    starts = torch.matmul(torch.from_numpy(weights.corner).transpose(1, 2), corner)
    found[:, :, [0, 0, -1, -1], [0, -1, 0, -1]] += starts.transpose(1, 2)
    return found


def _rims(inputs: Tensor) -> tuple[Tensor, Tensor]:
    """Corners [tiles, 4, inputs, boards] and edges [tiles, 4, inputs, N * boards]: see
    `fill_rims`."""
    tiles, count, size, _, boards = inputs.shape
    corners = inputs.new_empty(tiles, PLANES, count, boards)
    edges = inputs.new_empty(tiles, 4, count, size, boards)
    fill_rims(_array(inputs), _array(corners), _array(edges))
    return corners, edges.flatten(3)


def _product(weights: Floats, inputs: Tensor) -> Tensor:
    """[tiles, rows, cells] of weights [rows, inputs] and inputs [tiles, inputs, cells]."""
    return torch.bmm(torch.from_numpy(weights).expand(len(inputs), -1, -1), inputs)


def _products(weights: Floats, inputs: Tensor) -> Tensor:
    """[tiles * 4, rows, cells]: a product for each of four edges or corners."""
    each = torch.from_numpy(weights).expand(len(inputs), -1, -1, -1)
    return torch.bmm(each.flatten(0, 1), inputs.flatten(0, 1))


def _outer(first: Tensor, second: Tensor) -> Floats:
    """[rows, columns]: first [tiles, rows, cells] by second [tiles, columns, cells]."""
    return _array(_summed(torch.bmm(first, second.transpose(1, 2))))


def _outers(first: Tensor, second: Tensor) -> Tensor:
    """[4, rows, columns]: for each of four edges or corners."""
    found = torch.bmm(first.flatten(0, 1), second.flatten(0, 1).transpose(1, 2))
    return _summed(found.view(-1, 4, *found.shape[1:]))


def _summed(parts: Tensor) -> Tensor:
    """The sum over tiles."""
    return parts.sum(0) if len(parts) > 1 else parts[0]


def _array(tensor: Tensor) -> Floats:
    array: Floats = tensor.detach().numpy()
    return array


def _part(cells: Cells, part: slice) -> Cells:
    return Cells(cells.corner[part], cells.side[part], cells.lateral[part])


@cache
def _pool(workers: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(workers, "sweeps")


def _share(run: Callable[[slice], None], tiles: int) -> None:
    """Runs equal parts of the tiles on as many threads as torch uses."""
    workers = min(torch.get_num_threads(), tiles)
    if workers == 1:
        run(slice(0, tiles))
        return
    bounds = [tiles * i // workers for i in range(workers + 1)]
    parts = [slice(*pair) for pair in pairwise(bounds)]
    list(_pool(workers).map(run, parts))
