"""Local shape keeps the contract of an evaluator, is of its last mover, and survives the disk."""

import warnings
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from katachi.errors import KatachiError
from katachi.evaluators.local_shape import LocalShape
from katachi.features.shape_sets import parse_sets
from katachi.features.units import LARGEST_WEIGHT, UNIT
from katachi.players.evaluating import EvaluatingPlayer
from katachi.rules.color import BLACK, WHITE
from katachi.rules.game import Game
from katachi.rules.symmetry import INVERTED_COLORS, SYMMETRIES, index_tables
from tests.checks import check_player, random_colors, states_from_colors

SETS = {
    "small": "1x1-2x2:LI",
    "all exact": "1x1-3x3:LI+LD",
    "hashed": "4x3-5x5:LI+LD",
    "liberties": "1x1-2x2:LI+LD:liberty,3x3:LI:liberty",
    "everything": "1x1-4x4:LI+LD,1x1-3x3:LI+LD:liberty",
}


def model(sets: str, size: int, seed: int = 1) -> LocalShape:
    """A model with random weights."""
    made = LocalShape(parse_sets(sets), size, bins=200)
    random = np.random.default_rng(seed)
    made.weights[:] = random.integers(-(2**21), 2**21, len(made.weights))
    made.seen[:] = random.integers(0, 2**40, len(made.seen), np.uint64)
    return made


@pytest.mark.parametrize("sets", SETS.values(), ids=SETS.keys())
def test_player_keeps_the_contract(sets: str) -> None:
    shape = model(sets, 5)
    check_player(partial(EvaluatingPlayer, "shape", shape), [5])


@pytest.mark.parametrize("sets", SETS.values(), ids=SETS.keys())
def test_mirror_images_are_worth_exactly_the_same(sets: str) -> None:
    """So that ties between mirrored moves are ties."""
    shape = model(sets, 6)
    for colors in random_colors(6, 10, seed=4):
        images = [colors[index_tables(6)[s]] for s in range(SYMMETRIES)]
        logits = shape.predict(states_from_colors(images, 6))
        assert (logits == logits[0]).all()


def after_moves(points: list[int], colors: list[int]) -> Game:
    game = Game(5)
    for point, color in zip(points, colors, strict=True):
        game.play(color, point)
    return game


@pytest.mark.parametrize("sets", SETS.values(), ids=SETS.keys())
def test_a_position_is_seen_by_who_moved_last(sets: str) -> None:
    """White's view of a position is Black's of the one with colours exchanged."""
    shape = model(sets, 5)
    points = [int(point) for point in Game(5).legal_moves(BLACK)[[6, 8, 12, 16, 3]]]
    colors = [BLACK, WHITE, BLACK, WHITE, BLACK]
    game = after_moves(points, colors)
    turned = after_moves(points, [3 - color for color in colors])
    assert np.array_equal(shape.predict(game.states), shape.predict(turned.states))
    value, other = shape.evaluate(game.states).value[0], shape.evaluate(turned.states).value[0]
    assert value == pytest.approx(1.0 - other, abs=1e-12)
    assert value == pytest.approx(1 / (1 + np.exp(-UNIT * shape.predict(game.states).sum())))


def test_an_empty_board_of_a_new_model_is_even() -> None:
    shape = LocalShape(parse_sets("1x1-3x3:LI+LD"), 5)
    assert shape.evaluate(Game(5).states).value.tolist() == [0.5]
    assert not shape.predict(Game(5).states).any()


def test_the_heaviest_weights_neither_overflow_nor_warn() -> None:
    for weight in (LARGEST_WEIGHT, -LARGEST_WEIGHT):
        shape = model("1x1-3x3:LI+LD", 9)
        shape.weights[:] = weight
        states = states_from_colors(random_colors(9, 3, seed=1), 9)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            values = shape.evaluate(states).value
        assert values == pytest.approx(float(weight < 0))  # White has moved last


def test_nudged_weights_stay_within_their_bounds() -> None:
    shape = model("1x1-2x2:LI", 5)
    states = states_from_colors(random_colors(5, 4, seed=2), 5)
    for sign in (1, -1):
        shape.nudge(states, np.full((4, len(shape.sets)), sign * 2**40))
        used = shape.weights[np.abs(shape.weights) > 2**22]
        assert set(used.tolist()) == {sign * LARGEST_WEIGHT}


def test_a_nudge_counts_every_occurrence_of_a_shape() -> None:
    shape = LocalShape(parse_sets("1x1-2x1:LI"), 5)
    states = states_from_colors(random_colors(5, 3, seed=6), 5)
    shape.nudge(states, np.array([[1, 10], [2, 20], [3, 30]]))
    assert shape.seen.sum() == 3 * (25 + 40)
    assert shape.weights.sum() == 25 * (1 + 2 + 3) + 40 * (10 + 20 + 30)


def test_a_board_of_another_size_is_one_clear_line() -> None:
    shape = model("2x2:LI", 5)
    with pytest.raises(KatachiError, match=r"^this shape model is for 5x5 boards, not 9x9$"):
        shape.evaluate(Game(9).states)
    with pytest.raises(KatachiError, match="for 5x5 boards"):
        EvaluatingPlayer("shape", shape).choose(Game(6), BLACK)


@pytest.mark.parametrize("sets", SETS.values(), ids=SETS.keys())
def test_a_saved_model_comes_back_as_it_was(sets: str, tmp_path: Path) -> None:
    shape = model(sets, 7)
    shape.training = {"games": 3, "settings": {"alpha": 0.1}, "words": "ä\n<>"}
    shape.save(tmp_path / "model", "# A card\n")
    loaded = LocalShape.load(tmp_path / "model")
    assert (loaded.sets, loaded.size, loaded.bins) == (shape.sets, 7, 200)
    assert np.array_equal(loaded.weights, shape.weights)
    assert np.array_equal(loaded.seen, shape.seen)
    assert loaded.training == shape.training
    assert (tmp_path / "model" / "README.md").read_text() == "# A card\n"
    states = states_from_colors(random_colors(7, 4, seed=2), 7)
    assert np.array_equal(loaded.predict(states), shape.predict(states))
    loaded.nudge(states, np.ones((4, len(shape.sets)), np.int64))  # it can learn on


@pytest.mark.parametrize("sets", SETS.values(), ids=SETS.keys())
def test_a_model_with_more_sets_judges_as_before(sets: str) -> None:
    shape = model(sets, 7)
    more = parse_sets("1x1-5x5:LI+LD,1x1-3x3:LI+LD:liberty")
    extended = shape.extended(more)
    states = states_from_colors(random_colors(7, 4, seed=2), 7)
    sums = dict(zip(more, extended.predict(states).T, strict=True))
    for each, old in zip(shape.sets, shape.predict(states).T, strict=True):
        assert np.array_equal(sums.pop(each), old)
    assert not any(new.any() for new in sums.values())
    assert extended.seen.sum(dtype=np.uint64) == shape.seen.sum(dtype=np.uint64)


def test_a_model_keeps_its_sets_and_its_bins() -> None:
    with pytest.raises(KatachiError, match=r"other shape sets: 2x1:LI is not in use$"):
        model("1x1-2x2:LI", 5).extended(parse_sets("1x1:LI"))
    with pytest.raises(KatachiError, match=r"has 200 bins, not 300$"):
        model("4x4:LI", 5).extended(parse_sets("4x4:LI+LD"), 300)
    assert model("1x1:LI", 5).extended(parse_sets("1x1:LI,4x4:LI"), 300).bins == 300


def test_a_model_of_a_colour_knows_nothing_of_exchanged_colours_but_sees_the_same_shapes() -> None:
    shape = model("2x2:LI", 5)
    colors = random_colors(5, 4, seed=9)
    own = shape.predict(states_from_colors(colors, 5))
    other = shape.predict(states_from_colors([INVERTED_COLORS[each] for each in colors], 5))
    assert own[0] == other[0]  # the empty board
    assert (own[1:] != other[1:]).all()
