"""A player that looks several moves ahead."""

import numpy as np

from katachi.players.protocol import Choice
from katachi.rules.game import Game
from katachi.search.alphabeta import Searcher


class SearchingPlayer:
    """Plays the best move that its searcher finds, one of several equals by chance.

    With a fixed depth equal seeds play equal games, unless a clock stops the search earlier;
    without one it thinks as long as it may. It passes only when there is no legal move that fills
    no own eye, and never resigns.
    """

    def __init__(
        self, name: str, searcher: Searcher, seed: int = 0, depth: int | None = None
    ) -> None:
        """A player; `depth` is how many plies it looks ahead, or None to use the time."""
        self.name = name
        self.searcher = searcher
        self.depth = depth
        self._random = np.random.default_rng(seed % (1 << 64))

    def choose(self, game: Game, color: int, seconds: float | None = None) -> Choice:
        """The best move found within `seconds`."""
        result = self.searcher.search(game, color, seconds, self.depth, self._random)
        return Choice(result.move, result.value)

    def close(self) -> None:
        """Nothing to end."""
