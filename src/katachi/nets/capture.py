"""A step of learning on a CUDA card, recorded once and played again.

A sweep is thousands of small launches, and starting each from Python takes longer than its work.
Recorded as one graph, they are started by the card itself.
"""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor, nn

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
