"""Shape sets of one board size as arrays that kernels read.

A *slot* is one window seen by one set; each slot always holds exactly one shape, hence one weight.
Exactly indexed slots come first. A stone on a point changes the slots that the point *touches*:

- exact: a slot holds `at`, the start of its group's rank table plus its base-3 code; the powers of
  three follow the symmetry that carries the window to its representative, so that every window of
  a class reads its weight at `base + rank[at]`;
- hashed: a window holds the Zobrist keys of its contents as seen under each symmetry of the
  template; a slot's weight is chosen by the smallest of the keys that its location allows.
"""

from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from katachi.features.liberty_tables import LibertyTables, liberty_tables
from katachi.features.shape_sets import (
    LIBERTY_STATES,
    STATES,
    Family,
    Location,
    ShapeSet,
    Template,
    check_sets,
    is_as_general,
)
from katachi.features.windows import (
    Permutation,
    Place,
    Window,
    canonical_codes,
    classes_of,
    count_distinct,
    places_of,
    template_group,
)
from katachi.rules.point import CELLS, points_of
from katachi.rules.random_play import random_states

Indices = npt.NDArray[np.uint32]
Keys = npt.NDArray[np.uint64]

ORIENTATIONS = 8
_KEY_SEED = 2007
"""Fixed: the bins of stored weights depend on it."""


class ExactTables(NamedTuple):
    """S slots whose shapes are numbered exactly."""

    start: Indices
    """[CELLS + 1]: the touches of point p are start[p] .. start[p + 1] - 1."""
    touch: Indices
    """[T, 2]: (slot, power of three), and two zeros after the last touch of each point."""
    slot: Indices
    """[S, 2]: (`at` of the empty window, base)."""
    rank: npt.NDArray[np.uint16]
    """The rank tables, one after another: code -> number of the shape within its class."""


class HashedTables(NamedTuple):
    """Windows whose contents are hashed, and their slots (numbered after the exact ones)."""

    start: Indices
    """[CELLS + 1]: the touches of point p are start[p] .. start[p + 1]."""
    touch: Indices
    """[T, 2]: (window, first of the [states, ORIENTATIONS] keys of its cell)."""
    keys: Keys
    """Zobrist keys of (template, place, state, orientation); those of empty points are zero. A
    template with four symmetries or fewer has each of them several times: always eight."""
    window: Indices
    """[W, 2]: first slot (counted from 0) and end of its slots."""
    salt: Keys
    """[S]: key of the set and, where it matters, of the location."""
    base: Indices
    """[S]: the set's first weight."""
    group: npt.NDArray[np.uint8]
    """[S, ORIENTATIONS + 1]: the number of orientations that count, and those (0, 1, 2, .. where
    all of them do)."""
    cells: Indices
    """[W, 1 + 2 * 25]: number of cells, then (point, first key) of each."""


class ShapeTables(NamedTuple):
    """All that kernels know of m sets on one board size."""

    exact: ExactTables
    hashed: HashedTables
    liberty: LibertyTables
    """Of the liberty family; its slots come last."""
    near_start: Indices
    """[CELLS + 1]: the points near p are near[near_start[p]] .. near[near_start[p + 1]]."""
    near: npt.NDArray[np.uint16]
    """Points that share a window of a shape set with a point, itself included."""
    slot_set: Indices
    """[slots]: the number of the set each slot belongs to, exact, hashed, liberty."""
    windows: npt.NDArray[np.int64]
    """[m]: the number of windows of each set."""
    general: npt.NDArray[np.uint8]
    """[m, m]: general[i, j] is 1 where set j is as general as set i."""
    bins: int


class SetLayout(NamedTuple):
    """Where a set's weights lie among all weights."""

    first: int
    end: int
    classes: dict[Window, tuple[int, tuple[Permutation, ...]]]
    """By representative: the first weight of its class and the group of its location; empty where
    the set is hashed."""


@cache
def layout_of(sets: tuple[ShapeSet, ...], size: int, bins: int) -> tuple[SetLayout, ...]:
    """The place of each set's weights, one set after another."""
    layouts = []
    first = 0
    for each in sets:
        at, classes = first, {}
        if each.is_hashed:
            at += bins
        else:
            for window, group in classes_of(each, size).items():
                classes[window] = (at, group)
                at += len(np.unique(canonical_codes(each.template.cells, group)))
        layouts.append(SetLayout(first, at, classes))
        first = at
    return tuple(layouts)


def count_weights(sets: tuple[ShapeSet, ...], size: int, bins: int) -> int:
    """How many weights these sets have on a board."""
    check_sets(sets, size)
    return sum(bins if each.is_hashed else count_distinct(each, size) for each in sets)


@cache
def shape_tables(sets: tuple[ShapeSet, ...], size: int, bins: int) -> ShapeTables:
    """The tables of these sets on a board; raises KatachiError where one does not fit."""
    check_sets(sets, size)
    kinds = (
        [s for s in sets if not s.is_hashed],
        [s for s in sets if s.is_hashed and s.family is Family.SHAPE],
        [s for s in sets if s.family is Family.LIBERTY],
    )
    slot_set = [sets.index(each) for kind in kinds for each, _ in _slots_in_order(kind, size)]
    general = [[is_as_general(g, s) for g in sets] for s in sets]
    return ShapeTables(
        _exact_tables(sets, size, bins),
        _hashed_tables(sets, size, bins, Family.SHAPE),
        liberty_tables(_hashed_tables(sets, size, bins, Family.LIBERTY), size, bins),
        *_near_points(kinds[0] + kinds[1], size),
        np.array(slot_set, np.uint32),
        np.array([len(places_of(each.template, size)) for each in sets]),
        np.array(general, np.uint8),
        bins,
    )


def _slots_in_order(kind: list[ShapeSet], size: int) -> list[tuple[ShapeSet, Place]]:
    """The slots of sets of one kind; those of the same window lie together where it is hashed."""
    if kind and kind[0].is_hashed:
        return [
            (each, place)
            for template in dict.fromkeys(s.template for s in kind)
            for place in places_of(template, size)
            for each in kind
            if each.template == template
        ]
    return [(each, place) for each in kind for place in places_of(each.template, size)]


def _by_point(touches: Iterable[tuple[int, int, int]], size: int) -> tuple[Indices, Indices]:
    """(start, touch) of (board index, what, which) triples."""
    points = points_of(size)
    lists: list[list[tuple[int, int]]] = [[] for _ in range(CELLS)]
    for cell, what, which in touches:
        lists[points[cell]].append((what, which))
    start = np.zeros(CELLS + 1, np.uint32)
    start[1:] = np.cumsum([len(each) for each in lists])
    flat = [touch for each in lists for touch in each]
    return start, np.array(flat, np.uint32).reshape(-1, 2)


def _near_points(sets: list[ShapeSet], size: int) -> tuple[Indices, npt.NDArray[np.uint16]]:
    """(near_start, near): the points that share a window of these sets with each point."""
    points = points_of(size)
    near: list[set[int]] = [set() for _ in range(CELLS)]
    for template in dict.fromkeys(each.template for each in sets):
        for place in places_of(template, size):
            cells = {int(points[cell]) for cell in place.window.cells}
            for cell in cells:
                near[cell] |= cells
    start = np.zeros(CELLS + 1, np.uint32)
    start[1:] = np.cumsum([len(each) for each in near])
    return start, np.array([point for each in near for point in sorted(each)], np.uint16)


def _exact_tables(sets: tuple[ShapeSet, ...], size: int, bins: int) -> ExactTables:
    layouts = layout_of(sets, size, bins)
    ranks: list[npt.NDArray[np.uint16]] = [np.zeros(0, np.uint16)]
    starts: dict[tuple[int, tuple[Permutation, ...]], int] = {}
    slots: list[tuple[int, int]] = []
    touches: list[tuple[int, int, int]] = []
    kind = [each for each in sets if not each.is_hashed]
    for slot, (each, place) in enumerate(_slots_in_order(kind, size)):
        classes = layouts[sets.index(each)].classes
        key = place.representative
        base, group = classes[key if key in classes else next(iter(classes))]
        table = (each.template.cells, group)
        if table not in starts:
            starts[table] = sum(len(part) for part in ranks)
            codes = canonical_codes(*table)
            ranks.append(np.unique(codes, return_inverse=True)[1].astype(np.uint16))
        slots.append((starts[table], base))
        touches += [
            (cell, slot, STATES ** place.carried[i]) for i, cell in enumerate(place.window.cells)
        ]
    ends = [(cell, 0, 0) for cell in range(size * size)]
    start, touch = _by_point(touches + ends, size)
    rows = np.array(slots, np.uint32).reshape(-1, 2)
    return ExactTables(start, touch, rows, np.concatenate(ranks))


def _orientations(template: Template) -> tuple[Permutation, ...]:
    group = template_group(template)
    return group * (ORIENTATIONS // len(group))


@cache
def _cell_keys(template: Template, family: Family) -> Keys:
    """[cells, states, ORIENTATIONS]: the key of a state at a place, seen under each orientation."""
    states = STATES if family is Family.SHAPE else LIBERTY_STATES
    number = 100 * template.cells + list(Family).index(family)
    plain = random_states(_KEY_SEED, 1000 * number, template.cells * states)
    plain = plain.reshape(template.cells, states)
    plain[:, 0] = 0
    keys = np.zeros((template.cells, states, ORIENTATIONS), np.uint64)
    for orientation, carried in enumerate(_orientations(template)):
        for place in range(template.cells):
            keys[place, :, orientation] = plain[carried[place]]
    return keys


def _salt(each: ShapeSet, representative: Window) -> np.uint64:
    """A key of the set and of the representative's distance from the corner."""
    where = 0
    if each.location is Location.DEPENDENT:
        where = 1 + 100 * representative.row + representative.col
    number = 100 * each.template.cells + list(Family).index(each.family)
    return np.uint64(random_states(_KEY_SEED + number, 10_000_000 + where, 1)[0])


def _hashed_tables(
    sets: tuple[ShapeSet, ...], size: int, bins: int, family: Family
) -> HashedTables:
    layouts = layout_of(sets, size, bins)
    kind = [each for each in sets if each.is_hashed and each.family is family]
    templates = tuple(dict.fromkeys(each.template for each in kind))
    blocks: dict[Template, int] = {}
    keys: list[Keys] = [np.zeros(0, np.uint64)]
    for template in templates:
        blocks[template] = sum(len(part) for part in keys)
        keys.append(_cell_keys(template, family).reshape(-1))
    states = STATES if family is Family.SHAPE else LIBERTY_STATES
    windows: list[tuple[int, int]] = []
    touches, cells = [], []
    slots: list[tuple[np.uint64, int, list[int]]] = []
    points = points_of(size)
    for template in templates:
        group = _orientations(template)
        for place in places_of(template, size):
            number = len(windows)
            first = len(slots)
            row = [template.cells]
            for i, cell in enumerate(place.window.cells):
                block = blocks[template] + place.carried[i] * ORIENTATIONS * states
                touches.append((cell, number, block))
                row += [int(points[cell]), block]
            cells.append(row + [0] * (51 - len(row)))
            for each in kind:
                if each.template == template:
                    chosen = list(range(ORIENTATIONS))
                    if each.location is Location.DEPENDENT:
                        chosen = [group.index(carried) for carried in place.stabilizer]
                    base = layouts[sets.index(each)].first
                    slots.append((_salt(each, place.representative), base, chosen))
            windows.append((first, len(slots)))
    start, touch = _by_point(touches, size)
    padded = [[len(chosen), *chosen, *[0] * (ORIENTATIONS - len(chosen))] for *_, chosen in slots]
    return HashedTables(
        start,
        touch,
        np.concatenate(keys),
        np.array(windows, np.uint32).reshape(-1, 2),
        np.array([salt for salt, *_ in slots], np.uint64),
        np.array([base for _, base, _ in slots], np.uint32),
        np.array(padded, np.uint8).reshape(-1, ORIENTATIONS + 1),
        np.array(cells, np.uint32).reshape(-1, 51),
    )
