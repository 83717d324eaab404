"""What is reported while agents learn: tests against the average liberties player (ALP)."""

import math
from typing import NamedTuple

import msgspec

from katachi.learning.learner import Metrics
from katachi.statistics import wilson

ALP_ELO = 850.0
"""Where the house ladder anchors ALP."""
SATURATED = 0.05
"""Nearer than this to no win, or to nothing but wins, a test says little about how much stronger
one player is."""


class Measurement(Metrics, frozen=True, forbid_unknown_fields=True):
    """What a test said: each agent played ALP, greedy, colours alternating. A line of
    `metrics.jsonl`."""

    games: int
    """Games learned from, on all boards."""
    size: int
    """Board size."""
    size_games: int
    """Games learned from on this board."""
    played: int
    """Test games of each agent."""
    wins: tuple[int, ...]
    """By agent."""
    intervals: tuple[tuple[float, float], ...]
    """By agent: 95 % interval of the rate of wins (Wilson)."""

    @property
    def rates(self) -> list[float]:
        """The rate of wins of each agent."""
        return [wins / self.played for wins in self.wins]


def measured(games: int, size: int, size_games: int, played: int, wins: list[int]) -> Measurement:
    """A measurement with its intervals."""
    low_high = [wilson(each, played) for each in wins]
    intervals = tuple((round(low, 6), round(high, 6)) for low, high in low_high)
    return Measurement(games, size, size_games, played, tuple(wins), intervals)


class Timing(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How long it took to get to a test. A line of `timing.jsonl`, apart from the measurements
    because no two runs take the same time."""

    games: int
    seconds: float
    """Spent on learning so far, tests left out."""
    games_per_second: float
    """Since the test before."""


class Elo(NamedTuple):
    """A strength with its 95 % interval."""

    value: float
    low: float
    high: float


def estimate_elo(rate: float, interval: tuple[float, float]) -> Elo | None:
    """The strength that a rate of wins against ALP stands for; None where it is saturated."""
    if not SATURATED <= rate <= 1.0 - SATURATED:
        return None
    low, high = interval
    return Elo(*(ALP_ELO + 400.0 * math.log10(p / (1.0 - p)) for p in (rate, low, high)))
