"""A player that opens by an opening net and then hands over to another one."""

from katachi.evaluators.opening_net import OpeningNet
from katachi.players.clock import Clock
from katachi.players.evaluating import EvaluatingPlayer
from katachi.players.protocol import Choice, Player, Timed
from katachi.rules.game import Game


class OpeningPlayer:
    """Plays the first moves of a game by a net, the rest as its successor does.

    Moves of both sides count. Where the board is not the net's, the successor plays them all.
    """

    def __init__(
        self, name: str, net: OpeningNet, successor: Player, seed: int = 0, moves: int | None = None
    ) -> None:
        """A player; equal seeds open alike. It opens for as many moves as the net learned from
        unless told otherwise."""
        self.name = name
        self.moves = net.moves if moves is None else moves
        self.successor = successor
        self._net = net
        self._opener = EvaluatingPlayer(name, net, seed)

    def choose(self, game: Game, color: int, seconds: float | None = None) -> Choice:
        """The net's choice in the opening, the successor's after it."""
        is_opening = game.size == self._net.inputs.size and len(game.moves) < self.moves
        player = self._opener if is_opening else self.successor
        return player.choose(game, color, seconds)

    def tell_time(self, game: Game, color: int, clock: Clock) -> None:
        """The successor hears of the clock, if it keeps one."""
        if isinstance(self.successor, Timed):
            self.successor.tell_time(game, color, clock)

    def close(self) -> None:
        """Ends the successor."""
        self.successor.close()
