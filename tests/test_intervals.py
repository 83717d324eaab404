"""Means, intervals and straight lines, against tables and plain NumPy."""

import numpy as np
import pytest

from katachi.statistics import Estimate, is_above, is_larger, is_mostly, mean_of, straightness


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


@pytest.mark.parametrize(
    ("one", "other", "verdict"),
    [
        ((3.0, 4.0), (1.0, 2.0), True),
        ((1.0, 2.0), (3.0, 4.0), False),
        ((1.0, 3.0), (2.0, 4.0), None),
        ((1.0, 2.0), (2.0, 3.0), None),
        ((None, None), (2.0, 3.0), None),
    ],
)
def test_a_number_is_larger_where_intervals_part(
    one: tuple[float, float], other: tuple[float, float], verdict: bool | None
) -> None:
    assert is_larger(Estimate(0.0, *one), Estimate(0.0, *other)) is verdict


def test_a_number_is_above_a_bound_that_its_interval_does_not_hold() -> None:
    bounds = (0.9, 1.0, 1.5, 2.1)
    assert [is_above(Estimate(1.5, 1.0, 2.0), each) for each in bounds] == [True, None, None, False]
    assert is_above(Estimate(1.5), 0.0) is None


@pytest.mark.parametrize(
    ("verdicts", "most"),
    [
        ([True, True, None], True),
        ([True, None, None], None),
        ([True, False], False),
        ([False, False, None], False),
        ([True, False, None, None, None], None),
    ],
)
def test_most_cases_are_more_than_half_of_all(verdicts: list[bool | None], most: object) -> None:
    assert is_mostly(verdicts) is most
