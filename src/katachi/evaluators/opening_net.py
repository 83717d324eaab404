"""S4: the value of an opening position by one layer of weights (Lee, Guesgen and Baltes 2003).

The paper's net is P = tanh(w x) over a constant and the 361 points, +1 black, -1 white, 0 empty.
tanh(u) = 2 s(2u) - 1 with the logistic s, so the same net is Black's chance (1 + P) / 2 with the
logit 2 w x: what is learned here, in whole units, by the error rule that all evaluators share. Richer inputs
(`features/opening_inputs.py`) are a setting; each kind of them is a part with a step size of its own.
"""  # noqa: E501

from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from katachi._jit import kernel
from katachi.errors import KatachiError
from katachi.evaluators.linear_evaluator import FeatureBlock, LinearEvaluator
from katachi.features.opening_inputs import (
    OpeningInputs,
    Scales,
    differences_of,
    encode_states,
    parts_of,
    unit_scales,
)
from katachi.features.opening_rows import SHIFT, Encoded
from katachi.features.units import UNIT, Logits
from katachi.files.model_folder import VERSION, StoredModel, Tensors, read_tensors
from katachi.rules.state import BoardState

KIND = "opening"
LARGEST_LOGIT = 500.0
"""Values beyond are as good as certain; their exponential would overflow."""
LOGITS_A_WEIGHT = 2.0
"""A weight of 1 in the paper's net, in logits."""
LONGEST = 50
"""Moves for which a model plays unless its config says otherwise."""

Weights = npt.NDArray[np.int64]


class OpeningConfig(msgspec.Struct, forbid_unknown_fields=True):
    """What `config.json` of an opening model says."""

    inputs: OpeningInputs
    moves: int = LONGEST
    """The length of the openings that it learned from."""
    unit: float = UNIT
    """What a weight of 1 is worth in logits."""
    training: dict[str, Any] = {}
    """How it was made: settings, seed, versions, commit."""
    kind: str = KIND
    version: int = VERSION


class OpeningBlock(FeatureBlock):
    """The inputs of a position, a term a kind of them, from Black's side.

    `weights` [N] are whole numbers of `UNIT`s; `scales` [N] are what inputs are multiplied by.
    """

    def __init__(self, inputs: OpeningInputs, weights: Weights, scales: Scales) -> None:
        """As many weights and scales as there are inputs."""
        self.inputs = inputs
        self.weights = weights
        self.scales = scales
        self.terms = len(inputs.kinds)

    def predict(self, states: BoardState) -> Logits:
        """The logit of each kind in units, [B, K]."""
        logits = np.zeros((len(states.words), self.terms), np.int64)
        found = logits, np.zeros(self.terms, np.int64)
        sum_changes(*self._rows(states), self.weights, found)
        return logits

    def nudge(self, states: BoardState, steps: Logits) -> None:
        """Moves the weights that each kind uses by steps [B, K], in units."""
        gains, sums = np.zeros(len(self.weights), np.int64), np.zeros(self.terms, np.int64)
        nudge_changes(*self._rows(states), steps, (self.weights, gains, sums))

    def _rows(
        self, states: BoardState
    ) -> tuple[Encoded, tuple[int, int], npt.NDArray[np.uint16], npt.NDArray[np.uint8]]:
        """The positions as kernels take them: what changes, how many, how turned, and the kind of
        each input."""
        count, parts = len(states.words), parts_of(self.inputs)
        encoded = differences_of(encode_states(self.inputs, self.scales, states), count)
        return encoded, (0, count), parts.images[0], parts.part_of


class OpeningNet(LinearEvaluator, StoredModel):
    """A net of one layer over the inputs of a position, and a learner."""

    name = kind = KIND
    scope = "this opening net is for"
    form = OpeningConfig
    is_movers = False

    def __init__(
        self,
        inputs: OpeningInputs,
        weights: Weights | None = None,
        scales: Scales | None = None,
    ) -> None:
        """Weights are zero and inputs as they are unless given; raises KatachiError for inputs
        that there are not."""
        self.inputs = inputs
        self.parts = parts_of(inputs)
        self.moves = LONGEST
        self.weights = np.zeros(self.parts.starts[-1], np.int64) if weights is None else weights
        self.scales = unit_scales(inputs) if scales is None else scales
        super().__init__([OpeningBlock(inputs, self.weights, self.scales)], inputs.size)

    @property
    def tensors(self) -> Tensors:
        """Weights and scales."""
        return {"weights": self.weights, "scales": self.scales}

    def config(self, folder: Path) -> OpeningConfig:  # noqa: ARG002
        """What `config.json` is to say."""
        return OpeningConfig(self.inputs, self.moves, UNIT, self.training)

    @classmethod
    def of_config(cls, config: OpeningConfig, folder: Path) -> "OpeningNet":
        """The model that a config means, with the weights of a folder; raises KatachiError."""
        if config.unit != UNIT:
            raise KatachiError(f"{folder} has weights in units of {config.unit}, not {UNIT}")
        shape = (parts_of(config.inputs).starts[-1],)
        forms = {"weights": ("int64", shape), "scales": ("float32", shape)}
        tensors: Any = read_tensors(folder, forms)
        model = cls(config.inputs, tensors["weights"], tensors["scales"])
        model.moves = config.moves
        return model


@kernel
def sum_changes(
    encoded: Encoded,
    span: tuple[int, int],
    image: npt.NDArray[np.uint16],
    part_of: npt.NDArray[np.uint8],
    weights: Weights,
    found: tuple[Logits, Logits],
) -> None:
    """Writes the logits [T, K] of the positions from span[0] on, span[1] of them, each kept as
    what changes from the one before; `image` [N] carries inputs to those of a board turned,
    `found` is the logits and running sums [K]."""
    logits, sums = found
    largest = np.int64(LARGEST_LOGIT / UNIT) << SHIFT
    for part in range(len(sums)):
        sums[part] = 0
    for t in range(span[1]):
        for at in range(encoded.starts[span[0] + t], encoded.starts[span[0] + t + 1]):
            place = image[encoded.place[at]]
            sums[part_of[place]] += weights[place] * np.int64(encoded.value[at])
        for part in range(len(sums)):
            logits[t, part] = min(max(sums[part], -largest), largest) >> SHIFT


@kernel
def nudge_changes(
    encoded: Encoded,
    span: tuple[int, int],
    image: npt.NDArray[np.uint16],
    part_of: npt.NDArray[np.uint8],
    steps: Logits,
    learned: tuple[Weights, Weights, Logits],
) -> None:
    """Moves the weights by what steps [T, K] call for; `learned` is the weights [N], as many
    zeros, which are zeros again at the end, and running sums [K]."""
    weights, gains, sums = learned
    half = np.int64(1) << (SHIFT - 1)
    for part in range(len(sums)):
        sums[part] = 0
    for t in range(span[1] - 1, -1, -1):
        for part in range(len(sums)):
            sums[part] += steps[t, part]
        for at in range(encoded.starts[span[0] + t], encoded.starts[span[0] + t + 1]):
            place = image[encoded.place[at]]
            gains[place] += sums[part_of[place]] * np.int64(encoded.value[at])
    for at in range(encoded.starts[span[0]], encoded.starts[span[0] + span[1]]):
        place = image[encoded.place[at]]
        weights[place] += (gains[place] + half) >> SHIFT
        gains[place] = 0
