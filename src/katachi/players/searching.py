"""A player that looks several moves ahead."""

import numpy as np

from katachi.errors import KatachiError
from katachi.evaluators.simple import ConstantEvaluator
from katachi.players.protocol import Choice
from katachi.rules.color import BLACK
from katachi.rules.game import Game
from katachi.rules.point import Points
from katachi.search.alphabeta import Searcher, SearchResult
from katachi.search.analysis import Analysis, Candidate, black_ownership


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
        self._latest: tuple[object, SearchResult] | None = None

    def choose(self, game: Game, color: int, seconds: float | None = None) -> Choice:
        """The best move found within `seconds`."""
        result = self.searcher.search(game, color, seconds, self.depth, self._random)
        self._latest = place_of(game, color), result
        return Choice(result.move, result.value)

    def analyse(self, game: Game, color: int, points: Points | None = None) -> Analysis:
        """The best move, its chance and the line that is expected to follow; what was found for a
        move just chosen is not searched again. Raises KatachiError for a move that is left out."""
        latest = self._latest
        if latest is None or latest[0] != place_of(game, color):
            self.choose(game, color)
            latest = self._latest
        assert latest is not None
        result = latest[1]
        if points is not None and result.move not in points:
            raise KatachiError(f"the player {self.name} searches all moves or none")
        owned = (
            2.0 * black_ownership(game.states, ConstantEvaluator().evaluate(game.states))[0] - 1.0
        )
        best = Candidate(
            *(result.move, result.value, None, 1.0, max(1, result.nodes), 1), result.line[1:]
        )
        sided = owned if color == BLACK else -owned
        return Analysis([best], result.value, None, sided, False, {result.move: 1.0}, {})

    def close(self) -> None:
        """Nothing to end."""


def place_of(game: Game, color: int) -> object:
    """What a search looks at: two games that agree in it are searched alike."""
    return game.size, game.komi, game.rules, game.hash, tuple(game.moves), color
