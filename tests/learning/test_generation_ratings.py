"""Generations of a run on one scale."""

import math

import msgspec
import pytest

pytest.importorskip("torch")

from katachi.learning.generation_ratings import rate_generations
from katachi.learning.selfplay_settings import SelfPlayMeasurement

MATCHES = ("tree", "net", "previous")


def measured(generation: int, tree: float, previous: float) -> SelfPlayMeasurement:
    """A test of 1,000 games a match."""
    nothing = {f"win_rate_{end}{name}": 0.0 for end in ("low_", "high_") for name in MATCHES}
    rates = {"win_rate_tree": tree, "win_rate_previous": previous, "win_rate_net": 0.5}
    return SelfPlayMeasurement(
        generations=generation,
        games_played=100 * generation,
        train_policy_loss=1.0,
        train_ownership_loss=1.0,
        opponent="alp",
        match_games=1000,
        **nothing | rates,
    )


def elo(rate: float) -> float:
    return 400 * math.log10(rate / (1 - rate))


def test_matches_that_agree_say_what_each_of_them_says() -> None:
    better = 1 / (1 + 10 ** (-2 * elo(0.6) / 400))
    first, second = rate_generations([measured(1, 0.6, 0.9), measured(2, better, 0.6)])
    assert first is not None
    assert second is not None
    assert (first.name, second.name) == ("1", "2")
    assert first.elo == pytest.approx(elo(0.6), abs=2)
    assert second.elo == pytest.approx(2 * elo(0.6), abs=2)
    assert 0 < first.error < 30
    assert first.games == 3000


def test_no_test_has_no_rating() -> None:
    assert rate_generations([]) == []


def test_a_generation_that_met_nobody_known_has_no_rating() -> None:
    other = msgspec.structs.replace(measured(4, 0.5, 0.6), opponent="gnugo:0")
    rated = rate_generations([measured(2, 0.5, 0.6), other])
    assert [rating is None for rating in rated] == [False, True]
