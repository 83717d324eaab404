"""How a game in the arena ended."""

from dataclasses import dataclass, field
from enum import Enum

from katachi.records.record import GameRecord
from katachi.records.result import Ending as RecordedEnding
from katachi.records.result import Result
from katachi.rules.color import EMPTY


class Ending(Enum):
    """What decided a game."""

    SCORE = "score"
    """Two passes, and the board was counted; a draw has no winner."""
    RESIGN = "resign"
    TIME = "time"
    ILLEGAL = "illegal"
    CRASH = "crash"
    HANG = "hang"
    GARBAGE = "garbage"
    MISSING = "missing"
    LIMIT = "limit"
    """So many moves that the game was stopped; nobody wins."""


_RECORDED = {
    Ending.SCORE: RecordedEnding.COUNT,
    Ending.RESIGN: RecordedEnding.RESIGN,
    Ending.TIME: RecordedEnding.TIME,
    Ending.LIMIT: RecordedEnding.VOID,
}


@dataclass(frozen=True, slots=True)
class Outcome:
    """One finished game."""

    winner: int
    """BLACK, WHITE, or EMPTY for a draw or a game without a result."""
    ending: Ending
    margin: float | None
    """Points the winner is ahead by, where the board was counted."""
    reason: str
    """In words, where there is more to say than the ending does: who failed and how."""
    record: GameRecord
    evaluations: tuple[float | None, ...] = ()
    """Black's chance of winning after each move, as far as the mover gave its opinion."""
    seconds: dict[int, float] = field(default_factory=dict)
    """Thinking time of each colour."""

    @property
    def is_decided(self) -> bool:
        """Whether the game counts: it was won or drawn, not stopped."""
        return self.ending != Ending.LIMIT


def recorded_result(winner: int, ending: Ending, margin: float | None) -> Result:
    """The result as a game record gives it: a failed program forfeits."""
    kind = _RECORDED.get(ending, RecordedEnding.FORFEIT)
    return Result(winner, kind, margin if ending == Ending.SCORE else None)


def score_of(outcome: Outcome, color: int) -> float:
    """1 if `color` won, 0 if it lost, one half for a draw."""
    if outcome.winner == EMPTY:
        return 0.5
    return float(outcome.winner == color)
