"""Positions without a past: stones, and who made the last move.

Whoever moved last judges a position in some evaluators, so a position without a mover is none:
this is the one way from boards to positions outside of games and kernels.
"""

import numpy as np
import numpy.typing as npt

from katachi.rules.color import BLACK, WHITE
from katachi.rules.state import PLY, BoardState, Words
from katachi.rules.zobrist import HASH_KEYS, SIDE_BIT

Movers = npt.NDArray[np.uint8]


def positions_of(words: Words, movers: npt.ArrayLike) -> BoardState:
    """B positions of boards [B, WORDS], which are not copied and whose PLY must be 0; `movers` [B],
    or one colour for all, is who moved last. Their hashes say no more than that."""
    is_black = np.broadcast_to(np.asarray(movers) == BLACK, len(words))
    return BoardState(words, np.where(is_black, SIDE_BIT, 0).astype(np.uint64)[:, None], HASH_KEYS)


def positions_of_stones(words: Words) -> BoardState:
    """The same for who looks at nothing but stones: inputs of nets, features of a given viewer."""
    return positions_of(words, WHITE)


def last_movers(states: BoardState) -> Movers:
    """[B]: who moved last in each position; White where nobody has."""
    plies = states.words[:, PLY].astype(np.int64)
    side = states.hashes[np.arange(len(plies)), plies] & np.uint64(SIDE_BIT)
    return np.where(side == SIDE_BIT, BLACK, WHITE).astype(np.uint8)
