"""Time is shared out sensibly and never overspent."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from katachi.players.clock import SHORTEST_THOUGHT, Clock, TimeLeft, TimeSettings, TimeSystem
from katachi.rules.color import BLACK, WHITE

ABSOLUTE = TimeSettings(TimeSystem.ABSOLUTE, 600)
BYOYOMI = TimeSettings(TimeSystem.BYOYOMI, 60, 30, 3)
TINY = TimeSettings(TimeSystem.BYOYOMI, 0, 1e-320, 5)
CANADIAN = TimeSettings(TimeSystem.CANADIAN, 60, 300, 25)
FISCHER = TimeSettings(TimeSystem.FISCHER, 60, increment=10, cap=90, longest_move=20)


def test_without_a_clock_there_is_no_budget() -> None:
    clock = Clock()
    clock.spend(BLACK, 1e6)
    assert clock.budget(BLACK, 30) is None


def test_main_time_is_shared_among_the_moves_to_come() -> None:
    clock = Clock(ABSOLUTE)
    assert clock.budget(BLACK, 30) == pytest.approx(20)
    clock.spend(BLACK, 300)
    assert clock.budget(BLACK, 30) == pytest.approx(10)
    assert clock.budget(WHITE, 30) == pytest.approx(20)


@pytest.mark.parametrize(
    ("settings", "spent", "left"),
    [
        (ABSOLUTE, [100.0, 50.0], TimeLeft(450, 0, 0)),
        (ABSOLUTE, [601.0], TimeLeft(0, 0, 0, is_expired=True)),
        (BYOYOMI, [60.0], TimeLeft(0, 30, 3)),
        (TINY, [1.0], TimeLeft(0, 1e-320, 0, is_expired=True)),
        (BYOYOMI, [85.0], TimeLeft(0, 30, 3)),
        (BYOYOMI, [60.0, 31.0], TimeLeft(0, 30, 2)),
        (BYOYOMI, [60.0, 61.0], TimeLeft(0, 30, 1)),
        (BYOYOMI, [60.0, 91.0], TimeLeft(0, 30, 0, is_expired=True)),
        (CANADIAN, [70.0], TimeLeft(0, 290, 24)),
        (CANADIAN, [60.0] + [10.0] * 25, TimeLeft(0, 300, 25)),
        (CANADIAN, [60.0, 301.0], TimeLeft(0, 0, 0, is_expired=True)),
        (FISCHER, [5.0], TimeLeft(65, 0, 0)),
        (FISCHER, [0.0] * 9, TimeLeft(90, 0, 0)),
        (FISCHER, [61.0], TimeLeft(0, 0, 0, is_expired=True)),
    ],
)
def test_spending(settings: TimeSettings, spent: list[float], left: TimeLeft) -> None:
    clock = Clock(settings)
    for seconds in spent:
        clock.spend(BLACK, seconds)
    assert clock.left(BLACK) == left


def test_overtime_is_used_as_it_comes() -> None:
    clock = Clock(BYOYOMI)
    clock.report(BLACK, 30, 3)
    assert clock.budget(BLACK, 30) == pytest.approx(27)
    clock = Clock(CANADIAN)
    clock.report(BLACK, 250, 25)
    assert clock.budget(BLACK, 30) == pytest.approx(9)


def test_a_report_overrules_the_own_count() -> None:
    clock = Clock(ABSOLUTE)
    clock.spend(BLACK, 599)
    clock.report(BLACK, 300, 0)
    assert clock.left(BLACK) == TimeLeft(300, 0, 0)
    clock.report(BLACK, -5, 0)
    assert clock.budget(BLACK, 30) == SHORTEST_THOUGHT


def test_increments_are_spent_and_a_longest_move_is_kept() -> None:
    clock = Clock(FISCHER)
    assert clock.budget(BLACK, 30) == pytest.approx(60 / 30 + 9)
    assert clock.budget(BLACK, 1) == pytest.approx(18)


def test_a_new_game_fills_the_clocks() -> None:
    clock = Clock(ABSOLUTE)
    clock.spend(BLACK, 300)
    clock.restart()
    assert clock.left(BLACK).main == 600


@given(
    st.sampled_from(TimeSystem),
    st.floats(0, 1e4),
    st.floats(0.5, 1e3),
    st.integers(1, 50),
    st.lists(st.integers(1, 300), min_size=1, max_size=60),
)
def test_a_player_who_keeps_to_its_budget_never_runs_out(
    system: TimeSystem, main: float, period: float, count: int, moves_left: list[int]
) -> None:
    if system == TimeSystem.CANADIAN:
        period *= count
    main += 1
    clock = Clock(TimeSettings(system, main, period, count, increment=period, cap=math.inf))
    for number in moves_left:
        budget = clock.budget(BLACK, number)
        if budget is None or budget <= SHORTEST_THOUGHT:
            return
        clock.spend(BLACK, budget)
        assert not clock.left(BLACK).is_expired


@pytest.mark.parametrize(
    ("settings", "seconds"),
    [(ABSOLUTE, 600.0), (BYOYOMI, 150.0), (CANADIAN, 360.0), (FISCHER, 60.0)],
)
def test_the_flag_falls_after_all_that_is_left_in_one_move(
    settings: TimeSettings, seconds: float
) -> None:
    clock = Clock(settings)
    assert clock.seconds_until_flag(BLACK) == seconds
    clock.spend(BLACK, seconds - 0.01)
    assert not clock.left(BLACK).is_expired
    late = Clock(settings)
    late.spend(BLACK, seconds + 0.01)
    assert late.left(BLACK).is_expired
    assert Clock().seconds_until_flag(BLACK) == math.inf
