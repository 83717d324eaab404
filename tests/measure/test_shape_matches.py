"""The test opponent inside the kernel plays as the average liberties player does."""

import random

import numpy as np
import pytest

from katachi.evaluators.simple import score_average_liberties
from katachi.measure.shape_matches import score_moves_by_liberties
from katachi.rules.color import BLACK
from katachi.rules.game import Game
from katachi.search.afterstates import afterstates, sensible_moves
from tests.oracle.games import play_random_move
from tests.rules.meaning import assert_same_meaning, meaning_of


@pytest.mark.kernel
@pytest.mark.parametrize("size", [3, 5, 9])
def test_a_move_scores_as_the_position_after_it(size: int) -> None:
    source = random.Random(size)
    for _ in range(3):
        game = Game(size)
        while not game.is_over and len(game.moves) < 2 * size * size:
            color = game.to_play
            moves = sensible_moves(game, color)
            before = meaning_of(game.words)
            values = np.zeros(len(moves), np.int64)
            score_moves_by_liberties(
                game.words, color, moves, len(moves), np.zeros(4, np.int64), values
            )
            if len(moves):
                scores = np.zeros(len(moves), np.int64)
                score_average_liberties(afterstates(game, color, moves).states.words, scores)
                assert values.tolist() == (scores if color == BLACK else -scores).tolist()
            assert_same_meaning(meaning_of(game.words), before)
            play_random_move(game, source)
