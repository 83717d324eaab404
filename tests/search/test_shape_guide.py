"""The guide of random games by local shape: gains are those of the model, and colours alike."""

import gc
import weakref

import numpy as np
import pytest

from katachi.evaluators.local_shape import LocalShape
from katachi.features.shape_sets import parse_sets
from katachi.rules.board import Board
from katachi.rules.color import BLACK, WHITE
from katachi.rules.game import Game
from katachi.rules.point import PASS, point_from_vertex
from katachi.search.guided_moves import surroundings_of
from katachi.search.shape_guide import guide_of, shape_gains


def model_of(seed: int = 1) -> LocalShape:
    model = LocalShape(parse_sets("1x1-3x3:LI+LD"), 5)
    source = np.random.default_rng(seed)
    model.weights[:] = source.integers(-(1 << 24), 1 << 24, len(model.weights))
    return model


def gain_by_values(model: LocalShape, board: Board, point: int) -> float:
    """What Black's own view of the position gains, by whole values."""
    logits = []
    for move in (PASS, point):
        game = Game(5)
        game.place_setup(board.points_of_color(BLACK), board.points_of_color(WHITE))
        game.play(BLACK, move)
        logit = model.evaluate(game.states).logit
        assert logit is not None
        logits.append(float(logit[0]))
    return logits[1] - logits[0]


@pytest.mark.parametrize(
    ("diagram", "vertex"),
    [
        (".....\n.XO..\n.....\n.OX..\n.....", "C3"),
        (".....\n.OOO.\n.X.X.\n.OXO.\n.....", "C3"),
        (".X...\n.OX..\n.....\n.....\n.....", "C5"),
        (".....\n.....\n.....\nX....\n.O...", "A1"),
    ],
)
def test_gains_are_those_of_the_model(diagram: str, vertex: str) -> None:
    model, board = model_of(), Board.from_diagram(diagram)
    point = point_from_vertex(vertex, 5)
    gains = shape_gains(model)
    found = gains[surroundings_of(board.words, point)]
    assert found == pytest.approx(gain_by_values(model, board, point))


def test_both_colours_see_the_same_with_colours_exchanged() -> None:
    guide = guide_of(model_of())
    board = Board.from_diagram(".....\n.XO..\n.....\n.OX..\n.....")
    other = Board.from_diagram(".....\n.OX..\n.....\n.XO..\n.....")
    point = point_from_vertex("C3", 5)
    black = guide[BLACK - 1, surroundings_of(board.words, point)]
    assert guide[WHITE - 1, surroundings_of(other.words, point)] == black
    assert guide.min() >= 1


def test_a_model_has_one_guide() -> None:
    model = model_of()
    assert guide_of(model) is guide_of(model)
    assert guide_of(model_of(2)) is not guide_of(model)


def test_a_model_is_not_kept_for_its_guide() -> None:
    model = model_of()
    guide_of(model)
    seen = weakref.ref(model)
    del model
    gc.collect()
    assert seen() is None


def test_extreme_weights_make_a_guide_too() -> None:
    model = model_of()
    model.weights[:] *= 1000
    guide = guide_of(model)
    assert (guide.min(), guide.max()) == (1, 255)
