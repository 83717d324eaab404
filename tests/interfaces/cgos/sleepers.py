"""Players that take their time, or more, and one that stumbles."""

import threading

from katachi.players.protocol import Choice, Player
from katachi.players.roster import make_player
from katachi.rules.game import Game

TRY_OUT_SIZE = 9
"""The board on which a client tries its player out; misbehaving waits for another."""


class Sleeper:
    """Thinks as long as it may, but no longer than `longest`, and `extra` seconds more."""

    def __init__(self, longest: float = 1000.0, extra: float = 0.0) -> None:
        self.name = "sleeper"
        self.longest = longest
        self.extra = extra
        self.budgets: list[float | None] = []
        self._player: Player = make_player("random", 7)
        self._woken = threading.Event()

    def choose(self, game: Game, color: int, seconds: float | None = None) -> Choice:
        self.budgets.append(seconds)
        extra = 0.0 if game.size == TRY_OUT_SIZE else self.extra
        self._woken.wait(min(seconds or 0.0, self.longest) + extra)
        return self._player.choose(game, color)

    def close(self) -> None:
        self._woken.set()


class Stumbler:
    """Gives the answers of a list, and the last one for ever; an exception is raised."""

    def __init__(self, *answers: Choice | Exception) -> None:
        self.name = "stumbler"
        self.answers = list(answers)

    def choose(self, game: Game, color: int, seconds: float | None = None) -> Choice:
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Exception):
            raise answer
        return answer

    def close(self) -> None:
        pass


def unhurried() -> Sleeper:
    """A player slow enough for a test to act during its games."""
    return Sleeper(longest=0.02)
