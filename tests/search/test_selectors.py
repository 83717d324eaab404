"""The greedy selector takes a best move and breaks ties evenly."""

from collections import Counter

import numpy as np

from katachi.search.selectors import Greedy


def test_the_highest_value_is_taken() -> None:
    values = np.array([0.1, 0.9, 0.3])
    assert Greedy().select(values, np.random.default_rng(0)) == 1


def test_ties_are_broken_evenly() -> None:
    values = np.array([0.7, 0.2, 0.7, 0.7])
    source = np.random.default_rng(1)
    taken = Counter(Greedy().select(values, source) for _ in range(3000))
    assert set(taken) == {0, 2, 3}
    assert all(850 < count < 1150 for count in taken.values())


def test_a_single_move_is_taken() -> None:
    assert Greedy().select(np.array([0.0]), np.random.default_rng(0)) == 0
