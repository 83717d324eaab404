"""How games ended, as numbers that are learned from."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from katachi.records.result import Ending
from katachi.rules.color import BLACK, EMPTY, WHITE

UNKNOWN = -1.0
"""Of a result."""
KOMI_A_LINE, LARGEST_SMALL_KOMI = 3, 25
"""The largest komi that is believed, a line of the board, and on small boards: all of 5x5."""
Floats = npt.NDArray[np.float32]


class Results(NamedTuple):
    """How N games ended."""

    komi: Floats
    """[N]: 0 where the result is not known."""
    results: Floats
    """[N]: 1 where Black won, 0 where White did, 0.5 for a draw; UNKNOWN where the record says that
    a clock or a referee decided, or does not say who won."""


def results_of(info: npt.NDArray[Any]) -> Results:
    """Komi and results of games that were counted, that somebody gave up, or whose record says who
    won and no reason that is known. Those that a clock or a referee decided, by the record, say
    nothing; nor do those of a komi beyond three points a line of the board, or beyond 25 points on
    small ones: some servers write 375 for 3.75 stones, or 65 for 6.5 points."""
    winner, ending = info["winner"], info["ending"]
    is_known = np.isin(ending, (Ending.COUNT, Ending.RESIGN, Ending.WON))
    is_known &= (winner != EMPTY) | (ending == Ending.COUNT)
    largest = np.maximum(LARGEST_SMALL_KOMI, KOMI_A_LINE * info["size"].astype(float))
    is_known &= np.abs(info["komi"]) <= largest  # not of NaN
    results = np.select([winner == BLACK, winner == WHITE], [1.0, 0.0], 0.5)
    return Results(
        np.where(is_known, info["komi"], 0.0).astype(np.float32),
        np.where(is_known, results, UNKNOWN).astype(np.float32),
    )
