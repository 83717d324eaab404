"""Positions that are nearly finished are counted, as players count them at the end.

A sum of chances is blind to what a player sees at once: the stones of a block live or die together,
what a living wall surrounds is territory whole, and a point between two walls is nobody's. On a
large board it adds up many small doubts of points that are beyond doubt. So the more a position is
finished, the more its owners are those of counting.
"""

import numpy as np
import numpy.typing as npt

from katachi.evaluators.chances import Values, counted_share
from katachi.rules.board import Board
from katachi.rules.color import BLACK, EMPTY, WHITE
from katachi.rules.diagram import Colors
from katachi.rules.game import Game
from katachi.rules.point import points_of
from katachi.rules.scoring import playout_ownership, status_by_chances
from katachi.rules.state import new_states

PLAYOUTS_WEIGHT = 3.0
"""What random continuations count for in a finished position beside the evaluator's owners. They
are seldom as sure, but of large boards they know more; where much is open they know little."""


def two_views(colors: Colors, size: int) -> npt.NDArray[np.uint16]:
    """[2, WORDS] the stones colors [size * size] on a board, and with their colours exchanged."""
    swapped = np.where(colors == EMPTY, EMPTY, BLACK + WHITE - colors).astype(np.uint8)
    words = new_states(2, size, 1).words
    for index, view in enumerate((colors, swapped)):
        words[index] = Board.from_colors(view, size).words
    return words


def even_playouts(words: npt.NDArray[np.uint16], size: int) -> Values:
    """[size * size], -1 (White) to 1 (Black): the mean owner of each point over random
    continuations of `two_views`, so that neither colour is favoured."""
    own, other = (playout_ownership(each)[points_of(size)] for each in words)
    return np.asarray((own - other) / 2.0)


def counted_difference(game: Game, ownership: npt.NDArray[np.float32]) -> Values:
    """[size * size] what counting adds to Black's ownership, -1 to 1, of each point of a position
    whose owners are known like this, [1, size * size]; 0 where too much is open to count.

    Blocks are dead or alive by two opinions: these owners and random continuations.
    """
    owned = 2.0 * ownership[0].astype(np.float64) - 1.0
    share = float(counted_share(ownership)[0])
    if share == 0.0:
        return np.zeros_like(owned)
    playouts = even_playouts(two_views(game.colors, game.size), game.size)
    weight = PLAYOUTS_WEIGHT * share**2
    owners = status_by_chances(game.words, (owned + weight * playouts) / (1.0 + weight)).owners
    counted = (owners == BLACK).astype(np.float64) - (owners == WHITE)
    return np.asarray(share * (counted - owned))
