"""A convolutional restricted Boltzmann machine (Lee and others, 2009) on square boards.

K kernels look through every window of side x side cells; a hidden unit stands for a kernel at a
window. With w(x) the window's cells and W_k, b_k, a_c the weights,

    activation     A_k(x) = W_k . w(x) + b_k
    hidden units   P(h_k(x) = 1 | v) = logistic(A_k(x))
    top-down       I_c(y) = a_c + sum of W_k over all hidden units that are on and see cell y
    free energy    F(v) = -sum a_c v_c(y) - sum log(1 + exp A_k(x))   (+ sum v^2 / 2, real units)

Real units are reconstructed as I, multinomial ones as the softmax of I over the channels of a
group, binary ones as its logistic. Tied kernels: at each window the eight orientations of a kernel
and, unless there is no null state, "none of them" share one softmax.

Inside, the board's number is the last axis, [C, N, N, B]: windows are then copied in long rows, and
all that is costly is a product of large matrices.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from katachi.nets.crbm_form import ORIENTATIONS, CrbmForm, VisibleKind, orientation_table
from katachi.nets.unit_sampling import fill_sampled_units

Arrays = dict[str, npt.NDArray[np.float32]]


class Start(NamedTuple):
    """The first weights of an RBM."""

    seed: int
    weight: float = 0.01
    """Their standard deviation."""
    bias: float = 0.0
    """Of each kernel: below zero its hidden units are seldom on."""


def new_crbm(form: CrbmForm, start: Start, device: str = "cpu") -> "Crbm":
    """An RBM with random weights; equal seeds give equal weights."""
    generator = torch.Generator().manual_seed(start.seed)
    weight = start.weight * torch.randn(form.kernels, form.inputs, generator=generator)
    shape = (form.kernels, form.channels, form.side, form.side)
    arrays = {
        "weight": weight.reshape(shape).numpy(),
        "hidden_bias": np.full(form.kernels, start.bias, np.float32),
        "visible_bias": np.zeros(form.channels, np.float32),
    }
    return Crbm(form, arrays, device)


class Room:
    """Memory that is used again: to ask for large pieces in each step takes as long as what is done
    with them."""

    def __init__(self, device: torch.device) -> None:
        self._device = device
        self._pieces: dict[str, Tensor] = {}

    def take(self, name: str, shape: Sequence[int]) -> Tensor:
        """A tensor whose numbers are anything; of one name and shape it is the same each time."""
        piece = self._pieces.get(name)
        if piece is None or piece.shape != torch.Size(shape):
            piece = torch.empty(tuple(shape), device=self._device)
            self._pieces[name] = piece
        return piece


class Crbm:
    """The RBM: what it sees in boards, and what it would put there."""

    def __init__(self, form: CrbmForm, arrays: Arrays, device: str = "cpu") -> None:
        """Takes copies of the arrays that `array_forms` names."""
        self.form = form
        self.device = torch.device(device)
        weight = torch.tensor(arrays["weight"]).reshape(form.kernels, form.inputs)
        bias = torch.tensor(arrays["hidden_bias"])
        self.matrix = torch.cat([weight, bias[:, None]], 1).to(self.device)
        """[K, inputs + 1]: a kernel's weights and last its bias."""
        self.visible_bias = torch.tensor(arrays["visible_bias"]).to(self.device)
        """[C]."""
        table = torch.from_numpy(orientation_table(form)).to(self.device)
        last = torch.full((len(table), 1), form.inputs, device=self.device)
        self._turns = torch.cat([table, last], 1)

    def arrays(self) -> Arrays:
        """The weights, copied."""
        form = self.form
        matrix = self.matrix.cpu()
        shape = (form.kernels, form.channels, form.side, form.side)
        return {
            "weight": np.array(matrix[:, :-1].reshape(shape).numpy()),
            "hidden_bias": np.array(matrix[:, -1].numpy()),
            "visible_bias": np.array(self.visible_bias.cpu().numpy()),
        }

    def turned_matrix(self) -> Tensor:
        """[maps, inputs + 1]: every kernel in all its orientations."""
        if not self.form.is_tied:
            return self.matrix
        return self.matrix[:, self._turns].flatten(0, 1)

    def turned_back(self, gradient: Tensor) -> Tensor:
        """[K, inputs + 1]: what the orientations of each kernel want, turned back and summed."""
        if not self.form.is_tied:
            return gradient
        back = torch.argsort(self._turns, 1)
        parts = gradient.view(-1, ORIENTATIONS, gradient.shape[1])
        return torch.gather(parts, 2, back.expand_as(parts)).sum(1)

    def hidden(self, boards: Tensor) -> Tensor:
        """[B, maps, M, M]: the chance of each hidden unit, of boards [B, C, N, N]."""
        seen = lanes_of(boards)
        chances = self.chances(self.turned_matrix() @ windows_of(seen, self.form.side))
        across = boards.shape[-1] - self.form.side + 1
        return boards_of(chances.view(-1, across, across, len(boards)))

    def top_down(self, hidden: Tensor) -> Tensor:
        """[B, C, N, N]: what hidden units [B, maps, M, M] say to each visible one."""
        lanes = lanes_of(hidden)
        parts = self.turned_matrix()[:, :-1].T @ lanes.flatten(1)
        parts = parts.view(-1, *lanes.shape[1:])
        return boards_of(fold_windows(parts, self.visible_bias, self.form.side))

    def reconstruction(self, boards: Tensor) -> Tensor:
        """[B, C, N, N]: the means of the visible units given the chances of the hidden ones."""
        signal = lanes_of(self.top_down(self.hidden(boards)))
        return boards_of(self.means(signal))

    def free_energy(self, boards: Tensor) -> Tensor:
        """[B], in nats: the lower, the likelier the board."""
        seen = lanes_of(boards)
        activations = self.turned_matrix() @ windows_of(seen, self.form.side)
        if self.form.is_tied:
            groups = activations.view(self.form.kernels, ORIENTATIONS, -1)
            if self.form.has_null:
                groups = torch.cat([groups, torch.zeros_like(groups[:, :1])], 1)
            freed = torch.logsumexp(groups, 1)
        else:
            freed = torch.nn.functional.softplus(activations)
        energy = -freed.view(len(freed), -1, len(boards)).sum((0, 1))
        energy -= torch.einsum("c,cyxb->b", self.visible_bias, seen)
        if self.form.visible is VisibleKind.REAL:
            energy += 0.5 * seen.square().sum((0, 1, 2))
        return energy

    def chances(self, activations: Tensor) -> Tensor:
        """The chances of hidden units [maps, L]; the activations are written over."""
        if not self.form.is_tied:
            return activations.sigmoid_()
        groups = activations.view(self.form.kernels, ORIENTATIONS, -1)
        return softmax_chances(groups, has_null=self.form.has_null).flatten(0, 1)

    def sample_hidden(self, chances: Tensor, generator: torch.Generator, room: Room) -> Tensor:
        """Hidden units [maps, L] that are 1 or 0 by chance."""
        if not self.form.is_tied:
            return sample_units(chances, generator, room)
        groups = chances.view(self.form.kernels, ORIENTATIONS, -1)
        return sample_one(groups, generator).flatten(0, 1)

    def means(self, signal: Tensor) -> Tensor:
        """The means of visible units [C, N, N, B] under a top-down signal."""
        if self.form.visible is VisibleKind.REAL:
            return signal
        if self.form.visible is VisibleKind.BINARY:
            return torch.sigmoid(signal)
        return torch.cat(
            [group.softmax(0) for group in torch.split(signal, list(self.form.groups))]
        )


class Fit(NamedTuple):
    """How well boards are reconstructed."""

    squared_error: float
    """A cell, all channels together."""
    wrong: float
    """Share of cells whose strongest channel of the first group is not the one that is on."""


@torch.no_grad()
def judge_reconstruction(crbm: Crbm, boards: Tensor) -> Fit:
    """How far the reconstruction of boards [B, C, N, N] is from them."""
    made = crbm.reconstruction(boards)
    first = crbm.form.groups[0]
    wrong = made[:, :first].argmax(1) != boards[:, :first].argmax(1)
    squared = (made - boards).square().sum(1).mean()
    return Fit(float(squared), float(wrong.float().mean()))


@torch.no_grad()
def guess_cells(crbm: Crbm, boards: Tensor, seed: int) -> float:
    """Mean log of the chance that an RBM gives to what is on a cell, when the rest of the board
    is known (the pseudo-likelihood, in nats): one random cell of each board [B, C, N, N], among the
    channels of the first group."""
    size, first = boards.shape[-1], crbm.form.groups[0]
    drawing = torch.Generator().manual_seed(seed)
    cells = torch.randint(0, size * size, (len(boards),), generator=drawing).to(boards.device)
    which = torch.arange(len(boards), device=boards.device)
    energies = []
    for channel in range(first):
        changed = boards.flatten(2).clone()
        changed[which, :first, cells] = 0.0
        changed[which, channel, cells] = 1.0
        energies.append(crbm.free_energy(changed.view_as(boards)))
    logs = torch.log_softmax(-torch.stack(energies, 1), 1)
    present = boards.flatten(2)[which, :first, cells].argmax(1)
    return float(logs[which, present].mean())


def lanes_of(boards: Tensor) -> Tensor:
    """[C, N, N, B] of [B, C, N, N]."""
    return boards.permute(1, 2, 3, 0).contiguous()


def boards_of(lanes: Tensor) -> Tensor:
    """[B, C, N, N] of [C, N, N, B]."""
    return lanes.permute(3, 0, 1, 2).contiguous()


def windows_of(lanes: Tensor, side: int, out: Tensor | None = None) -> Tensor:
    """[inputs + 1, M * M * B]: the cells of every window, and last a row of ones for the bias."""
    channels, size, _, boards = lanes.shape
    across = size - side + 1
    if out is None:
        out = lanes.new_ones(channels * side * side + 1, across * across * boards)
    row, board = size * boards, boards
    shape = (channels, side, side, across, across, boards)
    strides = (size * row, row, board, row, board, 1)
    out[:-1].view(shape).copy_(lanes.as_strided(shape, strides))
    return out


def fold_windows(parts: Tensor, bias: Tensor, side: int) -> Tensor:
    """[C, N, N, B]: the top-down signal, from the biases of the channels and from what each window
    says to its cells [inputs, M, M, B]."""
    across, boards = parts.shape[1], parts.shape[3]
    size = across + side - 1
    said = parts.view(-1, side, side, across, across, boards)
    signal = bias[:, None, None, None].expand(-1, size, size, boards).clone()
    for down in range(side):
        for right in range(side):
            signal[:, down : down + across, right : right + across] += said[:, down, right]
    return signal


def softmax_chances(groups: Tensor, *, has_null: bool) -> Tensor:
    """The chances of each of n units of groups [G, n, ...], of which one is on; with a null state,
    whose activation is zero, none may be. The activations are written over."""
    largest = groups.amax(1, keepdim=True)
    if has_null:
        largest.clamp_(min=0.0)
    groups.sub_(largest).exp_()
    total = groups.sum(1, keepdim=True)
    if has_null:
        total += torch.exp(-largest)
    return groups.div_(total)


def sample_units(chances: Tensor, generator: torch.Generator, room: Room) -> Tensor:
    """1 with the given chances [R, ...], else 0, as float32; on the CPU in memory of the room."""
    if chances.device.type != "cpu":
        noise = torch.rand(chances.shape, generator=generator, device=chances.device)
        return (noise < chances).float()
    units = room.take("units", chances.shape)
    rows = chances.view(len(chances), -1)
    lanes = torch.randint(1, 1 << 31, rows.shape[1:], generator=generator, dtype=torch.int32)
    fill_sampled_units(rows.numpy(), lanes.numpy().view(np.uint32), units.view_as(rows).numpy())
    return units


def sample_one(chances: Tensor, generator: torch.Generator) -> Tensor:
    """[G, n, ...]: of each group at most one of n units is 1, sampled by its chance; what the
    chances lack of 1 is that of none."""
    below = chances.cumsum(1)
    shape = (len(chances), 1, *chances.shape[2:])
    sampled = torch.rand(shape, generator=generator, device=chances.device) < below
    sampled[:, 1:] ^= sampled[:, :-1].clone()
    return sampled.float()
