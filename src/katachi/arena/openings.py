"""Random openings: the same for both games of a pair."""

import numpy as np

from katachi.arena.settings import GameSettings
from katachi.rules.game import Game, Move
from katachi.rules.point import Points, row_col_from_point
from katachi.search.afterstates import sensible_moves


def sample_opening(settings: GameSettings, seed: int, number: int) -> list[Move]:
    """Opening `number` of a run: alternating random moves, none on the edge of the board."""
    random = np.random.default_rng((seed % (1 << 64), number))
    game = Game(settings.size, settings.komi, settings.rules)
    while len(game.moves) < settings.opening_moves:
        points = sensible_moves(game, game.to_play)
        inner = points[~_is_edge(points, settings.size)]
        choices = inner if len(inner) else points
        if len(choices) == 0:
            break
        game.play(game.to_play, int(random.choice(choices)))
    return game.moves


def _is_edge(points: Points, size: int) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    places = [row_col_from_point(int(point)) for point in points]
    edge = (0, size - 1)
    return np.array([row in edge or col in edge for row, col in places], np.bool_)
