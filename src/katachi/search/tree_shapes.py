# pyright: reportArgumentType=false, reportReturnType=false, reportCallIssue=false
"""What local shape says of all moves of a leaf without setting the positions up."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from katachi._jit import kernel
from katachi.evaluators.local_shape import LocalShape
from katachi.evaluators.shape_moves import gain_of_move, sync_view
from katachi.features.shape_tables import ShapeTables
from katachi.features.shape_tracker import ShapeTracker, new_tracker, reset_view
from katachi.features.units import Sums, Weights
from katachi.rules.color import BLACK
from katachi.rules.point import CELLS
from katachi.rules.state import SIZE, BoardState, Words
from katachi.search.frames import UNIT
from katachi.search.tree import Floats, Numbers, list_moves, score_index


class Room(NamedTuple):
    """Memory of a scorer."""

    colors: npt.NDArray[np.uint8]
    """[2, CELLS]: the position that each view stands at."""
    moves: Words
    """[CELLS]: for a list of moves."""
    move: Sums
    """[3]: for the move that is looked at."""
    temperature: Floats
    """[1]: that logits are divided by."""


class ShapeScorer:
    """Follows a model from leaf to leaf: each costs the points in which it differs from the last
    one, and the windows near its moves."""

    def __init__(self, model: LocalShape) -> None:
        """Of a model without liberty sets; its weights must not change meanwhile."""
        self._tables, self._weights = model.tables, model.weights
        self._tracker = new_tracker(self._tables)
        colors, moves = np.zeros((2, CELLS), np.uint8), np.zeros(CELLS, np.uint16)
        self._room = Room(colors, moves, np.zeros(3, np.int64), np.ones(1))
        for view in range(2):
            reset_view(self._tables, self._tracker, view, self._weights)

    def score(self, states: BoardState, sides: Numbers, temperature: float, scores: Floats) -> None:
        """Writes into `scores` [B, size * size] the logit of the mover's chance to win after each
        move that a node of B positions has, over a temperature."""
        shapes = self._tables, self._tracker, self._weights
        self._room.temperature[0] = temperature
        score_leaves(states, sides, shapes, self._room, scores)


@kernel
def score_leaves(
    states: BoardState,
    sides: Numbers,
    shapes: tuple[ShapeTables, ShapeTracker, Weights],
    room: Room,
    scores: Floats,
) -> None:
    """As `ShapeScorer.score`."""
    tables, tracker, theta = shapes
    for row in range(len(sides)):
        board, side = states.words[row], sides[row]
        view = side - BLACK
        state = BoardState(board, states.hashes[row], states.keys)
        count = list_moves(state, side, room.moves)
        if count == 0:
            continue
        sync_view(board, tables, tracker, view, theta, room.colors[view])
        room.move[1] = side
        for index in range(count):
            point = np.int64(room.moves[index])
            room.move[0] = point
            value = tracker.totals[view] + gain_of_move(
                board, tables, tracker, view, theta, room.move
            )
            place = score_index(point, np.int64(board[SIZE]))
            scores[row, place] = value / UNIT / room.temperature[0]
