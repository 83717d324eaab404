"""The one interface of everything that can play."""

from typing import NamedTuple, Protocol, runtime_checkable

from katachi.rules.game import Game
from katachi.rules.point import Points
from katachi.search.analysis import Analysis


class Choice(NamedTuple):
    """A player's answer: a point, PASS, or None to resign."""

    point: int | None
    win_rate: float | None = None
    """The player's own opinion of its chances after the move, where it has one."""


class Player(Protocol):
    """Answers "your move" for either colour. One player plays any number of games in turn."""

    name: str

    def choose(self, game: Game, color: int, seconds: float | None = None) -> Choice:
        """A move in this position, within `seconds` of thinking; the game is not changed.

        Raises PlayerFailure when no answer can be had.
        """
        ...

    def close(self) -> None:
        """Ends whatever the player has started; safe to call twice."""
        ...


@runtime_checkable
class Analyst(Protocol):
    """A player that can also say what it thinks of the moves."""

    def analyse(self, game: Game, color: int, points: Points | None = None) -> Analysis:
        """What each move is worth; of these points only, where given."""
        ...
