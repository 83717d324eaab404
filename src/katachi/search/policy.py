"""Evaluators as policies: how likely each move is, by what it leads to.

Gibbs: the chance of a move is in proportion to exp(score / temperature), where the score is what
the position after it is worth to the mover (Wu and Baldi 2006). The temperature, which the paper
does not state, is the one that makes moves that were played likeliest.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from katachi.evaluators.chances import black_logits
from katachi.evaluators.protocol import Evaluation, Evaluator
from katachi.rules.color import BLACK
from katachi.rules.game import Game
from katachi.rules.point import Points
from katachi.search.analysis import evaluate_moves, predicted_scores

Scores = npt.NDArray[np.float64]
Starts = npt.NDArray[np.int64]

COLDEST, HOTTEST = 1e-4, 1e3
"""Fitted temperatures, in units of the mean spread of a position's scores, stay between these."""
STEPS = 60
ACCURACY = 1e-9


class Choices(NamedTuple):
    """The moves of K positions, one position behind the other, and those that were played."""

    scores: Scores
    """[N]: what each move is worth to the player who makes it."""
    starts: Starts
    """[K + 1]: the moves of position k are starts[k] to starts[k + 1]; it has one at least."""
    played: Starts
    """[K]: where in `scores` the played moves are."""


class MoveChances(NamedTuple):
    """How likely each move is."""

    points: Points
    chances: npt.NDArray[np.float64]
    """[M]: their sum is 1."""


class GibbsPolicy:
    """The policy view of an evaluator."""

    def __init__(self, evaluator: Evaluator, temperature: float) -> None:
        """A policy; `temperature` is in units of `black_scores`."""
        self.evaluator = evaluator
        self.temperature = temperature

    def chances(self, game: Game, color: int, points: Points | None = None) -> MoveChances:
        """How likely `color` plays each of these moves, at least one; by default all legal ones."""
        moves = game.legal_moves(color) if points is None else points
        scores = score_game(self.evaluator, game, color, moves)
        starts = np.array([0, len(moves)])
        return MoveChances(moves, np.exp(log_chances(scores, starts, self.temperature)))


def score_game(evaluator: Evaluator, game: Game, color: int, points: Points) -> Scores:
    """[M] what each of these moves, at least one, is worth to `color`, or how likely it is where
    the evaluator says that itself."""
    predicted = predicted_scores(evaluator, game, color, points)
    if predicted is not None:
        return predicted
    scores = black_scores(evaluate_moves(evaluator, game, color, points))
    return scores if color == BLACK else -scores


def black_scores(evaluation: Evaluation) -> Scores:
    """[B] what each position is worth to Black on a scale without ends: the points that Black will
    own where the evaluator knows, else the logit of Black's chance to win."""
    if evaluation.ownership is not None:
        return np.asarray(evaluation.ownership.sum(axis=1, dtype=np.float64))
    return black_logits(evaluation)


def log_chances(scores: Scores, starts: Starts, temperature: float) -> Scores:
    """[N] the logarithm of each move's chance among those of its position; see Choices."""
    lengths = np.diff(starts)
    logits = _below_best(scores, starts) / temperature
    totals = np.add.reduceat(np.exp(logits), starts[:-1])
    return np.asarray(logits - np.repeat(np.log(totals), lengths))


def _below_best(scores: Scores, starts: Starts) -> Scores:
    """Scores less the best of their positions."""
    best = np.maximum.reduceat(scores, starts[:-1])
    return np.asarray(scores - np.repeat(best, np.diff(starts)))


def fit_temperature(choices: Choices) -> float:
    """The temperature at which the played moves are likeliest; 1 where no score differs.

    The likelihood is concave in 1 / temperature: Newton's steps, kept between the bounds.
    """
    scores, starts = _below_best(choices.scores, choices.starts), choices.starts
    spread = _mean_spread(scores, starts)
    if spread == 0.0:
        return 1.0
    played = float(scores[choices.played].sum()) / spread
    scores /= spread
    low, high, inverse = 1.0 / HOTTEST, 1.0 / COLDEST, 1.0
    for _ in range(STEPS):
        mean, variance = _moments(scores, starts, inverse)
        slope = played - mean
        low, high = (inverse, high) if slope > 0 else (low, inverse)
        step = inverse + slope / variance if variance > 0 else high
        following = step if low < step < high else float(np.sqrt(low * high))
        if abs(following - inverse) <= ACCURACY * inverse:
            break
        inverse = following
    return spread / inverse


def _mean_spread(scores: Scores, starts: Starts) -> float:
    """The standard deviation of a position's scores, on average."""
    lengths = np.diff(starts)
    means = np.add.reduceat(scores, starts[:-1]) / lengths
    squares = np.add.reduceat((scores - np.repeat(means, lengths)) ** 2, starts[:-1])
    return float(np.sqrt(squares / lengths).mean())


def _moments(scores: Scores, starts: Starts, inverse: float) -> tuple[float, float]:
    """The mean score of a sampled move and its variance, summed over positions."""
    weights = np.exp(scores * inverse)
    totals = np.add.reduceat(weights, starts[:-1])
    means = np.add.reduceat(weights * scores, starts[:-1]) / totals
    squares = np.add.reduceat(weights * scores**2, starts[:-1]) / totals
    return float(means.sum()), float((squares - means**2).sum())
