"""Rates and means, how sure they are, and when a match may stop.

Intervals hold 95 %. Values that come in clusters (the moves of one game) are not independent, the
clusters are: a mean then has Student's interval of the ratio of sums over clusters. A share has
Wilson's interval, for as many independent cases as would make it as uncertain; where all clusters
agree, for as many as there are clusters.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cache
from typing import Protocol

import msgspec
import numpy as np
import numpy.typing as npt

from katachi.errors import KatachiError

NORMAL_95 = 1.959963984540054
SHARE = 0.975
"""What lies below the upper end of a two-sided 95 % interval."""
T_INTERVAL = "Intervals are 95 % Student-t intervals of the mean over runs."


def wilson(score: float, games: float, z: float = NORMAL_95) -> tuple[float, float]:
    """Wilson's interval of a rate: `score` points (a draw is half a point) out of `games`."""
    if games == 0:
        return 0.0, 1.0
    rate = score / games
    spread = z * z / games
    center = (rate + spread / 2) / (1 + spread)
    half = z * math.sqrt(rate * (1 - rate) / games + spread / (4 * games)) / (1 + spread)
    return max(0.0, center - half), min(1.0, center + half)


@cache
def t_quantile(freedom: int) -> float:
    """Where Student's t with so many degrees of freedom has 97.5 % below it."""
    low, high = NORMAL_95, 13.0
    for _ in range(60):
        middle = (low + high) / 2
        if _below(middle, freedom) < SHARE:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def _below(t: float, freedom: int, steps: int = 2000) -> float:
    """The share of Student's t below `t` >= 0, by Simpson's rule on its density."""
    log_scale = math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2)
    scale = math.exp(log_scale) / math.sqrt(freedom * math.pi)

    def density(x: float) -> float:
        return scale * math.pow(1 + x * x / freedom, -(freedom + 1) / 2)

    width = t / steps
    inner = math.fsum((4 if i % 2 else 2) * density(i * width) for i in range(1, steps))
    return 0.5 + width / 3 * (density(0) + inner + density(t))


def expected_score(elo: float) -> float:
    """The score to be expected of a player who is `elo` stronger."""
    return 1.0 / (1.0 + math.pow(10.0, -elo / 400.0))


@dataclass
class Tally:
    """Decided games of one side of a match."""

    wins: int = 0
    losses: int = 0
    draws: int = 0
    stopped: int = 0
    """Games without a result; they count for nothing."""

    @property
    def games(self) -> int:
        """Games that count."""
        return self.wins + self.losses + self.draws

    @property
    def score(self) -> float:
        """Points: a win is one, a draw half."""
        return self.wins + self.draws / 2

    @property
    def rate(self) -> float:
        """Share of the points, one half before the first game."""
        return self.score / self.games if self.games else 0.5

    @property
    def interval(self) -> tuple[float, float]:
        """95 % interval of the rate (Wilson)."""
        return wilson(self.score, self.games)


class Verdict(Enum):
    """What a sequential test says."""

    OPEN = "open"
    STRONGER = "stronger"
    """The first player is at least `upper` stronger, as far as the test can tell."""
    NOT_STRONGER = "not stronger"
    """It is at most `lower` stronger."""


FARTHEST_ELO = 4000.0
"""Beyond it the chance of the weaker side is lost in rounding."""


@dataclass(frozen=True)
class SequentialTest:
    """Wald's sequential probability ratio test of the first player's advantage.

    It decides between `lower` and `upper` Elo with error rates `alpha` and `beta`. A draw counts
    as half a win and half a loss.
    """

    lower: float
    upper: float
    alpha: float = 0.05
    beta: float = 0.05

    def __post_init__(self) -> None:
        """Raises KatachiError for a test that can never end."""
        if not -FARTHEST_ELO <= self.lower < self.upper <= FARTHEST_ELO:
            raise KatachiError(
                f"a test between {self.lower:g} and {self.upper:g} Elo: give less first, both from "
                f"-{FARTHEST_ELO:g} to {FARTHEST_ELO:g}"
            )
        if not (0 < self.alpha < 0.5 and 0 < self.beta < 0.5):
            raise KatachiError("error rates of a sequential test lie between 0 and 0.5")

    def log_ratio(self, tally: Tally) -> float:
        """Logarithm of how much likelier the games are at `upper` than at `lower`."""
        low, high = expected_score(self.lower), expected_score(self.upper)
        won = tally.score
        lost = tally.games - won
        return won * math.log(high / low) + lost * math.log((1 - high) / (1 - low))

    def judge(self, tally: Tally) -> Verdict:
        """Whether the games so far decide."""
        ratio = self.log_ratio(tally)
        if ratio >= math.log((1 - self.beta) / self.alpha):
            return Verdict.STRONGER
        if ratio <= math.log(self.beta / (1 - self.alpha)):
            return Verdict.NOT_STRONGER
        return Verdict.OPEN


Numbers = npt.NDArray[np.float64]
Clusters = npt.NDArray[np.int64]


class Estimate(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A mean with its interval, which a single cluster does not have."""

    value: float
    low: float | None = None
    high: float | None = None

    def in_percent(self) -> "Estimate":
        """A share in percent."""
        low, high = (None if end is None else 100 * end for end in (self.low, self.high))
        return Estimate(100 * self.value, low, high)


def mean_of(
    values: Sequence[float], least: float | None = None, most: float | None = None
) -> Estimate:
    """The mean of at least one value; the interval stays between `least` and `most`, where they
    are given."""
    count = len(values)
    mean = math.fsum(values) / count
    if count < 2:
        return Estimate(mean)
    variance = math.fsum((value - mean) ** 2 for value in values) / (count - 1)
    half = t_quantile(count - 1) * math.sqrt(variance / count)
    low = mean - half if least is None else max(least, mean - half)
    return Estimate(mean, low, mean + half if most is None else min(most, mean + half))


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


class Interval(Protocol):
    """How sure a number is."""

    @property
    def low(self) -> float | None:
        """Its lower end; None where it is not known."""
        ...

    @property
    def high(self) -> float | None:
        """Its upper end."""
        ...


def is_above(number: Interval, bound: float) -> bool | None:
    """Whether a number lies above a bound; None where its interval does not tell."""
    if number.low is None or number.high is None or number.low <= bound <= number.high:
        return None
    return number.low > bound


def combine(weights: Sequence[float], numbers: Sequence[Estimate]) -> Estimate:
    """The weighted sum of independent numbers; their intervals are joined end by end, each by how
    far it reaches from its number (Zou and Donner, 2008), so that lopsided ones stay so. Of two
    shares with Wilson's intervals and the weights 1 and -1 this is Newcombe's difference."""
    value = math.fsum(w * each.value for w, each in zip(weights, numbers, strict=True))
    down, up = [], []
    for w, each in zip(weights, numbers, strict=True):
        if each.low is None or each.high is None:
            return Estimate(value)
        reach = w * (each.value - each.low), w * (each.high - each.value)
        down.append(reach[0] if w > 0 else reach[1])
        up.append(reach[1] if w > 0 else reach[0])
    return Estimate(value, value - math.hypot(*down), value + math.hypot(*up))


def difference_of(one: Estimate, other: Estimate) -> Estimate:
    """How much more the first of two independent numbers is."""
    return combine((1.0, -1.0), (one, other))


def mean_difference(pairs: Sequence[tuple[Estimate, Estimate]]) -> Estimate:
    """How much more the first of each of at least one pair is, the mean over pairs."""
    share = 1.0 / len(pairs)
    return combine([share, -share] * len(pairs), [each for pair in pairs for each in pair])


def trend_of(x: Sequence[float], numbers: Sequence[Estimate]) -> Estimate:
    """The slope of the straight line that fits independent numbers best; its interval comes from
    theirs. There are at least two different x."""
    mean = math.fsum(x) / len(x)
    spread = math.fsum((each - mean) ** 2 for each in x)
    return combine([(each - mean) / spread for each in x], numbers)


def slope_of(x: Sequence[float], y: Sequence[float]) -> Estimate | None:
    """The slope of the straight line that fits y best, with Student's interval from how far y lies
    from the line; None where there is nothing to fit."""
    count = len(x)
    if count < 3 or len(set(x)) < 2:
        return None
    slope = trend_of(x, [Estimate(each) for each in y]).value
    mean_x, mean_y = math.fsum(x) / count, math.fsum(y) / count
    pairs = zip(x, y, strict=True)
    left = math.fsum((b - mean_y - slope * (a - mean_x)) ** 2 for a, b in pairs)
    spread = math.fsum((each - mean_x) ** 2 for each in x)
    half = t_quantile(count - 2) * math.sqrt(left / (count - 2) / spread)
    return Estimate(slope, slope - half, slope + half)


def straightness(x: list[float], y: list[float]) -> float | None:
    """R squared of the straight line that fits y best; None where there is nothing to fit."""
    count = len(x)
    if count < 3:
        return None
    mean_x, mean_y = math.fsum(x) / count, math.fsum(y) / count
    xx = math.fsum((a - mean_x) ** 2 for a in x)
    yy = math.fsum((b - mean_y) ** 2 for b in y)
    if xx == 0 or yy == 0:
        return None
    xy = math.fsum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True))
    return xy * xy / (xx * yy)
