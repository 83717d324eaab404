"""The simple evaluators keep the contract and score as the oracle does."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given

from katachi.evaluators.protocol import Evaluator
from katachi.evaluators.simple import (
    AverageLiberties,
    ConstantEvaluator,
    InfluenceEvaluator,
    score_average_liberties,
    score_influence,
)
from katachi.features.dilation import SCRATCH
from katachi.rules.board import Board
from katachi.rules.game import Game
from tests.checks import states_from_colors
from tests.oracle.games import colors_of_stones, random_games, stones_of
from tests.oracle.go import BLACK, Stones
from tests.oracle.players import average_liberties_score, influence_score

EVALUATORS = [ConstantEvaluator(), AverageLiberties(), InfluenceEvaluator()]


def scores_of(game: Game) -> tuple[int, int]:
    """(average liberties, influence) of the present position."""
    scores = np.zeros(2, np.int64)
    score_average_liberties(game.states.words, scores[:1])
    score_influence(game.states.words, scores[1:], np.zeros(SCRATCH, np.uint16))
    return int(scores[0]), int(scores[1])


@given(random_games(max_size=19, longest=150))
def test_scores_are_the_oracles(game: Game) -> None:
    stones = stones_of(game)
    expected = average_liberties_score(stones, game.size), influence_score(stones, game.size)
    assert scores_of(game) == expected


@pytest.mark.kernel
@given(random_games(max_size=5, longest=30))
def test_scores_are_the_oracles_on_small_boards(game: Game) -> None:
    stones = stones_of(game)
    expected = average_liberties_score(stones, game.size), influence_score(stones, game.size)
    assert scores_of(game) == expected


def test_average_liberties_counts_whole_tenths_of_the_mean() -> None:
    board = Board.from_diagram(
        """
        X . . .
        . . . .
        . X X .
        . . . O
        """
    )
    # Black: 2 and 6 liberties, mean 4.0; White: 2.
    scores = np.zeros(1, np.int64)
    score_average_liberties(board.words[None], scores)
    assert scores[0] == 40 - 20


def comb(teeth: int, size: int) -> Stones:
    """A comb of Black stones: the longer, the more liberties its one block has."""
    stones = {(row, col): BLACK for row in range(0, 2 * teeth, 2) for col in range(size)}
    return stones | {(row, 0): BLACK for row in range(2 * teeth - 1)}


@pytest.mark.parametrize(
    ("evaluator", "score"),
    [(AverageLiberties(), average_liberties_score), (InfluenceEvaluator(), influence_score)],
    ids=["average liberties", "influence"],
)
def test_a_better_score_is_a_higher_value_even_where_one_side_has_all(
    evaluator: Evaluator, score: Callable[[Stones, int], int]
) -> None:
    combs = sorted((comb(teeth, 25) for teeth in range(1, 13)), key=lambda c: score(c, 25))
    scores = [score(stones, 25) for stones in combs]
    colors = [np.array(colors_of_stones(stones, 25), np.uint8) for stones in combs]
    values = evaluator.evaluate(states_from_colors(colors, 25)).value
    assert scores[-1] > 800
    assert (np.diff(values)[np.diff(scores) > 0] > 0).all()
