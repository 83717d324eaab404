# pyright: reportArgumentType=false, reportReturnType=false, reportCallIssue=false
"""Units that are on by chance, many at once: random numbers are otherwise the costliest part of
learning a Boltzmann machine."""

import numpy as np
import numpy.typing as npt

from katachi._jit import kernel

Chances = npt.NDArray[np.float32]
Lanes = npt.NDArray[np.uint32]

NUMBERS = 1 << 24
"""Of so many equally likely numbers one is sampled: as fine as a chance can be written."""


@kernel
def fill_sampled_units(chances: Chances, lanes: Lanes, units: Chances) -> None:
    """Writes 1 with the given chances [R, L], else 0. Column l has its own stream of random numbers
    (xorshift), whose state lanes[l], never 0, moves on by R numbers."""
    for row in range(chances.shape[0]):
        for lane in range(chances.shape[1]):
            state = lanes[lane]
            state = np.uint32(state ^ np.uint32(state << np.uint32(13)))
            state = np.uint32(state ^ np.uint32(state >> np.uint32(17)))
            state = np.uint32(state ^ np.uint32(state << np.uint32(5)))
            lanes[lane] = state
            number = np.float32(np.int32(np.uint32(state >> np.uint32(8))))
            is_on = number < chances[row, lane] * np.float32(NUMBERS)
            units[row, lane] = np.float32(1.0) if is_on else np.float32(0.0)
