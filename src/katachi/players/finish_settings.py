"""When an engine stops: how its games will be counted, whether it passes early, when it resigns.

Nothing here imports NumPy, so that an engine knows its settings before the rules are loaded.
"""

import math
from dataclasses import dataclass, replace
from enum import Enum

from katachi.errors import KatachiError

NEVER = "never"
"""The word for a chance of 0: an engine that does not resign."""
RESIGN_CHANCE = 0.05
_MOST_CHANCE = 0.5


class Counting(Enum):
    """How a game is counted after two passes."""

    AGREED = "agreed"
    """Area, dead stones taken off: between people, and in Go clients."""
    ALL_ALIVE = "all-alive"
    """Area, every stone that is left is alive: Tromp-Taylor rules, CGOS, matches here."""
    JAPANESE = "japanese"
    """Territory and captured stones, dead stones taken off."""


_BY_RULES = {
    "cgos": Counting.ALL_ALIVE,
    "tromp-taylor": Counting.ALL_ALIVE,
    "tromptaylor": Counting.ALL_ALIVE,
    "japanese": Counting.JAPANESE,
    "korean": Counting.JAPANESE,
}


def counting_of_rules(name: str) -> Counting:
    """How games under the rules of that name are counted."""
    return _BY_RULES.get(name.strip().lower().replace("_", "-"), Counting.AGREED)


def counting_from_text(text: str) -> Counting:
    """The counting of that name; raises KatachiError for any other text."""
    try:
        return Counting(text.strip().lower().replace("_", "-"))
    except ValueError:
        names = ", ".join(each.value for each in Counting)
        raise KatachiError(f"no counting {text[:40]!r}: choose from {names}") from None


def chance_from_text(text: str) -> float:
    """The chance below which to resign: a number, or `never` for 0; raises KatachiError."""
    if text.strip().lower() == NEVER:
        return 0.0
    try:
        chance = float(text)
    except ValueError:
        chance = math.nan
    return check_chance(chance, text)


def check_chance(chance: float, shown: object = None) -> float:
    """`chance` itself; raises KatachiError unless it is one that a player may resign at."""
    if not 0 <= chance <= _MOST_CHANCE:
        text = str(chance if shown is None else shown)[:40]
        raise KatachiError(
            f"cannot resign below a chance of {text!r}: use 0 to {_MOST_CHANCE:g}, or {NEVER}"
        )
    return chance


def text_from_chance(chance: float) -> str:
    """The chance as it is typed."""
    return f"{chance:g}" if chance else NEVER


@dataclass(frozen=True)
class FinishSettings:
    """When to pass and when to resign."""

    passes: bool = True
    """Whether to pass before the last sensible move has been played."""
    resign: float = RESIGN_CHANCE
    """Resign when the chance to win is below this for several moves; 0 never."""
    counting: Counting = Counting.AGREED

    def __post_init__(self) -> None:
        """Raises KatachiError for a chance that cannot be resigned at."""
        check_chance(self.resign)

    def to_the_end(self) -> "FinishSettings":
        """The same for servers that score to the end: all stones are alive, nobody resigns."""
        return replace(self, counting=Counting.ALL_ALIVE, resign=0.0)
