# pyright: reportArgumentType=false, reportReturnType=false, reportCallIssue=false
"""Alpha-beta on learned local shape without leaving compiled code."""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from katachi._jit import kernel
from katachi.errors import KatachiError
from katachi.evaluators.local_shape import LocalShape
from katachi.evaluators.protocol import Evaluator, abilities_of
from katachi.evaluators.shape_moves import (
    gain_of_move,
    gain_of_suicide,
    is_suicide,
    sync_view,
)
from katachi.features.shape_sets import Family
from katachi.features.shape_tables import ShapeTables
from katachi.features.shape_tracker import ShapeTracker, new_tracker, reset_view
from katachi.features.units import Sums, Weights
from katachi.rules.color import BLACK
from katachi.rules.game import Game
from katachi.rules.point import CELLS, PASS
from katachi.rules.state import SIZE
from katachi.search.alphabeta import AlphaBeta, SearchResult, SearchSettings
from katachi.search.frames import MOVE_COUNT, MOVER, NEEDS_VALUES, SUICIDE, Search
from katachi.search.negamax import advance


def can_follow(model: LocalShape) -> bool:
    """Whether the compiled search knows all of a model's sets: those without liberties."""
    return all(each.family is Family.SHAPE for each in model.sets)


class ShapeDrive:
    """Drives a search (`AlphaBeta(drive=...)`) with a local shape model at the leaves.

    A leaf costs the points in which it differs from the last one and the windows near them.
    """

    def __init__(self, model: LocalShape) -> None:
        """The model's weights must not change as long as the drive is used."""
        self._model = model
        self._tables = model.tables
        self._tracker = new_tracker(self._tables)
        self._colors = np.zeros((2, CELLS), np.uint8)
        self._move = np.zeros(3, np.int64)
        for view in range(2):
            reset_view(self._tables, self._tracker, view, model.weights)

    def __call__(self, search: Search) -> int:
        """Takes the search on until it is done or wants to be looked at."""
        self._model.check_board(int(search.state.words[SIZE]))
        theta = self._model.weights
        return _drive(search, self._tables, self._tracker, theta, self._colors, self._move)


def shapes_of(evaluator: Evaluator) -> Callable[[int], LocalShape]:
    """The models behind an evaluator, by board size; raises KatachiError where it has none."""
    shapes = abilities_of(evaluator).shapes
    if shapes is None:
        raise KatachiError(f"{evaluator.name} knows no local shapes")
    return shapes


def searcher_of(model: LocalShape, settings: SearchSettings | None) -> AlphaBeta:
    """The fastest search by a model."""
    if can_follow(model):
        return AlphaBeta(settings=settings, drive=ShapeDrive(model))
    return AlphaBeta(model, settings)


class ShapeSearcher:
    """Searches boards of any size by local shape, compiled throughout where the model has no
    liberty sets."""

    def __init__(self, evaluator: Evaluator, settings: SearchSettings | None = None) -> None:
        """A searcher for each board size is made when a board of that size comes."""
        self._shapes = shapes_of(evaluator)
        self._settings = settings
        self._searchers: dict[int, AlphaBeta] = {}

    def _searcher(self, size: int) -> AlphaBeta:
        if size not in self._searchers:
            self._searchers[size] = searcher_of(self._shapes(size), self._settings)
        return self._searchers[size]

    def search(
        self,
        game: Game,
        color: int,
        seconds: float | None = None,
        depth: int | None = None,
        random: np.random.Generator | None = None,
    ) -> SearchResult:
        """As `Searcher.search`; raises KatachiError on a board the model is not for."""
        return self._searcher(game.size).search(game, color, seconds, depth, random)


@kernel
def _drive(
    search: Search,
    tables: ShapeTables,
    tracker: ShapeTracker,
    theta: Weights,
    colors: npt.NDArray[np.uint8],
    move: Sums,
) -> int:
    board = search.state.words
    status = advance(search)
    while status == NEEDS_VALUES:
        color = search.registers[MOVER]
        view = color - BLACK
        sync_view(board, tables, tracker, view, theta, colors[view])
        for index in range(search.registers[MOVE_COUNT]):
            value = tracker.totals[view]
            if search.frontier[index] != PASS:
                move[0] = search.frontier[index]
                move[1] = color
                if search.options[SUICIDE] != 0 and is_suicide(board, move[0], color):
                    value += gain_of_suicide(board, tables, tracker, view, theta, move)
                else:
                    value += gain_of_move(board, tables, tracker, view, theta, move)
            search.values[index] = value
        status = advance(search)
    return status
