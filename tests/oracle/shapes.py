"""Local shapes, slow and plain: windows are lists of spots, and a shape is compared with every one
of its images.

Nothing here shares code with `katachi.features`. A *shape* is what a window holds: its spots, each
with a state. Two shapes share a weight exactly when their classes are equal.
"""

from collections.abc import Iterable, Iterator

from tests.oracle.go import Spot, Stones, liberties_of, region_of

Shape = frozenset[tuple[Spot, int]]
Window = frozenset[Spot]


def rectangles(length: int, width: int, size: int) -> set[Window]:
    """Every rectangle of these sides on a board, lying and standing."""
    return {
        frozenset((row + i, col + j) for i in range(height) for j in range(breadth))
        for height, breadth in ((length, width), (width, length))
        for row in range(size - height + 1)
        for col in range(size - breadth + 1)
    }


def shape_in(stones: Stones, window: Iterable[Spot], own: int) -> Shape:
    """What a window holds: 0 empty, 1 a stone of colour `own`, 2 one of the other's."""
    return frozenset((spot, _state(stones.get(spot), own)) for spot in window)


def _state(color: int | None, own: int) -> int:
    if color is None:
        return 0
    return 1 if color == own else 2


def liberty_shape_in(stones: Stones, window: Iterable[Spot], own: int, size: int) -> Shape:
    """The same with a stone's liberties: 1, 2, 3 for an own stone whose block has 0, 1, 2 or more
    liberties outside the window; 4, 5, 6 for one of the other's."""
    inside = set(window)
    states = set()
    for spot in inside:
        state = 0
        if spot in stones:
            liberties = liberties_of(stones, size, region_of(stones, size, spot)) - inside
            state = (1 if stones[spot] == own else 4) + min(2, len(liberties))
        states.add((spot, state))
    return frozenset(states)


def images_of(shape: Shape, size: int) -> Iterator[Shape]:
    """A shape as the eight symmetries of the board carry it."""
    last = size - 1
    for moved in (shape, frozenset(((col, row), state) for (row, col), state in shape)):
        yield moved
        yield frozenset(((last - row, col), state) for (row, col), state in moved)
        yield frozenset(((row, last - col), state) for (row, col), state in moved)
        yield frozenset(((last - row, last - col), state) for (row, col), state in moved)


def class_of(shape: Shape, size: int, *, depends_on_location: bool) -> tuple[tuple[Spot, int], ...]:
    """What a shape has in common with exactly those that share its weight: the first of its
    images, each moved to the top left corner where location does not matter."""
    images = images_of(shape, size)
    if not depends_on_location:
        images = (_at_the_corner(image) for image in images)
    return min(tuple(sorted(image)) for image in images)


def _at_the_corner(shape: Shape) -> Shape:
    top = min(row for (row, _), _ in shape)
    left = min(col for (_, col), _ in shape)
    return frozenset(((row - top, col - left), state) for (row, col), state in shape)
