"""S3: the value of a position as a weighted sum of features, whatever map they come from.

V = logistic(theta . phi), where phi are the features of the position after a move as the player
who made it sees it: own stones count as black.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from katachi.errors import KatachiError
from katachi.evaluators.feature_names import find_map, map_folder, save_map
from katachi.evaluators.linear_evaluator import LinearEvaluator
from katachi.evaluators.linear_parts import LinearPart, make_part
from katachi.evaluators.protocol import Abilities, Invariance
from katachi.features.shape_map import ShapeMap
from katachi.features.units import UNIT, Logits
from katachi.features.window_map import FeatureMap
from katachi.files.model_folder import read_config, read_tensors, write_model
from katachi.rules.checking import check_moves, check_states
from katachi.rules.point import Points
from katachi.rules.size import check_size
from katachi.rules.state import BoardState, Words

KIND = "linear"
VERSION = 1


class LinearConfig(msgspec.Struct, forbid_unknown_fields=True):
    """What `config.json` of a linear model says."""

    size: int
    features: list[str]
    """The maps by name; one that was learned lies in a folder of the model's."""
    training: dict[str, Any] = {}
    """How it was made: command, settings, seed, versions, commit."""
    kind: str = KIND
    version: int = VERSION


class Linear(LinearEvaluator):
    """A linear-sigmoid evaluator over feature maps, and a learner; one part a map."""

    name = "linear"
    scope = "this linear model is for"

    def __init__(self, maps: Sequence[FeatureMap], size: int) -> None:
        """All weights are zero; raises KatachiError for a board that cannot be played on, or that a
        map does not fit."""
        if not maps:
            raise KatachiError("no features given: name a map such as templates:2x2")
        self.size = check_size(size)
        self.parts: list[LinearPart] = [make_part(each, size) for each in maps]
        self.training: dict[str, Any] = {}

    @property
    def weight_count(self) -> int:
        """How many weights there are."""
        return sum(len(part.theta) for part in self.parts)

    @property
    def abilities(self) -> Abilities:
        """A fast way to its moves. Only shape sets share weights among mirror images."""
        is_shared = all(isinstance(part.map, ShapeMap) for part in self.parts)
        return Abilities(fast_moves=self.logit_moves, invariance=Invariance(symmetry=is_shared))

    def predict(self, states: BoardState) -> Logits:
        """What each part says of each position, [B, parts] in units, as the last mover sees it."""
        self._check(states)
        return np.stack([part.predict(states) for part in self.parts], axis=1)

    def predict_moves(self, board: Words, color: int, moves: Points) -> Logits | None:
        """[M] what the position after each legal move is worth to its mover, in units; None where
        some part must see these positions set up. The same as `predict` says of them."""
        self.check_size(board)
        check_moves(board, color, moves)
        values = np.zeros(len(moves), np.int64)
        known = all(part.add_moves(board, color, moves, values) for part in self.parts)
        return values if known else None

    def logit_moves(
        self, board: Words, color: int, moves: Points
    ) -> npt.NDArray[np.float64] | None:
        """[M] the logit of the mover's chance to win after each legal move; None as
        `predict_moves` has it."""
        units = self.predict_moves(board, color, moves)
        return None if units is None else np.asarray(units * UNIT, np.float64)

    def _check(self, states: BoardState) -> None:
        self.check_size(states.words)
        check_states(states)

    def nudge(self, states: BoardState, steps: Logits) -> None:
        """Moves the weights of each part by steps [B, parts], in units, times its features."""
        self._check(states)
        if steps.shape != (len(states.words), len(self.parts)):
            raise KatachiError(f"{len(self.parts)} steps for each position are needed")
        for part, own in zip(self.parts, steps.T, strict=True):
            part.nudge(states, np.ascontiguousarray(own))

    def copied(self) -> "Linear":
        """The same with weights of its own."""
        twin = Linear([part.map for part in self.parts], self.size)
        for mine, part in zip(twin.parts, self.parts, strict=True):
            mine.restore(part.theta)
        return twin

    def take_weights(self, tensors: dict[str, npt.NDArray[np.generic]]) -> None:
        """Takes over weights as `tensors` names them; of right types and lengths."""
        for number, part in enumerate(self.parts):
            part.restore(tensors[f"theta{number}"])  # type: ignore[arg-type]

    @property
    def tensors(self) -> dict[str, npt.NDArray[np.generic]]:
        """The weights of each part by name."""
        return {f"theta{number}": part.theta for number, part in enumerate(self.parts)}

    def save(self, folder: Path, card: str) -> None:
        """Writes the model's folder, learned maps inside it; raises OSError."""
        names = []
        for number, part in enumerate(self.parts):
            names.append(save_map(part.map, map_folder(folder, number)))
        config = LinearConfig(self.size, names, self.training)
        write_model(folder, config, self.tensors, card)

    @classmethod
    def load(cls, folder: Path) -> "Linear":
        """The model of a folder; raises KatachiError, saying what is wrong, and loads nothing."""
        config = read_config(folder, KIND, VERSION, LinearConfig)
        maps = [
            find_map(name, map_folder(folder, number))
            for number, name in enumerate(config.features)
        ]
        model = cls(maps, config.size)
        expected = {name: (str(each.dtype), each.shape) for name, each in model.tensors.items()}
        tensors: Any = read_tensors(folder, expected)
        if not all(np.isfinite(tensor).all() for tensor in tensors.values()):
            raise KatachiError(f"{folder} holds weights that are not numbers")
        model.take_weights(tensors)
        model.training = config.training
        return model
