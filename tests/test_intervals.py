"""Means, intervals and straight lines, against tables and plain NumPy."""

import math

import numpy as np
import pytest

from katachi.statistics import (
    Estimate,
    difference_of,
    is_above,
    mean_difference,
    mean_of,
    slope_of,
    straightness,
    t_quantile,
    trend_of,
    wilson,
)


def test_a_mean_has_the_interval_of_students_t() -> None:
    values = [3.0, 5.0, 4.0, 8.0]
    mean = mean_of(values)
    half = 3.182446 * np.std(values, ddof=1) / 2
    assert mean.value == 5.0
    assert mean.low == pytest.approx(5.0 - half, abs=1e-5)
    assert mean.high == pytest.approx(5.0 + half, abs=1e-5)


def test_an_interval_covers_the_truth_95_times_in_100() -> None:
    random = np.random.default_rng(1)
    samples = random.normal(2.0, 3.0, (2000, 5))
    means = [mean_of(list(map(float, sample))) for sample in samples]
    covered = np.mean([m.low is not None and m.low < 2.0 < (m.high or 0) for m in means])
    assert 0.935 < covered < 0.965


def test_one_run_has_no_interval_and_none_leaves_its_bounds() -> None:
    assert mean_of([7.0]) == Estimate(7.0)
    mean = mean_of([0.0, 100.0], 0, 100)
    assert (mean.low, mean.high) == (0, 100)


def test_straightness_is_the_squared_correlation() -> None:
    x, y = [1.0, 2.0, 3.0, 5.0], [2.0, 2.5, 4.0, 4.5]
    assert straightness(x, y) == pytest.approx(np.corrcoef(x, y)[0, 1] ** 2)
    assert straightness([1, 2, 3], [2, 4, 6]) == pytest.approx(1)
    assert straightness([1, 2], [1, 2]) is None
    assert straightness([1, 1, 1], [1, 2, 3]) is None


def test_a_number_is_above_a_bound_that_its_interval_does_not_hold() -> None:
    bounds = (0.9, 1.0, 1.5, 2.1)
    assert [is_above(Estimate(1.5, 1.0, 2.0), each) for each in bounds] == [True, None, None, False]
    assert is_above(Estimate(1.5), 0.0) is None


def test_the_difference_of_two_shares_is_newcombes() -> None:
    """Newcombe (1998), his first example: 56 of 70 less 48 of 80."""
    one, other = (Estimate(a / b, *wilson(a, b)) for a, b in ((56, 70), (48, 80)))
    found = difference_of(one, other)
    assert found.value == pytest.approx(0.2)
    assert (found.low, found.high) == pytest.approx((0.0524, 0.3339), abs=1e-4)


def test_without_an_interval_a_difference_has_none() -> None:
    assert difference_of(Estimate(3.0), Estimate(1.0, 0.0, 2.0)) == Estimate(2.0)


def test_a_mean_of_differences_is_surer_than_each() -> None:
    pair = Estimate(3.0, 2.0, 4.0), Estimate(1.0, 0.0, 2.0)
    found = mean_difference([pair] * 4)
    assert found.value == 2.0
    assert (found.low, found.high) == pytest.approx((2 - 0.5**0.5, 2 + 0.5**0.5))


def test_a_trend_is_the_slope_and_knows_how_sure_its_numbers_are() -> None:
    numbers = [Estimate(y, y - 1, y + 1) for y in (1.0, 3.0, 5.0)]
    found = trend_of([0.0, 1.0, 2.0], numbers)
    assert found.value == pytest.approx(2.0)
    assert (found.low, found.high) == pytest.approx((2 - 0.5**0.5, 2 + 0.5**0.5))


def test_a_slope_has_students_interval() -> None:
    x, y = [1.0, 2.0, 3.0, 4.0], [1.0, 2.0, 2.0, 4.0]
    found = slope_of(x, y)
    assert found is not None
    assert found.value == pytest.approx(np.polyfit(x, y, 1)[0])
    (_, _), covariance = np.polyfit(x, y, 1, cov="unscaled")
    left = float(((np.array(y) - np.polyval(np.polyfit(x, y, 1), x)) ** 2).sum()) / 2
    half = t_quantile(2) * math.sqrt(covariance[0, 0] * left)
    assert found.high == pytest.approx(found.value + half)
    assert slope_of([1.0, 1.0, 1.0], [1.0, 2.0, 3.0]) is None
