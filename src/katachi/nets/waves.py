"""DAG-RNN by anti-diagonals: all four sweeps of all boards take a whole diagonal a step.

Plain torch operations: for CUDA, and wherever gradients by the inputs are wanted. In a sweep's
frame the cells of diagonal d have their predecessors on diagonal d - 1.
"""

from functools import cache

import torch
from torch import Tensor
from torch.nn import functional

from katachi.nets.packing import LayerWeights, NetWeights


def wave_logits(
    planes: Tensor, windowed: int, layers: list[LayerWeights], output: NetWeights
) -> Tensor:
    """Logits [B, outputs, N, N] of planes [B, C, N, N]."""
    states: Tensor | None = None
    for layer in layers:
        frames = torch.stack([_mirror(planes, sweep) for sweep in range(4)])
        if states is not None:
            frames = torch.cat([frames, _seen_by_sweeps(states)], 2)
        found = _sweep(frames.flatten(0, 1), windowed, layer)
        found = found.view(4, len(planes), *found.shape[1:])
        states = torch.stack([_mirror(found[sweep], sweep) for sweep in range(4)])
    assert states is not None
    swept = torch.cat(list(states), 1)
    hidden = _project(planes, _framed(planes), windowed, output)
    hidden = torch.sigmoid(
        hidden + functional.conv2d(swept, output.hidden[:, -swept.shape[1] :, None, None])
    )
    return functional.conv2d(hidden, output.out[:, :, None, None], output.out_bias)


def _mirror(planes: Tensor, sweep: int) -> Tensor:
    """Planes [..., N, N] to the frame of a sweep, or back."""
    axes = ([-2] if sweep >= 2 else []) + ([-1] if sweep % 2 else [])
    return planes.flip(axes) if axes else planes


def _seen_by_sweeps(states: Tensor) -> Tensor:
    """States [4, B, K, N, N] as further planes [4, B, 4 * K, N, N] in each sweep's frame.

    A sweep's own states come first: the order of `mirrors.py`.
    """
    seen = []
    for sweep in range(4):
        order = [_mirror(states[sweep ^ other], sweep) for other in range(4)]
        seen.append(torch.cat(order, 1))
    return torch.stack(seen)


def _framed(planes: Tensor) -> Tensor:
    return functional.pad(planes, (1, 1, 1, 1))


def _project(planes: Tensor, framed: Tensor, windowed: int, net: NetWeights) -> Tensor:
    """What inputs and bias give, [B, hidden, rows, columns]; `framed` has a rim of one cell."""
    near = net.hidden[:, : 9 * windowed].reshape(-1, windowed, 3, 3)
    here = net.hidden[:, 9 * windowed : 8 * windowed + planes.shape[1], None, None]
    found = functional.conv2d(framed[:, :windowed], near, net.hidden_bias)
    if planes.shape[1] > windowed:
        found = found + functional.conv2d(planes[:, windowed:], here)
    return found


def _projections(planes: Tensor, windowed: int, layer: LayerWeights) -> Tensor:
    """[cells, B, hidden]: each cell by the net of its kind."""
    framed = _framed(planes)
    corner, side, lateral = layer
    start = _project(planes[:, :, :1, :1], framed[:, :, :3, :3], windowed, corner)
    top = _project(planes[:, :, :1, 1:], framed[:, :, :3, 1:], windowed, side)
    left = _project(planes[:, :, 1:, :1], framed[:, :, 1:, :3], windowed, side)
    rest = _project(planes[:, :, 1:, 1:], framed[:, :, 1:, 1:], windowed, lateral)
    rows = torch.cat([torch.cat([start, top], 3), torch.cat([left, rest], 3)], 2)
    return rows.flatten(2).permute(2, 0, 1).contiguous()


def _sweep(planes: Tensor, windowed: int, layer: LayerWeights) -> Tensor:
    """States [B, K, N, N] of one sweep from the top left."""
    size, boards = planes.shape[-1], len(planes)
    cells = _projections(planes, windowed, layer)
    corner, side, lateral = layer
    inputs = corner.hidden.shape[1]
    lone = side.hidden[:, inputs:]
    nothing = torch.zeros_like(lone)
    above, before = lateral.hidden[:, inputs:].chunk(2, 1)
    # A side cell takes the place of its one predecessor; the other's weights are zero.
    kinds = ((nothing, nothing), (nothing, lone), (above, before), (lone, nothing))
    inward = torch.stack([torch.cat(pair, 1).t() for pair in kinds])
    outward = torch.stack([net.out.t() for net in (corner, side, lateral, side)])
    bias = torch.stack([net.out_bias for net in (corner, side, lateral, side)])[:, None]
    rim = cells.new_zeros(1, boards, nothing.shape[1])
    last, waves = rim, []
    kinds_of = _kinds(size, planes.device)
    counts = [len(kind) for kind in kinds_of]
    # One gather and one split: slices would each be added into a gradient of the whole board.
    diagonals = cells.index_select(0, _order(size, planes.device)).split_with_sizes(counts)
    for diagonal, (kind, now) in enumerate(zip(kinds_of, diagonals, strict=True)):
        seen = _predecessors(last, rim, diagonal, size)
        hidden = torch.sigmoid(torch.baddbmm(now, seen, inward[kind]))
        last = torch.sigmoid(torch.baddbmm(bias[kind], hidden, outward[kind]))
        waves.append(last)
    board = torch.cat(waves).index_select(0, _places(size, planes.device)).permute(1, 2, 0)
    return board.reshape(*board.shape[:2], size, size)


@cache
def _kinds(size: int, device: torch.device) -> list[Tensor]:
    """For each diagonal the net of each cell: 0 corner, 1 top side, 2 lateral, 3 left side."""
    found = []
    for diagonal in range(2 * size - 1):
        rows = range(max(0, diagonal - size + 1), min(diagonal, size - 1) + 1)
        kinds = [2 - (row == 0) + (row == diagonal) for row in rows]
        found.append(torch.tensor(kinds if diagonal else [0], device=device))
    return found


@cache
def _order(size: int, device: torch.device) -> Tensor:
    """The cells diagonal by diagonal."""
    order = sorted(range(size * size), key=lambda cell: (cell // size + cell % size, cell))
    return torch.tensor(order, device=device)


@cache
def _places(size: int, device: torch.device) -> Tensor:
    """For each cell its place when cells lie diagonal by diagonal."""
    return _order(size, device).argsort()


def _predecessors(last: Tensor, rim: Tensor, diagonal: int, size: int) -> Tensor:
    """[cells, B, 2 * K]: states above and before each cell of a diagonal, zeros off the board."""
    if diagonal == 0:
        return torch.cat([rim, rim], 2)
    if diagonal < size:
        return torch.cat([torch.cat([rim, last]), torch.cat([last, rim])], 2)
    return torch.cat([last[:-1], last[1:]], 2)
