"""The memory of a game of local shape, and how such games are played."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from katachi.features.liberty_tracker import LibertyTracker, new_liberties
from katachi.features.shape_tables import ShapeTables
from katachi.features.shape_tracker import ShapeTracker, new_tracker
from katachi.features.units import Logits, Sums
from katachi.rules.state import BoardState, Words, new_states, state_of_game
from katachi.td.targets import Errors

MOVES_A_POINT = 3
"""A game ends after so many moves for each point of the board."""

ENTRY = 4
STOOD, UNTIL, FIRST_INDEX = 0, 1, 2
"""Words of an entry in `ShapeGame.log`; the last has one of each view."""


class GameSettings(NamedTuple):
    """How a game is played; the limit of moves is the room in `ShapeGame.record`. Nobody plays
    suicide, whatever the rules allow."""

    epsilon: float
    komi: float
    ko_rule: int


class ShapeGame(NamedTuple):
    """The memory of one game."""

    start: BoardState
    """Where games begin, with its past; a game's plies are counted from the first position there,
    and after an even number of them Black is to move."""
    state: BoardState
    tracker: ShapeTracker
    liberty: LibertyTracker
    record: Words
    """[limit]: the moves."""
    moves: Words
    values: Sums
    move: Sums
    """[3]: as `follow_stone` takes it."""
    sums: Sums
    """[4]: scratch."""
    logits: Logits
    """[2, limit, columns]: by view, after each of its own moves: the sum of all sets in one
    column, or, where the rule is a cascade, of each set."""
    errors: Errors
    """[limit, columns]"""
    steps: Logits
    """[limit, sets]"""
    totals: Logits
    """[(limit + 2) * sets * 2]: by ply, set and view, the sum of the steps of the view's own
    positions before the ply."""
    log: npt.NDArray[np.int32]
    """[ENTRY * L]: of each shape that is gone: `stood_since`, the ply until which it stood, and its
    weight in either view."""
    logged: Sums
    """[1]: how many words of it are in use."""
    owners: Sums
    """[3]: as `begin_game` takes them."""


def new_game(
    tables: ShapeTables,
    size: int,
    limit: int,
    start: BoardState | None = None,
    *,
    is_cascade: bool = False,
) -> ShapeGame:
    """Memory for games of at most `limit` plies, from the empty board or another position."""
    sets = len(tables.windows)
    columns = sets if is_cascade else 1
    touches = int(max(np.diff(tables.exact.start) + 2 * np.diff(tables.hashed.start)))
    slots = len(tables.slot_set)
    changes = 2 * limit * touches + limit * len(tables.liberty.salt)
    tracker = new_tracker(tables)
    return ShapeGame(
        state_of_game(new_states(1, size, 1), 0) if start is None else start,
        state_of_game(new_states(1, size, limit + 1), 0),
        tracker,
        new_liberties(tables, tracker),
        np.zeros(limit, np.uint16),
        np.zeros(size * size, np.uint16),
        np.zeros(size * size, np.int64),
        np.zeros(3, np.int64),
        np.zeros(4, np.int64),
        np.zeros((2, limit, columns), np.int64),
        np.zeros((limit, columns)),
        np.zeros((limit, sets), np.int64),
        np.zeros((limit + 2) * sets * 2, np.int64),
        np.zeros(ENTRY * (changes + slots + 1), np.int32),
        np.zeros(1, np.int64),
        np.zeros(3, np.int64),
    )
