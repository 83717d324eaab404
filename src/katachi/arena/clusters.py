"""Means of what comes in clusters: moves of one game are not independent, games are.

Intervals hold 95 %. They are Student's, of the ratio of sums over clusters; a share has Wilson's
interval instead, for as many independent cases as would make it as uncertain; where all clusters
agree, for as many as there are clusters.
"""

import math

import msgspec
import numpy as np
import numpy.typing as npt

from katachi.arena.intervals import t_quantile, wilson

Numbers = npt.NDArray[np.float64]
Clusters = npt.NDArray[np.int64]


class Estimate(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A mean with its interval, which a single cluster does not have."""

    value: float
    low: float | None = None
    high: float | None = None


def mean_by_cluster(values: Numbers, clusters: Clusters, counts: Numbers | None = None) -> Estimate:
    """The mean of at least one value; `clusters` [N] says to which cluster each belongs.

    With `counts` [N] a value is the sum over so many members, and the mean is one member's.
    """
    sums, members = _by_cluster(values, clusters, counts)
    mean, error = _mean_and_error(sums, members)
    if error is None:
        return Estimate(mean)
    half = t_quantile(len(sums) - 1) * error
    return Estimate(mean, mean - half, mean + half)


def share_by_cluster(
    values: Numbers, clusters: Clusters, counts: Numbers | None = None
) -> Estimate:
    """As `mean_by_cluster` for values from 0 to 1 (or sums of such), within 0 and 1."""
    sums, members = _by_cluster(values, clusters, counts)
    mean, error = _mean_and_error(sums, members)
    if error is None:
        return Estimate(mean)
    total = float(members.sum())
    independent = min(total, mean * (1.0 - mean) / error**2) if error else float(len(sums))
    low, high = wilson(mean * independent, independent, t_quantile(len(sums) - 1))
    return Estimate(mean, low, high)


def _by_cluster(
    values: Numbers, clusters: Clusters, counts: Numbers | None
) -> tuple[Numbers, Numbers]:
    """(sum, members) of each cluster that has any."""
    _, numbers = np.unique(clusters, return_inverse=True)
    members = np.bincount(numbers, counts).astype(np.float64)
    return np.bincount(numbers, values).astype(np.float64), members


def _mean_and_error(sums: Numbers, members: Numbers) -> tuple[float, float | None]:
    """The mean over members, and its standard error where there are two clusters or more."""
    total, clusters = float(members.sum()), len(sums)
    mean = float(sums.sum()) / total
    if clusters < 2:
        return mean, None
    variance = float(((sums - mean * members) ** 2).sum()) * clusters / (clusters - 1)
    return mean, math.sqrt(variance) / total
