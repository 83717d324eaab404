"""One linear evaluator: the logit of a position is a sum over feature blocks, in whole units.

Local shape, linear models, opening nets and RLGO's weights are this with blocks of their own. A new
block is a subclass of `FeatureBlock`.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from katachi.errors import KatachiError
from katachi.evaluators.chances import judged
from katachi.evaluators.protocol import Abilities, Evaluation
from katachi.features.units import UNIT, Logits, Sums
from katachi.rules.checking import check_moves, check_states
from katachi.rules.color import BLACK
from katachi.rules.point import Points
from katachi.rules.positions import last_movers
from katachi.rules.state import SIZE, BoardState, Words


class FeatureBlock(ABC):
    """Features of positions with their weights. What is asked has been checked: positions are
    whole, and of the board size that the block is for."""

    terms = 1
    """K: the sums that it keeps apart, each with a step size of its own."""
    has_moves = False
    """Whether `add_moves` knows what moves lead to."""

    @abstractmethod
    def predict(self, states: BoardState) -> Logits:
        """[B, K]: the terms of each position's sum, in units."""

    def nudge(self, states: BoardState, steps: Logits) -> None:  # noqa: ARG002
        """Moves the weights by steps [B, K], in units, times the features of each position."""
        raise KatachiError("these weights do not learn")

    def add_moves(self, board: Words, color: int, moves: Points, values: Sums) -> None:  # noqa: ARG002
        """Adds the value of the position after each legal move, to its mover, to values [M]."""
        raise KatachiError("the positions after these moves must be set up")


class LinearEvaluator:
    """The logistic function of a sum of whole numbers: sums are exact, whatever their order."""

    name = "linear"
    scope = "this model is for"
    """How a message begins that says which boards the model is for."""
    unit = UNIT
    """What 1 of the sum is in logits."""
    is_movers = True
    """Whether `predict` answers for who moved last in each position; else for Black. Openings are
    learned from the positions after the moves of both, which only Black's view puts in a row."""

    def __init__(self, blocks: Sequence[FeatureBlock], size: int) -> None:
        """The sum of these blocks, all for boards of this size."""
        self.blocks = tuple(blocks)
        self.size = size
        self.training: dict[str, Any] = {}

    @property
    def abilities(self) -> Abilities:
        """A fast way to its moves, if each block has one."""
        fast = self.logit_moves if all(each.has_moves for each in self.blocks) else None
        return Abilities(fast_moves=fast)

    def predict(self, states: BoardState) -> Logits:
        """[B, K]: the terms of all blocks, in units. Raises KatachiError for positions of another
        size than the model's."""
        self._check(states)
        return np.concatenate([block.predict(states) for block in self.blocks], axis=1)

    def nudge(self, states: BoardState, steps: Logits) -> None:
        """Moves the weights of each term by steps [B, K], in units, times its features."""
        self._check(states)
        ends = np.cumsum([block.terms for block in self.blocks])
        if steps.shape != (len(states.words), ends[-1]):
            raise KatachiError(f"{ends[-1]} steps for each position are needed")
        for block, own in zip(self.blocks, np.split(steps, ends[:-1], axis=1), strict=True):
            block.nudge(states, np.ascontiguousarray(own))

    def predict_moves(self, board: Words, color: int, moves: Points) -> Logits | None:
        """[M] the value of the position after each legal move to its mover, in units; None where
        some block must see these positions set up. The same as `predict` says of them."""
        self.check_board(int(board[SIZE]))
        check_moves(board, color, moves)
        if not all(block.has_moves for block in self.blocks):
            return None
        values = np.zeros(len(moves), np.int64)
        for block in self.blocks:
            block.add_moves(board, color, moves, values)
        return values

    def logit_moves(
        self, board: Words, color: int, moves: Points
    ) -> npt.NDArray[np.float64] | None:
        """[M] the logit of the mover's chance to win after each legal move; None as
        `predict_moves` has it."""
        units = self.predict_moves(board, color, moves)
        return None if units is None else np.asarray(units * self.unit, np.float64)

    def evaluate(self, states: BoardState) -> Evaluation:
        """Black's chance to win in each of B positions; raises as `predict`."""
        return judged(self.logits(states))

    def logits(self, states: BoardState) -> npt.NDArray[np.float64]:
        """[B]: the logit of Black's chance; raises as `predict`."""
        logits = self.predict(states).sum(axis=1) * self.unit
        if self.is_movers:
            logits = np.where(last_movers(states) == BLACK, logits, -logits)
        return np.asarray(logits, np.float64)

    def _check(self, states: BoardState) -> None:
        if len(states.words):
            self.check_board(int(states.words.flat[SIZE]))
        check_states(states)

    def check_board(self, size: int) -> None:
        """Raises KatachiError unless the model is for boards of this size."""
        if size != self.size:
            ours = f"{self.size}x{self.size}"
            raise KatachiError(f"{self.scope} {ours} boards, not {size}x{size}")
