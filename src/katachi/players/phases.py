"""Several players in one: each plays the part of the game that it is good at."""

from typing import NamedTuple

from katachi.players.clock import Clock
from katachi.players.protocol import Analyst, Choice, Player, Started, Timed
from katachi.rules.game import Game
from katachi.rules.point import Points
from katachi.rules.state import EMPTY_COUNT
from katachi.search.analysis import Analysis


class Limits(NamedTuple):
    """How far a part of a game goes; None where there is no limit."""

    move: int | None = None
    """The last move."""
    percent: int | None = None
    """The share of the board at which stones stand where it ends."""
    size: int | None = None
    """The largest board."""
    least: int | None = None
    """The smallest board."""

    def hold(self, game: Game) -> bool:
        """Whether the next move of a game is in this part."""
        points = game.size * game.size
        stones = points - int(game.words[EMPTY_COUNT])
        return (
            (self.move is None or len(game.moves) < self.move)
            and (self.percent is None or 100 * stones < self.percent * points)
            and (self.size is None or game.size <= self.size)
            and (self.least is None or game.size >= self.least)
        )


class Part(NamedTuple):
    """A part of a game and who plays it."""

    limits: Limits
    player: Player


class PhasesPlayer:
    """Lets the first player move whose part the game is in; the last one's has no limits."""

    def __init__(self, name: str, parts: list[Part]) -> None:
        """A player; `parts` are asked in order."""
        self.name = name
        self.parts = parts

    def player_of(self, game: Game) -> Player:
        """Who makes the next move."""
        return next(part.player for part in self.parts if part.limits.hold(game))

    def choose(self, game: Game, color: int, seconds: float | None = None) -> Choice:
        """The choice of the player whose part it is."""
        return self.player_of(game).choose(game, color, seconds)

    def start(self, game: Game) -> None:
        """Starts the player whose part it is, if that is needed."""
        player = self.player_of(game)
        if isinstance(player, Started):
            player.start(game)

    def tell_time(self, game: Game, color: int, clock: Clock) -> None:
        """Tells the player whose part it is what is left, if it keeps a clock of its own."""
        player = self.player_of(game)
        if isinstance(player, Timed):
            player.tell_time(game, color, clock)

    def close(self) -> None:
        """Ends what the players have started."""
        for part in self.parts:
            part.player.close()


class AnalysingPhases(PhasesPlayer):
    """The same of players who all say what they think of moves."""

    def analyse(self, game: Game, color: int, points: Points | None = None) -> Analysis:
        """What the player whose part it is thinks."""
        player = self.player_of(game)
        assert isinstance(player, Analyst)
        return player.analyse(game, color, points)


def join_players(name: str, parts: list[Part]) -> PhasesPlayer:
    """One player of several, an Analyst if all of them are."""
    knows = all(isinstance(part.player, Analyst) for part in parts)
    return (AnalysingPhases if knows else PhasesPlayer)(name, parts)
