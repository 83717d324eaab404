"""How a game ended, as the RE property of a record says it."""

import re
from dataclasses import dataclass
from enum import IntEnum

from katachi.rules.color import BLACK, EMPTY, WHITE


class Ending(IntEnum):
    """What decided a game."""

    UNKNOWN = 0
    """Nothing recorded, or a text that says nothing."""
    COUNT = 1
    """The score was counted; a draw counts as such."""
    RESIGN = 2
    TIME = 3
    FORFEIT = 4
    WON = 5
    """Won, but neither the margin nor the reason is recorded."""
    VOID = 6
    """No result: suspended, or repetition without end."""


@dataclass(frozen=True, slots=True)
class Result:
    """The winner (BLACK, WHITE, or EMPTY for nobody), what decided it, and the margin if counted.

    A draw is a COUNT with winner EMPTY and margin 0.
    """

    winner: int = EMPTY
    ending: Ending = Ending.UNKNOWN
    margin: float | None = None

    @property
    def is_decided(self) -> bool:
        """Whether one of the players won."""
        return self.winner != EMPTY

    def __str__(self) -> str:
        """The text of an RE property."""
        return text_from_result(self)


_WON = re.compile(r"\s*([BW])(?:lack|hite)?\s*\+\s*(.*)", re.IGNORECASE | re.DOTALL)
_MARGIN = re.compile(r"(\d{1,4}(?:[.,]\d{1,4})?)\b")
_ENDING_BY_LETTER = {"r": Ending.RESIGN, "t": Ending.TIME, "f": Ending.FORFEIT}
_SUFFIX = {Ending.RESIGN: "R", Ending.TIME: "T", Ending.FORFEIT: "F", Ending.WON: ""}


def result_from_text(text: str) -> Result:
    """The result an RE text tells: `B+3.5`, `W+R`, `0`, `Draw`, `Void`, `?` ...; never raises."""
    match = _WON.match(text)
    if match:
        return _win_from_text(BLACK if match[1] in "Bb" else WHITE, match[2].strip())
    word = text.strip().lower()
    if word in ("0", "draw", "jigo"):
        return Result(EMPTY, Ending.COUNT, 0.0)
    return Result(EMPTY, Ending.VOID if word == "void" else Ending.UNKNOWN)


def _win_from_text(winner: int, how: str) -> Result:
    margin = _MARGIN.match(how)
    if margin is None:
        return Result(winner, _ENDING_BY_LETTER.get(how[:1].lower(), Ending.WON))
    points = float(margin[1].replace(",", "."))
    # B+0 is written by programs for a win without a recorded margin, not for a draw.
    return Result(winner, Ending.COUNT, points) if points else Result(winner, Ending.WON)


def result_from_score(score: float) -> Result:
    """The result of a counted game in which Black is ahead by so many points."""
    winner = EMPTY if score == 0 else BLACK if score > 0 else WHITE
    return Result(winner, Ending.COUNT, abs(score))


def text_from_result(result: Result) -> str:
    """The RE text of a result; an unknown result is the empty text."""
    if result.winner == EMPTY:
        return {Ending.COUNT: "0", Ending.VOID: "Void"}.get(result.ending, "")
    name = "B+" if result.winner == BLACK else "W+"
    if result.ending == Ending.COUNT and result.margin is not None:
        return f"{name}{result.margin:g}"
    return name + _SUFFIX.get(result.ending, "")
