"""Liberty shapes followed move by move are those read from the board, and those of the oracle."""

import random
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from katachi.evaluators.local_shape import LocalShape
from katachi.features.masks import count_outside, next_bit, words_of
from katachi.features.shape_sets import TEMPLATES, Family, Location, ShapeSet, parse_sets
from katachi.features.shape_tables import layout_of
from katachi.features.windows import windows_of
from katachi.rules.board import Board
from katachi.rules.color import BLACK, WHITE
from katachi.rules.point import point_from_vertex
from katachi.rules.symmetry import INVERTED_COLORS, SYMMETRIES, index_tables
from tests.checks import random_colors, states_from_colors
from tests.features.followers import (
    VIEWS,
    LibertyFollower,
    assert_same,
    blocks_of,
    contents_of,
    random_weights,
)
from tests.oracle.games import play_random_move, stones_of
from tests.oracle.go import Stones
from tests.oracle.shapes import class_of, liberty_shape_in

SMALL = "1x1-3x3:LI+LD:liberty"
LARGE = "2x2:LI:liberty,4x3:LI+LD:liberty,5x4:LD:liberty"


def expected_states(stones: Stones, size: int, sets: tuple[ShapeSet, ...]) -> list[int]:
    """The states of all cells as Black sees them, by the oracle."""
    templates = dict.fromkeys(each.template for each in sets)
    states = []
    for template in templates:
        for window in windows_of(template, size):
            spots = [divmod(cell, size) for cell in window.cells]
            shape = dict(liberty_shape_in(stones, spots, BLACK, size))
            states += [shape[spot] for spot in spots]
    return states


@pytest.mark.kernel
@pytest.mark.parametrize(("sets", "size"), [(SMALL, 5), (LARGE, 6), (SMALL, 9)])
def test_cells_carry_the_liberties_outside_the_window(sets: str, size: int) -> None:
    followed = LibertyFollower(sets, size)
    source = random.Random(size)
    for _ in range(8):
        for _ in range(size):
            play_random_move(followed.game, source)
        tracker = followed.read(followed.game.words)
        states = expected_states(stones_of(followed.game), size, followed.sets)
        assert tracker.state.tolist() == states


@pytest.mark.parametrize(
    ("last", "states"), [(None, [0, 0, 2, 6]), ("A1", [0, 0, 1, 6]), ("C2", [0, 0, 2, 6])]
)
def test_the_example_of_the_module_is_so(last: str | None, states: list[int]) -> None:
    followed = LibertyFollower("2x2:LI:liberty", 3)
    followed.move(BLACK, point_from_vertex("A2", 3))
    followed.move(WHITE, point_from_vertex("B2", 3))
    if last is not None:
        followed.move(WHITE, point_from_vertex(last, 3))
    assert followed.tracker.state[:4].tolist() == states


LIBERTY_SETS = [
    ShapeSet(template, location, Family.LIBERTY) for template in TEMPLATES for location in Location
]


@pytest.mark.parametrize("each", LIBERTY_SETS, ids=[each.name for each in LIBERTY_SETS])
def test_each_window_uses_the_weight_of_its_class(each: ShapeSet) -> None:
    size = 6
    followed = LibertyFollower(each.name, size, bins=2**22)
    source = random.Random(each.name)
    weights: dict[object, int] = {}
    for _ in range(10):
        for _ in range(6):
            play_random_move(followed.game, source)
        tracker = followed.read(followed.game.words)
        stones = stones_of(followed.game)
        for slot, window in enumerate(windows_of(each.template, size)):
            spots = [divmod(cell, size) for cell in window.cells]
            for view in VIEWS:
                shape = liberty_shape_in(stones, spots, view + 1, size)
                depends = each.location is Location.DEPENDENT
                kind = class_of(shape, size, depends_on_location=depends)
                index = int(tracker.used[view, slot])
                assert weights.setdefault(kind, index) == index
    assert len(weights) - len(set(weights.values())) <= 1


@pytest.mark.kernel
@pytest.mark.parametrize(
    ("sets", "size", "moves"),
    [(SMALL, 5, 60), (LARGE, 6, 60), (SMALL, 9, 90), ("1x1-2x2:LI:liberty", 2, 12)],
)
def test_a_followed_position_is_the_one_read_again(sets: str, size: int, moves: int) -> None:
    followed = LibertyFollower(sets, size)
    source = random.Random(size)
    for _ in range(moves):
        followed.play(source)
        assert_same(followed.tracker, followed.read(followed.game.words), followed.game.board)
    assert followed.captures > 0


@pytest.mark.kernel
@pytest.mark.parametrize(("sets", "size", "moves"), [(SMALL, 4, 40), (LARGE, 5, 30)])
def test_a_gain_is_the_difference_that_the_move_makes(sets: str, size: int, moves: int) -> None:
    followed = LibertyFollower(sets, size)
    source = random.Random(size)
    for number in range(moves):
        followed.play(source)
        if number % 3 == 0:
            assert_gains(followed)
    assert followed.captures > 0


@pytest.mark.parametrize("seed", [5, 6, 9])
def test_gains_that_are_remembered_stay_right(seed: int) -> None:
    # In these games blocks join outside windows in which both have stones.
    followed = LibertyFollower(SMALL, 7)
    source = random.Random(seed)
    for _ in range(55):
        followed.play(source)
        assert_gains(followed)


def assert_gains(followed: LibertyFollower) -> None:
    """Every legal move's gain, asked twice, is what the move adds; nothing changes by asking."""
    game = followed.game
    before, words = contents_of(followed.tracker), game.words.copy()
    blocks = blocks_of(followed.tracker, game.board)
    for color in (BLACK, WHITE):
        for point in game.legal_moves(color).tolist():
            gain = followed.gain(color, point)
            assert gain == followed.gain(color, point)
            twin = game.copy()
            twin.play(color, point)
            after = followed.read(twin.words)
            assert gain == int(after.totals[color - 1] - followed.tracker.totals[color - 1])
    for here, there in zip(contents_of(followed.tracker), before, strict=True):
        np.testing.assert_array_equal(here, there)
    assert blocks_of(followed.tracker, game.board) == blocks
    np.testing.assert_array_equal(game.words, words)


@dataclass
class Case:
    """A position in which a move changes liberties far away, or in an unusual way."""

    name: str
    diagram: str
    color: int
    vertex: str


CASES = [
    Case(
        "joins four blocks",
        """
        . O X O .
        O X . X O
        . O X O .
        . . . . .
        . . . . .
        """,
        BLACK,
        "C4",
    ),
    Case(
        "captures two blocks and frees a third",
        """
        X O . O X
        X O X O X
        . X X X .
        . . . . .
        . . . . .
        """,
        BLACK,
        "C5",
    ),
    Case(
        "takes the last liberty but one of a long block",
        """
        O O O O .
        X X X X .
        . . . . .
        . . . . .
        . . . . .
        """,
        BLACK,
        "E4",
    ),
    Case(
        "captures a long block and frees its jailers",
        """
        O O O O .
        X X X X .
        O O O . .
        X X X . .
        . . . . .
        """,
        BLACK,
        "E5",
    ),
    Case(
        "takes a ko",
        """
        . X O . .
        X . X O .
        . X O . .
        . . . . .
        . . . . .
        """,
        WHITE,
        "B4",
    ),
    Case(
        "connects out of atari",
        """
        . X O . .
        X O . O .
        . X O . .
        . . . . .
        . . . . .
        """,
        WHITE,
        "C4",
    ),
]


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_an_unusual_move_is_weighed_and_followed(case: Case) -> None:
    followed = LibertyFollower(SMALL, 5)
    board = Board.from_diagram(case.diagram)
    for color in (BLACK, WHITE):
        for point in board.points_of_color(color):
            followed.move(color, point)
    assert_same(followed.tracker, followed.read(followed.game.words), followed.game.board)
    assert_gains(followed)
    followed.move(case.color, point_from_vertex(case.vertex, 5))
    assert_same(followed.tracker, followed.read(followed.game.words), followed.game.board)


@pytest.mark.parametrize("size", [13, 19, 25])
def test_large_boards_are_followed_too(size: int) -> None:
    followed = LibertyFollower("3x2:LI:liberty,3x3:LD:liberty", size)
    source = random.Random(size)
    for _ in range(3 * size * size // 2):
        followed.play(source)
    assert_same(followed.tracker, followed.read(followed.game.words), followed.game.board)
    assert followed.captures > 0


EVERY_FAMILY = "1x1:LI,3x3:LI:liberty,4x3:LD,1x1-2x2:LI+LD:liberty"


def model_of(sets: str, size: int) -> LocalShape:
    model = LocalShape(parse_sets(sets), size, 3000)
    model.weights[:] = random_weights(len(model.weights))
    return model


def test_mirror_images_have_equal_sums() -> None:
    size = 7
    model = model_of(EVERY_FAMILY, size)
    positions = random_colors(size, 8, seed=1)
    sums = model.predict(states_from_colors(positions, size))
    assert (sums[1:] != sums[:1]).any(axis=0).all()
    for symmetry in range(SYMMETRIES):
        moved = [colors[index_tables(size)[symmetry]] for colors in positions]
        np.testing.assert_array_equal(model.predict(states_from_colors(moved, size)), sums)


def test_each_color_sees_its_own_stones_as_own() -> None:
    size = 6
    model = model_of(EVERY_FAMILY, size)
    positions = random_colors(size, 8, seed=2)
    white = states_from_colors(positions, size)
    black = states_from_colors([INVERTED_COLORS[colors] for colors in positions], size)
    black.hashes[:, 0] |= np.uint64(1)
    np.testing.assert_array_equal(model.predict(white), model.predict(black))


def test_each_set_has_the_sum_that_it_has_alone() -> None:
    size = 5
    model = model_of(EVERY_FAMILY, size)
    states = states_from_colors(random_colors(size, 6, seed=3), size)
    sums = model.predict(states)
    layouts = layout_of(model.sets, size, model.bins)
    for number, (each, layout) in enumerate(zip(model.sets, layouts, strict=True)):
        weights = model.weights[layout.first : layout.end].copy()
        alone = LocalShape((each,), size, model.bins, weights)
        np.testing.assert_array_equal(alone.predict(states)[:, 0], sums[:, number])


@pytest.mark.kernel
def test_a_nudge_moves_the_weights_in_use_once_an_occurrence() -> None:
    followed = LibertyFollower("1x1-2x2:LI+LD:liberty", 5, bins=50)
    source = random.Random(4)
    for _ in range(20):
        followed.play(source)
    model = LocalShape(followed.sets, 5, 50, followed.theta.copy())
    states = states_from_colors([followed.game.colors], 5)
    states.hashes[0, 0] |= np.uint64(1)
    steps = np.arange(3, 3 + len(model.sets), dtype=np.int64)[None]
    model.nudge(states, steps)
    used = followed.tracker.used[BLACK - 1]
    expected = followed.theta.astype(np.int64)
    np.add.at(expected, used, steps[0, followed.tables.slot_set])
    np.testing.assert_array_equal(model.weights, expected)
    np.testing.assert_array_equal(model.seen, np.bincount(used, minlength=len(expected)))


def test_growing_keeps_the_bins_of_shapes_near_the_corner() -> None:
    diagram = """
    . X . . . . .
    X O . . . . .
    . X . . . . .
    . . . . . . .
    . . . . . . .
    . . . . . . .
    . . . . . . .
    """
    small = Board.from_diagram(diagram)
    colors = np.zeros((9, 9), np.uint8)
    colors[:7, :7] = small.colors.reshape(7, 7)
    large = Board.from_colors(colors.reshape(-1), 9)
    for sets in ("2x2:LD:liberty", "3x3:LD:liberty", "2x1:LI:liberty"):
        used = []
        for board in (small, large):
            followed = LibertyFollower(sets, board.size)
            tracker = followed.read(board.words)
            windows = windows_of(followed.sets[0].template, board.size)
            used.append(
                {
                    (window.row, window.col, window.is_tall): int(tracker.used[0, slot])
                    for slot, window in enumerate(windows)
                    if max(window.row, window.col) <= 1
                }
            )
        assert used[0] == used[1]


@pytest.mark.kernel
@given(st.integers(1, 25), st.data())
def test_masks_count_and_find_their_points(size: int, data: st.DataObject) -> None:
    board = st.sets(st.integers(0, size * size - 1), max_size=12)
    one, other = data.draw(board), data.draw(board)
    masks = np.zeros((2, words_of(size)), np.uint64)
    for row, points in enumerate((one, other)):
        for point in points:
            masks[row, point // 64] |= np.uint64(1) << np.uint64(point % 64)
    assert count_outside(masks, 0, masks, 1) == min(2, len(one - other))
    first = data.draw(st.integers(0, size * size))
    assert next_bit(masks, 0, first) == min((p for p in one if p >= first), default=-1)
