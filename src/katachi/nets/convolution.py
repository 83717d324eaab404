"""A plain convolutional net over the same planes: what a DAG-RNN is measured against.

On a CUDA GPU it computes with 16-bit numbers, which such nets do not mind.
"""

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn


class Convolution(nn.Module):
    """3x3 convolutions of rectified units, each but the first added to what it sees; then one logit
    or more a cell."""

    def __init__(self, planes: int, width: int, layers: int, outputs: int = 1) -> None:
        super().__init__()
        self.card_kind: torch.dtype = torch.bfloat16
        """The numbers that a GPU computes with."""
        counts = [planes] + [width] * (layers - 1)
        self.layers = nn.ModuleList(nn.Conv2d(count, width, 3, padding=1) for count in counts)
        self.output = nn.Conv2d(width, outputs, 1)
        with torch.no_grad():
            # So that a deep net begins no louder than a shallow one.
            for name, parameter in self.layers.named_parameters():
                if not name.startswith("0.") and name.endswith("weight"):
                    parameter.mul_(layers**-0.5)

    def forward(self, planes: Tensor) -> Tensor:
        """Logits [B, outputs, N, N] of planes [B, planes, N, N]."""
        is_card = planes.is_cuda
        memory = torch.channels_last if is_card else torch.contiguous_format
        kind = planes.device.type
        is_half = is_card and self.card_kind is not torch.float32
        with torch.autocast(kind, self.card_kind, enabled=is_half, cache_enabled=False):
            first, *others = self.layers
            seen: Tensor = first(planes.contiguous(memory_format=memory))
            for layer in others:
                seen = seen + layer(seen.relu())
        found: Tensor = self.output(seen.relu().float())
        return found

    def arrays(self) -> dict[str, npt.NDArray[np.float32]]:
        """All weights, under the names of `state_dict`: what is kept in a model."""
        weights = self.state_dict().items()
        return {name: tensor.float().cpu().contiguous().numpy().copy() for name, tensor in weights}
