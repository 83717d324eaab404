"""Keys that turn a position into a 64-bit number.

The lowest bit of a position's hash says who moves next (1: White); no key touches it. So the
positional superko rule compares hashes without that bit and the situational rule with it.
"""

import numpy as np
import numpy.typing as npt

from katachi.rules.color import BLACK, WHITE
from katachi.rules.point import CELLS

SIDE_BIT = 1
_SEED = 0x5EED_0F_60


def _make_keys() -> npt.NDArray[np.uint64]:
    keys = np.zeros((3, CELLS), np.uint64)
    source = np.random.Generator(np.random.PCG64(_SEED))
    for color in (BLACK, WHITE):
        keys[color] = source.integers(0, 1 << 63, CELLS, np.uint64) << np.uint64(1)
    keys.flags.writeable = False
    return keys


HASH_KEYS = _make_keys()
"""[3, CELLS], fixed for ever: hashes may be stored and compared between runs and machines."""
