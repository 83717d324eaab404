"""Weight files of RLGO 2.5, David Silver's own program, as an evaluator.

A position is worth the sum of the weights of the shapes in all its windows of 1x1, 2x2 and 3x3
points, each window counting twice: by its shape alone (location independent, LI) and by shape and
place (location dependent, LD). The logistic function of the sum is Black's chance of winning.

Shapes share a weight where a symmetry of the board or an exchange of the colours carries one onto
the other; the exchange turns the weight's sign. A shape that is its own opposite, as the empty one
is, has none. Classes of shapes are numbered by their lowest member, and members by window, row by
row, then by shape: a number in base 3 (empty, Black, White) whose lowest digit is the top left.
"""

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import IO, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from katachi._jit import kernel
from katachi.errors import KatachiError
from katachi.evaluators.linear_evaluator import FeatureBlock, LinearEvaluator
from katachi.rules.point import point_from_row_col
from katachi.rules.size import MAX_SIZE
from katachi.rules.state import COLOR, BoardState, Words
from katachi.rules.symmetry import INVERTED_COLORS, SYMMETRIES, index_tables

Weights = npt.NDArray[np.float32]
Sums = npt.NDArray[np.int64]
Codes = npt.NDArray[np.int64]

TEMPLATES = (1, 2, 3)
"""Sides of the windows. The file holds the weights of each, LI before LD."""
LARGEST = 3
PLACES = LARGEST * LARGEST
COLORS = 3
SMALLEST_BOARD = LARGEST
UNIT = 2.0**-40
"""Logits are summed as whole numbers of this, so that mirror images are worth exactly the same."""
HEAVIEST = 1000.0
"""Weights up to this cannot overflow the sum on any board; RLGO's own are below one."""

HEADER = (
    ("Version", "2"),
    (
        "FeatureSet",
        f"({'+'.join(f'LocalShape-{t}x{t}-{kind}' for t in TEMPLATES for kind in ('LI', 'LD'))})",
    ),
)
"""Name and value of a file's first two lines of text; the third tells the number of weights."""
COUNT_FIELD = "NumSaved"
LONGEST_LINE = 200
MOST_DIGITS = 9
WEIGHT_TYPE = np.dtype("<f4")


class ShapeClasses(NamedTuple):
    """The shapes of one window, sorted into classes that share a weight."""

    number: Codes
    """[shapes]: which of the window's weights it is; 0 where there is none."""
    sign: Codes
    """[shapes]: 1, -1 with the colours exchanged, 0 for a shape without a weight."""
    total: int
    """Weights of the window."""


class Sharing(NamedTuple):
    """How all windows of one template on one board share weights."""

    template: int
    home: Codes
    """[windows]: the first of the window's mirror images, which holds the weights."""
    turn: Codes
    """[windows]: a symmetry that carries the window there."""
    classes: dict[int, ShapeClasses]
    """Of each home."""
    first: dict[int, int]
    """Of each home: how many weights the homes before it have."""
    total: int
    """Weights in all."""

    def values(self, weights: Weights, window: int) -> npt.NDArray[np.float64]:
        """[shapes]: what each shape in a window is worth, by this set's weights."""
        home = int(self.home[window])
        classes = self.classes[home]
        shapes = images_of_shapes(self.template)[self.turn[window]]
        found = weights[self.first[home] + classes.number[shapes]]
        return np.asarray(found * classes.sign[shapes], np.float64)


class ShapeTables(NamedTuple):
    """What every shape in every 3x3 window is worth, smaller windows included."""

    cells: npt.NDArray[np.int32]
    """[windows, 9]: words of a board that hold the shape's digits, the lowest first."""
    row: npt.NDArray[np.int32]
    """[windows]: where in `values` its shapes stand; mirror images share a row."""
    values: Sums
    """[rows, shapes], in units."""


class TableBlock(FeatureBlock):
    """All 3x3 shapes of a position by their values, from Black's side."""

    def __init__(self, tables: ShapeTables) -> None:
        """Values as `fuse_weights` makes them."""
        self.tables = tables

    def predict(self, states: BoardState) -> Sums:
        """[B, 1]: the sum of the values in units, positive where Black is ahead."""
        sums = np.zeros(len(states.words), np.int64)
        sum_shapes(states.words, self.tables, sums)
        return sums[:, None]


class RlgoEvaluator(LinearEvaluator):
    """Judges boards of one size by a set of RLGO's weights."""

    unit = UNIT
    is_movers = False

    def __init__(self, weights: Weights, size: int, name: str = "rlgo") -> None:
        """An evaluator of `size` x `size` boards; weights as in a file, `count_weights(size)`."""
        super().__init__([TableBlock(fuse_weights(weights, size))], size)
        self.name = name
        self.scope = f"{name} judges"

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """The evaluator of a weight file; raises KatachiError, naming the file and what is wrong
        with it, unless it is whole and of RLGO's form."""
        weights, size = read_weights(Path(path))
        return cls(weights, size, f"rlgo:{Path(path).name}")


@kernel
def sum_shapes(boards: Words, tables: ShapeTables, sums: Sums) -> None:
    """Writes the values of all 3x3 shapes of each of boards [B, WORDS] into sums [B], in units."""
    for index in range(len(boards)):
        board = boards[index]
        total = np.int64(0)
        for window in range(len(tables.row)):
            cells = tables.cells[window]
            shape = np.int64(0)
            for place in range(PLACES - 1, -1, -1):
                shape = shape * COLORS + np.int64(board[cells[place]])
            total += tables.values[tables.row[window], shape]
        sums[index] = total


def read_weights(path: Path) -> tuple[Weights, int]:
    """(weights, board size) of a file; raises KatachiError when it is not what RLGO writes.

    No more is read than the weights of the largest board.
    """
    try:
        # A pipe would keep us waiting for as long as nobody writes into it.
        if path.exists() and not path.is_file():
            raise KatachiError(f"cannot read {path}: not a file")
        with path.open("rb") as stream:
            count = _read_header(path, stream)
            size = _size_of_count(path, count)
            data = stream.read(count * WEIGHT_TYPE.itemsize + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise KatachiError(f"cannot read {path}: {reason}") from None
    return _weights_of_data(path, data, count), size


def _read_header(path: Path, stream: IO[bytes]) -> int:
    """The number of weights that follow the three lines of text."""
    for number, (field, value) in enumerate(HEADER, 1):
        expected = f"{field} = {value}"
        line = _read_line(stream)
        if line != f"{expected}\n":
            raise _wrong_line(path, number, line, expected)
    line = _read_line(stream)
    field, _, digits = line.removesuffix("\n").partition(" = ")
    is_count = digits.isdecimal() and len(digits) <= MOST_DIGITS and line.endswith("\n")
    if field != COUNT_FIELD or not is_count:
        raise _wrong_line(path, len(HEADER) + 1, line, f"{COUNT_FIELD} = NUMBER")
    return int(digits)


def _read_line(stream: IO[bytes]) -> str:
    """A line of text with its end, or the beginning of a longer one."""
    return stream.readline(LONGEST_LINE).decode("ascii", "replace")


def _wrong_line(path: Path, number: int, line: str, expected: str) -> KatachiError:
    found = repr(line) if len(line) <= len(expected) + 20 else f"{line[: len(expected)]!r}..."
    text = f"line {number} is {found if line else 'missing'}, it must be {expected!r}"
    return KatachiError(f"{path} is no weight file of RLGO 2.5: {text}")


def _size_of_count(path: Path, count: int) -> int:
    """The size of the board that has so many weights."""
    for size in range(SMALLEST_BOARD, MAX_SIZE + 1):
        if count_weights(size) == count:
            return size
    span = f"{SMALLEST_BOARD}x{SMALLEST_BOARD} to {MAX_SIZE}x{MAX_SIZE}"
    known = f"no board from {span} has so many (9x9 has {count_weights(9)})"
    raise KatachiError(f"{path} holds {count} weights: {known}")


def _weights_of_data(path: Path, data: bytes, count: int) -> Weights:
    expected = count * WEIGHT_TYPE.itemsize
    if len(data) != expected:
        found = f"only {len(data)}" if len(data) < expected else "more"
        raise KatachiError(f"{path}: {count} weights need {expected} bytes, there are {found}")
    weights = np.frombuffer(data, WEIGHT_TYPE).astype(np.float32)
    # The comparison is false for NaN, too.
    wrong = np.flatnonzero(~(np.abs(weights) <= HEAVIEST))
    if len(wrong):
        text = f"weight {wrong[0] + 1} of {count} is {weights[wrong[0]]:g}"
        raise KatachiError(f"{path}: {text}, it must lie within {-HEAVIEST:g} and {HEAVIEST:g}")
    return weights


def count_weights(size: int) -> int:
    """How many weights RLGO has for a board."""
    return sum(sharing.total for sharing in sharings_of(size))


def sharings_of(size: int) -> Iterator[Sharing]:
    """The six sets of weights in the order of the file.

    What is location independent is what a board of one window would have.
    """
    for template in TEMPLATES:
        yield share_weights(template, template)
        yield share_weights(template, size)


@cache
def share_weights(template: int, size: int) -> Sharing:
    """The sharing of the windows of `template` x `template` points on a board."""
    # Where each symmetry carries each window: windows move as the points of a smaller board do.
    carried = np.argsort(index_tables(size - template + 1), axis=1)
    home = carried.min(axis=0)
    classes, first, total = {}, {}, 0
    for window in np.unique(home).tolist():
        keeping = np.flatnonzero(carried[:, window] == window)
        classes[window] = sort_shapes(template, tuple(keeping.tolist()))
        first[window] = total
        total += classes[window].total
    return Sharing(template, home, carried.argmin(axis=0), classes, first, total)


@cache
def sort_shapes(template: int, symmetries: tuple[int, ...]) -> ShapeClasses:
    """The classes of the shapes of a window that these symmetries keep in place."""
    same = images_of_shapes(template)[list(symmetries)].min(axis=0)
    opposite = same[invert_shapes(template)]
    sign = np.sign(opposite - same)
    lowest = np.minimum(same, opposite)
    kept = np.unique(lowest[sign != 0])
    number = np.where(sign != 0, np.searchsorted(kept, lowest), 0)
    return ShapeClasses(number, sign, len(kept))


@cache
def digits_of_shapes(template: int) -> Codes:
    """[shapes, places]: the colours of each shape, row by row from the top left."""
    shapes = np.arange(COLORS ** (template * template))
    return shapes[:, None] // COLORS ** np.arange(template * template) % COLORS


def _shapes_of_digits(digits: Codes) -> Codes:
    shapes: Codes = digits @ COLORS ** np.arange(digits.shape[-1])
    return shapes


@cache
def images_of_shapes(template: int) -> Codes:
    """[8, shapes]: what each symmetry makes of each shape."""
    digits = digits_of_shapes(template)
    tables = index_tables(template)
    return np.stack([_shapes_of_digits(digits[:, tables[s]]) for s in range(SYMMETRIES)])


def invert_shapes(template: int) -> Codes:
    """[shapes]: each shape with its colours exchanged."""
    return _shapes_of_digits(INVERTED_COLORS[digits_of_shapes(template)].astype(np.int64))


def fuse_weights(weights: Weights, size: int) -> ShapeTables:
    """One table for all windows: a smaller one's value is shared out evenly among the 3x3 windows
    that hold it."""
    ends = np.cumsum([sharing.total for sharing in sharings_of(size)])
    parts = np.split(weights, ends[:-1])
    windows = share_weights(LARGEST, size)
    homes = list(windows.classes)
    values = np.stack([_fuse_window(parts, size, home) for home in homes])
    row = np.searchsorted(homes, windows.home).astype(np.int32)
    return ShapeTables(_cells_of_windows(windows, size), row, values)


def _fuse_window(parts: list[Weights], size: int, window: int) -> Sums:
    """[shapes]: what each shape in a 3x3 window is worth, its share of smaller windows included."""
    top, left = divmod(window, size - LARGEST + 1)
    total = np.zeros(COLORS**PLACES, np.int64)
    for index, template in enumerate(TEMPLATES):
        anywhere, here = parts[2 * index : 2 * index + 2]
        alone = share_weights(template, template).values(anywhere, 0)
        sharing = share_weights(template, size)
        for down, right in np.ndindex(LARGEST - template + 1, LARGEST - template + 1):
            row, col = top + down, left + right
            place = row * (size - template + 1) + col
            holders = _count_holders(row, template, size) * _count_holders(col, template, size)
            shared = (alone + sharing.values(here, place)) / holders
            # Rounded one by one: then the order in which they are added does not matter.
            total += np.rint(shared / UNIT).astype(np.int64)[_inner_shapes(template, down, right)]
    return total


def _count_holders(start: int, template: int, size: int) -> int:
    """How many 3-point spans of a line of `size` points hold the `template` from `start` on."""
    return min(start, size - LARGEST) - max(0, start + template - LARGEST) + 1


@cache
def _inner_shapes(template: int, down: int, right: int) -> Codes:
    """[3x3 shapes]: the shape in the smaller window so far down and right inside of each."""
    grids = digits_of_shapes(LARGEST).reshape(-1, LARGEST, LARGEST)
    inner = grids[:, down : down + template, right : right + template]
    return _shapes_of_digits(inner.reshape(len(grids), -1))


def _cells_of_windows(windows: Sharing, size: int) -> npt.NDArray[np.int32]:
    """[windows, 9]: words of a board from which to read each window as its home would be read."""
    cells = np.zeros((len(windows.home), PLACES), np.int32)
    tables = index_tables(LARGEST)
    for window, turn in enumerate(windows.turn):
        top, left = divmod(window, size - LARGEST + 1)
        for place, source in enumerate(tables[turn]):
            down, right = divmod(int(source), LARGEST)
            cells[window, place] = COLOR + point_from_row_col(top + down, left + right)
    return cells
