"""Means of independent runs and how sure they are."""

import math
from collections.abc import Sequence
from typing import NamedTuple, Protocol

import msgspec

from katachi.experiments.protocol import Key, Quantity, Row
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


Bounds = tuple[float, float]
FREE, POSITIVE, PERCENT = (-math.inf, math.inf), (0, math.inf), (0, 100)
"""Between which ends an interval must stay."""


def mean_row(
    key: Key,
    quantity: Quantity,
    values: Sequence[float],
    bounds: Bounds = FREE,
    paper: float | None = None,
    remark: str = "",
) -> Row:
    """The mean of at least one run as a row of a table."""
    mean = mean_of(list(values), *bounds)
    row = _row(key, quantity, mean, mean.n)
    return msgspec.structs.replace(row, paper=paper, remark=remark)


def share_row(
    key: Key, quantity: Quantity, score: float, count: int, paper: float | None = None
) -> Row:
    """A share in percent with Wilson's interval, as a row of a table; of nothing, none."""
    low, high = wilson(score, count)
    share = Estimate(100 * score / count if count else 0.0, 100 * low, 100 * high)
    row = _row(key, quantity, share, count)
    ours, paper = row.ours if count else None, None if paper is None else round(paper, 2)
    return msgspec.structs.replace(row, ours=ours, paper=paper)


def score_row(
    key: Key, quantity: Quantity, score: float, games: int, paper: float | None = None
) -> Row:
    """Points out of games as a share that says how many games there were."""
    row = share_row(key, quantity, score, games, paper)
    return msgspec.structs.replace(row, remark=f"{games:,} games")


def percent_of(share: Estimate) -> Estimate:
    """A share in percent."""
    low, high = (None if end is None else 100 * end for end in (share.low, share.high))
    return Estimate(100 * share.value, low, high)


def estimate_row(
    key: Key, quantity: Quantity, estimate: Estimate, games: int, paper: float | None = None
) -> Row:
    """A mean over so many games as a row of a table."""
    return msgspec.structs.replace(_row(key, quantity, estimate, games, 6), paper=paper)


def _row(key: Key, quantity: Quantity, number: Estimate | Mean, n: int, digits: int = 3) -> Row:
    low, high = (None if end is None else round(end, digits) for end in (number.low, number.high))
    ours = round(number.value, digits)
    return Row(key=key, quantity=quantity.name, ours=ours, low=low, high=high, n=n)


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


def is_larger(one: Interval, other: Interval) -> bool | None:
    """Whether the first of two numbers is larger; None where their intervals overlap, or one has
    none."""
    if one.low is None or one.high is None or other.low is None or other.high is None:
        return None
    if one.low > other.high:
        return True
    return False if one.high < other.low else None


def is_mostly(verdicts: Sequence[bool | None]) -> bool | None:
    """Whether more than half of the cases are for something; None where too few are
    decided."""
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
