"""What all evaluators share whose logit is a sum of weights, in whole units."""

import numpy as np
import numpy.typing as npt

from katachi.errors import KatachiError
from katachi.evaluators.chances import judged
from katachi.evaluators.protocol import Evaluation
from katachi.features.units import UNIT, Logits
from katachi.rules.color import BLACK
from katachi.rules.positions import last_movers
from katachi.rules.state import SIZE, BoardState, Words


class LinearEvaluator:
    """The logistic function of a sum of whole numbers: sums are exact, whatever their order."""

    name: str
    size: int
    scope = "this model is for"
    """How a message begins that says which boards the model is for."""
    unit = UNIT
    """What 1 of the sum is in logits."""
    is_movers = True
    """Whether `predict` answers for who moved last in each position; else for Black."""

    def predict(self, states: BoardState) -> Logits:
        """[B, K]: the K terms of each position's sum, in units. Raises KatachiError for positions
        of another size than the model's."""
        raise NotImplementedError

    def evaluate(self, states: BoardState) -> Evaluation:
        """Black's chance to win in each of B positions; raises as `predict`."""
        return judged(self.logits(states))

    def logits(self, states: BoardState) -> npt.NDArray[np.float64]:
        """[B]: the logit of Black's chance; raises as `predict`."""
        logits = self.predict(states).sum(axis=1) * self.unit
        if self.is_movers:
            logits = np.where(last_movers(states) == BLACK, logits, -logits)
        return np.asarray(logits, np.float64)

    def check_size(self, words: Words) -> None:
        """Raises KatachiError unless these boards have the size the model is for."""
        self.check_board(int(words.flat[SIZE]))

    def check_board(self, size: int) -> None:
        """Raises KatachiError unless the model is for boards of this size."""
        if size != self.size:
            ours = f"{self.size}x{self.size}"
            raise KatachiError(f"{self.scope} {ours} boards, not {size}x{size}")
