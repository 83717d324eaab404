# pyright: reportArgumentType=false, reportReturnType=false, reportCallIssue=false
"""Who tends to end up holding each point of a 3x3 window, by what the window shows now.

Wu and Baldi (2006), section 3.3: S = (NB - NW) / (NB + NW + C) for each of the nine points of a
pattern, where NB counts the games in which Black holds the point at the end. A window's class is
its distance from the nearest edge along both axes, each at most `FAR`, the smaller first: classes
mean the same on every board. Within a class, patterns that the board's symmetries or an exchange
of the colours carry onto each other share their counts.
"""

import math
from functools import cache
from itertools import product
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from katachi._jit import inlined, kernel
from katachi.errors import KatachiError
from katachi.rules.color import BLACK, WHITE
from katachi.rules.point import CELLS, STRIDE, point_from_row_col
from katachi.rules.state import COLOR, Words
from katachi.rules.symmetry import SYMMETRIES, index_tables

SIDE = 3
PLACES = SIDE * SIDE
PATTERNS = 3**PLACES
FAR = 3
"""Distances from the edge are distinguished up to this one."""

_PAIRS = tuple((near, other) for near in range(FAR + 1) for other in range(near, FAR + 1))
CLASSES = len(_PAIRS)
FLIP_ROWS, FLIP_COLS, TRANSPOSE = 1, 2, 4
SCORE_STEPS, TRUST_STEPS = 127, 255
"""Packed scores and trust are whole numbers of such parts of 1."""

Floats = npt.NDArray[np.float32]
Numbers = npt.NDArray[np.int64]


class PropensityTable(NamedTuple):
    """What fitting learned."""

    score: Floats
    """[CLASSES, PATTERNS, PLACES]: -1 (White's for certain) to 1."""
    trust: Floats
    """[CLASSES, PATTERNS]: 0 to 1, larger the more often the pattern was met."""


class PackedTable(NamedTuple):
    """A table as a model stores it: a quarter of the room."""

    score: npt.NDArray[np.int8]
    """[CLASSES, PATTERNS, PLACES]"""
    trust: npt.NDArray[np.uint8]
    """[CLASSES, PATTERNS]"""


class WindowTables(NamedTuple):
    """The windows of one board size. A window that lies in the middle of a small board can be
    carried into its class in several ways: it has an entry for each and is their mean."""

    corner: Numbers
    """[windows]: its top left point."""
    starts: Numbers
    """[windows + 1]: where its entries begin."""
    base: Numbers
    """[entries]: class * PATTERNS."""
    turn: Numbers
    """[entries]: the symmetry that carries the window into its class."""
    steps: Numbers
    """[PLACES]: from the corner to each place, row by row."""
    places: Numbers
    """[SYMMETRIES, PLACES]: where a symmetry carries each place."""
    powers: Numbers
    """[SYMMETRIES, PLACES]: 3 ** places."""
    covers: Floats
    """[CELLS]: 1 / (number of windows that cover a point)."""


class PropensityScratch(NamedTuple):
    """What the windows say of each point of one position."""

    value: Floats
    """[PLACES]: of one window."""
    mean: Floats
    """[CELLS]"""
    deviation: Floats
    """[CELLS]: standard deviation over the windows."""
    weighted: Floats
    """[CELLS]: mean weighted by trust."""
    trust: Floats
    """[CELLS]: sum of the weights."""
    windows: Floats
    """[PLACES, CELLS]: the value in the window in which the point has this place; 0 for none."""


def new_scratch() -> PropensityScratch:
    """Memory for any board size."""
    mean, deviation, weighted, trust = np.zeros((4, CELLS), np.float32)
    windows = np.zeros((PLACES, CELLS), np.float32)
    return PropensityScratch(
        np.zeros(PLACES, np.float32), mean, deviation, weighted, trust, windows
    )


def blank_table() -> PropensityTable:
    """The table of someone who has seen no games."""
    shape = (CLASSES, PATTERNS)
    return PropensityTable(np.zeros((*shape, PLACES), np.float32), np.zeros(shape, np.float32))


def check_table(table: PropensityTable) -> PropensityTable:
    """The table as kernels read it; raises KatachiError for arrays of other shapes."""
    shapes = [each.shape for each in blank_table()]
    if [each.shape for each in table] != shapes:
        raise KatachiError(f"no propensity table: its arrays must have the shapes {shapes}")
    return PropensityTable(*(np.require(each, np.float32, ["C", "W"]) for each in table))


def pack_scores(score: Floats) -> npt.NDArray[np.int8]:
    """Scores from -1 to 1 in whole steps."""
    return np.rint(score * np.float32(SCORE_STEPS)).astype(np.int8)


def unpack_scores(packed: npt.NDArray[np.int8]) -> Floats:
    """The scores that were packed."""
    return packed / np.float32(SCORE_STEPS)


def pack_table(table: PropensityTable) -> PackedTable:
    """The table in whole steps, each number the nearest; nothing is lost of `round_table`'s."""
    trust = np.rint(table.trust * np.float32(TRUST_STEPS))
    return PackedTable(pack_scores(table.score), trust.astype(np.uint8))


def unpack_table(packed: PackedTable) -> PropensityTable:
    """The table that was packed."""
    return PropensityTable(unpack_scores(packed.score), packed.trust / np.float32(TRUST_STEPS))


def round_table(table: PropensityTable) -> PropensityTable:
    """The table as it comes back from a model."""
    return unpack_table(pack_table(table))


def check_windows_fit(size: int) -> None:
    """Raises KatachiError for a board on which no window has room."""
    if size < SIDE:
        raise KatachiError(f"propensity needs a board of {SIDE}x{SIDE} or more, not {size}x{size}")


@cache
def carried_places() -> Numbers:
    """[SYMMETRIES, PLACES]: where each symmetry carries each place of a window."""
    return np.argsort(index_tables(SIDE), axis=1)


def _turns(row: int, col: int, size: int) -> tuple[int, list[int]]:
    """(class, symmetries that carry the window at this corner into it).

    Those that the class itself does not tell apart are named once: its patterns share counts.
    """
    last = size - SIDE
    near = [min(each, last - each) for each in (row, col)]
    flips = [_flips(row, last), _flips(col, last)]
    depths = [min(each, FAR) for each in near]
    is_turned = depths[0] > depths[1]
    number = _PAIRS.index((min(depths), max(depths)))
    return number, [_turn(down, across, is_turned) for down, across in product(*flips)]


def _flips(at: int, last: int) -> list[int]:
    """Whether to flip an axis so that the nearest edge comes first; both ways in the middle."""
    if min(at, last - at) >= FAR or 2 * at != last:
        return [int(2 * at > last)]
    return [0, 1]


def _turn(down: int, across: int, is_turned: bool) -> int:
    """Symmetries transpose first: flips of the window as it lies must trade places with it."""
    if is_turned:
        return TRANSPOSE + FLIP_ROWS * across + FLIP_COLS * down
    return FLIP_ROWS * down + FLIP_COLS * across


@cache
def window_tables(size: int) -> WindowTables:
    """The windows of a board, row by row; raises KatachiError where none fits."""
    check_windows_fit(size)
    found = [_turns(row, col, size) for row, col in product(range(size - SIDE + 1), repeat=2)]
    corners = product(range(size - SIDE + 1), repeat=2)
    lengths = [len(turns) for _, turns in found]
    steps = np.array([row * STRIDE + col for row, col in product(range(SIDE), repeat=2)], np.int64)
    corner = np.array([point_from_row_col(*each) for each in corners], np.int64)
    covers = np.bincount((corner[:, None] + steps).reshape(-1), minlength=CELLS)
    return WindowTables(
        corner,
        np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
        np.array([number * PATTERNS for number, turns in found for _ in turns], np.int64),
        np.array([turn for _, turns in found for turn in turns], np.int64),
        steps,
        carried_places(),
        3 ** carried_places(),
        (1 / np.maximum(covers, 1)).astype(np.float32),
    )


@kernel
def pattern_at(board: Words, corner: int, turn: int, tables: WindowTables) -> int:
    """The code of what a window shows, carried into its class."""
    code = 0
    for place in range(PLACES):
        color = np.int64(board[COLOR + corner + tables.steps[place]])
        code += color * tables.powers[turn, place]
    return code


@kernel
def _read_window(
    board: Words, window: int, tables: WindowTables, table: PropensityTable, value: Floats
) -> np.float32:
    """Writes what a window says of its nine points; returns its trust."""
    first, end = tables.starts[window], tables.starts[window + 1]
    share = np.float32(1) / np.float32(end - first)
    trust = np.float32(0)
    value[:] = np.float32(0)
    for entry in range(first, end):
        turn = tables.turn[entry]
        code = pattern_at(board, tables.corner[window], turn, tables)
        number = tables.base[entry] // PATTERNS
        trust += share * table.trust[number, code]
        for place in range(PLACES):
            value[place] += share * table.score[number, code, tables.places[turn, place]]
    return trust


@kernel
def _add_window(
    corner: int, trust: np.float32, tables: WindowTables, scratch: PropensityScratch
) -> None:
    for place in range(PLACES):
        value = scratch.value[place]
        point = corner + tables.steps[place]
        scratch.weighted[point] += trust * value
        scratch.trust[point] += trust
        scratch.windows[place, point] = value


@inlined
def _add_to_mean(corner: int, tables: WindowTables, scratch: PropensityScratch) -> None:
    for place in range(PLACES):
        point = corner + tables.steps[place]
        scratch.mean[point] += scratch.value[place] * tables.covers[point]


@kernel
def _add_deviations(tables: WindowTables, scratch: PropensityScratch) -> None:
    for window in range(len(tables.corner)):
        for place in range(PLACES):
            point = tables.corner[window] + tables.steps[place]
            off = scratch.windows[place, point] - scratch.mean[point]
            scratch.deviation[point] += off * off * tables.covers[point]
    for cell in range(CELLS):
        scratch.deviation[cell] = math.sqrt(scratch.deviation[cell])
        if scratch.trust[cell] > 0:
            scratch.weighted[cell] /= scratch.trust[cell]


@kernel
def read_propensity(
    board: Words, tables: WindowTables, table: PropensityTable, scratch: PropensityScratch
) -> None:
    """Writes what the windows say of every point."""
    scratch.weighted[:] = np.float32(0)
    scratch.trust[:] = np.float32(0)
    scratch.windows[:] = np.float32(0)
    scratch.deviation[:] = np.float32(0)
    scratch.mean[:] = np.float32(0)
    for window in range(len(tables.corner)):
        trust = _read_window(board, window, tables, table, scratch.value)
        _add_window(tables.corner[window], trust, tables, scratch)
        _add_to_mean(tables.corner[window], tables, scratch)
    _add_deviations(tables, scratch)


@kernel
def read_mean_propensity(
    board: Words, tables: WindowTables, table: PropensityTable, scratch: PropensityScratch
) -> None:
    """As `read_propensity`, the mean only."""
    scratch.mean[:] = np.float32(0)
    for window in range(len(tables.corner)):
        _read_window(board, window, tables, table, scratch.value)
        _add_to_mean(tables.corner[window], tables, scratch)


@cache
def images_of_patterns(symmetry: int, *, is_swapped: bool) -> Numbers:
    """[PATTERNS]: the code each pattern has after a symmetry, and an exchange of the colours."""
    codes = np.arange(PATTERNS)
    images = np.zeros(PATTERNS, np.int64)
    for place, target in enumerate(carried_places()[symmetry]):
        digit = codes // 3**place % 3
        if is_swapped:
            digit = np.array([0, WHITE, BLACK])[digit]
        images += digit * 3**target
    return images


@cache
def class_symmetries(number: int) -> tuple[int, ...]:
    """The symmetries that carry a class onto itself: flips along an axis on which the edge is far
    away, and transposition where both axes are alike."""
    rows, cols = _PAIRS[number]
    allowed = FLIP_ROWS * (rows == FAR) + FLIP_COLS * (cols == FAR) + TRANSPOSE * (rows == cols)
    return tuple(each for each in range(SYMMETRIES) if each & ~allowed == 0)
