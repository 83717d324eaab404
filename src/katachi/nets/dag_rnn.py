"""DAG-RNN: four sweeps over a board give every cell a view of the whole, at any board size.

After Wu and Baldi, "A scalable machine learning approach to Go" (NIPS 2006). Start at `DagRnn`;
`tiles.py` computes it on a CPU, `waves.py` anywhere else.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from katachi.nets.packing import LayerWeights, NetWeights, symmetric_columns, transposed_columns
from katachi.nets.tiles import tiled_logits
from katachi.nets.waves import wave_logits

__all__ = ["CellNet", "DagRnn", "LayerWeights", "NetWeights", "SweepLayer"]


class CellNet(nn.Module):
    """One hidden layer of logistic units; the output is left before its logistic function."""

    def __init__(self, inputs: int, hidden: int, outputs: int) -> None:
        super().__init__()
        self.hidden = nn.Linear(inputs, hidden)
        self.out = nn.Linear(hidden, outputs)

    def weights(self, ties: Tensor | None = None) -> NetWeights:
        """The weights; with `ties` [G, columns], means over their places under G symmetries."""
        weight = self.hidden.weight if ties is None else self.hidden.weight[:, ties].mean(1)
        return NetWeights(weight, self.hidden.bias, self.out.weight, self.out.bias)


class SweepLayer(nn.Module):
    """The nets of corner, side and lateral cells, shared by the four sweeps."""

    def __init__(self, inputs: int, hidden: int, states: int) -> None:
        super().__init__()
        self.corner = CellNet(inputs, hidden, states)
        self.side = CellNet(inputs + states, hidden, states)
        self.lateral = CellNet(inputs + 2 * states, hidden, states)


class Shape(NamedTuple):
    """What a DAG-RNN is made of: all that its weights' shapes depend on."""

    windowed: int
    local: int
    hidden: int
    states: int
    layers: int
    outputs: int = 1


class DagRnn(nn.Module):
    """A logit of each cell of a board, or several, from planes of numbers.

    The input of a cell is the 3x3 neighbourhood of the first `windowed` planes (zeros off the
    board, mirrored to each sweep's own frame) and the `local` planes after them. Each further
    layer also sees the states of all four sweeps of the layer below. With `is_tied` the net gives
    the same logits whichever way the board is turned or mirrored.

    64 * inputs + 1,385 weights with 16 hidden units, 8 states, one layer and one output.
    """

    def __init__(  # noqa: PLR0913 (what a net is made of: `Shape`)
        self,
        windowed: int,
        local: int,
        hidden: int = 16,
        states: int = 8,
        layers: int = 1,
        outputs: int = 1,
        *,
        is_tied: bool = False,
    ) -> None:
        super().__init__()
        self.shape = Shape(windowed, local, hidden, states, layers, outputs)
        self.is_tied = is_tied
        inputs = 9 * windowed + local
        counts = [inputs] + [inputs + 4 * states] * (layers - 1)
        self.layers = nn.ModuleList(SweepLayer(count, hidden, states) for count in counts)
        self.output = CellNet(inputs + 4 * states, hidden, outputs)
        if is_tied:
            self._keep_ties()

    def forward(self, planes: Tensor) -> Tensor:
        """Logits [B, outputs, N, N] of planes [B, windowed + local, N, N], for any N from 2
        on."""
        layers, output = self.layer_weights(), self.output_weights()
        if planes.device.type == "cpu" and not planes.requires_grad:
            return tiled_logits(planes, self.shape.windowed, layers, output)
        return wave_logits(planes, self.shape.windowed, layers, output)

    def _keep_ties(self) -> None:
        """Keeps, where the net is, which columns of its weights are one."""
        windowed, local, _, states, layers, _ = self.shape
        for number in range(layers):
            columns = torch.from_numpy(transposed_columns(windowed, local, states if number else 0))
            for kind, ties in zip(LayerWeights._fields, self._layer_ties(columns), strict=True):
                self.register_buffer(f"ties_{number}_{kind}", ties, persistent=False)
        every = torch.from_numpy(symmetric_columns(windowed, local, states))
        self.register_buffer("ties_output", every, persistent=False)

    def layer_weights(self) -> list[LayerWeights]:
        """The weights of each layer's nets, as they act: tied where the net is."""
        found = []
        for number, layer in enumerate(self.layers):
            nets = zip(LayerWeights._fields, layer.children(), strict=True)
            weights = (self._weights(net, f"ties_{number}_{kind}") for kind, net in nets)
            found.append(LayerWeights(*weights))
        return found

    def output_weights(self) -> NetWeights:
        """The weights of the net that gives the logits, as they act."""
        return self._weights(self.output, "ties_output")

    def _weights(self, net: nn.Module, ties: str) -> NetWeights:
        assert isinstance(net, CellNet)
        return net.weights(self.get_buffer(ties) if self.is_tied else None)

    def arrays(self) -> dict[str, npt.NDArray[np.float32]]:
        """All weights as they act, under the names of `state_dict`: what is kept in a model."""
        nets = {"output": self.output_weights()}
        for number, layer in enumerate(self.layer_weights()):
            for kind, net in zip(layer._fields, layer, strict=True):
                nets[f"layers.{number}.{kind}"] = net
        parts = ("hidden.weight", "hidden.bias", "out.weight", "out.bias")
        return {
            f"{name}.{part}": tensor.detach().float().cpu().numpy().copy()
            for name, net in nets.items()
            for part, tensor in zip(parts, net, strict=True)
        }

    def _layer_ties(self, inputs: Tensor) -> list[Tensor]:
        """For corner, side and lateral nets: inputs transposed, predecessors exchanged."""
        count, states = inputs.shape[1], self.shape.states
        one = count + torch.arange(states).expand(2, -1)
        both = count + torch.arange(2 * states)
        two = torch.stack([both, both.roll(states)])
        return [inputs, torch.cat([inputs, one], 1), torch.cat([inputs, two], 1)]
