"""Evaluators without anything learned: the yardsticks of the 2007 Computer Go Server."""

import numpy as np
import numpy.typing as npt

from katachi._jit import inlined, kernel
from katachi.evaluators.chances import judged
from katachi.evaluators.protocol import Evaluation
from katachi.features.blocks import sum_liberties
from katachi.features.dilation import SCRATCH, grow_regions
from katachi.rules.color import BLACK, WHITE
from katachi.rules.state import BoardState, Words

Scores = npt.NDArray[np.int64]

DILATIONS = 7
EROSIONS = 3


class ConstantEvaluator:
    """Calls every position even."""

    name = "constant"

    def evaluate(self, states: BoardState) -> Evaluation:
        """One half for each of B positions."""
        return judged(np.zeros(len(states.words)))


class AverageLiberties:
    """Black's mean number of liberties a block, less White's (Fuego's "average" player).

    The score is the difference of the integer parts of ten times the means.
    """

    name = "average liberties"
    scale = 200.0
    """Score at which Black's odds are called e to 1: wide enough that no two scores of a 25x25
    board come out equal."""

    def evaluate(self, states: BoardState) -> Evaluation:
        """The score of each of B positions through a logistic curve."""
        scores = np.zeros(len(states.words), np.int64)
        score_average_liberties(states.words, scores)
        return judged(scores / self.scale)


class InfluenceEvaluator:
    """Surplus liberties plus region size, Black's less White's (Fuego's "influence" player).

    A block's surplus is its liberties less two; a region is what 7 dilations and then 3 erosions
    make of a colour's stones.
    """

    name = "influence"
    scale = 100.0

    def evaluate(self, states: BoardState) -> Evaluation:
        """The score of each of B positions through a logistic curve."""
        scores = np.zeros(len(states.words), np.int64)
        score_influence(states.words, scores, np.zeros(SCRATCH, np.uint16))
        return judged(scores / self.scale)


@inlined
def mean_times_ten(liberties: int, blocks: int) -> int:
    """Ten times the mean number of liberties a block, rounded down; 0 without blocks."""
    return 10 * liberties // max(blocks, 1)


@kernel
def average_liberties(board: Words, color: int) -> int:
    """Ten times the mean number of liberties of a colour's blocks, rounded down."""
    liberties, blocks = sum_liberties(board, color)
    return mean_times_ten(liberties, blocks)


@kernel
def score_average_liberties(boards: Words, scores: Scores) -> None:
    """Writes the average-liberties score of each of boards [B, WORDS] into scores [B]."""
    for index in range(len(boards)):
        board = boards[index]
        scores[index] = average_liberties(board, BLACK) - average_liberties(board, WHITE)


@kernel
def score_influence(boards: Words, scores: Scores, scratch: Words) -> None:
    """Writes the influence score of each of boards [B, WORDS] into scores [B]."""
    for index in range(len(boards)):
        board = boards[index]
        black, black_blocks = sum_liberties(board, BLACK)
        white, white_blocks = sum_liberties(board, WHITE)
        surplus = (black - 2 * black_blocks) - (white - 2 * white_blocks)
        scores[index] = surplus + grow_regions(board, DILATIONS, EROSIONS, scratch)
