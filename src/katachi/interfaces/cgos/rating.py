"""Ratings on our server, and how sure it is of them."""

from dataclasses import dataclass, replace

FIRST_RATING = 1500.0
"""Of a player who arrives while nobody waits."""
LARGEST_K = 200.0
SMALLEST_K = 3.0
PROVISIONAL_K = 16.0
_SLOW_K = 32.0
_SELF_RELIANCE = 0.1


@dataclass(frozen=True)
class Rating:
    """Elo, and K: how many points a surprising game against a well-known player may move it."""

    elo: float = FIRST_RATING
    k: float = LARGEST_K
    is_anchor: bool = False
    """An anchor keeps its rating whatever happens."""

    def __str__(self) -> str:
        """`1500`, or `1500?` while the rating is provisional."""
        return f"{self.elo:.0f}{'?' if self.k > PROVISIONAL_K else ''}"


def anchor(elo: float) -> Rating:
    """The rating of an anchor: as certain as can be."""
    return Rating(elo, SMALLEST_K, is_anchor=True)


def expectation(mine: float, yours: float) -> float:
    """The share of the points I should win against you."""
    # Beyond this the power overflows and the share is 0 or 1 anyway.
    difference = min(max((yours - mine) / 400, -100.0), 100.0)
    return 1 / (1 + 10**difference)


def certainty(k: float) -> float:
    """How much a player with this K can tell of others: 0 for a newcomer, 1 for a veteran."""
    return 1 - (k - SMALLEST_K) / (LARGEST_K - SMALLEST_K)


def rate_game(mine: Rating, yours: Rating, score: float, *, has_anchors: bool = True) -> Rating:
    """My rating after a game against you; score is 1, 0, or one half for a draw.

    On a server without anchors newcomers would tell nothing of each other for ever; there, a
    player's certainty counts as at least a tenth.
    """
    if mine.is_anchor:
        return mine
    trust = certainty(yours.k)
    if not has_anchors:
        trust = max(trust, _SELF_RELIANCE)
    elo = mine.elo + mine.k * trust * (score - expectation(mine.elo, yours.elo))
    shrink = 0.02 if mine.k <= _SLOW_K else 0.04
    return replace(mine, elo=elo, k=max(SMALLEST_K, mine.k * (1 - shrink * trust)))
