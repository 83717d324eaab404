"""Fitting a net to what searches found: how often each cell was visited, and what became of it.

Boards stay on the device, and each batch is turned and reflected there.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.nn import functional

from katachi.errors import KatachiError
from katachi.nets.card_memory import CardMemory
from katachi.nets.convolution import Convolution
from katachi.nets.fitting import (
    BEYOND,
    Array,
    CapturedStep,
    FitLoss,
    FitSettings,
    Fitter,
    Tensors,
    check_card,
    copied,
)

TURNS = 8
VIEWS = 2 * TURNS
"""A batch is divided into so many parts, each seen from another side or with colours exchanged."""
MEAN_SHARE = 0.01
"""What the newest weights count in the mean that is used for play."""
WEIGHT_DECAY = 1e-4


class SearchedBoards(NamedTuple):
    """B boards that were searched."""

    planes: npt.NDArray[np.float16]
    """[B, C, N, N]."""
    targets: Array
    """[B, N, N]: what the cells became, 0 to 1."""
    shares: Array
    """[B, N, N]: of the visits."""
    free: npt.NDArray[np.bool_]
    """[B, N, N]: cells that could be visited."""
    outputs: npt.NDArray[np.int64]
    """[B]: the output of the net that is to say which cell is visited, 1 or 2."""


class Exchange(NamedTuple):
    """What exchanging the colours does to planes: where each comes from, and its sign."""

    sources: npt.NDArray[np.int64]
    signs: Array


def new_search_fitter(
    shape: tuple[int, int, int, int], seed: int, settings: FitSettings, device: str = "cpu"
) -> "SearchFitter":
    """Fits a convolution of this shape (planes, width, layers, outputs) from the first weights of a
    seed on; raises ValueError for a device that is not there."""
    if device != "cpu":
        check_card(device)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return SearchFitter(Convolution(*shape), settings, device)


class SearchFitter(Fitter):
    """Fits a net by AdamW and keeps an exponential mean of its weights."""

    net: Convolution

    def __init__(self, net: Convolution, settings: FitSettings, device: str = "cpu") -> None:
        super().__init__(net, settings, device)
        self._optimiser = torch.optim.AdamW(
            self._parameters, lr=settings.rate, weight_decay=WEIGHT_DECAY, foreach=True
        )
        self._mean = [each.detach().clone() for each in net.parameters()]
        self._boards: list[Tensor] = []

    def start_from(self, arrays: dict[str, Array]) -> None:
        """Takes over the weights of a model of the same shape."""
        self.net.load_state_dict({name: torch.from_numpy(each) for name, each in arrays.items()})
        self._mean = [each.detach().clone() for each in self.net.parameters()]

    def show(self, boards: SearchedBoards, exchange: Exchange) -> None:
        """Makes these the boards that steps learn from."""
        self._boards = [self._tensor(each) for each in boards]
        self._sources, self._signs = (self._tensor(each) for each in exchange)

    def fit(self, rows: npt.NDArray[np.int64], rate: float) -> FitLoss:
        """Moves the weights by these boards at this step size; the losses are those before it."""
        for group in self._optimiser.param_groups:
            group["lr"] = rate
        cells, choice = self._gradients(self._batch(self._tensor(rows)))
        self._optimiser.step()
        with torch.no_grad():
            for mean, newest in zip(self._mean, self.net.parameters(), strict=True):
                mean.lerp_(newest, MEAN_SHARE)
        self.steps += 1
        return FitLoss(float(cells), float(choice))

    def _gradients(self, batch: Sequence[Tensor]) -> tuple[Tensor, Tensor]:
        """The losses; their gradients are left in the parameters."""
        if self.device.type == "cuda":
            shape = tuple(batch[0].shape)
            if shape not in self._captured:
                self._captured[shape] = CapturedStep(self._share_losses, self._learned, batch)
            return self._captured[shape].run(batch, self._learned)
        self._optimiser.zero_grad(set_to_none=True)
        loss, cells, choice = self._share_losses(batch)
        torch.autograd.backward(loss)
        return cells.detach(), choice.detach()

    @property
    def _learned(self) -> "list[torch.nn.Parameter]":
        return list(self.net.parameters())

    def _batch(self, rows: Tensor) -> list[Tensor]:
        """These boards, each part of them seen in its own way."""
        parts = [
            self._seen([each[part] for each in self._boards], view)
            for view, part in enumerate(rows.tensor_split(VIEWS))
            if len(part)
        ]
        return [torch.cat(each) for each in zip(*parts, strict=True)]

    def _seen(self, tensors: list[Tensor], view: int) -> list[Tensor]:
        *boards, outputs = tensors
        planes, targets, shares, free = (turned(each, view % TURNS) for each in boards)
        planes = planes.float()
        if view >= TURNS:
            planes = planes[:, self._sources] * self._signs[:, None, None]
            targets, outputs = 1.0 - targets, 3 - outputs
        return [planes, targets, shares, free, outputs]

    def _share_losses(self, tensors: Sequence[Tensor]) -> tuple[Tensor, Tensor, Tensor]:
        planes, targets, shares, free, outputs = tensors
        logits = self.net(planes)
        cells = functional.binary_cross_entropy_with_logits(logits[:, 0], targets)
        rows = torch.arange(len(logits), device=self.device)
        scores = logits[rows, outputs].masked_fill(~free, -BEYOND).flatten(1)
        visited = shares.flatten(1)
        total = visited.sum(1)
        # Who visited nothing but the pass says nothing of the cells.
        wanted = visited / total.clamp(min=1e-6)[:, None]
        losses = -(wanted * functional.log_softmax(scores, 1)).sum(1)
        has_choice = total > 0
        return self._weighed(cells, (losses * has_choice).sum() / has_choice.sum().clamp(min=1))

    def mean_arrays(self) -> dict[str, Array]:
        """The mean weights as a model keeps them."""
        names = [name for name, _ in self.net.named_parameters()]
        return {
            name: np.array(each.float().cpu().contiguous().numpy())
            for name, each in zip(names, self._mean, strict=True)
        }

    def state(self) -> Tensors:
        """All that going on needs, but for the boards."""
        mean = {f"mean.{number}": copied(each) for number, each in enumerate(self._mean)}
        return super().state() | mean

    def restore(self, tensors: Tensors) -> None:
        """Goes on from a state; raises as `Fitter.restore`."""
        mean = [self._fitting(tensors, f"mean.{n}", each) for n, each in enumerate(self._mean)]
        super().restore(tensors)
        self._mean = mean


def turned(boards: Tensor, turn: int) -> Tensor:
    """Boards [..., N, N] moved by one of the eight symmetries: bit 1 flips rows, bit 2 columns, bit
    4 transposes first."""
    moved = boards.transpose(-1, -2) if turn & 4 else boards
    axes = [axis for bit, axis in ((1, -2), (2, -1)) if turn & bit]
    return moved.flip(axes) if axes else moved


class TorchKernel:
    """A convolution that torch computes: what `ConvolutionKernel` is without. A GPU computes with
    float16."""

    def __init__(self, arrays: dict[str, Array], device: str) -> None:
        """The net of these weights; raises ValueError for a device that is not there."""
        if device != "cpu":
            check_card(device)
        width, self.planes = arrays["layers.0.weight"].shape[:2]
        self.outputs = len(arrays["output.bias"])
        layers = sum(name.endswith(".weight") for name in arrays) - 1
        self._device = torch.device(device)
        self.memory = CardMemory(self._device)
        net = Convolution(self.planes, width, layers, self.outputs)
        net.load_state_dict({name: torch.from_numpy(each) for name, each in arrays.items()})
        self.net = net.to(self._device).eval().requires_grad_(requires_grad=False)
        # As quick as bfloat16 and ten times as exact; learning needs the wider range.
        self.net.card_kind = torch.float16

    def logits(self, planes: Array) -> Array:
        """Logits [B, outputs, N, N] of planes [B, C, N, N]."""
        shown = torch.from_numpy(planes)
        if self._device.type == "cuda":  # half as much to carry
            shown = shown.half().to(self._device).float()
        return self._answer(shown, len(planes))

    def ownership(self, planes: Array) -> Array:
        """The chance [B, N, N] that each point will be Black's: the first output."""
        return np.asarray(1.0 / (1.0 + np.exp(-self.logits(planes)[:, 0])), np.float32)

    def logits_beside(self, planes: Tensor, count: int) -> Array:
        """The logits of the first so many of planes [C, N, N, B] on the device, which lie side by
        side."""
        return self._answer(planes.permute(3, 0, 1, 2), count)

    @torch.no_grad()
    def _answer(self, shown: Tensor, count: int) -> Array:
        found = np.asarray(self._fetched(self.net(shown)[:count]).numpy(), np.float32)
        if not np.isfinite(found).all():
            raise KatachiError("a net's numbers are too large for a GPU: use --device cpu")
        return found

    def _fetched(self, made: Tensor) -> Tensor:
        """The same on this machine. It sleeps until a GPU is ready, so that others can work."""
        if self._device.type != "cuda":
            return made
        found = self.memory.held(*made.shape, kind=made.dtype)
        found.copy_(made, non_blocking=True)
        ready = torch.cuda.Event(blocking=True)  # type: ignore[no-untyped-call]
        ready.record()
        ready.synchronize()
        return found
