"""Means of clustered values, against plain formulas and simulation."""

import numpy as np
import pytest

from katachi.statistics import mean_by_cluster, mean_of, share_by_cluster, t_quantile, wilson


def test_clusters_of_one_size_have_the_interval_of_their_means() -> None:
    random = np.random.default_rng(1)
    values = random.normal(size=(7, 5))
    ours = mean_by_cluster(values.ravel(), np.repeat(np.arange(7), 5))
    plain = mean_of(values.mean(axis=1).tolist())
    assert (ours.value, ours.low, ours.high) == pytest.approx((plain.value, plain.low, plain.high))


def test_sums_with_counts_are_the_members_themselves() -> None:
    random = np.random.default_rng(2)
    clusters = random.integers(0, 6, 40)
    members = random.random((40, 3))
    alone = mean_by_cluster(members.ravel(), np.repeat(clusters, 3))
    summed = mean_by_cluster(members.sum(axis=1), clusters, np.full(40, 3.0))
    assert (summed.value, summed.low) == pytest.approx((alone.value, alone.low))


def test_a_single_cluster_has_no_interval() -> None:
    for estimate in (mean_by_cluster, share_by_cluster):
        ours = estimate(np.array([1.0, 0.0]), np.zeros(2, np.int64))
        assert (ours.value, ours.low, ours.high) == (0.5, None, None)


@pytest.mark.parametrize("estimate", [mean_by_cluster, share_by_cluster])
def test_an_interval_covers_the_truth_although_members_hang_together(estimate) -> None:  # type: ignore[no-untyped-def]
    random = np.random.default_rng(3)
    covered = 0
    for _ in range(1000):
        rates = random.beta(2, 2, 30)
        sizes = random.integers(5, 40, 30)
        clusters = np.repeat(np.arange(30), sizes)
        values = (random.random(len(clusters)) < rates[clusters]).astype(np.float64)
        ours = estimate(values, clusters)
        covered += ours.low < 0.5 < ours.high
    assert 0.92 < covered / 1000 < 0.98


def test_a_share_without_exception_has_an_interval_within_its_bounds() -> None:
    ours = share_by_cluster(np.ones(20), np.repeat(np.arange(4), 5))
    assert ours.high == 1.0
    assert ours.low == pytest.approx(wilson(4, 4, t_quantile(3))[0])  # four games, not 20 cases


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_clusters_that_all_agree_are_as_sure_as_so_many_cases(share: float) -> None:
    """20 games of 100 moves each, all with the same share of right ones."""
    moves = np.tile(np.arange(100) < 100 * share, 20).astype(np.float64)
    ours = share_by_cluster(moves, np.repeat(np.arange(20), 100))
    cases = share_by_cluster((np.arange(20) < 20 * share).astype(np.float64), np.arange(20))
    assert ours.value == share
    assert (ours.low, ours.high) == pytest.approx(wilson(20 * share, 20, t_quantile(19)))
    assert (ours.low, ours.high) == pytest.approx((cases.low, cases.high), abs=0.01)
