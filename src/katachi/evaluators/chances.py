"""Chances of winning and their logits.

A chance near 1 has few digits left: 1 - 1e-20 is 1. Logits tell such positions apart, and turn
round to the other side without a loss; so moves are compared by logits.
"""

import math

import numpy as np
import numpy.typing as npt

from katachi.evaluators.protocol import Evaluation

Values = npt.NDArray[np.float64]

LARGEST_LOGIT = 700.0
"""Chances beyond are as good as certain; their exponential would overflow."""
DOUBT = 0.125
"""What the doubt of all points together counts for, a line of the board. Fitted to the results of
games that nets of owners learned from: 1.1 on 9x9, 2.5 on 19x19."""
LEAST_DOUBT = 1.0
"""In square points: what is in doubt where every point looks certain."""
COUNTED_DOUBT = 3.0
"""The same of a position that is counted: what is left where a block was taken for dead or alive
wrongly. Chosen by the ends of 600 games on 19x19 and 700 on 9x9."""
SETTLED, OPEN = 0.08, 0.25
"""The mean variance of a point, from 0 to 1: a position below the first is as good as finished, of
one above the second counting says less than the sum of chances does."""


def chances_of(logits: Values) -> Values:
    """The chances that logits of any size stand for."""
    held = np.clip(logits, -LARGEST_LOGIT, LARGEST_LOGIT)
    return np.asarray(1.0 / (1.0 + np.exp(-held)))


def logits_of(chances: Values) -> Values:
    """The logits of chances; those of 0 and 1 are held where a chance rounds to 1, so that both
    ends are alike."""
    tiny = np.finfo(np.float64).eps / 2
    inside = np.clip(chances, tiny, 1.0 - tiny)
    return np.asarray(np.log(inside) - np.log1p(-inside))


def judged(logits: Values) -> Evaluation:
    """What an evaluator says whose logits [B], Black's, are these."""
    return Evaluation(chances_of(logits), None, logits)


def black_logits(evaluation: Evaluation) -> Values:
    """[B] the logit of Black's chance to win: the evaluator's own where it tells it."""
    return logits_of(evaluation.value) if evaluation.logit is None else evaluation.logit


def judged_by_owners(ownership: npt.NDArray[np.float32], komi: float) -> Evaluation:
    """What an evaluator says that knows the owners [B, size * size] and nothing else: a board's
    side in points ahead makes odds of e to 1."""
    points = ownership.shape[1]
    lead = 2.0 * ownership.sum(axis=1, dtype=np.float64) - points - komi
    logits = lead / math.isqrt(points)
    return Evaluation(chances_of(logits), ownership, logits)


def point_variance(ownership: npt.NDArray[np.float32]) -> Values:
    """[B] how uncertain the owners [B, size * size] are: 0 where all are certain, 1 where none is
    known at all."""
    chances = ownership.astype(np.float64)
    return np.asarray(4.0 * (chances * (1.0 - chances)).mean(axis=1))


def counted_share(ownership: npt.NDArray[np.float32]) -> Values:
    """[B] how far positions are finished, by their owners [B, size * size]: 1 where they may be
    counted, 0 where too much is open."""
    variance = point_variance(ownership)
    return np.asarray(np.clip((OPEN - variance) / (OPEN - SETTLED), 0.0, 1.0))


def winning_logits(
    ownership: npt.NDArray[np.float32], lead: Values, counted: float = 0.0
) -> Values:
    """[B] the logit of Black's chance to win who is so many points ahead, komi counted, where the
    owners [B, size * size] are known like this: the lead in parts of how uncertain it is. Points
    add their variances, and more than these because neighbours live and die together; of what was
    counted, a share from 0 to 1, no point is in doubt alone."""
    points = ownership.shape[1]
    variance = points * point_variance(ownership) * (1.0 - counted)
    share = DOUBT * math.isqrt(points)
    doubt = LEAST_DOUBT + counted * COUNTED_DOUBT + share * variance
    return np.asarray(lead / np.sqrt(doubt))


def with_komi(evaluation: Evaluation, komi: float) -> Evaluation:
    """The same in a game of this komi. Who knows owners then judges by them, as the lead does; who
    knows none cannot tell what komi is worth, and its chances are those of the komi that it has
    learned with."""
    if evaluation.ownership is None:
        return evaluation
    return judged_by_owners(evaluation.ownership, komi)
