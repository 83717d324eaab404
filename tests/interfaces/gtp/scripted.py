"""A player that answers by the book."""

from katachi.errors import KatachiError
from katachi.interfaces.gtp import EngineOptions
from katachi.players.protocol import Choice
from katachi.rules.game import Game

Answer = int | None | Exception


class ScriptedPlayer:
    """Gives the answers of a list, and the last one for ever; an exception is raised."""

    def __init__(self, answers: list[Answer]) -> None:
        self.name = "scripted"
        self.answers = answers
        self.seconds: list[float | None] = []
        self.closings = 0

    def choose(self, game: Game, color: int, seconds: float | None = None) -> Choice:
        self.seconds.append(seconds)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Exception):
            raise answer
        return Choice(answer)

    def close(self) -> None:
        self.closings += 1


def options_for(*answers: Answer) -> EngineOptions:
    """An engine on a 9x9 board whose player gives these answers."""
    return options_with(ScriptedPlayer(list(answers)))


def options_with(player: ScriptedPlayer) -> EngineOptions:
    """An engine on a 9x9 board around this player."""
    return EngineOptions(size=9, make_player=lambda _name, _seed: player)


FAILURE = KatachiError("the program has ended")
