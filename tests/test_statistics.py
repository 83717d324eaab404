import math

import pytest

from katachi.errors import KatachiError
from katachi.statistics import (
    SequentialTest,
    Tally,
    Verdict,
    expected_score,
    t_quantile,
    wilson,
)


def test_wilsons_interval_is_the_published_one() -> None:
    """54 of 63, as computed for a published match: 75.0 to 92.3 %."""
    low, high = wilson(54, 63)
    assert (round(low, 3), round(high, 3)) == (0.750, 0.923)


def test_wilsons_interval_solves_its_equation() -> None:
    for score, games in ((0, 10), (3, 10), (50, 100), (100, 100)):
        for bound in wilson(score, games):
            if 0 < bound < 1:
                deviation = abs(score / games - bound) / math.sqrt(bound * (1 - bound) / games)
                assert deviation == pytest.approx(1.96, abs=1e-3)


@pytest.mark.parametrize(
    ("freedom", "expected"),
    [(1, 12.706), (2, 4.303), (4, 2.776), (11, 2.201), (30, 2.042), (49, 2.010), (1000, 1.962)],
)
def test_t_quantiles_are_those_of_the_tables(freedom: int, expected: float) -> None:
    assert t_quantile(freedom) == pytest.approx(expected, abs=6e-4)


def test_nothing_is_known_before_the_first_game() -> None:
    assert Tally().interval == (0.0, 1.0)
    assert Tally().rate == 0.5


def test_draws_are_half_points_and_stopped_games_nothing() -> None:
    tally = Tally(wins=2, losses=1, draws=1, stopped=5)
    assert (tally.games, tally.score, tally.rate) == (4, 2.5, 0.625)


def test_elo_is_what_it_always_was() -> None:
    assert expected_score(0) == 0.5
    assert expected_score(400) == pytest.approx(10 / 11)


@pytest.mark.parametrize(
    ("wins", "losses", "verdict"),
    [
        (0, 0, Verdict.OPEN),
        (60, 10, Verdict.STRONGER),
        (10, 60, Verdict.NOT_STRONGER),
        (6, 5, Verdict.OPEN),
    ],
)
def test_a_sequential_test_decides_when_it_can(wins: int, losses: int, verdict: Verdict) -> None:
    assert SequentialTest(0, 50).judge(Tally(wins, losses)) is verdict


@pytest.mark.parametrize(("elo", "wrong"), [(0.0, Verdict.STRONGER), (60.0, Verdict.NOT_STRONGER)])
def test_a_sequential_test_is_seldom_wrong(elo: float, wrong: Verdict) -> None:
    import random

    test = SequentialTest(0, 60)
    draw = random.Random(1)
    rate = expected_score(elo)
    verdicts = []
    for _ in range(300):
        tally = Tally()
        while test.judge(tally) is Verdict.OPEN:
            if draw.random() < rate:
                tally.wins += 1
            else:
                tally.losses += 1
        verdicts.append(test.judge(tally))
    assert verdicts.count(wrong) / len(verdicts) < 0.08


REFUSED = [(10, 10), (20, 10), (0, 10_000), (-1e6, 0), (0, math.inf), (math.nan, 0), (0, 4001)]


@pytest.mark.parametrize("bounds", [(-4000.0, 4000.0), (3999.0, 4000.0), (-4000.0, -3999.0)])
def test_the_farthest_test_counts(bounds: tuple[float, float]) -> None:
    for tally in (Tally(1000, 0), Tally(0, 1000), Tally(0, 0)):
        assert math.isfinite(SequentialTest(*bounds).log_ratio(tally))


@pytest.mark.parametrize("bounds", REFUSED)
def test_a_test_that_cannot_decide_is_refused(bounds: tuple[float, float]) -> None:
    with pytest.raises(KatachiError):
        SequentialTest(*bounds)
