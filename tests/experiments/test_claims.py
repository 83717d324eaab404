"""Claims are decided by their rules alone."""

import pytest

from katachi.experiments import claims
from katachi.experiments.protocol import Claim, Row, Verdict
from katachi.statistics import Estimate

WORDS = "it is more", "it is"
YES, NO, UNDECIDED = Verdict.YES, Verdict.NO, Verdict.UNDECIDED


def interval(low: float | None, high: float | None) -> claims.Tested:
    return claims.Tested(Estimate(0.0, low, high), 9, 1, " %")


@pytest.mark.parametrize(
    ("ends", "above", "below", "within", "apart"),
    [
        ((51, 60), YES, NO, UNDECIDED, YES),
        ((51, 54), YES, NO, YES, YES),
        ((40, 49), NO, YES, NO, YES),
        ((-1, 51), UNDECIDED, UNDECIDED, UNDECIDED, UNDECIDED),
        ((56, 60), YES, NO, NO, YES),
        ((None, None), UNDECIDED, UNDECIDED, UNDECIDED, UNDECIDED),
    ],
)
def test_an_interval_on_one_side_decides(
    ends: tuple[float | None, float | None],
    above: Verdict,
    below: Verdict,
    within: Verdict,
    apart: Verdict,
) -> None:
    by = interval(*ends)
    found = [
        claims.judge_above(WORDS, by, 50.0),
        claims.judge_below(WORDS, by, 50.0),
        claims.judge_within(WORDS, by, (50.0, 55.0)),
        claims.judge_apart(WORDS, by),
    ]
    assert [claim.verdict for claim in found] == [above, below, within, apart]


def test_a_claim_carries_its_rule_and_interval() -> None:
    claim = claims.judge_above(WORDS, interval(51, 60.25), 50.0)
    assert claim == Claim(
        paper="it is more",
        ours="it is",
        low=51,
        high=60.25,
        n=9,
        rule="yes if the whole 95 % interval lies above 50 %, no if below",
        verdict=Verdict.YES,
    )
    assert claim.interval == "51.0 to 60.2"


def test_what_is_counted_has_no_interval() -> None:
    claim = claims.judge_exact(WORDS, "both are equal", holds=False)
    assert (claim.verdict, claim.interval) == (Verdict.NO, "-")
    assert claim.rule == "yes if both are equal, else no; nothing is left to chance"


def row(ours: float, half: float) -> Row:
    return Row(key={}, quantity="x", ours=ours, low=ours - half, high=ours + half, n=4)


def test_rows_are_compared_by_their_difference() -> None:
    by = claims.gap(row(10.0, 3.0), row(4.0, 4.0))
    assert (by.number.low, by.number.high) == (1.0, 11.0)
    assert "interval of the difference" in claims.judge_above(WORDS, by).rule


def test_a_share_of_a_whole_is_kept_rather_too_wide() -> None:
    found = claims.share_of(row(1.0, 0.5), [row(3.0, 0.5)])
    assert found.value == 25.0
    assert (found.low, found.high) == pytest.approx((12.5, 37.5))
