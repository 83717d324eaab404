"""Claims judged by rules: each rule says in words when a claim holds, and decides it by code.

A rule looks at one number with its 95 % interval. Where the whole interval lies on one side the
claim is decided, else it is undecided; no rule takes an estimate for sure. Two numbers are compared
by the interval of their difference, an order of several by the slope of the line through them.
"""

from collections.abc import Sequence
from typing import NamedTuple

from katachi.experiments.protocol import Claim, Row, Verdict
from katachi.statistics import Estimate, combine, difference_of, is_above, mean_difference, trend_of

VERDICTS = {True: Verdict.YES, False: Verdict.NO, None: Verdict.UNDECIDED}
UNEQUAL = "undecided where the two did not learn from equally many games"


class Tested(NamedTuple):
    """The number that a claim is judged by."""

    number: Estimate
    n: int
    digits: int = 1
    unit: str = ""
    what: str = "95 % interval"
    """What its interval is called in the rule."""

    def claim(self, words: tuple[str, str], rule: str, verdict: Verdict) -> Claim:
        """A claim in these words, the paper's and ours."""
        low, high = (
            None if end is None else round(end, 6) for end in (self.number.low, self.number.high)
        )
        return Claim(
            paper=words[0],
            ours=words[1],
            low=low,
            high=high,
            n=self.n,
            digits=self.digits,
            rule=rule,
            verdict=verdict,
        )


def number_of(row: Row, digits: int = 1, unit: str = "") -> Tested:
    """A row of a table as it stands."""
    return Tested(row.number, row.n, digits, unit)


def gap(one: Row, other: Row, digits: int = 1, unit: str = "") -> Tested:
    """How much more the first of two rows is."""
    number = difference_of(one.number, other.number)
    return Tested(number, min(one.n, other.n), digits, unit, "95 % interval of the difference")


def mean_gap(pairs: Sequence[tuple[Row, Row]], digits: int = 1, unit: str = "") -> Tested:
    """How much more the first row of each pair is, the mean over at least one pair."""
    number = mean_difference([(one.number, other.number) for one, other in pairs])
    what = "95 % interval of the mean difference"
    return Tested(number, len(pairs), digits, unit, what)


def slope(x: Sequence[float], rows: Sequence[Row], digits: int = 3) -> Tested:
    """How fast rows rise with x, by the line that fits them best."""
    number = trend_of(x, [row.number for row in rows])
    return Tested(number, sum(row.n for row in rows), digits, "", "95 % interval of the slope")


def share_of(part: Row, rest: Sequence[Row]) -> Estimate:
    """The share in percent of one of several positive numbers, with an interval that is rather too
    wide: from its lower end beside the others' upper ends to the reverse."""
    others = combine([1.0] * len(rest), [row.number for row in rest])

    def percent(one: float, other: float) -> float:
        return 100 * one / (one + other) if one + other else 0.0

    value, number = percent(part.number.value, others.value), part.number
    if number.low is None or number.high is None or others.low is None or others.high is None:
        return Estimate(value)
    return Estimate(value, percent(number.low, others.high), percent(number.high, others.low))


def judge_above(words: tuple[str, str], by: Tested, bound: float = 0.0) -> Claim:
    """Yes where the whole interval lies above the bound, no where it lies below."""
    rule = f"yes if the whole {by.what} lies above {bound:g}{by.unit}, no if below"
    return by.claim(words, rule, VERDICTS[is_above(by.number, bound)])


def judge_below(words: tuple[str, str], by: Tested, bound: float = 0.0) -> Claim:
    """Yes where the whole interval lies below the bound, no where it lies above."""
    rule = f"yes if the whole {by.what} lies below {bound:g}{by.unit}, no if above"
    above = is_above(by.number, bound)
    return by.claim(words, rule, VERDICTS[None if above is None else not above])


def judge_apart(words: tuple[str, str], by: Tested) -> Claim:
    """Yes where the whole interval lies on one side of 0; that there is no difference cannot be
    shown."""
    holds = None if is_above(by.number, 0.0) is None else True
    return by.claim(words, f"yes if the {by.what} does not hold 0, else undecided", VERDICTS[holds])


def judge_within(words: tuple[str, str], by: Tested, ends: tuple[float, float]) -> Claim:
    """Yes where the whole interval lies between two ends, no where it lies outside."""
    rule = f"yes if the whole {by.what} lies within {ends[0]:g} to {ends[1]:g}{by.unit}, "
    low, high = is_above(by.number, ends[0]), is_above(by.number, ends[1])
    holds = False if low is False or high is True else True if low and high is False else None
    return by.claim(words, rule + "no if outside", VERDICTS[holds])


def judge_exact(words: tuple[str, str], rule: str, *, holds: bool, n: int = 1) -> Claim:
    """A claim about numbers in which there is no chance."""
    by = Tested(Estimate(0.0), n)
    return by.claim(words, f"yes if {rule}, else no; nothing is left to chance", VERDICTS[holds])


def leave_open(words: tuple[str, str], by: Tested, rule: str) -> Claim:
    """A claim that these numbers cannot decide; the rule says why."""
    return by.claim(words, rule, Verdict.UNDECIDED)
