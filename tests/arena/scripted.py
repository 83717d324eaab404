"""Players that follow a script."""

import time
from collections.abc import Sequence

from katachi.players.protocol import Choice, FailureKind, PlayerFailure
from katachi.rules.game import Game
from katachi.rules.point import PASS


class Script:
    """Plays the moves of a list: the entry of each move is its place in the game."""

    def __init__(
        self, points: Sequence[int], name: str = "script", rate: float | None = None
    ) -> None:
        self.points = points
        self.name = name
        self.rate = rate

    def choose(self, game: Game, color: int, seconds: float | None = None) -> Choice:
        place = len(game.moves)
        return Choice(self.points[place] if place < len(self.points) else PASS, self.rate)

    def close(self) -> None:
        pass


class Fails(Script):
    """Gives no answer, with its reason."""

    def __init__(self, kind: FailureKind) -> None:
        super().__init__([], "failing")
        self.kind = kind

    def choose(self, game: Game, color: int, seconds: float | None = None) -> Choice:
        return Choice(None, failure=PlayerFailure(self.kind, "failing: it failed"))


class Resigns(Script):
    """Has had enough."""

    def choose(self, game: Game, color: int, seconds: float | None = None) -> Choice:
        return Choice(None)


class Thinks(Script):
    """Uses all the time it is given."""

    def choose(self, game: Game, color: int, seconds: float | None = None) -> Choice:
        end = time.perf_counter() + (seconds or 0.0)
        while time.perf_counter() < end:
            pass
        return super().choose(game, color, seconds)


class Sleeps(Script):
    """Takes longer than it may."""

    def choose(self, game: Game, color: int, seconds: float | None = None) -> Choice:
        time.sleep(0.5)
        return super().choose(game, color, seconds)
