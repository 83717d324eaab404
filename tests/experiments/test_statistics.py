"""Means, intervals and straight lines, against tables and plain NumPy."""

import numpy as np
import pytest

from katachi.experiments.statistics import mean_of, straightness


def test_a_mean_has_the_interval_of_students_t() -> None:
    values = [3.0, 5.0, 4.0, 8.0]
    mean = mean_of(values)
    half = 3.182446 * np.std(values, ddof=1) / 2
    assert mean.value == 5.0
    assert mean.low == pytest.approx(5.0 - half, abs=1e-5)
    assert mean.high == pytest.approx(5.0 + half, abs=1e-5)
    assert mean.n == 4


def test_an_interval_covers_the_truth_95_times_in_100() -> None:
    random = np.random.default_rng(1)
    samples = random.normal(2.0, 3.0, (2000, 5))
    means = [mean_of(list(map(float, sample))) for sample in samples]
    covered = np.mean([m.low is not None and m.low < 2.0 < (m.high or 0) for m in means])
    assert 0.935 < covered < 0.965


def test_one_run_has_no_interval_and_none_leaves_its_bounds() -> None:
    assert mean_of([7.0]) == (7.0, None, None, 1)
    mean = mean_of([0.0, 100.0], 0, 100)
    assert (mean.low, mean.high) == (0, 100)


def test_straightness_is_the_squared_correlation() -> None:
    x, y = [1.0, 2.0, 3.0, 5.0], [2.0, 2.5, 4.0, 4.5]
    assert straightness(x, y) == pytest.approx(np.corrcoef(x, y)[0, 1] ** 2)
    assert straightness([1, 2, 3], [2, 4, 6]) == pytest.approx(1)
    assert straightness([1, 2], [1, 2]) is None
    assert straightness([1, 1, 1], [1, 2, 3]) is None
