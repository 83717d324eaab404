"""Contrastive divergence: a convolutional RBM is drawn to boards and away from what it makes of
them itself (Hinton, 2002)."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from katachi.nets.crbm import Crbm, Start, lanes_of, new_crbm, windows_of
from katachi.nets.crbm_form import CrbmForm
from katachi.nets.fitting import check_card

Tensors = dict[str, npt.NDArray[np.generic]]
_STEP_SEEDS = 1 << 32


class DivergenceSettings(NamedTuple):
    """How a machine learns."""

    rate: float
    """Step size."""
    momentum: float
    """Share of the last step that is taken again."""
    decay: float
    """Share of the weights that is taken off, times the step size."""
    gibbs_steps: int
    """How often the machine's own boards are drawn anew before they are compared (CD-k)."""
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
    """A machine with its first weights; raises ValueError for a device that is not there."""
    if device != "cpu":
        check_card(device)
    return CrbmFitter(new_crbm(form, start, device), settings)


class CrbmFitter:
    """Fits a machine. What comes of it depends only on the machine, the settings and the batches,
    on one kind of device."""

    def __init__(self, crbm: Crbm, settings: DivergenceSettings) -> None:
        self.crbm = crbm
        self.settings = settings
        self.steps = 0
        self._speed = torch.zeros_like(crbm.matrix)
        self._visible_speed = torch.zeros_like(crbm.visible_bias)
        self._chain: Tensor | None = None
        self._generator = torch.Generator(crbm.device)

    def tensor(self, boards: npt.NDArray[np.float32]) -> Tensor:
        """Boards on the machine's device."""
        return torch.from_numpy(boards).to(self.crbm.device)

    @torch.no_grad()
    def step(self, boards: Tensor) -> Tensor:
        """Moves the weights by one batch [B, C, N, N]; returns the squared error of a cell of what
        was made of it, as a tensor that need not be waited for."""
        crbm, form = self.crbm, self.crbm.form
        # Each step has random numbers of its own, so going on needs no state of a generator.
        self._generator.manual_seed(self.settings.seed * _STEP_SEEDS + self.steps)
        matrix = crbm.turned_matrix()
        seen = lanes_of(boards)
        windows = windows_of(seen, form.side)
        chances = crbm.chances(matrix @ windows)
        made, made_chances = self._dream(matrix, seen, chances)
        made_windows = windows_of(made, form.side)
        wanted = torch.mm(windows, chances.T)
        wanted.addmm_(made_windows, made_chances.T, alpha=-1.0)
        gradient = crbm.turned_back(wanted.T / windows.shape[1])
        self._add_wishes(gradient, chances)
        self._move(gradient, seen.mean((1, 2, 3)) - made.mean((1, 2, 3)))
        self.steps += 1
        return (seen - made).square().sum(0).mean()

    def _dream(self, matrix: Tensor, seen: Tensor, chances: Tensor) -> tuple[Tensor, Tensor]:
        """(boards, hidden chances) as the machine makes them, beginning from what it has seen or
        from where it left off."""
        crbm, side = self.crbm, self.crbm.form.side
        made = seen
        if self.settings.is_persistent:
            if self._chain is not None and self._chain.shape == seen.shape:
                made = self._chain
            chances = crbm.chances(matrix @ windows_of(made, side))
        for _ in range(self.settings.gibbs_steps):
            hidden = crbm.sample_hidden(chances, self._generator)
            across = seen.shape[1] - side + 1
            parts = (matrix[:, :-1].T @ hidden).view(-1, across, across, seen.shape[3])
            made = crbm.sample_visible(crbm.folded(parts), self._generator)
            chances = crbm.chances(matrix @ windows_of(made, side))
        if self.settings.is_persistent:
            self._chain = made
        return made, chances

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

    def standing(self) -> Tensors:
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
        """Goes on from a standing; raises KeyError or ValueError, and changes nothing, where it is
        another machine's."""
        likes = {
            "matrix": self.crbm.matrix,
            "visible_bias": self.crbm.visible_bias,
            "speed": self._speed,
            "visible_speed": self._visible_speed,
        }
        for name, like in likes.items():
            if tensors[name].shape != tuple(like.shape):
                found = tensors[name].shape
                raise ValueError(f"{name} has shape {found}, the machine's {tuple(like.shape)}")
        self.steps = int(tensors["steps"].reshape(1)[0])
        for name, like in likes.items():
            like.copy_(torch.tensor(tensors[name]))
        if "chain" in tensors:
            self._chain = torch.tensor(tensors["chain"], device=self.crbm.device)
