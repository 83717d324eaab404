"""Each weight has its shape, and each shape of a position its weight."""

import random

import numpy as np
import pytest

from katachi.errors import KatachiError
from katachi.features.shape_contents import (
    OTHER,
    OWN,
    Edges,
    SeenPosition,
    Shape,
    Stone,
    set_of_weight,
    shape_of_weight,
    slots_of,
)
from katachi.features.shape_sets import BINS, Location, parse_sets
from katachi.features.shape_tables import count_weights, shape_tables
from katachi.features.windows import places_of
from katachi.rules.diagram import colors_from_diagram
from katachi.rules.game import Game
from tests.oracle.games import play_random_move, stones_of
from tests.oracle.go import BLACK, WHITE
from tests.oracle.shapes import class_of, liberty_shape_in, shape_in

EXACT = parse_sets("1x1-3x2:LI+LD")
EVERY_KIND = parse_sets("1x1-2x2:LI+LD,4x3:LI+LD,1x1-3x2:LI+LD:liberty")


def games(count: int, size: int) -> list[Game]:
    """Random games, captures and all."""
    played = []
    for seed in range(count):
        game, source = Game(size), random.Random(seed)
        for _ in range(10 + 8 * seed):
            play_random_move(game, source)
        played.append(game)
    return played


@pytest.mark.parametrize("size", [5, 6])
def test_weights_have_different_shapes(size: int) -> None:
    count = count_weights(EXACT, size, BINS)
    shapes = [shape_of_weight(EXACT, size, BINS, index) for index in range(count)]
    assert len(set(shapes)) == count
    assert [EXACT.index(shape.shape_set) for shape in shapes] == [
        set_of_weight(EXACT, size, BINS, index) for index in range(count)
    ]


def test_a_bin_does_not_say_what_it_holds() -> None:
    with pytest.raises(KatachiError, match="4x3:LI may belong to several shapes"):
        shape_of_weight(parse_sets("2x2:LI,4x3:LI"), 5, 10, 22)


def test_slots_are_those_of_the_tables() -> None:
    slots = slots_of(EVERY_KIND, 5, 100)
    tables = shape_tables(EVERY_KIND, 5, 100)
    assert [slot.number for slot in slots] == tables.slot_set.tolist()
    for number, each in enumerate(EVERY_KIND):
        windows = [slot.place for slot in slots if slot.number == number]
        assert windows == list(places_of(each.template, 5))


@pytest.mark.parametrize("size", [5, 6])
@pytest.mark.parametrize("color", [BLACK, WHITE])
def test_shapes_are_the_same_exactly_when_the_oracles_are(size: int, color: int) -> None:
    pairs: dict[int, set[tuple[Shape, object]]] = {}
    for game in games(6, size):
        stones = stones_of(game)
        seen = SeenPosition(game.colors, size, color)
        for slot in slots_of(EVERY_KIND, size, 100):
            each = EVERY_KIND[slot.number]
            window = [divmod(cell, size) for cell in slot.place.window.cells]
            if each.name.endswith("liberty"):
                found = liberty_shape_in(stones, window, color, size)
            else:
                found = shape_in(stones, window, color)
            is_dependent = each.location is Location.DEPENDENT
            expected = class_of(found, size, depends_on_location=is_dependent)
            shape = seen.shape_at(each, slot.place)
            pairs.setdefault(slot.number, set()).add((shape, expected))
    for found_pairs in pairs.values():
        assert len({shape for shape, _ in found_pairs}) == len(found_pairs)
        assert len({expected for _, expected in found_pairs}) == len(found_pairs)


DIAGRAM = """
X O . . .
X O . . .
. X . . O
. . . . .
. . . . X
"""


def test_a_shape_lies_as_in_the_corner_nearest_to_it() -> None:
    colors, size = colors_from_diagram(DIAGRAM)
    shape_set = parse_sets("2x2:LD")[0]
    place = places_of(shape_set.template, size)[-1]  # the bottom right corner
    shape = SeenPosition(colors, size, BLACK).shape_at(shape_set, place)
    empty = Stone(0, None)
    assert (shape.window.row, shape.window.col) == (0, 0)
    assert shape.rows == [[Stone(OWN, None), empty], [empty, empty]]
    other = SeenPosition(colors, size, WHITE).shape_at(shape_set, place)
    assert other.rows == [[Stone(OTHER, None), empty], [empty, empty]]


def test_a_liberty_shape_counts_liberties_outside_itself() -> None:
    colors, size = colors_from_diagram(DIAGRAM)
    shape_set = parse_sets("2x2:LI:liberty")[0]
    place = places_of(shape_set.template, size)[0]  # the top left corner
    shape = SeenPosition(colors, size, BLACK).shape_at(shape_set, place)
    stones = sorted(stone for row in shape.rows for stone in row)
    assert stones == [Stone(OWN, 1), Stone(OWN, 1), Stone(OTHER, 2), Stone(OTHER, 2)]


@pytest.mark.parametrize(
    ("name", "corner", "edges"),
    [
        ("2x2:LI", (0, 0), (False, False, False, False)),
        ("2x2:LD", (0, 0), (True, True, False, False)),
        ("2x2:LD", (0, 1), (True, False, False, False)),
        ("2x2:LD", (1, 1), (False, False, False, False)),
        ("3x2:LD", (3, 0), (False, True, True, False)),
        ("5x5:LD", (0, 0), (True, True, True, True)),
    ],
)
def test_only_shapes_that_know_their_place_end_with_the_board(
    name: str, corner: tuple[int, int], edges: tuple[bool, ...]
) -> None:
    shape_set = parse_sets(name)[0]
    place = next(
        place for place in places_of(shape_set.template, 5) if place.window[:3] == (*corner, False)
    )
    shape = Shape(shape_set, place.window, (0,) * shape_set.template.cells)
    assert shape.edges(5) == Edges(*edges)


def test_the_liberties_of_a_block_are_those_of_each_of_its_stones() -> None:
    colors, size = colors_from_diagram(DIAGRAM)
    liberties = SeenPosition(colors, size, BLACK).liberties
    assert liberties[0] == liberties[5] == {10}
    assert liberties[1] == {2, 7}
    assert (
        np.flatnonzero([bool(each) for each in liberties]).tolist()
        == np.flatnonzero(colors).tolist()
    )
