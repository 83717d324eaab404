"""Means of independent runs and how sure they are."""

import math
from collections.abc import Sequence
from typing import NamedTuple, Protocol

import msgspec

from katachi.experiments.protocol import Quantity, Row
from katachi.statistics import Estimate, t_quantile, wilson

T_INTERVAL = "Intervals are 95 % Student-t intervals of the mean over runs."


class Mean(NamedTuple):
    """The mean of n runs with its 95 % interval, which one run does not have."""

    value: float
    low: float | None
    high: float | None
    n: int


def mean_of(values: list[float], least: float = -math.inf, most: float = math.inf) -> Mean:
    """The mean of at least one value; the interval stays between `least` and `most`."""
    count = len(values)
    mean = math.fsum(values) / count
    if count < 2:
        return Mean(mean, None, None, count)
    variance = math.fsum((value - mean) ** 2 for value in values) / (count - 1)
    half = t_quantile(count - 1) * math.sqrt(variance / count)
    return Mean(mean, max(least, mean - half), min(most, mean + half), count)


def mean_row(setting: str, quantity: Quantity, mean: Mean, remark: str = "") -> Row:
    """A mean over runs as a row of a table."""
    return Row(
        setting=setting,
        quantity=quantity.name,
        ours=round(mean.value, 3),
        low=None if mean.low is None else round(mean.low, 3),
        high=None if mean.high is None else round(mean.high, 3),
        n=mean.n,
        remark=remark,
    )


def share_row(
    setting: str, quantity: Quantity, score: float, count: int, paper: float | None = None
) -> Row:
    """A share in percent with Wilson's interval, as a row of a table; of nothing, none."""
    low, high = wilson(score, count)
    return Row(
        setting=setting,
        quantity=quantity.name,
        ours=round(100 * score / count, 3) if count else None,
        low=round(100 * low, 3),
        high=round(100 * high, 3),
        n=count,
        paper=None if paper is None else round(paper, 2),
    )


def score_row(
    setting: str, quantity: Quantity, score: float, games: int, paper: float | None = None
) -> Row:
    """Points out of games as a share that tells how many games there were."""
    row = share_row(setting, quantity, score, games, paper)
    return msgspec.structs.replace(row, remark=f"{games:,} games")


def percent_of(share: Estimate) -> Estimate:
    """A share in percent."""
    low, high = (None if end is None else 100 * end for end in (share.low, share.high))
    return Estimate(100 * share.value, low, high)


def estimate_row(
    setting: str, quantity: Quantity, estimate: Estimate, games: int, paper: float | None = None
) -> Row:
    """A mean over so many games as a row of a table."""
    return Row(
        setting=setting,
        quantity=quantity.name,
        ours=round(estimate.value, 6),
        low=None if estimate.low is None else round(estimate.low, 6),
        high=None if estimate.high is None else round(estimate.high, 6),
        n=games,
        paper=paper,
    )


class Interval(Protocol):
    """What tells how sure a number is."""

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


def is_larger(one: Interval, other: Interval) -> bool | None:
    """Whether the first of two numbers is larger; None where their intervals overlap, or one has
    none."""
    if one.low is None or one.high is None or other.low is None or other.high is None:
        return None
    if one.low > other.high:
        return True
    return False if one.high < other.low else None


def is_mostly(verdicts: Sequence[bool | None]) -> bool | None:
    """Whether more than half of the cases are for something; None where those that are told are too
    few to say."""
    half = len(verdicts) / 2
    if sum(each is True for each in verdicts) > half:
        return True
    return False if sum(each is False for each in verdicts) >= half else None


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
