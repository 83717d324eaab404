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
from katachi.evaluators.chances import chances_of
from katachi.evaluators.linear_evaluator import LinearEvaluator
from katachi.evaluators.protocol import Abilities, Invariance
from katachi.features.opening_inputs import (
    InputParts,
    OpeningInputs,
    Scales,
    check_inputs,
    encode_states,
    parts_of,
    unit_scales,
)
from katachi.features.opening_rows import SHIFT, Encoded
from katachi.features.units import UNIT, Logits
from katachi.files.model_folder import read_config, read_tensors, write_model
from katachi.rules.state import BoardState

KIND, VERSION = "opening", 1
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


class OpeningNet(LinearEvaluator):
    """A net of one layer over the inputs of a position, and a learner.

    `weights` [N] are whole numbers of `UNIT`s; `scales` [N] are what inputs are multiplied by.
    """

    name = "opening"
    is_movers = False

    def __init__(
        self,
        inputs: OpeningInputs,
        weights: Weights | None = None,
        scales: Scales | None = None,
    ) -> None:
        """Weights are zero and inputs as they are unless given; raises KatachiError for inputs
        that there are not."""
        check_inputs(inputs)
        self.inputs = inputs
        self.size = inputs.size
        self.parts: InputParts = parts_of(inputs)
        self.moves = LONGEST
        self.training: dict[str, Any] = {}
        count = self.parts.starts[-1]
        self.weights = np.zeros(count, np.int64) if weights is None else weights
        self.scales = unit_scales(inputs) if scales is None else scales

    @property
    def abilities(self) -> Abilities:
        """Nothing more. Black moves first in every opening, and the constant input learns that, so
        exchanged colours are another matter; each point of the paper's net has its own weight."""
        is_shared = "points" not in self.inputs.kinds
        return Abilities(invariance=Invariance(colors=False, symmetry=is_shared))

    @property
    def part_count(self) -> int:
        """K: how many parts the value is the sum of."""
        return len(self.parts.starts) - 1

    def predict(self, states: BoardState) -> Logits:
        """The logit of each part in units, [T, K], from Black's side."""
        return self.predict_encoded(encode_states(self.inputs, self.scales, states))

    def predict_encoded(self, encoded: Encoded) -> Logits:
        """As `predict`, of positions whose inputs are known."""
        logits = np.zeros((len(encoded.starts) - 1, self.part_count), np.int64)
        image = self.parts.images[0]
        sum_rows(encoded, (0, len(logits)), image, self.parts.part_of, self.weights, logits)
        return logits

    def nudge(self, states: BoardState, steps: Logits) -> None:
        """Moves the weights that each part uses in T positions by steps [T, K], in units."""
        encoded = encode_states(self.inputs, self.scales, states)
        gains = np.zeros(len(self.weights), np.int64)
        image = self.parts.images[0]
        part_of = self.parts.part_of
        nudge_rows(encoded, (0, len(steps)), image, part_of, steps, (self.weights, gains))

    def chances(self, logits: Logits) -> npt.NDArray[np.float64]:
        """[T]: Black's chance by the logits of the parts, [T, K] in units."""
        return chances_of(logits.sum(axis=1) * UNIT)

    def save(self, folder: Path, card: str) -> None:
        """Writes the model's folder; raises OSError."""
        config = OpeningConfig(self.inputs, self.moves, UNIT, self.training)
        write_model(folder, config, {"weights": self.weights, "scales": self.scales}, card)

    @classmethod
    def load(cls, folder: Path) -> "OpeningNet":
        """The model of a folder; raises KatachiError, saying what is wrong, and loads nothing."""
        config = read_config(folder, KIND, VERSION, OpeningConfig)
        if config.unit != UNIT:
            raise KatachiError(f"{folder} has weights in units of {config.unit}, not {UNIT}")
        count = parts_of(config.inputs).starts[-1]
        forms: dict[str, tuple[str, tuple[int, ...]]]
        forms = {"weights": ("int64", (count,)), "scales": ("float32", (count,))}
        tensors: Any = read_tensors(folder, forms)
        if not np.isfinite(tensors["scales"]).all():
            raise KatachiError(f"{folder} holds scales that are not numbers")
        model = cls(config.inputs, tensors["weights"], tensors["scales"])
        model.moves = config.moves
        model.training = config.training
        return model


@kernel
def sum_rows(
    encoded: Encoded,
    span: tuple[int, int],
    image: npt.NDArray[np.uint16],
    part_of: npt.NDArray[np.uint8],
    weights: Weights,
    logits: Logits,
) -> None:
    """Writes logits [T, K] of the positions from span[0] on, span[1] of them; `image` [N] carries
    inputs to those of a board turned."""
    largest = np.int64(LARGEST_LOGIT / UNIT) << SHIFT
    for t in range(span[1]):
        for part in range(logits.shape[1]):
            logits[t, part] = 0
        for at in range(encoded.starts[span[0] + t], encoded.starts[span[0] + t + 1]):
            place = image[encoded.place[at]]
            logits[t, part_of[place]] += weights[place] * np.int64(encoded.value[at])
        for part in range(logits.shape[1]):
            logits[t, part] = min(max(logits[t, part], -largest), largest) >> SHIFT


@kernel
def nudge_rows(
    encoded: Encoded,
    span: tuple[int, int],
    image: npt.NDArray[np.uint16],
    part_of: npt.NDArray[np.uint8],
    steps: Logits,
    learned: tuple[Weights, Weights],
) -> None:
    """Moves the weights by what steps [T, K] of the positions call for; `learned` is the weights
    [N] and as many zeros, which are zeros again at the end."""
    weights, gains = learned
    half = np.int64(1) << (SHIFT - 1)
    for t in range(span[1]):
        for at in range(encoded.starts[span[0] + t], encoded.starts[span[0] + t + 1]):
            place = image[encoded.place[at]]
            gains[place] += steps[t, part_of[place]] * np.int64(encoded.value[at])
    for at in range(encoded.starts[span[0]], encoded.starts[span[0] + span[1]]):
        place = image[encoded.place[at]]
        weights[place] += (gains[place] + half) >> SHIFT
        gains[place] = 0
