"""Contrastive divergence: a convolutional RBM is drawn to boards and away from what it makes of
them itself (Hinton, 2002)."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from katachi.nets.crbm import (
    Crbm,
    Room,
    Start,
    fold_windows,
    lanes_of,
    new_crbm,
    sample_one,
    sample_units,
    softmax_chances,
    windows_of,
)
from katachi.nets.crbm_form import CrbmForm, VisibleKind
from katachi.nets.fitting import check_card

Tensors = dict[str, npt.NDArray[np.generic]]
_STEP_SEEDS = 1 << 32


class DivergenceSettings(NamedTuple):
    """How an RBM learns."""

    rate: float
    """Step size."""
    momentum: float
    """Share of the last step that is taken again."""
    decay: float
    """Share of the weights that is taken off, times the step size."""
    gibbs_steps: int
    """How often the RBM's own boards are sampled again before they are compared (CD-k)."""
    is_persistent: bool
    """Whether these boards go on from those of the step before, not from the data."""
    sparsity: float
    """The share of hidden units that should be on."""
    sparsity_weight: float
    """What it counts; 0 for no wish."""
    seed: int


def new_fitter(
    form: CrbmForm, start: Start, settings: DivergenceSettings, device: str
) -> "CrbmFitter":
    """An RBM with its first weights; raises ValueError for a device that is not there."""
    if device != "cpu":
        check_card(device)
    return CrbmFitter(new_crbm(form, start, device), settings)


class SparedChannels:
    """Channels that need not be computed: of a multinomial group the last is on exactly where no
    other is. Windows are shorter without them, and every product of matrices is cheaper.

    With the window w of all channels and a last 1, and u without the spared ones, w = E u: weights
    W become W E, sums of h u' become sums of h w' = h u' E'.
    """

    def __init__(self, form: CrbmForm, room: Room, device: torch.device) -> None:
        self._kind = form.visible
        self._room = room
        self._groups = [size - 1 for size in form.groups] if self._is_sparing else []
        ends = np.cumsum(form.groups) - 1
        spared = ends.tolist() if self._is_sparing else []
        self.kept = [channel for channel in range(form.channels) if channel not in spared]
        """The channels that are computed."""
        expansion = _expansion(form, self.kept, spared)
        self._windows = torch.from_numpy(expansion(form.side**2)).to(device)
        self._channels = torch.from_numpy(expansion(1)).to(device)

    @property
    def _is_sparing(self) -> bool:
        return self._kind is VisibleKind.MULTINOMIAL

    def shortened(self, matrix: Tensor) -> Tensor:
        """Weights [maps, inputs + 1] for windows without the spared channels."""
        return matrix @ self._windows if self._is_sparing else matrix

    def lengthened(self, gradient: Tensor) -> Tensor:
        """The gradient of all weights from that of the shortened ones."""
        return gradient @ self._windows.T if self._is_sparing else gradient

    def shortened_bias(self, bias: Tensor) -> Tensor:
        """Biases of the kept channels; those of a spared one are taken off its group's."""
        return bias @ self._channels[:-1, :-1] if self._is_sparing else bias

    def with_spared(self, change: Tensor) -> Tensor:
        """[C]: changes of all channels, from those of the kept ones."""
        return self._channels[:-1, :-1] @ change if self._is_sparing else change

    def squared(self, difference: Tensor) -> Tensor:
        """Of a cell, all channels together, from the difference of the kept ones [C, N, N, B]."""
        total = difference.square().sum(0).mean()
        for group in torch.split(difference, self._groups) if self._is_sparing else ():
            total = total + group.sum(0).square().mean()
        return total

    def sample(self, signal: Tensor, generator: torch.Generator) -> Tensor:
        """Visible units [C, N, N, B] under a top-down signal; real ones are their means."""
        if self._kind is VisibleKind.REAL:
            return signal
        if self._kind is VisibleKind.BINARY:
            return sample_units(torch.sigmoid(signal), generator, self._room)
        groups = torch.split(signal, self._groups)
        chances = [softmax_chances(group[None], has_null=True) for group in groups]
        return torch.cat([sample_one(each, generator)[0] for each in chances])


def _expansion(
    form: CrbmForm, kept: list[int], spared: list[int]
) -> Callable[[int], npt.NDArray[np.float32]]:
    """E for so many places of a window, as a function of their number."""

    def expansion(places: int) -> npt.NDArray[np.float32]:
        all_inputs, inputs = form.channels * places, len(kept) * places
        found = np.zeros((all_inputs + 1, inputs + 1), np.float32)
        found[-1, -1] = 1.0
        group_of = np.repeat(np.arange(len(form.groups)), form.groups)
        for place in range(places):
            for column, channel in enumerate(kept):
                found[channel * places + place, column * places + place] = 1.0
                for other in spared:
                    if group_of[other] == group_of[channel]:
                        found[other * places + place, column * places + place] = -1.0
            for other in spared:
                found[other * places + place, -1] = 1.0
        return found

    return expansion


class CrbmFitter:
    """Fits an RBM. What comes of it depends only on the RBM, the settings and the batches,
    on one kind of device."""

    def __init__(self, crbm: Crbm, settings: DivergenceSettings) -> None:
        self.crbm = crbm
        self.settings = settings
        self.steps = 0
        self._speed = torch.zeros_like(crbm.matrix)
        self._visible_speed = torch.zeros_like(crbm.visible_bias)
        self._chain: Tensor | None = None
        self._generator = torch.Generator(crbm.device)
        self._room = Room(crbm.device)
        self._spare = SparedChannels(crbm.form, self._room, crbm.device)

    def tensor(self, boards: npt.NDArray[np.float32]) -> Tensor:
        """Boards on the RBM's device."""
        return torch.from_numpy(boards).to(self.crbm.device)

    @torch.no_grad()
    def step(self, boards: Tensor) -> Tensor:
        """Moves the weights by one batch [B, C, N, N]; returns the squared error of a cell of what
        was made of it, as a tensor that need not be waited for."""
        crbm, spare = self.crbm, self._spare
        # Each step has random numbers of its own, so going on needs no state of a generator.
        self._generator.manual_seed(self.settings.seed * _STEP_SEEDS + self.steps)
        matrix = spare.shortened(crbm.turned_matrix())
        seen = lanes_of(boards[:, spare.kept])
        windows = windows_of(seen, crbm.form.side)
        chances = self._chances(matrix, windows, "seen")
        made, made_windows, made_chances = self._dream(matrix, seen, chances)
        wanted = torch.mm(windows, chances.T)
        wanted.addmm_(made_windows, made_chances.T, alpha=-1.0)
        gradient = crbm.turned_back(spare.lengthened(wanted.T) / windows.shape[1])
        self._add_wishes(gradient, chances)
        difference = seen - made
        self._move(gradient, spare.with_spared(difference.mean((1, 2, 3))))
        self.steps += 1
        return spare.squared(difference)

    def _dream(
        self, matrix: Tensor, seen: Tensor, chances: Tensor
    ) -> tuple[Tensor, Tensor, Tensor]:
        """(boards, windows, hidden chances) as the RBM makes them, beginning from what it has
        seen or from where it left off."""
        crbm, spare, side = self.crbm, self._spare, self.crbm.form.side
        made, windows = seen, seen
        if self.settings.is_persistent:
            if self._chain is not None and self._chain.shape == seen.shape:
                made = self._chain
            chances = self._chances(matrix, windows_of(made, side), "made")
        across = seen.shape[1] - side + 1
        upwards, bias = matrix[:, :-1].T, spare.shortened_bias(crbm.visible_bias)
        for _ in range(self.settings.gibbs_steps):
            hidden = crbm.sample_hidden(chances, self._generator, self._room)
            parts = self._room.take("parts", (len(upwards), hidden.shape[1]))
            parts = torch.mm(upwards, hidden, out=parts).view(-1, across, across, seen.shape[3])
            made = spare.sample(fold_windows(parts, bias, side), self._generator)
            windows = windows_of(made, side)
            chances = self._chances(matrix, windows, "made")
        if self.settings.is_persistent:
            self._chain = made
        return made, windows, chances

    def _chances(self, matrix: Tensor, windows: Tensor, name: str) -> Tensor:
        """The chances of the hidden units of these windows, in memory of this name."""
        room = self._room.take(name, (len(matrix), windows.shape[1]))
        return self.crbm.chances(torch.mm(matrix, windows, out=room))

    def _add_wishes(self, gradient: Tensor, chances: Tensor) -> None:
        """Weight decay, which spares the biases, and sparsity, which moves nothing else."""
        gradient[:, :-1] -= self.settings.decay * self.crbm.matrix[:, :-1]
        if self.settings.sparsity_weight:
            on = chances.view(self.crbm.form.kernels, -1, chances.shape[1]).sum(1).mean(1)
            gradient[:, -1] += self.settings.sparsity_weight * (self.settings.sparsity - on)

    def _move(self, gradient: Tensor, visible: Tensor) -> None:
        rate, momentum = self.settings.rate, self.settings.momentum
        self._speed.mul_(momentum).add_(gradient, alpha=rate)
        self._visible_speed.mul_(momentum).add_(visible, alpha=rate)
        self.crbm.matrix += self._speed
        self.crbm.visible_bias += self._visible_speed

    def is_finite(self) -> bool:
        """Whether all weights are numbers."""
        return bool(self.crbm.matrix.isfinite().all() and self.crbm.visible_bias.isfinite().all())

    def state(self) -> Tensors:
        """All that going on needs, copied."""
        found = {
            "matrix": self.crbm.matrix,
            "visible_bias": self.crbm.visible_bias,
            "speed": self._speed,
            "visible_speed": self._visible_speed,
            "steps": torch.tensor([self.steps]),
        }
        if self._chain is not None:
            found["chain"] = self._chain
        return {name: np.array(tensor.cpu().numpy()) for name, tensor in found.items()}

    def restore(self, tensors: Tensors) -> None:
        """Goes on from a state; raises KeyError or ValueError, and changes nothing, where it is
        another RBM's."""
        likes = {
            "matrix": self.crbm.matrix,
            "visible_bias": self.crbm.visible_bias,
            "speed": self._speed,
            "visible_speed": self._visible_speed,
        }
        for name, like in likes.items():
            if tensors[name].shape != tuple(like.shape):
                found = tensors[name].shape
                raise ValueError(f"{name} has shape {found}, the RBM's {tuple(like.shape)}")
        self.steps = int(tensors["steps"].reshape(1)[0])
        for name, like in likes.items():
            like.copy_(torch.tensor(tensors[name]))
        if "chain" in tensors:
            self._chain = torch.tensor(tensors["chain"], device=self.crbm.device)
