# pyright: reportArgumentType=false, reportReturnType=false, reportCallIssue=false
"""How likely random games play a move, by the shape that it makes with the stones around it: from
the learned weights of local shape."""

from functools import cache
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from katachi._jit import kernel
from katachi.evaluators.local_shape import LocalShape
from katachi.evaluators.shape_moves import gain_of_move, sync_view
from katachi.evaluators.shipped import load_shape
from katachi.features.shape_tables import ShapeTables
from katachi.features.shape_tracker import ShapeTracker, new_tracker, reset_view
from katachi.features.units import UNIT, Sums, Weights
from katachi.rules.color import BLACK, EDGE, EMPTY, WHITE
from katachi.rules.kernels import place_stone
from katachi.rules.point import CELLS, STRIDE
from katachi.rules.random_play import copy_board, is_sensible
from katachi.rules.state import CAPTURED, COLOR, WORDS, Words, empty_words
from katachi.search.guided_moves import AROUND, SURROUNDINGS, Guide, surroundings_of

TEMPERATURE = 0.5
"""Of the logits that a shape gains, in the guide."""
MIDDLE_WEIGHT = 32
"""Of a move of the median gain, and of one whose gain nobody knows."""
GUIDING = "shape9"
_UNKNOWN = np.iinfo(np.int64).min

_guides: WeakKeyDictionary[LocalShape, Guide] = WeakKeyDictionary()


class _Room(NamedTuple):
    """Memory of `fill_gains`."""

    board: Words
    """[WORDS]."""
    colors: npt.NDArray[np.uint8]
    """[CELLS]: the position that the view stands at."""
    move: Sums
    """[3]: for the move that is looked at."""


def guide_of(model: LocalShape) -> Guide:
    """The guide of a model without liberty sets, made once: what a model learns afterwards is not
    in it."""
    guide = _guides.get(model)
    if guide is None:
        guide = _guides[model] = _new_guide(shape_gains(model))
    return guide


@cache
def shipped_guide() -> Guide:
    """The guide of the weights that come with the package: what stands on eight points means the
    same on every board."""
    return guide_of(load_shape(GUIDING))


def shape_gains(model: LocalShape) -> npt.NDArray[np.float64]:
    """[SURROUNDINGS] what Black gains, in logits, by a move between such stones on a board that is
    else empty: in the middle of it, of a side, or in a corner. NaN where no such move is."""
    gains = np.full(SURROUNDINGS, _UNKNOWN, np.int64)
    tracker = new_tracker(model.tables)
    reset_view(model.tables, tracker, BLACK - 1, model.weights)
    room = _Room(np.zeros(WORDS, np.uint16), np.zeros(CELLS, np.uint8), np.zeros(3, np.int64))
    empty, lines = empty_words(model.size), (1, (model.size + 1) // 2, model.size)
    for row in lines:
        for column in lines:
            point = row * STRIDE + column
            fill_gains(empty, point, (model.tables, tracker, model.weights), room, gains)
    return np.where(gains == _UNKNOWN, np.nan, UNIT * gains)


@kernel
def fill_gains(
    empty: Words,
    point: int,
    shapes: tuple[ShapeTables, ShapeTracker, Weights],
    room: _Room,
    gains: npt.NDArray[np.int64],
) -> None:
    """Writes into `gains` what Black gains by a move at a point of an empty board for all stones
    that can stand around it."""
    tables, tracker, theta = shapes
    board = room.board
    count = 1
    for step in AROUND:
        count *= 3 if empty[COLOR + point + step] == EMPTY else 1
    for number in range(count):
        copy_board(empty, board)
        rest = number
        for step in AROUND:
            if empty[COLOR + point + step] == EMPTY:
                if rest % 3 > 0:
                    place_stone(board, point + step, rest % 3)
                rest //= 3
        if board[CAPTURED + BLACK] + board[CAPTURED + WHITE] > 0:
            continue
        if is_sensible(board, point, BLACK):
            sync_view(board, tables, tracker, BLACK - 1, theta, room.colors)
            room.move[0], room.move[1] = point, BLACK
            gains[surroundings_of(board, point)] = gain_of_move(
                board, tables, tracker, BLACK - 1, theta, room.move
            )


def _new_guide(gains: npt.NDArray[np.float64]) -> Guide:
    """Weights of 1 to 255 by gains, for both colours."""
    above = np.nan_to_num((gains - np.nanmedian(gains)) / TEMPERATURE)
    weights = MIDDLE_WEIGHT * np.exp(np.clip(above, -10.0, 10.0))
    black = np.clip(weights, 1, 255).astype(np.uint8)
    return np.stack([black, black[_exchanged()]])


def _exchanged() -> npt.NDArray[np.int64]:
    """[SURROUNDINGS] the same surroundings with the colours exchanged."""
    swapped = np.array([EMPTY, WHITE, BLACK, EDGE])
    codes, found = np.arange(SURROUNDINGS), np.zeros(SURROUNDINGS, np.int64)
    for place in range(0, 2 * len(AROUND), 2):
        found |= swapped[codes >> place & 3] << place
    return found
