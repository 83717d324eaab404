"""Shapes followed move by move are those computed from nothing, and those of the oracle."""

import numpy as np
import pytest

from katachi.evaluators.local_shape import LocalShape
from katachi.features.shape_sets import TEMPLATES, Location, ShapeSet, parse_sets
from katachi.features.shape_tables import layout_of
from katachi.features.windows import windows_of
from katachi.rules.color import BLACK, WHITE
from katachi.rules.symmetry import INVERTED_COLORS, SYMMETRIES, index_tables
from tests.checks import random_colors, states_from_colors
from tests.features.followers import (
    VIEWS,
    Follower,
    assert_equal,
    copy_of,
    fresh_tracker,
    random_weights,
)
from tests.oracle.games import stones_of
from tests.oracle.shapes import class_of, shape_in
from tests.rules.meaning import assert_same_meaning, meaning_of

PLAIN_SETS = [ShapeSet(template, location) for template in TEMPLATES for location in Location]
MIXED = "1x1-3x3:LI+LD,4x3:LI+LD,4x4:LI,5x4:LD"


@pytest.mark.parametrize("each", PLAIN_SETS, ids=[each.name for each in PLAIN_SETS])
def test_each_window_uses_the_weight_of_its_class(each: ShapeSet) -> None:
    size = 6
    follower = Follower(each.name, size, seed=len(each.name), bins=2**22)
    windows = [
        [divmod(cell, size) for cell in window.cells] for window in windows_of(each.template, size)
    ]
    weights: dict[object, int] = {}
    for _ in range(60):
        follower.play()
        stones = stones_of(follower.game)
        for view in VIEWS:
            for slot, spots in enumerate(windows):
                shape = shape_in(stones, spots, own=view + 1)
                depends = each.location is Location.DEPENDENT
                kind = class_of(shape, size, depends_on_location=depends)
                index = int(follower.tracker.used[view, slot])
                assert weights.setdefault(kind, index) == index
    collisions = len(weights) - len(set(weights.values()))
    assert collisions <= int(each.is_hashed)
    assert follower.captures > 0


@pytest.mark.kernel
@pytest.mark.parametrize(("sets", "size", "moves"), [(MIXED, 5, 45), ("1x1-3x3:LI+LD", 7, 60)])
def test_a_followed_position_is_the_one_computed_again(sets: str, size: int, moves: int) -> None:
    follower = Follower(sets, size, seed=size)
    for _ in range(moves):
        follower.play()
        fresh = fresh_tracker(follower.tables, follower.game, follower.theta)
        assert_equal(copy_of(follower.tracker), copy_of(fresh))
    np.testing.assert_array_equal(follower.tracker.totals, follower.sums_of_values())
    assert follower.captures > 0


@pytest.mark.kernel
@pytest.mark.parametrize(("sets", "size", "moves"), [(MIXED, 5, 30), ("1x1-3x3:LI+LD", 4, 40)])
def test_a_gain_is_the_difference_that_the_move_makes(sets: str, size: int, moves: int) -> None:
    follower = Follower(sets, size, seed=size)
    for _ in range(moves):
        follower.play()
        assert_gains(follower)
    assert follower.captures > 0


def assert_gains(follower: Follower) -> None:
    """Every legal move's gain, asked twice, is what following it adds; nothing else changes."""
    game = follower.game
    meaning, before = meaning_of(game.words), copy_of(follower.tracker)
    for color in (BLACK, WHITE):
        for point in game.legal_moves(color).tolist():
            gain = follower.gain(color, point)
            assert gain == follower.gain(color, point)
            after = game.copy()
            after.play(color, point)
            fresh = fresh_tracker(follower.tables, after, follower.theta)
            assert gain == int(fresh.totals[color - 1]) - follower.total(color - 1)
    assert_equal(copy_of(follower.tracker), before)
    assert_same_meaning(meaning_of(game.words), meaning)


def test_gains_asked_now_and_then_are_right_too() -> None:
    follower = Follower("1x1-3x3:LI+LD,4x3:LI", 5, seed=3)
    for number in range(40):
        follower.play()
        if number % 7 == 0:
            assert_gains(follower)


def model_of(sets: str, size: int) -> LocalShape:
    model = LocalShape(parse_sets(sets), size, 3000)
    model.weights[:] = random_weights(len(model.weights))
    return model


EVERY_FAMILY = "1x1-4x3:LI+LD,5x5:LI"


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


def test_a_batch_does_not_depend_on_its_order() -> None:
    size = 5
    model = model_of(EVERY_FAMILY, size)
    states = states_from_colors(random_colors(size, 9, seed=3), size)
    states.hashes[::2, 0] |= np.uint64(1)
    sums = model.predict(states)
    states.words[:] = states.words[::-1].copy()
    states.hashes[:] = states.hashes[::-1].copy()
    np.testing.assert_array_equal(model.predict(states)[::-1], sums)


@pytest.mark.kernel
def test_a_nudge_moves_the_weights_in_use_once_an_occurrence() -> None:
    follower = Follower("1x1-2x2:LI+LD,4x3:LI", 5, seed=4, bins=50)
    model = LocalShape(parse_sets(follower.sets), 5, 50, follower.theta.copy())
    for _ in range(15):
        follower.play()
    states = states_from_colors([follower.game.colors], 5)
    states.hashes[0, 0] |= np.uint64(1)
    steps = np.arange(3, 3 + len(model.sets), dtype=np.int64)[None]
    model.nudge(states, steps)
    index = follower.tracker.used[BLACK - 1]
    expected = follower.theta.astype(np.int64)
    np.add.at(expected, index, steps[0, follower.tables.slot_set])
    np.testing.assert_array_equal(model.weights, expected)
    np.testing.assert_array_equal(model.seen, np.bincount(index, minlength=len(expected)))


GROWN = [ShapeSet(template, location) for template in TEMPLATES[:5] for location in Location]


@pytest.mark.parametrize("each", GROWN, ids=[each.name for each in GROWN])
def test_on_a_larger_board_shapes_keep_their_weight_and_distance_from_the_corner(
    each: ShapeSet,
) -> None:
    small, large = (5, 8)
    model = model_of(each.name, small)
    grown = model.resized(large)
    source = np.random.default_rng(5)
    for window in windows_of(each.template, small):
        middle_row = (small - 1) / 2 >= max(divmod(cell, small)[0] for cell in window.cells)
        middle_col = (small - 1) / 2 >= max(cell % small for cell in window.cells)
        if middle_row and middle_col:
            spots = [divmod(cell, small) for cell in window.cells]
            states = source.integers(0, 3, len(spots))
            assert weight_of(model, spots, states) == weight_of(grown, spots, states)


def weight_of(model: LocalShape, spots: list[tuple[int, int]], states: np.ndarray) -> int:
    """The weight that a model of one set gives to these states of a window's spots."""
    from tests.features.test_shape_tables import index_in_tables

    shape = frozenset(zip(spots, states.tolist(), strict=True))
    return int(model.weights[index_in_tables(model.sets[0], model.size)(shape)])


def test_places_that_are_new_on_a_larger_board_start_at_zero() -> None:
    model = model_of("2x2:LD", 5)
    model.weights[:] = 1
    grown = model.resized(9)
    (layout,) = layout_of(grown.sets, 9, grown.bins)
    for window, (first, _) in layout.classes.items():
        is_new = max(window.row, window.col) > 1
        assert grown.weights[first] == (0 if is_new else 1)
