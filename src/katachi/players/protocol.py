"""The one interface of everything that can play."""

from enum import Enum
from typing import NamedTuple, Protocol, runtime_checkable

from katachi.errors import KatachiError
from katachi.players.clock import Clock
from katachi.rules.game import Game
from katachi.rules.point import Points
from katachi.search.analysis import Analysis
from katachi.search.tree_limits import Goal


class FailureKind(Enum):
    """How a player can fail to answer."""

    MISSING = "missing"
    """The program cannot be started."""
    CRASH = "crash"
    """It ended or closed its output."""
    HANG = "hang"
    """It gave no answer in time."""
    GARBAGE = "garbage"
    """Its answer is not in the form of the protocol, or it refused a command it must know."""
    ILLEGAL = "illegal"
    """It played where the rules forbid it."""


class PlayerFailure(KatachiError):
    """A player gave no legal answer; the text says which player and what happened."""

    def __init__(self, kind: FailureKind, text: str) -> None:
        super().__init__(text)
        self.kind = kind


class Choice(NamedTuple):
    """A player's answer: a point, PASS, or None to resign (or because it failed)."""

    point: int | None
    win_rate: float | None = None
    """The player's own opinion of its chances after the move, where it has one."""
    failure: PlayerFailure | None = None
    """Why there is no answer: a result of the game, not an exception."""


class Player(Protocol):
    """Answers "your move" for either colour. One player plays any number of games in turn.

    A player belongs to one thread at a time; several players, each in its own thread, may share
    evaluators and models, for all that a search remembers is the player's own.
    """

    name: str

    def choose(self, game: Game, color: int, seconds: float | None = None) -> Choice:
        """A move in this position, within `seconds` of thinking; the game is not changed."""
        ...

    def close(self) -> None:
        """Ends whatever the player has started; safe to call twice."""
        ...


@runtime_checkable
class Started(Protocol):
    """A player that must be started, which takes no time from its clock."""

    def start(self, game: Game) -> None:
        """Makes ready for a move in this game if that is still to be done; a failure shows in the
        move that follows."""
        ...


@runtime_checkable
class Timed(Protocol):
    """A player that keeps a clock of its own and wants to know what is left on it."""

    def tell_time(self, game: Game, color: int, clock: Clock) -> None:
        """Hears of the clock before a move; a failure shows in the move that follows."""
        ...


@runtime_checkable
class Seeded(Protocol):
    """A player that goes on from game to game and can be given a seed for each."""

    def reseed(self, seed: int) -> None:
        """Plays the next game by this seed."""
        ...


@runtime_checkable
class Following(Protocol):
    """A player that follows the results of its games."""

    def hear_result(self, *, is_won: bool) -> str:
        """Hears of a finished game that it won or lost; returns what it makes of it, in words."""
        ...


@runtime_checkable
class Analyst(Protocol):
    """A player that can also say what it thinks of the moves."""

    def analyse(self, game: Game, color: int, points: Points | None = None) -> Analysis:
        """The value of each move; of these points only, where given."""
        ...


@runtime_checkable
class Thinker(Protocol):
    """An analyst whose analysis grows with the time it is given."""

    def think(
        self, game: Game, color: int, seconds: float, points: Points | None = None
    ) -> Analysis:
        """The value of each move after so many more seconds; what was found before is kept."""
        ...


@runtime_checkable
class Searching(Thinker, Protocol):
    """A thinker that can be asked for a number of visits."""

    visits: int | None
    """Of the position before each move; None for as many as the time allows."""

    def analyse_to(
        self, goal: Goal, game: Game, color: int, points: Points | None = None
    ) -> Analysis:
        """The value of each move at the end of a search with this goal."""
        ...

    def use_threads(self, count: int) -> None:
        """Searches by so many threads from now on; raises KatachiError for a number that makes no
        sense."""
        ...
