"""The one interface behind which every way of judging a position stands."""

from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from katachi.rules.state import BoardState


class Evaluation(NamedTuple):
    """What an evaluator says of B positions, always from Black's side."""

    value: npt.NDArray[np.float64]
    """[B]: Black's chance of winning, 0 to 1."""
    ownership: npt.NDArray[np.float32] | None = None
    """[B, size * size], row by row from the top left: chance that Black will own the point; None
    from an evaluator that does not know."""


class Evaluator(Protocol):
    """Judges positions; the side to move is not part of a position, only stones are."""

    name: str

    def evaluate(self, states: BoardState) -> Evaluation:
        """The value of each of B positions of one board size; `states` is not changed."""
        ...
