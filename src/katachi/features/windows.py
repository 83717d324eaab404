"""Where a template can stand on a board, and which of those places mirror each other."""

from functools import cache
from itertools import product
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from katachi.features.shape_sets import STATES, Location, ShapeSet, Template
from katachi.rules.symmetry import SYMMETRIES, index_tables

Permutation = tuple[int, ...]
"""p[i] is the place in the template to which place i is carried."""


class Window(NamedTuple):
    """A template laid on the board."""

    row: int
    col: int
    is_tall: bool
    cells: tuple[int, ...]
    """Its points, row by row indices of the board, read along the template's length."""


class Place(NamedTuple):
    """A window and the one of its mirror images that speaks for all of them."""

    window: Window
    representative: Window
    """The image nearest the top left corner, lying along a row: its row and column count from the
    nearest corner, so they mean the same on a larger board."""
    carried: Permutation
    """carried[i] is where cell i of the window comes to lie in the representative."""
    stabilizer: tuple[Permutation, ...]
    """The ways in which the representative is carried onto itself, the identity first."""


def windows_of(template: Template, size: int) -> list[Window]:
    """Every window of a template: those along rows first, each from the top left."""
    windows = []
    for is_tall in (False, True)[: 1 if template.length == template.width else 2]:
        height, breadth = (template.length, template.width)[:: 1 if is_tall else -1]
        for row, col in product(range(size - height + 1), range(size - breadth + 1)):
            cells = tuple(
                (row + i) * size + col + j if not is_tall else (row + j) * size + col + i
                for i in range(template.width)
                for j in range(template.length)
            )
            windows.append(Window(row, col, is_tall, cells))
    return windows


@cache
def places_of(template: Template, size: int) -> tuple[Place, ...]:
    """Every window of a template with its representative."""
    windows = windows_of(template, size)
    found = {frozenset(window.cells): window for window in windows}
    images = np.argsort(index_tables(size), axis=1)  # images[s, i]: where symmetry s carries i

    def image(window: Window, symmetry: int) -> tuple[Window, Permutation]:
        cells = [int(images[symmetry, cell]) for cell in window.cells]
        target = found[frozenset(cells)]
        return target, tuple(target.cells.index(cell) for cell in cells)

    places = []
    for window in windows:
        orbit = [image(window, symmetry) for symmetry in range(SYMMETRIES)]
        first, carried = min(orbit, key=lambda pair: (pair[0].is_tall, pair[0].row, pair[0].col))
        own = [image(first, symmetry) for symmetry in range(SYMMETRIES)]
        stabilizer = tuple(dict.fromkeys(p for target, p in own if target == first))
        places.append(Place(window, first, carried, stabilizer))
    return tuple(places)


@cache
def template_group(template: Template) -> tuple[Permutation, ...]:
    """The ways in which a template is carried onto itself, the identity first."""
    grid = np.arange(template.cells).reshape(template.width, template.length)
    moved = [grid, grid[::-1], grid[:, ::-1], grid[::-1, ::-1]]
    if template.length == template.width:
        moved += [each.T for each in moved]
    group = (tuple(int(i) for i in np.argsort(each.reshape(-1))) for each in moved)
    return tuple(dict.fromkeys(group))


@cache
def canonical_codes(cells: int, group: tuple[Permutation, ...]) -> npt.NDArray[np.int64]:
    """[3 ** cells]: the smallest code among the images of each shape under a group.

    A shape's code has the digit of place i worth 3 ** i.
    """
    codes = np.arange(STATES**cells)
    digits = [codes // STATES**place % STATES for place in range(cells)]
    smallest = codes
    for carried in group:
        image = sum(digits[i] * STATES ** carried[i] for i in range(cells))
        smallest = np.minimum(smallest, image)
    return np.asarray(smallest)


def _count_orbits(group: tuple[Permutation, ...]) -> int:
    """How many shapes are different under a group: the mean of 3 ** cycles (Burnside)."""
    return sum(STATES ** _count_cycles(carried) for carried in group) // len(group)


def _count_cycles(carried: Permutation) -> int:
    unseen = set(range(len(carried)))
    cycles = 0
    while unseen:
        cycles += 1
        place = unseen.pop()
        while (place := carried[place]) in unseen:
            unseen.remove(place)
    return cycles


def classes_of(each: ShapeSet, size: int) -> dict[Window, tuple[Permutation, ...]]:
    """The representatives of a set's windows and the group under which shapes there share a
    weight; one for all where location does not matter."""
    places = places_of(each.template, size)
    if each.location is Location.INDEPENDENT:
        return {places[0].representative: template_group(each.template)}
    return {place.representative: place.stabilizer for place in places}


def count_distinct(each: ShapeSet, size: int) -> int:
    """The number of different shapes of a set: what it has weights for where it is not hashed."""
    return sum(_count_orbits(group) for group in classes_of(each, size).values())
