"""Territory: who will own each point, by a recursive net over the whole board (Wu and Baldi 2006).

The net was fitted with torch; judging needs none. One set of weights serves boards of every size.
"""

from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from katachi.evaluators.dag_rnn_kernel import DagRnnKernel
from katachi.evaluators.model_files import Tensors, read_config, read_tensors, write_model
from katachi.evaluators.protocol import Evaluation
from katachi.features.propensity import CLASSES, PATTERNS, PLACES, PropensityTable
from katachi.features.territory_inputs import (
    InputSettings,
    needs_propensity,
    plan_inputs,
    plane_count,
    planes_of,
)
from katachi.features.territory_planes import InputPlan
from katachi.rules.errors import KatachiError
from katachi.rules.state import PREVIOUS, SIZE, TRACE_POINT, BoardState

KIND, VERSION = "territory", 1
KOMI = 7.5
"""Taken from Black's lead in the chance of winning: positions have none of their own."""
MOST_UNITS = 4096
_NETS = ("corner", "side", "lateral")

Arrays = dict[str, npt.NDArray[np.float32]]


class TerritoryConfig(msgspec.Struct, forbid_unknown_fields=True):
    """What `config.json` of a territory model holds."""

    inputs: InputSettings
    hidden: int
    states: int
    layers: int
    temperatures: dict[str, float] = {}
    """Of the Gibbs policy, by board size."""
    training: dict[str, Any] = {}
    kind: str = KIND
    version: int = VERSION


def array_shapes(config: TerritoryConfig) -> dict[str, tuple[int, ...]]:
    """The names and shapes of the net's weights."""
    windowed, local = plane_count(config.inputs)
    own = 9 * windowed + local
    nets = {}
    for layer in range(config.layers):
        below = own + (4 * config.states if layer else 0)
        for number, name in enumerate(_NETS):
            nets[f"layers.{layer}.{name}"] = below + number * config.states, config.states
    nets["output"] = own + 4 * config.states, 1
    shapes: dict[str, tuple[int, ...]] = {}
    for name, (inputs, outputs) in nets.items():
        shapes[f"{name}.hidden.weight"] = config.hidden, inputs
        shapes[f"{name}.hidden.bias"] = (config.hidden,)
        shapes[f"{name}.out.weight"] = outputs, config.hidden
        shapes[f"{name}.out.bias"] = (outputs,)
    return shapes


class Territory:
    """Judges by the points that Black will own."""

    name = "territory"

    def __init__(
        self, inputs: InputSettings, arrays: Arrays, table: PropensityTable | None = None
    ) -> None:
        """A net's weights, as `DagRnn.arrays` names them, and what its inputs need."""
        self.inputs = inputs
        self.arrays = arrays
        self.table = table
        self.temperatures: dict[int, float] = {}
        """Of the Gibbs policy, by board size."""
        self.training: dict[str, Any] = {}
        self._kernel = DagRnnKernel(arrays, plane_count(inputs)[0])
        self._plans: dict[int, InputPlan] = {}

    @property
    def weight_count(self) -> int:
        """The number of the net's weights."""
        return sum(array.size for array in self.arrays.values())

    def temperature(self, size: int) -> float | None:
        """The temperature for boards of a size: its own, or that of the nearest size."""
        if not self.temperatures:
            return None
        return self.temperatures[min(self.temperatures, key=lambda known: abs(known - size))]

    def evaluate(self, states: BoardState) -> Evaluation:
        """Chances of B positions of one board size, from the points each side will own; raises
        KatachiError on a board too small for the inputs."""
        size = int(states.words.flat[SIZE])
        if size not in self._plans:
            self._plans[size] = plan_inputs(self.inputs, size, self.table)
        planes = planes_of(states, self._plans[size], states.words[:, [TRACE_POINT, PREVIOUS]])
        ownership = self._kernel.ownership(planes).reshape(len(planes), -1)
        lead = 2.0 * ownership.sum(axis=1, dtype=np.float64) - size * size - KOMI
        return Evaluation(1.0 / (1.0 + np.exp(-lead / size)), ownership)

    def save(self, folder: Path, card: str) -> None:
        """Writes the model's folder; raises OSError."""
        hidden, states = self.arrays["layers.0.corner.out.weight"].T.shape
        layers = len({name.split(".")[1] for name in self.arrays if name.startswith("layers.")})
        temperatures = {str(size): value for size, value in self.temperatures.items()}
        config = TerritoryConfig(self.inputs, hidden, states, layers, temperatures, self.training)
        tensors: Tensors = dict(self.arrays)
        if self.table is not None:
            tensors |= {f"propensity.{k}": v for k, v in self.table._asdict().items()}
        write_model(folder, config, tensors, card)

    @classmethod
    def load(cls, folder: Path) -> "Territory":
        """The model of a folder; raises KatachiError, saying what is wrong, and loads nothing."""
        config = read_config(folder, KIND, VERSION, TerritoryConfig)
        units = (config.hidden, config.states, config.layers)
        if not all(1 <= count <= MOST_UNITS for count in units):
            raise KatachiError(f"{folder}: a net of {units} units is out of range")
        expected = {name: ("float32", shape) for name, shape in array_shapes(config).items()}
        tables = {}
        if needs_propensity(config.inputs):
            tables = {
                "propensity.score": ("float32", (CLASSES, PATTERNS, PLACES)),
                "propensity.trust": ("float32", (CLASSES, PATTERNS)),
            }
        tensors: Any = read_tensors(folder, expected | tables)
        if not all(np.isfinite(array).all() for array in tensors.values()):
            raise KatachiError(f"{folder} holds weights that are no numbers")
        table = None
        if tables:
            table = PropensityTable(*(tensors.pop(name) for name in tables))
        model = cls(config.inputs, tensors, table)
        model.temperatures = {int(size): value for size, value in config.temperatures.items()}
        model.training = config.training
        return model
