"""What a model sees in a position, and what a move changes: exact, to the last unit."""

import random

import numpy as np
import pytest

from katachi.errors import IllegalMove, KatachiError
from katachi.evaluators.shape_reading import MoveReading, ShapeReader, read_move
from katachi.features.shape_contents import SeenPosition, Shape, shape_of_weight
from katachi.features.units import UNIT
from katachi.rules.board import Board
from katachi.rules.color import COLOR_NAMES
from katachi.rules.game import Game
from katachi.rules.point import PASS, point_from_vertex
from tests.evaluators.shape_models import random_model
from tests.oracle.games import play_random_move
from tests.oracle.go import BLACK, WHITE

MODEL = random_model()


def random_game(moves: int, seed: int = 1) -> Game:
    game, source = Game(MODEL.size), random.Random(seed)
    for _ in range(moves):
        play_random_move(game, source)
    return game


@pytest.mark.parametrize("moves", [0, 1, 12, 40])
@pytest.mark.parametrize("color", [BLACK, WHITE])
def test_a_reading_is_what_the_model_predicts(moves: int, color: int) -> None:
    game = random_game(moves)
    reading = ShapeReader(MODEL).read(game.words, color)
    sums = np.zeros(len(MODEL.sets), np.int64)
    np.add.at(sums, MODEL.tables.slot_set, MODEL.weights[reading.weights])
    assert reading.sums.tolist() == sums.tolist()
    game.play(3 - color, PASS)  # so that the next pass is by `color`
    game.play(color, PASS)
    assert MODEL.predict(game.states)[0].tolist() == sums.tolist()


def test_a_shape_has_one_weight_and_an_exact_weight_one_shape() -> None:
    reader = ShapeReader(MODEL)
    weights: dict[Shape, int] = {}
    for seed in range(8):
        game = random_game(6 * seed, seed)
        for color in (BLACK, WHITE):
            used = reader.read(game.words, color).weights.tolist()
            seen = SeenPosition(game.colors, game.size, color)
            for slot, weight in zip(reader.slots, used, strict=True):
                shape = reader.shape_in(slot, seen)
                assert weights.setdefault(shape, weight) == weight
                if not shape.shape_set.is_hashed:
                    assert shape_of_weight(MODEL.sets, 5, MODEL.bins, weight) == shape


def test_another_board_size_is_refused() -> None:
    with pytest.raises(KatachiError, match="for 5x5 boards, not 9x9"):
        ShapeReader(MODEL).read(Game(9).words, BLACK)


def check_sums(reading: MoveReading) -> None:
    """The parts of a difference are exactly the difference."""
    assert sum(change.change for change in reading.changes) == reading.difference
    assert sum(reading.by_set) == reading.difference
    assert reading.heat.sum() * UNIT == pytest.approx(reading.difference * UNIT, abs=1e-9)


@pytest.mark.parametrize("moves", [0, 5, 20, 45])
def test_changes_add_up_exactly_for_every_move(moves: int) -> None:
    game, reader = random_game(moves, seed=moves), ShapeReader(MODEL)
    for color in (BLACK, WHITE):
        before = reader.read(game.words, color).sums.sum()
        for point in [PASS, *game.legal_moves(color).tolist()]:
            after = game.copy()
            after.play(color, point)
            reading = read_move(reader, game, color, point)
            assert reading.before == before
            assert reading.after == MODEL.predict(after.states).sum(), COLOR_NAMES[color]
            check_sums(reading)
    assert len(game.moves) == moves


CAPTURE = """
. X . . .
X O X . .
O O O X .
X X . . .
. . . . .
"""


def test_a_capture_changes_shapes_at_the_stones_that_are_gone() -> None:
    game = Game(5)
    board = Board.from_diagram(CAPTURE)
    game.place_setup(board.points_of_color(BLACK), board.points_of_color(WHITE))
    point = point_from_vertex("C2", 5)
    reading = read_move(ShapeReader(MODEL), game, BLACK, point)
    check_sums(reading)
    singles = [each for each in reading.changes if each.shape.shape_set.name == "1x1:LI"]
    assert sorted(len(each.gone) - len(each.come) for each in singles) == [-3, -1, 4]
    assert reading.heat[0] != 0  # the corner, empty before and after, has other neighbours


def test_shapes_have_come_where_they_stand_after_the_move() -> None:
    reading = read_move(ShapeReader(MODEL), Game(5), BLACK, point_from_vertex("C3", 5))
    stone, empty = (
        next(c for c in reading.changes if c.shape.shape_set.name == "1x1:LI" and c.more == more)
        for more in (1, -1)
    )
    assert [window.cells for window in stone.come] == [(12,)]
    assert (stone.gone, empty.come) == ((), ())
    assert [window.cells for window in empty.windows] == [(12,)]


def test_a_pass_changes_nothing_and_an_illegal_move_is_refused() -> None:
    game = random_game(20)
    reading = read_move(ShapeReader(MODEL), game, BLACK, PASS)
    assert (reading.difference, reading.changes) == (0, [])
    assert not reading.heat.any()
    stone = game.board.points_of_color(WHITE)[0]
    with pytest.raises(IllegalMove):
        read_move(ShapeReader(MODEL), game, BLACK, stone)
