"""Games of a shape model with itself, from which it does not learn."""

from collections.abc import Generator

import numpy as np

from katachi.evaluators.local_shape import LocalShape
from katachi.rules.color import BLACK, WHITE
from katachi.rules.game import Game
from katachi.rules.random_play import random_states
from katachi.rules.ruleset import KoRule
from katachi.td.shape_learning import Learner, train_pair
from katachi.td.shape_memory import MOVES_A_POINT, GameSettings, new_game
from katachi.td.targets import ErrorRule

EXPLORING = 0.3
"""Share of random moves: bad shapes must be made, too, to be counted."""


def self_play(model: LocalShape, count: int) -> Generator[tuple[Game, int], None, None]:
    """Games of a model with itself and their winners; the same ones each time."""
    memory = new_game(model.tables, model.size, MOVES_A_POINT * model.size**2)
    still = np.zeros(1, np.uint8), np.zeros(len(model.sets))
    learner = Learner(model.weights[None], model.seen[None], *still, ErrorRule())
    settings = GameSettings(EXPLORING, 7.5, KoRule.POSITIONAL.value)
    for number in range(count):
        randoms = random_states(1, number, 1)
        moves = train_pair(memory, model.tables, learner, settings, randoms, number)
        game = Game(model.size)
        for point in memory.record[:moves].tolist():
            game.play(game.to_play, point)
        yield game, BLACK if game.area_score() > 0 else WHITE
