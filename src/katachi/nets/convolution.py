"""A plain convolutional net over the same planes: what a DAG-RNN is measured against."""

from torch import Tensor, nn

from katachi.nets.fitting import FitSettings, Fitter, seeded


class Convolution(nn.Module):
    """Layers of 3x3 convolutions with rectified units, then one logit or more a cell."""

    def __init__(self, planes: int, width: int, layers: int, outputs: int = 1) -> None:
        super().__init__()
        counts = [planes] + [width] * layers
        self.layers = nn.ModuleList(
            nn.Conv2d(counts[i], width, 3, padding=1) for i in range(layers)
        )
        self.output = nn.Conv2d(width, outputs, 1)

    def forward(self, planes: Tensor) -> Tensor:
        """Logits [B, outputs, N, N] of planes [B, planes, N, N]."""
        for layer in self.layers:
            planes = layer(planes).relu()
        found: Tensor = self.output(planes)
        return found


def convolution_fitter(
    shape: tuple[int, int, int, int], seed: int, settings: FitSettings
) -> Fitter:
    """Fits a net of this shape (planes, width, layers, outputs) with the first weights of a
    seed."""
    return Fitter(seeded(seed, lambda: Convolution(*shape)), settings)
