# pyright: reportArgumentType=false, reportReturnType=false, reportCallIssue=false
"""What local shape says of all moves of a leaf without setting the positions up."""

import numpy as np
import numpy.typing as npt

from katachi._jit import kernel
from katachi.evaluators.local_shape import LocalShape
from katachi.evaluators.shape_moves import gain_of_move, sync_view
from katachi.features.shape_tables import ShapeTables
from katachi.features.shape_tracker import ShapeTracker, new_tracker, reset_view
from katachi.features.units import Sums, Weights
from katachi.rules.color import BLACK
from katachi.rules.point import CELLS, Points
from katachi.rules.state import Words
from katachi.search.frames import UNIT


class ShapeScorer:
    """Follows a model from leaf to leaf: each costs the points in which it differs from the last
    one, and the windows near its moves."""

    def __init__(self, model: LocalShape) -> None:
        """Of a model without liberty sets; its weights must not change meanwhile."""
        self._tables, self._weights = model.tables, model.weights
        self._tracker = new_tracker(self._tables)
        self._colors = np.zeros((2, CELLS), np.uint8)
        self._move = np.zeros(3, np.int64)
        for view in range(2):
            reset_view(self._tables, self._tracker, view, self._weights)

    def logits(self, board: Words, color: int, points: Points) -> npt.NDArray[np.float64]:
        """[M] the logit of that colour's chance to win after each of these moves, none of them a
        suicide."""
        values = np.zeros(len(points), np.int64)
        view = color - BLACK
        self._move[1] = color
        shapes = self._tables, self._tracker, self._weights
        score_moves(board, shapes, self._colors[view], points, self._move, values)
        return np.asarray(values / UNIT)


@kernel
def score_moves(
    board: Words,
    shapes: tuple[ShapeTables, ShapeTracker, Weights],
    colors: npt.NDArray[np.uint8],
    points: Points,
    move: Sums,
    values: Sums,
) -> None:
    """Writes the mover's value of each of `points` into `values`; move[1] is who moves."""
    tables, tracker, theta = shapes
    color = move[1]
    view = color - BLACK
    sync_view(board, tables, tracker, view, theta, colors)
    for index in range(len(points)):
        move[0] = points[index]
        values[index] = tracker.totals[view] + gain_of_move(
            board, tables, tracker, view, theta, move
        )
