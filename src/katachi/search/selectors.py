"""Ways to choose among moves whose values are known."""

from typing import Protocol

import numpy as np
import numpy.typing as npt

from katachi._jit import inlined
from katachi.rules.random_play import index_from_random

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


@inlined
def is_exploring(random: np.uint64, epsilon: float) -> bool:
    """Whether this draw is one of the share `epsilon` that explores."""
    return bool((random >> np.uint64(11)) * 2.0**-53 < epsilon)


@inlined
def draw_best(values: npt.NDArray[np.int64], count: int, random: np.uint64) -> int:
    """Index of a largest of the first `count` values, ties uniform."""
    best = values[0]
    ties, last = 1, 0
    for index in range(1, count):
        ties = 1 if values[index] > best else ties + int(values[index] == best)
        last = index if values[index] >= best else last
        best = max(best, values[index])
    if ties == 1:
        return last
    left = index_from_random(random, ties)
    for index in range(count):
        if values[index] == best:
            if left == 0:
                return index
            left -= 1
    return 0
