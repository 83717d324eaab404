"""A position in which a player has passed is counted, as players count it at the end.

A sum of chances is blind to what a player sees at once: the stones of a block live or die together,
what a living wall surrounds is territory whole, and a point between two walls is nobody's. On a
large board it adds up many small doubts of points that are beyond doubt. While the game goes on it
is the better guess all the same, for a wall with a gap surrounds nothing.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from katachi.evaluators.chances import Values, counted_share
from katachi.rules.board import Board
from katachi.rules.color import BLACK, EMPTY, WHITE
from katachi.rules.diagram import Colors
from katachi.rules.game import Game
from katachi.rules.point import PASS, points_of
from katachi.rules.scoring import playout_ownership, status_by_chances
from katachi.rules.state import Words, new_states

PLAYOUTS_WEIGHT = 3.0
"""What random continuations count for in a finished position beside the evaluator's owners. They
are seldom as sure, but of large boards they know more; where much is open they know little."""


def two_views(colors: Colors, size: int) -> Words:
    """[2, WORDS] the stones colors [size * size] on a board, and with their colours exchanged."""
    swapped = np.where(colors == EMPTY, EMPTY, BLACK + WHITE - colors).astype(np.uint8)
    words = new_states(2, size, 1).words
    for index, view in enumerate((colors, swapped)):
        words[index] = Board.from_colors(view, size).words
    return words


def even_playouts(words: Words, size: int) -> Values:
    """[size * size], -1 (White) to 1 (Black): the mean owner of each point over random
    continuations of `two_views`, so that neither colour is favoured."""
    own, other = (playout_ownership(each)[points_of(size)] for each in words)
    return np.asarray((own - other) / 2.0)


class Counting(NamedTuple):
    """How a position is counted, and those one move later."""

    share: float
    """What counting has to say beside the owners that an evaluator knows, from 0 to 1."""
    playouts: Values
    """[size * size]: `even_playouts` of the position."""


def count_position(game: Game, ownership: npt.NDArray[np.float32]) -> Counting | None:
    """How to count a position whose owners are known like this, [1, size * size]; None where the
    last move was no pass, and where too much is open."""
    has_passed = bool(game.moves) and game.moves[-1].point == PASS
    share = float(counted_share(ownership)[0]) if has_passed else 0.0
    if share == 0.0:
        return None
    return Counting(share, even_playouts(two_views(game.colors, game.size), game.size))


def counted_difference(
    counting: Counting, words: Words, ownership: npt.NDArray[np.float32]
) -> Values:
    """[B, size * size] what counting adds to Black's ownership, -1 to 1, of each point of positions
    [B, WORDS] whose owners are known like this, [B, size * size].

    Blocks are dead or alive by two opinions: these owners and random continuations.
    """
    weight = PLAYOUTS_WEIGHT * counting.share**2
    owned = 2.0 * ownership.astype(np.float64) - 1.0
    chances = (owned + weight * counting.playouts) / (1.0 + weight)
    pairs = zip(words, chances, strict=True)
    owners = np.stack([status_by_chances(board, each).owners for board, each in pairs])
    counted = (owners == BLACK).astype(np.float64) - (owners == WHITE)
    return np.asarray(counting.share * (counted - owned))
