"""From Black's chance to how likely an opening is good for Black, even, or good for White.

A net has one output, a judgement three values. A readout puts two cuts on the logit: the chance that
z is at most -1, and at most 0, is logistic in the logit's distance from them. It is fitted on
openings that the net has not learned from.
"""  # noqa: E501

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Values = npt.NDArray[np.float64]

VERDICTS = (-1.0, 0.0, 1.0)
"""z: good for White, even, good for Black."""
FURTHEST = 10.0
"""Logits beyond say the same."""
NEWTON_STEPS = 30
_LEAST = 1e-9


class Readout(NamedTuple):
    """Two cuts on the logit, and how much it says."""

    lower: float
    gap: float
    """Logarithm of the distance between the cuts."""
    slope: float

    def probabilities(self, chances: Values) -> Values:
        """[N, 3]: how likely each of VERDICTS is where Black's chance is so high."""
        return _probabilities(np.array(self), logits_of(chances))


def logits_of(chances: Values) -> Values:
    """Logits of chances, within what a readout looks at."""
    inside = np.clip(chances, _LEAST, 1.0 - _LEAST)
    return np.asarray(np.clip(np.log(inside / (1.0 - inside)), -FURTHEST, FURTHEST))


def _logistic(x: Values) -> Values:
    return np.asarray(1.0 / (1.0 + np.exp(-np.clip(x, -500.0, 500.0))))


def _probabilities(theta: Values, logits: Values) -> Values:
    at_most = [
        _logistic(cut - theta[2] * logits) for cut in (theta[0], theta[0] + np.exp(theta[1]))
    ]
    found = np.stack([at_most[0], at_most[1] - at_most[0], 1.0 - at_most[1]], axis=1)
    return np.asarray(np.clip(found, _LEAST, 1.0))


def fit_readout(chances: Values, z: Values) -> Readout:
    """The readout under which these judgements are likeliest, by Newton's method on the three
    numbers; each verdict counts once more than it was seen, so that none is impossible."""
    logits = logits_of(chances)
    which = np.searchsorted(VERDICTS, z)
    seen = np.bincount(which, minlength=3) + 1.0
    shares = np.cumsum(seen / seen.sum())
    cuts = np.log(shares[:2] / (1.0 - shares[:2]))
    theta = np.array([cuts[0], np.log(cuts[1] - cuts[0]), 0.0])
    loss = _loss(theta, logits, which)
    for _ in range(NEWTON_STEPS):
        step = _newton_step(theta, logits, which)
        while (found := _loss(theta - step, logits, which)) > loss and np.abs(step).max() > _LEAST:
            step = step / 2
        if found >= loss:
            break
        theta, loss = theta - step, found
    return Readout(*(float(each) for each in theta))


def _loss(theta: Values, logits: Values, which: npt.NDArray[np.int64]) -> float:
    """Mean cross-entropy, and a touch of weight on the slope."""
    likely = _probabilities(theta, logits)[np.arange(len(which)), which]
    return float(-np.log(likely).mean() + 1e-4 * theta[2] ** 2)


def _newton_step(theta: Values, logits: Values, which: npt.NDArray[np.int64]) -> Values:
    """Gradient over curvature, by differences."""
    width = 1e-4
    moves = width * np.eye(3)

    def gradient(at: Values) -> Values:
        ups = [_loss(at + move, logits, which) for move in moves]
        downs = [_loss(at - move, logits, which) for move in moves]
        return np.array(ups) / (2 * width) - np.array(downs) / (2 * width)

    curvature = np.stack([gradient(theta + move) - gradient(theta - move) for move in moves])
    curvature = (curvature + curvature.T) / (4 * width)
    values, vectors = np.linalg.eigh(curvature)
    turned = vectors.T @ gradient(theta)
    return np.asarray(vectors @ (turned / np.maximum(np.abs(values), 1e-3)))


def class_shares(z: Values) -> Values:
    """[3]: how often each of VERDICTS is seen."""
    counts = np.bincount(np.searchsorted(VERDICTS, z), minlength=3)
    return np.asarray(counts / counts.sum())
