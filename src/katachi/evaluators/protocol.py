"""The one interface behind which every way of judging a position stands."""

from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from katachi.rules.point import Points
from katachi.rules.state import BoardState, Words


class Evaluation(NamedTuple):
    """What an evaluator says of B positions, always from Black's side."""

    value: npt.NDArray[np.float64]
    """[B]: Black's chance of winning, 0 to 1. An evaluator is not told the game's komi: one that
    knows no owners means the komi that it has learned with, if any (`chances.with_komi`)."""
    ownership: npt.NDArray[np.float32] | None = None
    """[B, size * size], row by row from the top left: chance that Black will own the point; None
    from an evaluator that does not know."""
    logit: npt.NDArray[np.float64] | None = None
    """[B]: the logit of `value`, which tells apart what is as good as won, or as lost; None from an
    evaluator that has no more than the chance."""


class Evaluator(Protocol):
    """Judges positions; the side to move is not part of a position, only stones are.

    Any number of threads may share an evaluator: judging changes nothing but scratch of the call's
    or the thread's own (`scratch.py`). One that learns belongs to one thread meanwhile.
    """

    name: str

    def evaluate(self, states: BoardState) -> Evaluation:
        """The value of each of B positions of one board size; `states` is not changed."""
        ...


@runtime_checkable
class MoveEvaluator(Protocol):
    """An evaluator that has a fast way from a position to all that moves lead to."""

    def logit_moves(
        self, board: Words, color: int, moves: Points
    ) -> npt.NDArray[np.float64] | None:
        """[M]: the logit of the chance of `color` to win after each of its legal moves, as
        `evaluate` has it of the positions after them; None where these must be set up all the
        same."""
        ...


@runtime_checkable
class Foretelling(Protocol):
    """An evaluator that may itself say where the next move will be."""

    @property
    def foretells(self) -> bool:
        """Whether it does."""
        ...

    def move_scores(
        self, states: BoardState, colors: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.float64]:
        """[B, size * size] how likely each point is, as a logit, in B positions of one size."""
        ...
