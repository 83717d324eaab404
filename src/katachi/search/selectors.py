"""Ways to choose among moves whose values are known."""

from typing import Protocol

import numpy as np
import numpy.typing as npt

Values = npt.NDArray[np.float64]


class Selector(Protocol):
    """Chooses one of several moves by their value to the player who moves."""

    def select(self, values: Values, random: np.random.Generator) -> int:
        """Index of the chosen one of values [M], M at least 1."""
        ...


class Greedy:
    """A move of the highest value, ties uniform."""

    def select(self, values: Values, random: np.random.Generator) -> int:
        """Index of a largest value."""
        best = np.flatnonzero(values == values.max())
        return int(best[random.integers(len(best))])


class EpsilonGreedy:
    """A move by chance now and then, else a move of the highest value."""

    def __init__(self, epsilon: float) -> None:
        """`epsilon` is the share of moves made by chance."""
        self.epsilon = epsilon

    def select(self, values: Values, random: np.random.Generator) -> int:
        """Index of a largest value, or of any."""
        if random.random() < self.epsilon:
            return int(random.integers(len(values)))
        return Greedy().select(values, random)
