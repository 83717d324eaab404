"""The words of a position that mean something, for exact comparison.

BLOCK and NEXT are read at stones, LIBERTIES and STONES at roots and empty points, EMPTIES up to its
count and INDEX at empty points. The other words (edge cells, the trace of the last move, counts at
stones that are no roots) may hold anything.
"""

import numpy as np
import numpy.typing as npt

from katachi.rules.color import EMPTY
from katachi.rules.point import CELLS, points_of
from katachi.rules.state import (
    BLOCK,
    CAPTURED,
    COLOR,
    EMPTIES,
    EMPTY_COUNT,
    INDEX,
    KO,
    LIBERTIES,
    NEXT,
    PASSES,
    PAST,
    PLY,
    SIZE,
    STONES,
    Words,
    recent_moves,
)

Meaning = dict[str, npt.NDArray[np.uint16]]
COUNTERS = np.array([EMPTY_COUNT, KO, PASSES, PLY, CAPTURED + 1, CAPTURED + 2, SIZE])


def meaning_of(words: Words) -> Meaning:
    """Every meaningful word, by field."""
    points = points_of(int(words[SIZE])).astype(np.int64)
    colors = words[COLOR + points]
    stones = points[colors != EMPTY]
    empties = points[colors == EMPTY]
    counted = np.concatenate([stones[words[BLOCK + stones] == stones], empties])
    return {
        "counters": words[COUNTERS],
        "RECENT": recent_moves(words[None])[0],
        "COLOR": words[COLOR : COLOR + CELLS].copy(),
        "BLOCK": words[BLOCK + points],
        "NEXT": words[NEXT + points],
        "LIBERTIES": words[LIBERTIES + counted],
        "STONES": words[STONES + counted],
        "EMPTIES": words[EMPTIES : EMPTIES + int(words[EMPTY_COUNT])].copy(),
        "INDEX": words[INDEX + empties],
        "PAST": words[PAST + points],
    }


def assert_same_meaning(one: Meaning, other: Meaning) -> None:
    """Fails with the name of the first field that differs."""
    for name, words in one.items():
        assert np.array_equal(words, other[name]), f"{name} differs"
