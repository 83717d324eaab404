"""What stands behind a weight: the shape it belongs to, and where such shapes stand on a board."""

from collections.abc import Sequence
from functools import cache, cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from katachi.errors import KatachiError
from katachi.features.shape_sets import STATES, Family, Location, ShapeSet, Template
from katachi.features.shape_tables import SetLayout, layout_of, shape_tables
from katachi.features.windows import (
    Permutation,
    Place,
    Window,
    canonical_codes,
    classes_of,
    places_of,
    template_group,
)
from katachi.rules.color import EMPTY
from katachi.rules.diagram import Colors

Cells = tuple[int, ...]
OWN, OTHER = 1, 2
LIBERTY_CLASSES = 3
"""External liberties that liberty shapes tell apart: none, one, two or more."""


class Stone(NamedTuple):
    """What one point of a shape holds."""

    owner: int
    """EMPTY, OWN or OTHER."""
    liberties: int | None
    """Of a liberty shape's stone: its block's liberties outside the template, 2 for more too."""


class Edges(NamedTuple):
    """The sides on which a shape stands at the edge of the board."""

    top: bool
    left: bool
    bottom: bool
    right: bool


class Shape(NamedTuple):
    """One shape of a set: what its template holds and, where location matters, where it stands."""

    shape_set: ShapeSet
    window: Window
    """The place, lying along a row, that speaks for all of the shape's places."""
    cells: Cells
    """The state of each place of the template, as the set's weights number them."""

    @property
    def rows(self) -> list[list[Stone]]:
        """The shape as it lies in its window, from the top."""
        length = self.shape_set.template.length
        stones = [_stone(self.shape_set.family, state) for state in self.cells]
        return [stones[first : first + length] for first in range(0, len(stones), length)]

    @property
    def has_location(self) -> bool:
        """Whether where it stands matters."""
        return self.shape_set.location is Location.DEPENDENT

    def edges(self, size: int) -> Edges:
        """Where the shape ends with the board; nowhere if it may stand anywhere."""
        template, window = self.shape_set.template, self.window
        if not self.has_location:
            return Edges(top=False, left=False, bottom=False, right=False)
        return Edges(
            top=window.row == 0,
            left=window.col == 0,
            bottom=window.row + template.width == size,
            right=window.col + template.length == size,
        )


class PlayedShape(NamedTuple):
    """A shape one of whose stones was played last, and is the player's own."""

    shape: Shape
    mark: int
    """The place of that stone in the template, row by row."""


def middle_of(template: Template) -> int | None:
    """The place in the middle of a template; None where its length or width is even."""
    is_odd = template.length % 2 == template.width % 2 == 1
    return template.cells // 2 if is_odd else None


def _stone(family: Family, state: int) -> Stone:
    if state == EMPTY:
        return Stone(EMPTY, None)
    if family is Family.SHAPE:
        return Stone(state, None)
    owner, liberties = divmod(state - 1, LIBERTY_CLASSES)
    return Stone(OWN + owner, liberties)


class Slot(NamedTuple):
    """One window as one set sees it."""

    number: int
    """The set's number in the model."""
    place: Place


@cache
def slots_of(sets: tuple[ShapeSet, ...], size: int, bins: int) -> tuple[Slot, ...]:
    """The slots of `shape_tables` in their order: those of each set follow its windows'."""
    places = [iter(places_of(each.template, size)) for each in sets]
    numbers = shape_tables(sets, size, bins).slot_set.tolist()
    return tuple(Slot(number, next(places[number])) for number in numbers)


@cache
def codes_of_class(cells: int, group: tuple[Permutation, ...]) -> npt.NDArray[np.int64]:
    """The codes of the shapes that differ under a group, in the order of their weights."""
    return np.unique(canonical_codes(cells, group))


def set_of_weight(sets: tuple[ShapeSet, ...], size: int, bins: int, index: int) -> int:
    """The number of the set that a weight belongs to."""
    ends = [layout.end for layout in layout_of(sets, size, bins)]
    return int(np.searchsorted(ends, index, side="right"))


def shape_of_weight(sets: tuple[ShapeSet, ...], size: int, bins: int, index: int) -> Shape:
    """The shape that a weight was learned for.

    Raises KatachiError for a weight of a hashed set: only positions show what is in its bin.
    """
    number = set_of_weight(sets, size, bins, index)
    each = sets[number]
    if each.is_hashed:
        raise KatachiError(f"a weight of {each.name} may belong to several shapes: it is hashed")
    window, base, group = _class_of_weight(layout_of(sets, size, bins)[number], index)
    code = int(codes_of_class(each.template.cells, group)[index - base])
    cells = tuple(code // STATES**place % STATES for place in range(each.template.cells))
    return Shape(each, window, cells)


def _class_of_weight(layout: SetLayout, index: int) -> tuple[Window, int, tuple[Permutation, ...]]:
    """The location class that holds a weight: the last one that begins at it or before."""
    window, (base, group) = [entry for entry in layout.classes.items() if entry[1][0] <= index][-1]
    return window, base, group


class SeenPosition:
    """A position as one colour sees it."""

    def __init__(self, colors: Colors, size: int, color: int) -> None:
        """The position with these colours, row by row [size * size], seen by `color`."""
        self.size = size
        own, other = colors == color, (colors != color) & (colors != EMPTY)
        self.states: list[int] = (own * OWN + other * OTHER).tolist()

    def shape_at(self, shape_set: ShapeSet, place: Place) -> Shape:
        """The shape that a set sees in one of its windows, as its weight is shared."""
        states = self._states_in(shape_set, place.window)
        lying = _carry(states, place.carried)
        if shape_set.location is Location.DEPENDENT:
            return Shape(shape_set, place.representative, _smallest(lying, place.stabilizer))
        first = places_of(shape_set.template, self.size)[0].representative
        return Shape(shape_set, first, _smallest(lying, template_group(shape_set.template)))

    def played_at(self, shape_set: ShapeSet, place: Place, index: int) -> PlayedShape:
        """The shape in a window whose stone at place `index` was played last."""
        shape = self.shape_at(shape_set, place)
        lying = _carry(self._states_in(shape_set, place.window), place.carried)
        group = classes_of(shape_set, self.size)[shape.window]
        images = ((_carry(lying, each), each[place.carried[index]]) for each in group)
        return PlayedShape(shape, min(mark for cells, mark in images if cells == shape.cells))

    def _states_in(self, shape_set: ShapeSet, window: Window) -> Cells:
        states = tuple(self.states[cell] for cell in window.cells)
        if shape_set.family is Family.SHAPE:
            return states
        inside = set(window.cells)
        return tuple(
            state and 1 + LIBERTY_CLASSES * (state - 1) + min(2, len(self.liberties[cell] - inside))
            for cell, state in zip(window.cells, states, strict=True)
        )

    @cached_property
    def liberties(self) -> list[frozenset[int]]:
        """The liberties of the block on each point; none where it is empty."""
        found: list[frozenset[int]] = [frozenset()] * len(self.states)
        seen: set[int] = set()
        for cell, state in enumerate(self.states):
            if state != EMPTY and cell not in seen:
                block, around = self._block_of(cell)
                seen |= block
                for stone in block:
                    found[stone] = frozenset(around)
        return found

    def _block_of(self, cell: int) -> tuple[set[int], set[int]]:
        """(the stones, the liberties) of the block on a point."""
        block, around, open_cells = {cell}, set(), [cell]
        while open_cells:
            for neighbor in self._neighbors(open_cells.pop()):
                if self.states[neighbor] == EMPTY:
                    around.add(neighbor)
                elif self.states[neighbor] == self.states[cell] and neighbor not in block:
                    block.add(neighbor)
                    open_cells.append(neighbor)
        return block, around

    def _neighbors(self, cell: int) -> list[int]:
        row, col = divmod(cell, self.size)
        spots = ((row - 1, col), (row, col - 1), (row, col + 1), (row + 1, col))
        return [r * self.size + c for r, c in spots if min(r, c) >= 0 and max(r, c) < self.size]


def is_own(shape: Shape, place: int) -> bool:
    """Whether an own stone stands at a place of a shape's template."""
    return _stone(shape.shape_set.family, shape.cells[place]).owner == OWN


def played_shapes(shape: Shape, size: int) -> list[PlayedShape]:
    """A shape with each own stone that may have been played last: the one in the middle where the
    template has a middle, else any, stones that mirror each other once."""
    middle = middle_of(shape.shape_set.template)
    if middle is not None:
        return [PlayedShape(shape, middle)] if is_own(shape, middle) else []
    group = classes_of(shape.shape_set, size)[shape.window]
    same = [each for each in group if _carry(shape.cells, each) == shape.cells]
    marks = {min(each[place] for each in same) for place in range(len(shape.cells))}
    return [PlayedShape(shape, mark) for mark in sorted(marks) if is_own(shape, mark)]


def _carry(states: Sequence[int], carried: Permutation) -> Cells:
    """States moved to where `carried` says."""
    moved = [0] * len(states)
    for place, state in enumerate(states):
        moved[carried[place]] = state
    return tuple(moved)


def _smallest(cells: Cells, group: tuple[Permutation, ...]) -> Cells:
    """The image of a shape with the smallest code, whose last place counts most."""
    return min((_carry(cells, carried) for carried in group), key=lambda image: image[::-1])
