"""The best and worst shapes of a set are those that a plain search of its weights finds."""

import random

import numpy as np
import pytest

from katachi.evaluators.local_shape import LocalShape
from katachi.evaluators.shape_ranking import Order, Sightings, Wanted, rank_set
from katachi.evaluators.shape_reading import ShapeReader
from katachi.features.shape_contents import SeenPosition, Shape
from katachi.features.shape_sets import parse_sets
from katachi.rules.game import Game
from tests.evaluators.shape_models import random_model
from tests.oracle.games import play_random_move

TINY = parse_sets("1x1:LI,2x1:LI")


def tiny_model(values: list[int], seen: list[int]) -> LocalShape:
    """Nine weights: three of single points, six of pairs."""
    return LocalShape(TINY, 5, 10, np.array(values, np.int32), np.array(seen, np.uint64))


MODEL = tiny_model([5, -7, 0, 30, 10, -20, 40, -50, 1], [9, 9, 9, 100, 900, 100, 1, 100, 100])


def weights_of(number: int, wanted: Wanted) -> tuple[list[int], list[int]]:
    ranking = rank_set(MODEL, number, wanted)
    return [s.weight for s in ranking.best], [s.weight for s in ranking.worst]


@pytest.mark.parametrize(
    ("number", "wanted", "best", "worst"),
    [
        (0, Wanted(), [0], [1]),
        (1, Wanted(), [6, 3, 4, 8], [7, 5]),
        (1, Wanted(most=1), [6], [7]),
        (1, Wanted(least_seen=2), [3, 4, 8], [7, 5]),
        (1, Wanted(least_seen=500), [4], []),
        (1, Wanted(order=Order.IMPACT), [4, 3, 8, 6], [7, 5]),
    ],
)
def test_best_and_worst(number: int, wanted: Wanted, best: list[int], worst: list[int]) -> None:
    assert weights_of(number, wanted) == (best, worst)


def test_rare_shapes_of_a_set_that_has_seen_much_are_left_out_by_default() -> None:
    model = tiny_model([0, 0, 0, 90, 80, 70, 0, 0, 0], [0, 0, 0, 10, 20, 10**6, 10**6, 0, 0])
    ranking = rank_set(model, 1, Wanted())
    assert ranking.least_seen == 20
    assert [shape.weight for shape in ranking.best] == [4, 5]
    assert (ranking.weights, ranking.considered) == (6, 3)


def test_a_shape_that_was_never_seen_is_not_shown() -> None:
    model = tiny_model([9, -9, 0, 0, 0, 0, 0, 0, 0], [0] * 9)
    assert rank_set(model, 0, Wanted()).best == []


def games(model: LocalShape, count: int) -> list[Game]:
    played = []
    for seed in range(count):
        game, source = Game(model.size), random.Random(seed)
        for _ in range(25):
            play_random_move(game, source)
        played.append(game)
    return played


@pytest.mark.parametrize("name", ["4x3:LI", "4x4:LD", "2x2:LI:liberty", "2x1:LD:liberty"])
def test_a_bin_shows_the_shape_that_used_it_most(name: str) -> None:
    model = random_model(f"1x1:LI,{name}", bins=20)
    reader = ShapeReader(model)
    sightings = Sightings(reader)
    counts: dict[int, dict[Shape, int]] = {}
    for game in games(model, 3):
        sightings.add_game(game)
        again = Game(model.size)
        for color, point in game.moves:
            again.play(color, point)
            used = reader.read(again.words, color).weights.tolist()
            seen = SeenPosition(again.colors, again.size, color)
            for slot, weight in zip(reader.slots, used, strict=True):
                bin_counts = counts.setdefault(weight, {})
                shape = reader.shape_in(slot, seen)
                bin_counts[shape] = bin_counts.get(shape, 0) + 1
    ranking = rank_set(model, 1, Wanted(most=20, least_seen=0), sightings)
    met = sorted(weight for weight in counts if weight >= 3)
    assert sorted(s.weight for s in ranking.best + ranking.worst) == met
    assert ranking.games == 3
    for ranked in ranking.best + ranking.worst:
        in_bin = counts[ranked.weight]
        if sum(in_bin.values()) <= 400:  # else only some of them are looked at
            assert in_bin[ranked.shape] == max(in_bin.values())
            assert ranked.share == pytest.approx(in_bin[ranked.shape] / sum(in_bin.values()))


def test_without_games_no_bin_is_shown() -> None:
    ranking = rank_set(random_model("4x3:LI"), 0, Wanted())
    assert (ranking.considered, ranking.best, ranking.worst) == (0, [], [])
