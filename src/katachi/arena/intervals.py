"""Scores of a match, how sure they are, and when to stop."""

import math
from dataclasses import dataclass
from enum import Enum
from functools import cache

from katachi.rules.errors import KatachiError

NORMAL_95 = 1.959963984540054
SHARE = 0.975
"""What lies below the upper end of a two-sided 95 % interval."""


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
