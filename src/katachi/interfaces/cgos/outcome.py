"""What a result means to one of the players."""

from enum import Enum

from katachi.rules.color import BLACK, WHITE

RESIGNED = "resigned"
"""The result of a game that we gave up, where the server tells none."""
_WINNERS = {"B+": BLACK, "W+": WHITE}


class Outcome(Enum):
    """How a game ended for us."""

    WON = "won"
    LOST = "lost"
    DRAWN = "drawn"
    OPEN = "open"
    """Nobody told, or the game was broken off."""


def outcome_of(result: str, color: int | None) -> Outcome:
    """How a game with this result ended for the player of `color`; None for one we do not know."""
    if result == RESIGNED:
        return Outcome.LOST
    if result.lower().startswith(("draw", "0", "jigo")):
        return Outcome.DRAWN
    winner = _WINNERS.get(result[:2].upper())
    if winner is None or color is None:
        return Outcome.OPEN
    return Outcome.WON if winner == color else Outcome.LOST
