"""DAG-RNN as one would write it down: a loop over points in each of four directions."""

import torch
from torch import Tensor
from torch.nn import functional

from katachi.nets.dag_rnn import CellNet, DagRnn, SweepLayer


def obvious_logits(net: DagRnn, planes: Tensor) -> Tensor:
    """Logits [B, outputs, N, N] of an untied net."""
    windowed = net.shape.windowed
    swept: list[Tensor] = []
    for layer in net.layers:
        assert isinstance(layer, SweepLayer)
        swept = sweep_from_corners(layer, planes, windowed, swept)
    inputs = cell_inputs(planes, windowed, swept)
    size = planes.shape[-1]
    logits = [
        run_net(net.output, inputs[:, :, row, column])
        for row in range(size)
        for column in range(size)
    ]
    return torch.stack(logits, 2).view(len(planes), -1, size, size)


def sweep_from_corners(
    layer: SweepLayer, planes: Tensor, windowed: int, swept: list[Tensor]
) -> list[Tensor]:
    """States [B, K, N, N] of the four sweeps; `swept` are those of the layer below."""
    found = []
    for sweep, axes in enumerate(([], [3], [2], [2, 3])):
        below = [swept[sweep ^ other].flip(axes) for other in range(4)] if swept else []
        inputs = cell_inputs(planes.flip(axes), windowed, below)
        found.append(sweep_from_top_left(layer, inputs).flip(axes))
    return found


def cell_inputs(planes: Tensor, windowed: int, states: list[Tensor]) -> Tensor:
    """[B, inputs, N, N]: 3x3 neighbourhoods, local planes and states."""
    size = planes.shape[-1]
    near = functional.unfold(planes[:, :windowed], 3, padding=1)
    near = near.view(len(planes), -1, size, size)
    return torch.cat([near, planes[:, windowed:], *states], 1)


def sweep_from_top_left(layer: SweepLayer, inputs: Tensor) -> Tensor:
    size = inputs.shape[-1]
    states: dict[tuple[int, int], Tensor] = {}
    for row in range(size):
        for column in range(size):
            known = [(row - 1, column), (row, column - 1)]
            before = [states[cell] for cell in known if cell in states]
            net = (layer.corner, layer.side, layer.lateral)[len(before)]
            seen = torch.cat([inputs[:, :, row, column], *before], 1)
            states[row, column] = torch.sigmoid(run_net(net, seen))
    return torch.stack(list(states.values()), 2).view(len(inputs), -1, size, size)


def run_net(net: CellNet, inputs: Tensor) -> Tensor:
    found: Tensor = net.out(torch.sigmoid(net.hidden(inputs)))
    return found
