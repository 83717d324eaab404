import pytest

from katachi.interfaces.cgos.settings import (
    LARGEST_K,
    SMALLEST_K,
    Rating,
    anchor,
    certainty,
    expectation,
    rate_game,
)


def test_expectation_is_elos() -> None:
    assert expectation(1500, 1500) == 0.5
    assert expectation(1900, 1500) == pytest.approx(10 / 11)
    assert expectation(-1e9, 1e9) == pytest.approx(0.0)
    assert expectation(1e9, -1e9) == pytest.approx(1.0)


def test_a_newcomer_moves_by_its_whole_k_against_an_anchor() -> None:
    after = rate_game(Rating(1500), anchor(1500), 1.0)
    assert after.elo == pytest.approx(1600)
    assert after.k == pytest.approx(192)


def test_two_newcomers_tell_nothing_of_each_other_where_there_are_anchors() -> None:
    assert rate_game(Rating(1500), Rating(1500), 1.0) == Rating(1500)


def test_without_anchors_newcomers_rate_themselves() -> None:
    after = rate_game(Rating(1500), Rating(1500), 1.0, has_anchors=False)
    assert after.elo == pytest.approx(1510)
    assert after.k < LARGEST_K


def test_a_small_k_shrinks_slowly_and_never_below_the_smallest() -> None:
    veteran = anchor(1500)
    assert rate_game(Rating(1500, 32), veteran, 0.5).k == pytest.approx(32 * 0.98)
    assert rate_game(Rating(1500, 33), veteran, 0.5).k == pytest.approx(33 * 0.96)
    assert rate_game(Rating(1500, SMALLEST_K), veteran, 0.5).k == SMALLEST_K


def test_an_anchor_keeps_its_rating() -> None:
    assert rate_game(anchor(850), Rating(2000), 0.0) == anchor(850)


def test_the_question_mark_stands_while_k_is_large() -> None:
    assert str(Rating(1512.6, 16.1)) == "1513?"
    assert str(Rating(1512.6, 16.0)) == "1513"
    assert certainty(LARGEST_K) == 0
    assert certainty(SMALLEST_K) == 1
