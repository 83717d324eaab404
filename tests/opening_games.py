"""Random openings on small boards, for tests."""

import numpy as np

from katachi.records.openings import Opening, Style
from katachi.rules.game import Game


def random_opening(
    number: int, moves: int, size: int = 5, judgement: float | None = None
) -> Opening:
    """So many random moves; judged by chance by default."""
    source = np.random.default_rng((number, moves, size))
    game = Game(size)
    while len(game.moves) < moves:
        game.play(game.to_play, int(source.choice(game.legal_moves(game.to_play))))
    points = np.array([move.point for move in game.moves], np.uint16)
    z = float(source.integers(-1, 2)) if judgement is None else judgement
    return Opening(size=size, moves=points, style=Style.MISC, game=number, judgement=z)


def random_openings(count: int, moves: int, size: int = 5) -> list[Opening]:
    """Several of them."""
    return [random_opening(number, moves, size) for number in range(count)]
