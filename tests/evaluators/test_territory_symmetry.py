"""Shipped territory models know no favourite colour and no favourite corner."""

from itertools import product

import numpy as np
import pytest

from katachi.evaluators.shipped import load_territory
from katachi.evaluators.territory import Territory
from katachi.rules.color import BLACK, WHITE
from katachi.rules.game import Game
from katachi.rules.symmetry import SYMMETRIES, index_tables
from tests.checks import assert_close
from tests.features.recorded_games import RecordedGame
from tests.features.test_board_views import turned

MODELS = (
    "owners9",
    "literal9",
    "paper9",
    "territory9",
    "moves9",
    "moves9_3166",
    "small19",
    "moves19",
    "owners19",
)
SIZES = range(5, 20)
WITHIN = 3e-5
"""Logits reach 10, and convolutions in tiles round them in the sixth digit."""
Sides = list[tuple[int, bool]]


def check_sides(model: Territory, game: Game, sides: Sides) -> None:
    """Owners, chances and moves of the turned game are the turned ones, and exchanged colours
    exchange them."""
    owned = model.evaluate(game.states).ownership
    moves = model.move_scores(game.states, np.array([BLACK])) if model.predicts_moves else None
    for symmetry, is_swapped in sides:
        other = turned(game, symmetry, is_swapped=is_swapped)
        order = index_tables(game.size)[symmetry]
        if owned is not None:
            expected = 1 - owned[:, order] if is_swapped else owned[:, order]
            assert_close(model.evaluate(other.states).ownership, expected, WITHIN)
        if moves is not None:
            mover = WHITE if is_swapped else BLACK
            scores = model.move_scores(other.states, np.array([mover]))
            assert_close(scores, moves[:, order], WITHIN)


@pytest.mark.parametrize("name", MODELS)
def test_turned_and_swapped_positions_are_judged_alike(name: str) -> None:
    model = load_territory(name)
    for size in SIZES:
        game = RecordedGame(size, size, size * size // 2).game
        check_sides(model, game, [(size % SYMMETRIES, size % 3 > 0)])


@pytest.mark.slow
@pytest.mark.parametrize("name", MODELS)
def test_all_sides_of_all_positions_are_judged_alike(name: str) -> None:
    sides = list(product(range(SYMMETRIES), (False, True)))
    for size in SIZES:
        for length in (1, 4, size * size // 3, size * size):
            check_sides(load_territory(name), RecordedGame(size, length, length).game, sides)


@pytest.mark.parametrize("name", MODELS)
def test_the_empty_board_is_even(name: str) -> None:
    model = load_territory(name)
    for size in SIZES:
        states = Game(size).states
        owned = model.evaluate(states).ownership
        if owned is not None:
            np.testing.assert_allclose(owned, 0.5, rtol=0, atol=1e-6)
        if model.predicts_moves:
            black, white = (model.move_scores(states, np.array([c])) for c in (BLACK, WHITE))
            np.testing.assert_allclose(black, white, rtol=0, atol=WITHIN)
            assert np.ptp(black[0][index_tables(size)], axis=0).max() < WITHIN
