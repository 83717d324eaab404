"""Fitting a net to boards: what each cell will be, and which board or cell somebody chose."""

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn
from torch.nn import functional

from katachi.nets.convolution import Convolution
from katachi.nets.dag_rnn import DagRnn

Compute = Callable[[Sequence[Tensor]], tuple[Tensor, Tensor, Tensor]]
"""From the tensors of a batch: the loss whose gradient is wanted, and two parts of it."""
WARM_UPS = 3
"""Steps before recording, so that whatever is made on first use is there."""


class CapturedStep:
    """Losses and gradients of batches of one shape."""

    def __init__(
        self, compute: Compute, parameters: list[nn.Parameter], example: Sequence[Tensor]
    ) -> None:
        """Records `compute` and the way back for tensors like these; gradients are overwritten."""
        self._inputs = [tensor.clone() for tensor in example]
        aside = torch.cuda.Stream()  # type: ignore[no-untyped-call]
        aside.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(aside):
            for _ in range(WARM_UPS):
                _differentiate(compute, parameters, self._inputs)
        torch.cuda.current_stream().wait_stream(aside)
        self._graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self._graph):
            self._losses = _differentiate(compute, parameters, self._inputs)
        self._gradients = [parameter.grad for parameter in parameters]

    def run(
        self, tensors: Sequence[Tensor], parameters: list[nn.Parameter]
    ) -> tuple[Tensor, Tensor]:
        """The two parts of the loss for a batch; its gradients are left in the parameters."""
        for mine, given in zip(self._inputs, tensors, strict=True):
            mine.copy_(given)
        self._graph.replay()
        for parameter, gradient in zip(parameters, self._gradients, strict=True):
            parameter.grad = gradient
        return self._losses


def _differentiate(
    compute: Compute, parameters: list[nn.Parameter], tensors: Sequence[Tensor]
) -> tuple[Tensor, Tensor]:
    for parameter in parameters:
        parameter.grad = None
    loss, first, second = compute(tensors)
    torch.autograd.backward(loss)
    return first.detach(), second.detach()


Array = npt.NDArray[np.float32]
Tensors = dict[str, npt.NDArray[np.generic]]
Net = DagRnn | Convolution
_MOMENTS = ("exp_avg", "exp_avg_sq")
"""What Adam keeps of each parameter."""
BEYOND = 1e9
"""Below any logit: of cells that cannot be chosen."""


class FitSettings(NamedTuple):
    """How a net is fitted."""

    rate: float
    """The largest step size of Adam; it falls to nothing by half a cosine."""
    steps: int
    """Steps after which it is nothing."""
    choice_weight: float
    """What the choice among boards counts beside the cells."""
    cell_weight: float
    """What the cells count."""
    result_weight: float = 0.0
    """What the result counts that the cells add up to."""
    doubt: tuple[float, float] = (1.0, 1.0)
    """How far a lead is in doubt, in square cells: least, and what the variance of each cell, 0 to
    1, adds a line of the board."""


class FitBatch(NamedTuple):
    """B chosen boards, each with K others."""

    planes: Array
    """[B, 1 + K, C, N, N]: the chosen board comes first."""
    targets: Array
    """[B, N, N]: what the cells of the chosen board will be, 0 to 1."""
    signs: Array
    """[B]: 1 where the chooser wants large cells, -1 where small ones."""
    choices: npt.NDArray[np.int64]
    """[B]: among how many boards was chosen; the K are sampled from all but the chosen one. Below 2
    there was no choice."""


class MoveBatch(NamedTuple):
    """B boards on each of which somebody chose a cell."""

    planes: "Array | Tensor"
    """[B, C, N, N], which may lie on the device already."""
    targets: Array
    """[B, N, N]: what the cells will be, 0 to 1."""
    known: Array
    """[B]: 1 where that is known, else 0."""
    outputs: npt.NDArray[np.int64]
    """[B]: the output of the net that is to say which cell is chosen."""
    free: npt.NDArray[np.bool_]
    """[B, N * N]: cells that could be chosen."""
    chosen: npt.NDArray[np.int64]
    """[B]: the chosen cell; -1 where none was."""
    deductions: Array
    """[B]: cells that are taken from the lead of the large ones in the end."""
    results: Array
    """[B]: 1 where they won, 0 where they lost, between for a draw; below 0 where nobody knows."""


class FitLoss(NamedTuple):
    """Mean losses of a batch, in nats."""

    cells: float
    """Cross-entropy of a cell."""
    choice: float
    """Of a choice; 0 where none was asked for."""


def new_fitter(
    shape: tuple[int, ...],
    is_tied: bool,  # noqa: FBT001
    seed: int,
    settings: FitSettings,
    device: str = "cpu",
) -> "Fitter":
    """Fits a DAG-RNN of this `Shape` from the first weights of a seed on; raises ValueError for a
    device that is not there."""
    return _seeded(seed, lambda: DagRnn(*shape, is_tied=is_tied), settings, device)


def new_convolution_fitter(
    shape: tuple[int, int, int, int], seed: int, settings: FitSettings, device: str = "cpu"
) -> "Fitter":
    """The same for a convolution of this shape: planes, width, layers, outputs."""
    return _seeded(seed, lambda: Convolution(*shape), settings, device)


def _seeded(seed: int, make: Callable[[], Net], settings: FitSettings, device: str) -> "Fitter":
    if device != "cpu":
        check_card(device)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return Fitter(make(), settings, device)


def check_card(device: str) -> None:
    """Raises ValueError unless PyTorch can use this GPU: `cuda`, or `cuda:N` where there are
    several."""
    name, _, number = device.partition(":")
    if name != "cuda" or not (number.isdecimal() or device == "cuda"):
        raise ValueError(f"no device {device!r}: use cpu, cuda or cuda:N")
    if not has_card():
        raise ValueError(f"no device {device!r} here: PyTorch finds no CUDA GPU; use cpu")
    if int(number or 0) >= torch.cuda.device_count():
        raise ValueError(f"no device {device!r} here: there are {torch.cuda.device_count()} GPUs")


def has_card() -> bool:
    """Whether PyTorch can use a GPU here."""
    return torch.cuda.is_available()


class Fitter:
    """Fits a net, which gives logits [B, outputs, N, N], by Adam. What comes of it depends only on
    the net, the settings and the batches, on one kind of machine."""

    def __init__(self, net: Net, settings: FitSettings, device: str = "cpu") -> None:
        self.device = torch.device(device)
        self.net = net.to(self.device)
        self.settings = settings
        self.log_temperature = nn.Parameter(torch.zeros((), device=self.device))
        self.steps = 0
        self._parameters = [*net.parameters(), self.log_temperature]
        self._captured: dict[tuple[object, ...], CapturedStep] = {}
        self._optimiser = torch.optim.Adam(self._parameters, lr=settings.rate, foreach=True)

    @property
    def temperature(self) -> float:
        """At which the choices so far are likeliest."""
        return math.exp(self.log_temperature.item())

    def step(self, batch: FitBatch | MoveBatch) -> FitLoss:
        """Moves the weights by one batch; the losses are those before it."""
        share = min(1.0, self.steps / self.settings.steps)
        for group in self._optimiser.param_groups:
            group["lr"] = self.settings.rate * 0.5 * (1.0 + math.cos(math.pi * share))
        cells, choice = self._differentiate(batch)
        self._optimiser.step()
        self.steps += 1
        return FitLoss(float(cells), float(choice))

    def _differentiate(self, batch: FitBatch | MoveBatch) -> tuple[Tensor, Tensor]:
        """The losses; their gradients are left in the parameters."""
        compute = self._move_losses if isinstance(batch, MoveBatch) else self._losses
        tensors = [each if isinstance(each, Tensor) else torch.from_numpy(each) for each in batch]
        if self.device.type == "cuda":
            shape = (type(batch), *batch.planes.shape)
            if shape not in self._captured:
                example = [tensor.to(self.device) for tensor in tensors]
                self._captured[shape] = CapturedStep(compute, self._parameters, example)
            return self._captured[shape].run(tensors, self._parameters)
        self._optimiser.zero_grad(set_to_none=True)
        loss, cells, choice = compute(tensors)
        torch.autograd.backward(loss)
        return cells.detach(), choice.detach()

    def _weighed(self, cells: Tensor, choice: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        settings = self.settings
        return settings.cell_weight * cells + settings.choice_weight * choice, cells, choice

    def _losses(self, tensors: Sequence[Tensor]) -> tuple[Tensor, Tensor, Tensor]:
        """Of a `FitBatch`."""
        planes, targets, signs, choices = tensors
        count, boards = planes.shape[:2]
        logits = self.net(planes.flatten(0, 1))[:, 0].unflatten(0, (count, boards))
        cells = functional.binary_cross_entropy_with_logits(logits[:, 0], targets)
        if boards == 1 or self.settings.choice_weight == 0:
            return self._weighed(cells, torch.zeros((), device=self.device))
        sums = torch.sigmoid(logits).sum((-2, -1))
        scores = sums * signs[:, None] / self.log_temperature.exp()
        has_choice = choices >= 2
        # Each of the K others stands for as many of those that were not sampled.
        stands_for = torch.log(choices.clamp(min=2).float() - 1) - math.log(boards - 1)
        others = scores[:, 1:] + stands_for[:, None]
        total = torch.logsumexp(torch.cat([scores[:, :1], others], 1), 1)
        losses = (total - scores[:, 0]) * has_choice
        return self._weighed(cells, losses.sum() / has_choice.sum().clamp(min=1))

    def _move_losses(self, tensors: Sequence[Tensor]) -> tuple[Tensor, Tensor, Tensor]:
        """Of a `MoveBatch`."""
        planes, targets, known, outputs, free, chosen, deductions, results = tensors
        logits = self.net(planes)
        each = functional.binary_cross_entropy_with_logits(logits[:, 0], targets, reduction="none")
        cells = (each.mean((-2, -1)) * known).sum() / known.sum().clamp(min=1)
        rows = torch.arange(len(logits), device=self.device)
        scores = logits[rows, outputs].flatten(1).masked_fill(~free, -BEYOND)
        has_choice = chosen >= 0
        taken = scores.gather(1, chosen.clamp(min=0)[:, None])[:, 0]
        losses = (torch.logsumexp(scores, 1) - taken) * has_choice
        loss, *parts = self._weighed(cells, losses.sum() / has_choice.sum().clamp(min=1))
        if self.settings.result_weight > 0:
            won = self._winning_logits(logits[:, 0].flatten(1), deductions)
            loss = loss + self.settings.result_weight * _result_loss(won, results)
        return loss, parts[0], parts[1]

    def _winning_logits(self, logits: Tensor, deductions: Tensor) -> Tensor:
        """[B] logits of winning by the chances of cells, logits [B, cells]: the lead in parts of
        how far it is in doubt."""
        least, a_line = self.settings.doubt
        chances, cells = torch.sigmoid(logits), logits.shape[1]
        lead = 2.0 * chances.sum(1) - cells - deductions
        variance = 4.0 * (chances * (1.0 - chances)).sum(1)
        return lead / (least + a_line * math.isqrt(cells) * variance).sqrt()

    def _tensor(self, array: npt.NDArray[np.generic]) -> Tensor:
        return torch.from_numpy(array).to(self.device)

    @torch.no_grad()
    def logits(self, planes: "Array | Tensor") -> Array:
        """[B, outputs, N, N] of planes [B, C, N, N]."""
        shown = planes if isinstance(planes, Tensor) else self._tensor(planes)
        return np.asarray(self.net(shown).cpu().numpy(), np.float32)

    def weights(self) -> Tensors:
        """The net's weights by name, copied."""
        return {name: copied(value) for name, value in self.net.state_dict().items()}

    def arrays(self) -> dict[str, Array]:
        """The weights as a model keeps them."""
        return self.net.arrays()

    def state(self) -> Tensors:
        """All that going on needs, copied."""
        tensors: Tensors = {f"net.{name}": value for name, value in self.weights().items()}
        tensors["log_temperature"] = copied(self.log_temperature.detach()).reshape(1)
        tensors["steps"] = np.array([self.steps])
        for number, parameter in enumerate(self._parameters):
            state = self._optimiser.state.get(parameter, {})
            for name in _MOMENTS:
                moment = state.get(name, torch.zeros_like(parameter))
                tensors[f"adam.{number}.{name}"] = copied(moment.detach())
        return tensors

    def restore(self, tensors: Tensors) -> None:
        """Goes on from a state; raises KeyError or ValueError, and changes nothing, where it is
        another net's."""
        weights = self.net.state_dict()
        kept = {name: self._fitting(tensors, f"net.{name}", like) for name, like in weights.items()}
        temperature = self._fitting(tensors, "log_temperature", torch.zeros(1))
        moments = [
            {name: self._fitting(tensors, f"adam.{number}.{name}", each) for name in _MOMENTS}
            for number, each in enumerate(self._parameters)
        ]
        steps = int(tensors["steps"].reshape(1)[0])
        self.net.load_state_dict(kept)
        with torch.no_grad():
            self.log_temperature.copy_(temperature[0])
        self._optimiser.state.clear()
        if steps:
            for parameter, parts in zip(self._parameters, moments, strict=True):
                self._optimiser.state[parameter] = {"step": torch.tensor(float(steps)), **parts}
        self.steps = steps

    def _fitting(self, tensors: Tensors, name: str, like: Tensor) -> Tensor:
        """A copy of an array that must be as large as this tensor."""
        array = tensors[name]
        if array.shape != tuple(like.shape):
            raise ValueError(f"{name} has shape {array.shape}, the net's {tuple(like.shape)}")
        return torch.tensor(array, dtype=like.dtype, device=self.device)


def _result_loss(logits: Tensor, results: Tensor) -> Tensor:
    """The mean cross-entropy of results that are known."""
    is_known = results >= 0
    each = functional.binary_cross_entropy_with_logits(
        logits, results.clamp(min=0), reduction="none"
    )
    return (each * is_known).sum() / is_known.sum().clamp(min=1)


def copied(tensor: Tensor) -> npt.NDArray[np.generic]:
    """A tensor's numbers, which later steps do not change."""
    return np.array(tensor.cpu().numpy())
