"""DAG-RNN on a CPU: projections as matrix products, sweeps and their gradients as kernels.

Boards are taken in tiles of `BOARDS`, which lie innermost in memory. One autograd function for the
sweeps of a layer and one for the output net: few steps in Python, whatever the size of the board.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from torch import Tensor

from katachi.nets.lanes import BOARDS, PLANES, Floats
from katachi.nets.outputs import (
    OutputKnown,
    OutputWeights,
    fill_inputs,
    give_back_logits,
    give_logits,
    make_output_scratch,
)
from katachi.nets.packing import (
    Projections,
    empty_sums,
    layer_columns,
    pack_output,
    pack_projections,
    pack_steps,
    summed_parts,
    turned,
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
from katachi.nets.weights import LayerWeights, NetWeights


def tiled_logits(
    planes: Tensor, windowed: int, layers: list[LayerWeights], output: NetWeights
) -> Tensor:
    """Logits [B, N, N] of planes [B, C, N, N]; no gradient goes back to the planes."""
    boards, _, size, _ = planes.shape
    inputs = _tiled_inputs(planes, windowed)
    tiles, own = len(inputs), inputs.shape[1] - 1
    states: Tensor | None = None
    for layer in layers:
        seen = inputs if states is None else torch.cat([inputs, states], 1)
        flat = (tensor for net in layer for tensor in net)
        states = _Sweeps.apply(seen, (windowed, own), *flat)  # type: ignore[no-untyped-call]
    found: Tensor = _Output.apply(inputs, states, *output)  # type: ignore[no-untyped-call]
    logits = found.view(tiles, size, size, BOARDS).permute(0, 3, 1, 2)
    return logits.reshape(tiles * BOARDS, size, size)[:boards]


def _tiled_inputs(planes: Tensor, windowed: int) -> Tensor:
    """[tiles, inputs + 1, N, N, boards]: see `fill_inputs`."""
    boards, count, size, _ = planes.shape
    shape = (-(-boards // BOARDS), 8 * windowed + count + 1, size, size, BOARDS)
    inputs = planes.new_empty(shape)
    fill_inputs(_array(planes.contiguous()), windowed, _array(inputs))
    return inputs


class _Sweeps(torch.autograd.Function):
    """The states [tiles, 4 * states, N, N, boards] of one layer."""

    @staticmethod
    def forward(ctx: Any, inputs: Tensor, counts: tuple[int, int], *flat: Tensor) -> Tensor:
        """Takes inputs [tiles, inputs, N, N, boards], how many planes are windowed and how many
        inputs are the board's own, and the tensors of `LayerWeights`.
        """
        layer = _layer(flat)
        columns = layer_columns(layer, *counts)
        projections = pack_projections(layer, columns, counts[1])
        rims = (_corners(inputs), _edges(inputs))
        hidden = _project(inputs, rims, projections)
        tiles, _, size, _, boards = inputs.shape
        units = len(layer.corner.out)
        states = inputs.new_empty(tiles, PLANES * units, size, size, boards)
        steps = pack_steps(layer)
        by_sweep = _array(states).reshape(tiles, PLANES, units, size * size, boards)

        def run(part: slice) -> None:
            scratch = make_scratch(size, hidden.side.shape[3], units, by_sweep.dtype)
            sweep_forward(steps, _part(hidden, part), by_sweep[part], scratch)

        _share(run, tiles)
        ctx.save_for_backward(inputs, states)
        ctx.known = (counts[1], columns, projections, hidden, steps, rims)
        return states

    @staticmethod
    def backward(ctx: Any, by_states: Tensor) -> tuple[Tensor | None, ...]:
        """Gradients by the inputs, if asked for, and the weights."""
        inputs, states = ctx.saved_tensors
        own, columns, projections, hidden, steps, rims = ctx.known
        units = states.shape[1] // PLANES
        by_hidden = Cells(*(np.zeros_like(array) for array in hidden))
        shape = (len(inputs), PLANES, units, -1, BOARDS)
        known = Known(
            hidden,
            _array(states).reshape(shape),
            _array(by_states.contiguous()).reshape(shape),
            by_hidden,
        )
        by_steps = _sweep_back(steps, known)
        by_projections = _projection_gradients(inputs, rims, by_hidden)
        by_weights = unpack_layer(by_projections, by_steps, columns, own, units)
        by_inputs = _by_inputs(projections, by_hidden, inputs) if ctx.needs_input_grad[0] else None
        return (by_inputs, None, *map(torch.from_numpy, by_weights))


def _sweep_back(steps: StepWeights, known: Known) -> StepWeights:
    """Gradients by the weights of the sweep's steps; fills `known.by_hidden`."""
    back = turned(steps)
    units, size = known.hidden.side.shape[3:5]
    totals = []

    def run(part: slice) -> None:
        scratch = make_scratch(size, units, known.states.shape[2], known.states.dtype)
        total, sums = empty_sums(steps)
        mine = Known(
            _part(known.hidden, part),
            known.states[part],
            known.by_states[part],
            _part(known.by_hidden, part),
        )
        sweep_backward(back, mine, StepWeights(*sums), scratch)
        totals.append(total)

    _share(run, len(known.states))
    return StepWeights(*summed_parts(_added(totals), steps))


def _added(totals: list[Floats]) -> Floats:
    found = totals[0]
    for total in totals[1:]:
        found = found + total
    return found


class _Output(torch.autograd.Function):
    """Logits [tiles, 1, cells] of the output net, the boards of a tile among the cells."""

    @staticmethod
    def forward(ctx: Any, inputs: Tensor, states: Tensor, *flat: Tensor) -> Tensor:
        """Takes the board's own inputs, the states of the last layer and `NetWeights`."""
        first, weights = pack_output(NetWeights(*map(_array, flat)), inputs.shape[1] - 1)
        hidden = _array(_product(first, inputs.flatten(2)))
        swept = _array(states.flatten(2))
        logits = inputs.new_empty(len(inputs), 1, swept.shape[2])

        def run(part: slice) -> None:
            room = make_output_scratch(weights)
            give_logits(weights, hidden[part], swept[part], _array(logits)[part], room)

        _share(run, len(inputs))
        ctx.save_for_backward(inputs, states)
        ctx.known = (hidden, weights)
        return logits

    @staticmethod
    def backward(ctx: Any, by_logits: Tensor) -> tuple[Tensor | None, ...]:
        """Gradients by the states and the weights."""
        inputs, states = ctx.saved_tensors
        hidden, weights = ctx.known
        by_states = torch.empty_like(states)
        known = OutputKnown(
            hidden,
            _array(states.flatten(2)),
            _array(by_logits.contiguous()),
            np.empty_like(hidden),
            _array(by_states.flatten(2)),
        )
        sums = _output_back(weights, known)
        first = _outer(known.by_hidden, inputs.flatten(2))
        units, swept = hidden.shape[1], states.shape[1]
        by_hidden = np.concatenate([first[:, :-1], sums.states[:units, :swept]], 1)
        found = (by_hidden, first[:, -1], sums.out[:1, :units], sums.bias[:1])
        return (None, by_states, *map(torch.from_numpy, found))


def _output_back(weights: OutputWeights, known: OutputKnown) -> OutputWeights:
    """Gradients by the weights behind the projection; fills the gradients of `known`."""
    back = np.ascontiguousarray(weights.states.T)
    totals = []

    def run(part: slice) -> None:
        total, sums = empty_sums(weights)
        mine = OutputKnown(*(array[part] for array in known))
        room = make_output_scratch(weights)
        give_back_logits(weights, back, mine, OutputWeights(*sums), room)
        totals.append(total)

    _share(run, len(known.hidden))
    return OutputWeights(*summed_parts(_added(totals), weights))


def _project(inputs: Tensor, rims: tuple[Tensor, Tensor], weights: Projections) -> Cells:
    """What the inputs and the bias give."""
    tiles, _, size, _, boards = inputs.shape
    hidden = weights.corner.shape[1]
    corner = torch.matmul(torch.from_numpy(weights.corner), rims[0])
    side = torch.matmul(torch.from_numpy(weights.side).flatten(1, 2), rims[1])
    lateral = _product(weights.lateral.reshape(-1, inputs.shape[1]), inputs.flatten(2))
    return Cells(
        _array(corner),
        _array(side.view(tiles, 4, 2, hidden, size, boards)),
        _array(lateral.view(tiles, PLANES, hidden, size * size, boards)),
    )


def _projection_gradients(
    inputs: Tensor, rims: tuple[Tensor, Tensor], by_hidden: Cells
) -> Projections:
    """Gradients by the weights of the projections, from those by what they gave."""
    corner, side, lateral = map(torch.from_numpy, by_hidden)
    units = lateral.shape[2]
    by_corner = torch.matmul(corner, rims[0].transpose(-1, -2)).sum(0)
    by_side = torch.matmul(side.flatten(4).flatten(2, 3), rims[1].transpose(-1, -2)).sum(0)
    by_lateral = _outer(lateral.flatten(3).flatten(1, 2), inputs.flatten(2))
    return Projections(
        _array(by_corner),
        _array(by_side).reshape(4, 2, units, -1),
        by_lateral.reshape(PLANES, units, -1),
    )


def _by_inputs(weights: Projections, by_hidden: Cells, inputs: Tensor) -> Tensor:
    """Gradient by the inputs of a layer."""
    corner, side, lateral = map(torch.from_numpy, by_hidden)
    flat = weights.lateral.reshape(-1, inputs.shape[1]).T
    found = _product(flat, lateral.flatten(3).flatten(1, 2)).view(inputs.shape)
    edges = torch.from_numpy(weights.side).flatten(1, 2).transpose(1, 2)
    by_edges = torch.matmul(edges, side.flatten(4).flatten(2, 3))
    top, bottom, left, right = by_edges.view(*by_edges.shape[:3], -1, BOARDS).unbind(1)
    found[:, :, 0] += top
    found[:, :, -1] += bottom
    found[:, :, :, 0] += left
    found[:, :, :, -1] += right
    starts = torch.matmul(torch.from_numpy(weights.corner).transpose(1, 2), corner)
    found[:, :, [0, 0, -1, -1], [0, -1, 0, -1]] += starts.transpose(1, 2)
    return found


def _edges(inputs: Tensor) -> Tensor:
    """[tiles, 4, inputs, N * boards]: the cells of the top, bottom, left and right edge."""
    edges = (inputs[:, :, 0], inputs[:, :, -1], inputs[:, :, :, 0], inputs[:, :, :, -1])
    return torch.stack(edges, 1).flatten(3)


def _corners(inputs: Tensor) -> Tensor:
    """[tiles, 4, inputs, boards]: the cell where each sweep begins."""
    return torch.stack([inputs[:, :, row, column] for row in (0, -1) for column in (0, -1)], 1)


def _product(weights: Floats, inputs: Tensor) -> Tensor:
    """[tiles, rows, cells] of weights [rows, inputs] and inputs [tiles, inputs, cells]."""
    return torch.bmm(torch.from_numpy(weights).expand(len(inputs), -1, -1), inputs)


def _outer(gradient: Floats | Tensor, inputs: Tensor) -> Floats:
    """[rows, inputs]: gradient [tiles, rows, cells] by inputs [tiles, inputs, cells]."""
    found = torch.bmm(torch.as_tensor(gradient), inputs.transpose(1, 2))
    return _array(found.sum(0) if len(found) > 1 else found[0])


def _layer(flat: tuple[Tensor, ...] | list[Tensor]) -> LayerWeights:
    arrays = list(map(_array, flat))
    return LayerWeights(*(NetWeights(*arrays[i : i + 4]) for i in (0, 4, 8)))


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
