"""DAG-RNN on a CPU: projections as matrix products, sweeps and their gradients as kernels.

Boards are taken in tiles of `BOARDS`, which lie innermost in memory; a last row of ones among the
inputs stands for the bias. Weight gradients are matrix products after the backward sweep.
"""

import math
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any

import numpy as np
import torch
from torch import Tensor

from katachi.nets.lanes import BOARDS, PLANES, Floats, padded
from katachi.nets.mirrors import mirrored_columns
from katachi.nets.sweeps import (
    Cells,
    Gradients,
    Scratch,
    StepWeights,
    fill_inputs,
    make_scratch,
    sweep_backward,
    sweep_forward,
)
from katachi.nets.weights import LayerWeights, NetWeights

EDGE_SWEEPS = ((0, 1), (2, 3), (0, 2), (1, 3))
"""The two sweeps that begin at the top, bottom, left and right edge: with its order and against."""


def tiled_logits(
    planes: Tensor, windowed: int, layers: list[LayerWeights], output: NetWeights
) -> Tensor:
    """Logits [B, N, N] of planes [B, C, N, N]; no gradient goes back to the planes."""
    boards, count, size, _ = planes.shape
    inputs = _tiled_inputs(planes, windowed)
    tiles, own = len(inputs), 8 * windowed + count
    local = count - windowed + 1
    states = inputs.new_empty(tiles, 0, size, size, BOARDS)
    for layer in layers:
        below = states.shape[1] // PLANES
        columns = torch.from_numpy(mirrored_columns(windowed, local, below))
        nets = [_biased(net, own)[:, columns].transpose(0, 1) for net in layer]
        seen = torch.cat([inputs, states], 1) if below else inputs
        states = _Sweeps.apply(*_projections(seen, nets), *_step_tensors(layer)).flatten(1, 2)
        states = states.view(tiles, -1, size, size, BOARDS)
    from_inputs = torch.bmm(_biased(output, own).expand(tiles, -1, -1), inputs.flatten(2))
    from_states = output.states.expand(tiles, -1, -1)
    hidden = torch.sigmoid(torch.baddbmm(from_inputs, from_states, states.flatten(2)))
    logits = torch.bmm(output.out.expand(tiles, -1, -1), hidden) + output.out_bias
    logits = logits.view(tiles, size, size, BOARDS).permute(0, 3, 1, 2)
    return logits.reshape(tiles * BOARDS, size, size)[:boards]


def _tiled_inputs(planes: Tensor, windowed: int) -> Tensor:
    """[tiles, inputs + 1, N, N, boards]: see `fill_inputs`."""
    boards, count, size, _ = planes.shape
    shape = (-(-boards // BOARDS), 8 * windowed + count + 1, size, size, BOARDS)
    inputs = planes.new_empty(shape)
    fill_inputs(planes.contiguous().numpy(), windowed, inputs.numpy())
    return inputs


def _biased(net: NetWeights, own: int) -> Tensor:
    """Input weights with the bias as a column behind the first `own`, where the ones are."""
    bias = net.hidden_bias[:, None]
    return torch.cat([net.inputs[:, :own], bias, net.inputs[:, own:]], 1)


def _edges(inputs: Tensor) -> Tensor:
    """[tiles, 4, inputs, N * boards]: the cells of the top, bottom, left and right edge."""
    edges = (inputs[:, :, 0], inputs[:, :, -1], inputs[:, :, :, 0], inputs[:, :, :, -1])
    return torch.stack(edges, 1).flatten(3)


def _corners(inputs: Tensor) -> Tensor:
    """[tiles, 4, inputs, boards]: the cell where each sweep begins."""
    return inputs[:, :, [0, 0, -1, -1], [0, -1, 0, -1]].transpose(1, 2)


def _projections(inputs: Tensor, nets: list[Tensor]) -> tuple[Tensor, Tensor, Tensor]:
    """What the nets' inputs give, in the shapes of `Cells`; nets are [4, hidden, inputs]."""
    corner, side, lateral = nets
    tiles, _, size, _, _ = inputs.shape
    hidden = corner.shape[1]
    at_corners = torch.matmul(corner, _corners(inputs))
    at_edges = torch.matmul(side[torch.tensor(EDGE_SWEEPS)].flatten(1, 2), _edges(inputs))
    everywhere = torch.bmm(lateral.flatten(0, 1).expand(tiles, -1, -1), inputs.flatten(2))
    return (
        at_corners,
        at_edges.view(tiles, 4, 2, hidden, size, BOARDS),
        everywhere.view(tiles, PLANES, hidden, size * size, BOARDS),
    )


def _step_tensors(layer: LayerWeights) -> tuple[Tensor, ...]:
    """The fields of `StepWeights`, not yet padded."""
    corner, side, lateral = layer
    above, before = lateral.states.chunk(2, 1)
    outs = (corner.out, side.out, lateral.out)
    return (side.states, above, before, *outs, corner.out_bias, side.out_bias, lateral.out_bias)


class _Sweeps(torch.autograd.Function):
    """The states [tiles, 4, states, cells, boards] of four sweeps.

    The projections are overwritten by the hidden activations: nothing else reads them.
    """

    @staticmethod
    def forward(ctx: Any, *tensors: Tensor) -> Tensor:
        """Takes the three projections and the nine fields of `StepWeights`."""
        projections, steps = tensors[:3], tensors[3:]
        hidden = Cells(*(_array(tensor) for tensor in projections))
        lateral = projections[2]
        tiles, _, _, cells, boards = lateral.shape
        states = lateral.new_empty(tiles, PLANES, steps[0].shape[1], cells, boards)
        weights = StepWeights(*(padded(_array(tensor)) for tensor in steps))

        def run(part: slice) -> None:
            scratch = _scratch_for(hidden, states)
            sweep_forward(weights, _part(hidden, part), _array(states)[part], scratch)

        _share(run, tiles)
        ctx.save_for_backward(*tensors, states)
        return states

    @staticmethod
    def backward(ctx: Any, by_states: Tensor) -> tuple[Tensor, ...]:  # type: ignore[override]
        """Gradients by the projections and the weights, in the order of `forward`."""
        *tensors, states = ctx.saved_tensors
        hidden, steps = tensors[:3], tensors[3:]
        by_hidden = [torch.zeros_like(tensor) for tensor in hidden]
        by_out = [_like_states(tensor, states.shape[2]) for tensor in hidden]
        known = Gradients(
            Cells(*map(_array, hidden)),
            _array(states),
            Cells(*map(_array, by_hidden)),
            Cells(*map(_array, by_out)),
        )
        turned = (t.t() if t.dim() == 2 else t for t in steps)
        weights = StepWeights(*(padded(_array(tensor)) for tensor in turned))
        above = _array(by_states.contiguous())

        def run(part: slice) -> None:
            scratch = _scratch_for(known.hidden, states)
            room = np.zeros_like(scratch.right)
            mine = Gradients(
                _part(known.hidden, part),
                known.states[part],
                _part(known.by_hidden, part),
                _part(known.by_out, part),
            )
            sweep_backward(weights, mine, above[part], room, scratch)

        _share(run, len(states))
        by_weights = _weight_gradients(states, hidden, by_hidden, by_out)
        return (*by_hidden, *by_weights)


def _weight_gradients(
    states: Tensor, hidden: list[Tensor], by_hidden: list[Tensor], by_out: list[Tensor]
) -> tuple[Tensor, ...]:
    """Gradients by the fields of `StepWeights`."""
    outs = [_summed_product(g, h) for g, h in zip(by_out, hidden, strict=True)]
    biases = [_by_units(g).sum((0, 2)) for g in by_out]
    above, before = _predecessor_gradients(states, by_hidden[2])
    return (_side_gradient(states, by_hidden[1]), above, before, *outs, *biases)


def _predecessor_gradients(states: Tensor, by_hidden: Tensor) -> tuple[Tensor, Tensor]:
    """Gradients by the weights of lateral cells: a predecessor is a shift along the cells away.

    Where the shift leaves the row, the gradient by the hidden units is zero.
    """
    size = math.isqrt(states.shape[3])
    found = []
    for shift, bit in ((size * BOARDS, 2), (BOARDS, 1)):
        total = states.new_zeros(by_hidden.shape[2], states.shape[2])
        for sweep in range(PLANES):
            gradient, seen = by_hidden[:, sweep].flatten(2), states[:, sweep].flatten(2)
            if sweep & bit:
                gradient, seen = gradient[:, :, :-shift], seen[:, :, shift:]
            else:
                gradient, seen = gradient[:, :, shift:], seen[:, :, :-shift]
            total += torch.bmm(gradient, seen.transpose(1, 2)).sum(0)
        found.append(total)
    return found[0], found[1]


def _side_gradient(states: Tensor, by_hidden: Tensor) -> Tensor:
    """Gradient by the weights of side cells from their one predecessor."""
    tiles, _, units, cells, boards = states.shape
    size = math.isqrt(cells)
    board = states.view(tiles, PLANES, units, size, size, boards)
    total = states.new_zeros(by_hidden.shape[3], units)
    for edge, sweeps in enumerate(EDGE_SWEEPS):
        row = -(edge % 2)
        for way, sweep in enumerate(sweeps):
            plane = board[:, sweep]
            line = plane[:, :, row] if edge < 2 else plane[:, :, :, row]
            gradient = by_hidden[:, edge, way]
            if way:
                gradient, line = gradient[:, :, :-1], line[:, :, 1:]
            else:
                gradient, line = gradient[:, :, 1:], line[:, :, :-1]
            total += torch.einsum("thcb,tscb->hs", gradient, line)
    return total


def _summed_product(gradient: Tensor, hidden: Tensor) -> Tensor:
    """[outputs, hidden]: the sum of outer products over everything but the units."""
    left, right = _by_units(gradient), _by_units(hidden)
    return torch.bmm(left, right.transpose(1, 2)).sum(0)


def _by_units(tensor: Tensor) -> Tensor:
    """[sets, units, rest] of an array of `Cells`."""
    units = 3 if tensor.dim() == 6 else 2
    return tensor.flatten(0, units - 1).flatten(2)


def _like_states(tensor: Tensor, states: int) -> Tensor:
    """Zeros in the shape of an array of `Cells` with another number of units."""
    shape = list(tensor.shape)
    shape[3 if tensor.dim() == 6 else 2] = states
    return tensor.new_zeros(shape)


def _array(tensor: Tensor) -> Floats:
    array: Floats = tensor.detach().numpy()
    return array


def _part(cells: Cells, part: slice) -> Cells:
    return Cells(cells.corner[part], cells.side[part], cells.lateral[part])


def _scratch_for(hidden: Cells, states: Tensor) -> Scratch:
    size, units = hidden.side.shape[4], hidden.side.shape[3]
    return make_scratch(size, units, states.shape[2], hidden.side.dtype)


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
    parts = [slice(a, b) for a, b in zip(bounds, bounds[1:], strict=False)]
    list(_pool(workers).map(run, parts))
