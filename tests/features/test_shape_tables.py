"""Weights are shared by exactly those shapes that mirror each other."""

import random
from collections.abc import Callable, Iterator
from itertools import product

import numpy as np
import pytest

from katachi.errors import KatachiError
from katachi.features.liberty_tracker import NOTHING, change_keys, find_weights, new_liberties
from katachi.features.shape_sets import (
    BINS,
    TEMPLATES,
    Family,
    Location,
    ShapeSet,
    Template,
    count_windows,
    parse_sets,
)
from katachi.features.shape_tables import count_weights, layout_of, shape_tables
from katachi.features.shape_tracker import hashed_index, new_tracker
from katachi.features.windows import count_distinct, windows_of
from katachi.rules.point import points_of
from tests.oracle.go import Spot
from tests.oracle.shapes import Shape, class_of, images_of, rectangles

MANY_BINS = 2**30
"""So many that shapes of these tests do not meet in one by chance."""

SMALL = TEMPLATES[:5]
IndexOf = Callable[[Shape], int]


def spots_of_window(cells: tuple[int, ...], size: int) -> list[Spot]:
    return [divmod(cell, size) for cell in cells]


def index_in_tables(each: ShapeSet, size: int) -> IndexOf:
    """The weight that the tables of one set give a shape: its slots are its windows, in order."""
    tables = shape_tables((each,), size, MANY_BINS)
    windows = [spots_of_window(window.cells, size) for window in windows_of(each.template, size)]
    slot_of = {frozenset(spots): slot for slot, spots in enumerate(windows)}
    points = points_of(size).reshape(size, size)

    def exact(shape: Shape) -> int:
        slot = slot_of[frozenset(spot for spot, _ in shape)]
        at, base = (int(number) for number in tables.exact.slot[slot])
        for spot, state in shape:
            at += state * touch_of(int(points[spot]), slot)
        return base + int(tables.exact.rank[at])

    def touch_of(point: int, slot: int) -> int:
        start = tables.exact.start
        touches = tables.exact.touch[int(start[point]) : int(start[point + 1])]
        return int(touches[touches[:, 0] == slot, 1][0])

    def hashed(shape: Shape) -> int:
        slot = slot_of[frozenset(spot for spot, _ in shape)]
        keys = np.zeros(8, np.uint64)
        count, *row = tables.hashed.cells[slot].tolist()
        place = {point: block for point, block in zip(row[::2], row[1::2], strict=True) if point}
        assert len(place) == count
        for spot, state in shape:
            first = place[int(points[spot])] + 8 * state
            keys ^= tables.hashed.keys[first : first + 8]
        return int(hashed_index(tables.hashed, MANY_BINS, slot, keys))

    def liberty(shape: Shape) -> int:
        tracker = new_liberties(tables, new_tracker(tables))
        slot = slot_of[frozenset(spot for spot, _ in shape)]
        states = {int(part.bit[points[spot]]): state for spot, state in shape}
        for cell in range(int(part.first_cell[slot]), int(part.first_cell[slot + 1])):
            change_keys(part, tracker, slot, 0, cell, states[int(part.cell[cell, 0])])
        find_weights(tables, tracker, slot, NOTHING, slot)
        return int(tracker.found[slot])

    part = tables.liberty
    if each.family is Family.LIBERTY:
        return liberty
    return hashed if each.is_hashed else exact


def all_shapes(template: Template, size: int) -> Iterator[Shape]:
    """Every content of every window."""
    for window in rectangles(*template, size):
        for states in product(range(3), repeat=template.cells):
            yield frozenset(zip(window, states, strict=True))


def some_shapes(each: ShapeSet, size: int, count: int) -> Iterator[Shape]:
    """Random contents of random windows, each with its mirror images, and moved about."""
    source = random.Random(each.name)
    states = range(7 if each.family is Family.LIBERTY else 3)
    windows = [frozenset(window) for window in rectangles(*each.template, size)]
    for _ in range(count):
        window = sorted(source.choice(windows))
        shape = frozenset((spot, source.choice(states)) for spot in window)
        yield from images_of(shape, size)
        top, left = window[0]
        for other in source.sample(windows, min(4, len(windows))):
            down, across = min(other)[0] - top, min(other)[1] - left
            moved = frozenset(((r + down, c + across), state) for (r, c), state in shape)
            if {spot for spot, _ in moved} == other:
                yield moved


def assert_shared(each: ShapeSet, size: int, shapes: Iterator[Shape], index_of: IndexOf) -> int:
    """Shapes have one weight exactly when they are of one class; returns the number of classes."""
    weights: dict[object, int] = {}
    depends = each.location is Location.DEPENDENT
    for shape in shapes:
        kind = class_of(shape, size, depends_on_location=depends)
        assert weights.setdefault(kind, index_of(shape)) == index_of(shape), (kind, shape)
    assert len(set(weights.values())) == len(weights)
    return len(weights)


EXHAUSTIVE = [
    (ShapeSet(template, location), size)
    for template, sizes in ((SMALL[0], (2, 4, 5)), (SMALL[1], (2, 5, 6)), (SMALL[2], (5, 6)))
    for size in sizes
    for location in Location
] + [(ShapeSet(SMALL[3], location), 4) for location in Location]


@pytest.mark.parametrize(
    ("each", "size"), EXHAUSTIVE, ids=[f"{each.name} {size}" for each, size in EXHAUSTIVE]
)
def test_every_shape_shares_its_weight_with_its_images_alone(each: ShapeSet, size: int) -> None:
    found = assert_shared(each, size, all_shapes(each.template, size), index_in_tables(each, size))
    assert found == count_distinct(each, size) == count_weights((each,), size, BINS)


SAMPLED = [
    (ShapeSet(template, location, family), size)
    for template, location, family in product(TEMPLATES, Location, Family)
    for size in (5, 6)
]


@pytest.mark.parametrize(
    ("each", "size"), SAMPLED, ids=[f"{each.name} {size}" for each, size in SAMPLED]
)
def test_a_shape_of_any_set_shares_its_weight_with_its_images(each: ShapeSet, size: int) -> None:
    index_of = index_in_tables(each, size)
    assert assert_shared(each, size, some_shapes(each, size, 30), index_of) > 1
    (layout,) = layout_of((each,), size, MANY_BINS)
    for shape in some_shapes(each, size, 3):
        assert layout.first <= index_of(shape) < layout.end


DISTINCT = {
    "1x1": (3, [18, 18, 30, 30, 45]),
    "2x1": (6, [54, 72, 108, 132, 180]),
    "2x2": (21, [189, 300, 405, 561, 702]),
    "3x2": (216, [2268, 3672, 5589, 7695, 10368]),
    "3x3": (2862, [23274, 40095, 63369, 89667, 123147]),
}


@pytest.mark.parametrize("template", SMALL, ids=[template.name for template in SMALL])
def test_the_distinct_weights_are_the_known_numbers(template: Template) -> None:
    independent, dependent = DISTINCT[template.name]
    for size, expected in zip(range(5, 10), dependent, strict=True):
        assert count_distinct(ShapeSet(template, Location.INDEPENDENT), size) == independent
        assert count_distinct(ShapeSet(template, Location.DEPENDENT), size) == expected


@pytest.mark.parametrize("size", [5, 6, 9])
@pytest.mark.parametrize("template", TEMPLATES, ids=[template.name for template in TEMPLATES])
def test_windows_are_all_rectangles_once(template: Template, size: int) -> None:
    windows = [frozenset(spots_of_window(w.cells, size)) for w in windows_of(template, size)]
    assert set(windows) == rectangles(*template, size)
    assert len(windows) == len(set(windows)) == count_windows(template, size)


MIXED = "2x2:LD,1x1:LI:liberty,4x3:LI+LD,1x1:LI,2x1:LD:liberty,4x4:LI"


def test_the_weights_of_sets_lie_one_set_after_another() -> None:
    sets = parse_sets(MIXED)
    layouts = layout_of(sets, 6, 1000)
    assert [layout.first for layout in layouts] == [0, *[layout.end for layout in layouts[:-1]]]
    sizes = [layout.end - layout.first for layout in layouts]
    assert sizes == [1000 if each.is_hashed else count_distinct(each, 6) for each in sets]
    assert layouts[-1].end == count_weights(sets, 6, 1000)


def test_each_window_of_each_set_has_one_slot() -> None:
    sets = parse_sets(MIXED)
    tables = shape_tables(sets, 6, 1000)
    counts = [count_windows(each.template, 6) for each in sets]
    assert tables.windows.tolist() == counts
    assert np.bincount(tables.slot_set, minlength=len(sets)).tolist() == counts
    exact, hashed = len(tables.exact.slot), len(tables.hashed.salt)
    kinds = np.split(tables.slot_set, [exact, exact + hashed])
    names = [{sets[number].name for number in kind.tolist()} for kind in kinds]
    assert names == [
        {"2x2:LD", "1x1:LI"},
        {"4x3:LI", "4x3:LD", "4x4:LI"},
        {"1x1:LI:liberty", "2x1:LD:liberty"},
    ]


def test_generality_is_noted_for_the_cascade() -> None:
    tables = shape_tables(parse_sets("1x1:LI+LD,2x2:LI,2x2:LI:liberty"), 5, 10)
    assert tables.general.tolist() == [[1, 0, 0, 0], [1, 1, 0, 0], [1, 0, 1, 0], [1, 0, 1, 1]]


def test_sets_that_do_not_fit_have_no_tables() -> None:
    for function in (shape_tables, count_weights):
        with pytest.raises(KatachiError, match="does not fit"):
            function(parse_sets("3x3:LI"), 2, 10)


def test_bins_do_not_depend_on_the_other_sets() -> None:
    (alone,) = parse_sets("4x3:LD")
    index_of = index_in_tables(alone, 5)
    together = shape_tables(parse_sets("1x1:LI,4x3:LI+LD"), 5, MANY_BINS)
    first = layout_of(parse_sets("1x1:LI,4x3:LI+LD"), 5, MANY_BINS)[2].first
    keys = np.zeros(8, np.uint64)
    empty = frozenset(
        (spot, 0) for spot in spots_of_window(windows_of(alone.template, 5)[0].cells, 5)
    )
    assert int(hashed_index(together.hashed, MANY_BINS, 1, keys)) == first + index_of(empty)


CROWDED = [parse_sets(name)[0] for name in ("4x4:LI", "3x3:LI:liberty", "3x2:LD:liberty")]


@pytest.mark.parametrize("each", CROWDED, ids=[each.name for each in CROWDED])
def test_shapes_are_spread_evenly_over_the_bins(each: ShapeSet) -> None:
    index_of = index_in_tables(each, 5)
    kinds: dict[object, int] = {}
    for shape in some_shapes(each, 5, 400):
        depends = each.location is Location.DEPENDENT
        kinds[class_of(shape, 5, depends_on_location=depends)] = index_of(shape)
    counts = np.bincount(np.array(list(kinds.values())) * 16 // MANY_BINS, minlength=16)
    expected = len(kinds) / 16
    assert (abs(counts - expected) < 4.5 * np.sqrt(expected)).all()
