"""All shapes of a set as columns, so that thousands of them are ordered and searched at once.

`shape_ranking` says what the best few are; here every shape that was seen has a row, with each own
stone that may have been played last.
"""

from collections.abc import Generator, Iterator, Sequence
from itertools import product
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from katachi._jit import kernel
from katachi.errors import KatachiError
from katachi.evaluators.local_shape import LocalShape
from katachi.evaluators.shape_ranking import least_seen
from katachi.features.shape_contents import OTHER, OWN, codes_of_class, middle_of
from katachi.features.shape_sets import STATES, Location, ShapeSet, Template
from katachi.features.shape_tables import layout_of
from katachi.features.windows import Permutation, Window
from katachi.rules.color import BLACK, EMPTY, WHITE
from katachi.rules.kernels import place_stones
from katachi.rules.point import points_of
from katachi.rules.positions import positions_of
from katachi.rules.state import CAPTURED, Words, colors_of, empty_words

ANY = -1
"""A point of a pattern that may hold anything."""
NO_MARK = -1
LARGEST_PATTERN = 5
"""Lines of a pattern, once the points that may hold anything are cut off at its sides."""
BOARDS_AT_ONCE = 128
"""So few that they stay in the processor's cache."""

Cells = npt.NDArray[np.uint8]
Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Choice = npt.NDArray[np.bool_]
Pattern = npt.NDArray[np.int64]


class ShapeTable(NamedTuple):
    """The shapes of a set that were seen often enough; all columns are [N]."""

    number: int
    """The set's number in the model."""
    weights: Ints
    """Places among the model's weights; a shape has as many rows as stones that may be the last."""
    cells: Cells
    """[N, cells]: EMPTY, OWN or OTHER."""
    marks: Ints
    """The place of the stone that was played last; NO_MARK where the shape has none."""
    units: Floats
    seen: Floats
    gains: Floats
    """What that stone adds to the model's value, in units; NaN where it is not known."""
    is_first: Choice
    """Of the rows of one shape, the one whose stone gains most."""


def tables_of(model: LocalShape) -> Iterator[ShapeTable]:
    """The table of each set that is not hashed."""
    for number, each in enumerate(model.sets):
        if not each.is_hashed:
            yield table_of(model, number)


def table_of(model: LocalShape, number: int) -> ShapeTable:
    """The table of a set; raises KatachiError for a hashed one, whose bins hold several shapes."""
    steps = steps_to_table(model, number)
    while True:
        try:
            next(steps)
        except StopIteration as end:
            table: ShapeTable = end.value
            return table


def steps_to_table(model: LocalShape, number: int) -> Generator[None, None, ShapeTable]:
    """The same, a little at each step, for whoever must give others their turn."""
    shape_set = model.sets[number]
    if shape_set.is_hashed:
        raise KatachiError(f"{shape_set.name} is hashed: only games show what is in its bins")
    layout = layout_of(model.sets, model.size, model.bins)[number]
    seen = model.seen[layout.first : layout.end].astype(np.int64)
    used = layout.first + np.flatnonzero(seen >= least_seen(seen))
    parts = []
    for window, (base, group) in layout.classes.items():
        parts.append(_rows_of_class(model, _Class(shape_set, window, base, group), used))
        yield
    weights, cells, marks, gains = (np.concatenate(column) for column in zip(*parts, strict=True))
    units, counts = (each[weights].astype(np.float64) for each in (model.weights, model.seen))
    first = _first_rows(weights, gains)
    return ShapeTable(number, weights, cells, marks, units, counts, gains, first)


class _Class(NamedTuple):
    """The shapes of a set that stand at one place."""

    shape_set: ShapeSet
    window: Window
    base: int
    group: tuple[Permutation, ...]


def _rows_of_class(
    model: LocalShape, which: _Class, used: Ints
) -> tuple[Ints, Cells, Ints, Floats]:
    """(weights, cells, marks, gains) of the shapes of a class that are used."""
    count = which.shape_set.template.cells
    codes = codes_of_class(count, which.group)
    weights = used[(used >= which.base) & (used < which.base + len(codes))]
    states = codes[weights - which.base][:, None] // STATES ** np.arange(count) % STATES
    cells = states.astype(np.uint8)
    chosen = _last_stones(which, cells)
    rows, marks = np.nonzero(chosen)
    bare = np.flatnonzero(~chosen.any(axis=1))
    every = np.concatenate([rows, bare])
    gains = _gains(model, which, cells[rows], marks)
    marks = np.concatenate([marks, np.full(len(bare), NO_MARK)])
    gains = np.concatenate([gains, np.full(len(bare), np.nan)])
    return weights[every], cells[every], marks, gains


def _last_stones(which: _Class, cells: Cells) -> Choice:
    """[N, cells]: where the own stone may stand that was played last: in the middle where there is
    one, else anywhere, stones that mirror each other once."""
    chosen = np.asarray(cells == OWN)
    middle = middle_of(which.shape_set.template)
    if middle is not None:
        chosen[:, np.arange(cells.shape[1]) != middle] = False
        return chosen
    for carried in which.group:
        image = np.empty_like(cells)
        image[:, carried] = cells
        is_same = (image == cells).all(axis=1)
        twins = np.array([target < place for place, target in enumerate(carried)])
        chosen[np.ix_(is_same, twins)] = False
    return chosen


def _gains(model: LocalShape, which: _Class, cells: Cells, marks: Ints) -> Floats:
    """[N]: what the marked stones add on boards that are otherwise empty; NaN where no game leads
    to the shape."""
    after = _lay_out(model.size, which, cells)
    without = cells.copy()
    without[np.arange(len(cells)), marks] = EMPTY
    before = _lay_out(model.size, which, without)
    gains: Floats = values_of_boards(model, after) - values_of_boards(model, before)
    return gains


def _lay_out(size: int, which: _Class, cells: Cells) -> Cells:
    """[N, size * size]: shapes on empty boards, own stones black: where they stand, or in the
    middle if they may stand anywhere."""
    length, width = which.shape_set.template
    row, col = (size - width) // 2, (size - length) // 2
    if which.shape_set.location is Location.DEPENDENT:
        row, col = which.window.row, which.window.col
    colors = np.zeros((len(cells), size, size), np.uint8)
    colors[:, row : row + width, col : col + length] = cells.reshape(-1, width, length)
    return colors.reshape(-1, size * size)


def values_of_boards(model: LocalShape, colors: Cells) -> Floats:
    """[N]: what a model says of boards with these colours [N, size * size] to Black, who has just
    moved, in units; NaN where a block has no liberties, for no game leads there."""
    values = np.full(len(colors), np.nan)
    blank, points = empty_words(model.size), points_of(model.size)
    memory = np.empty((min(len(colors), BOARDS_AT_ONCE), len(blank)), blank.dtype)
    for first in range(0, len(colors), BOARDS_AT_ONCE):
        part = colors[first : first + BOARDS_AT_ONCE]
        words = memory[: len(part)]
        words[:] = blank
        set_up_boards(words, points, part.astype(np.uint16))
        sums = model.predict(positions_of(words, BLACK)).sum(axis=1)
        captured = words[:, [CAPTURED + BLACK, CAPTURED + WHITE]].any(axis=1)
        is_possible = (colors_of(words) == part).all(axis=1) & ~captured
        values[first : first + BOARDS_AT_ONCE] = np.where(is_possible, sums, np.nan)
    return values


@kernel
def set_up_boards(words: Words, points: Words, colors: Words) -> None:
    """Sets up the stones with colours [B, P] on points [P] of empty boards [B, WORDS]."""
    for board in range(len(words)):
        for index in range(len(points)):
            if colors[board, index] != EMPTY:
                stone = slice(index, index + 1)
                place_stones(words[board], points[stone], colors[board, stone])


def _first_rows(weights: Ints, gains: Floats) -> Choice:
    """[N]: of the rows of each weight, whether this one gains most; those with a gain come before
    those without."""
    order = np.lexsort((-np.nan_to_num(gains, nan=-np.inf), weights))
    starts = np.ones(len(order), np.bool_)
    starts[1:] = weights[order[1:]] != weights[order[:-1]]
    first = np.zeros(len(order), np.bool_)
    first[order[starts]] = True
    return first


def pattern_of(rows: Sequence[Sequence[int]]) -> Pattern | None:
    """A pattern from its rows, without the sides at which anything may stand; None where anything
    may stand everywhere. Raises KatachiError for one that is no rectangle, or too large."""
    lengths = {len(row) for row in rows}
    if len(lengths) != 1 or max(lengths) == 0:
        raise KatachiError("a pattern needs rows of one length")
    grid = np.array(rows, np.int64)
    if not np.isin(grid, (ANY, EMPTY, OWN, OTHER)).all():
        raise KatachiError("a pattern has 0 empty, 1 own, 2 the opponent's, -1 anything")
    known = np.argwhere(grid != ANY)
    if len(known) == 0:
        return None
    (top, left), (bottom, right) = known.min(axis=0), known.max(axis=0)
    cut: Pattern = grid[top : bottom + 1, left : right + 1]
    if max(cut.shape) > LARGEST_PATTERN:
        raise KatachiError(
            f"a pattern of {cut.shape[1]}x{cut.shape[0]}: use {LARGEST_PATTERN}x{LARGEST_PATTERN} "
            "or less"
        )
    return cut


def holds_pattern(table: ShapeTable, template: Template, pattern: Pattern) -> Choice:
    """[N]: which shapes hold a pattern anywhere, turned or mirrored in any way and with colours
    exchanged or not."""
    grid = table.cells.reshape(-1, template.width, template.length)
    found = np.zeros(len(grid), np.bool_)
    for image in _images(pattern):
        height, width = image.shape
        known = image != ANY
        for row, col in product(
            range(template.width - height + 1), range(template.length - width + 1)
        ):
            window = grid[:, row : row + height, col : col + width]
            found |= (window[:, known] == image[known]).all(axis=1)
    return found


def _images(pattern: Pattern) -> list[Pattern]:
    """The different images of a pattern under the eight symmetries and exchanged colours."""
    exchanged = np.array([EMPTY, OTHER, OWN, ANY])[pattern]
    turned = [np.rot90(each, turns) for each in (pattern, exchanged) for turns in range(4)]
    every = [image for each in turned for image in (each, each.T)]
    return list(
        {(each.shape, each.tobytes()): np.ascontiguousarray(each) for each in every}.values()
    )
