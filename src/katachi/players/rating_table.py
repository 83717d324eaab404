"""How a player of a wanted rating plays: a table that was measured, and what lies between its rows.

`rated9.json` is written by `scripts/write_ratings.py` from the results of the experiment X-levels9.
"""

import json
from functools import cache
from itertools import pairwise
from math import exp, log
from pathlib import Path
from typing import NamedTuple

from katachi.players.rated import Strength

TABLE_FILE = Path(__file__).with_name("rated9.json")


class Rung(NamedTuple):
    """One row of the table."""

    rating: float
    strength: Strength


@cache
def rungs() -> tuple[Rung, ...]:
    """The rows of the table, the weakest first; each is stronger than the one before."""
    rows = json.loads(TABLE_FILE.read_text(encoding="utf-8"))["rows"]
    return tuple(Rung(row.pop("rating"), Strength(**row)) for row in rows)


def strength_of(rating: float) -> Strength:
    """How to play at a rating; beyond the ends of the table as at its ends."""
    rows = rungs()
    if rating <= rows[0].rating:
        return rows[0].strength
    for low, high in pairwise(rows):
        if rating < high.rating:
            part = (rating - low.rating) / (high.rating - low.rating)
            return _between(low.strength, high.strength, part)
    return rows[-1].strength


def _between(low: Strength, high: Strength, part: float) -> Strength:
    """What lies so far from one strength to another; all but shares are drawn on a log scale."""

    def mean(one: float, other: float) -> float:
        return exp(log(one) + part * (log(other) - log(one)))

    return Strength(
        mean(low.temperature, high.temperature),
        mean(low.loss, high.loss),
        round(mean(low.visits, high.visits)),
        low.searched + part * (high.searched - low.searched),
    )
