# pyright: reportArgumentType=false, reportReturnType=false
"""Error rules: how wrong the values along a game turn out to be.

A learner predicts, for each position of a game, one logit a part (of local shape: a part is a
shape set). An error rule says how far, and which way, each part's logit should move.
"""

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from katachi._jit import inlined, kernel
from katachi._jit.lanes import lane_count, lane_number, meet
from katachi.features.units import Logits

Errors = npt.NDArray[np.float64]


class ErrorRule(NamedTuple):
    """Temporal differences: plain or cascade, any lambda, squared error or cross-entropy."""

    lam: float = 0.0
    """Weight of later differences in an error: 0 looks one step ahead, 1 at the result."""
    is_squared: bool = True
    """Whether an error carries the factor V(1 - V) of the squared loss, as the paper prints it;
    without it the loss is cross-entropy."""
    is_cascade: bool = False
    """Whether each part learns from the value of the parts as general as itself, or more so,
    instead of the value of all parts together."""


_HALF_WAY = 1.5 * 2.0**52
"""Added to a number below 2**51, it leaves no room for a fraction."""


@inlined
def nearest(number: float) -> int:
    """The nearest whole number, of two the even one: `np.rint`, which CUDA does not know."""
    return np.int64((number + _HALF_WAY) - _HALF_WAY)


@inlined
def outcome_of(margin: float) -> float:
    """1 for a win by this margin, 0 for a loss, one half for a draw."""
    return 1.0 if margin > 0 else 0.5 if margin == 0 else 0.0


@inlined
def logistic(logit: float) -> float:
    """The chance that a logit stands for."""
    return 1.0 / (1.0 + math.exp(-logit))


@inlined
def _value(logits: Logits, general: npt.NDArray[np.uint8], part: int, unit: float) -> float:
    """The chance that the parts as general as `part` (all for -1) give."""
    total = 0
    for other in range(len(logits)):
        if part < 0 or general[part, other] != 0:
            total += logits[other]
    return logistic(unit * total)


@kernel
def fill_errors(
    logits: Logits,
    general: npt.NDArray[np.uint8],
    outcome: float,
    rule: ErrorRule,
    unit: float,
    errors: Errors,
) -> None:
    """Writes errors [T, K] of a game whose positions have logits [T, K], in units.

    `outcome` is 1 for a win, 0 for a loss, one half for a draw; general[i, j] says whether part j
    is as general as part i. One pass backwards:
    error of t = V(t + 1) - V(t) + lambda * error of t + 1.
    """
    parts = logits.shape[1]
    columns = parts if rule.is_cascade else 1
    for column in range(lane_number(), columns, lane_count()):
        following = outcome
        error = 0.0
        for t in range(len(logits) - 1, -1, -1):
            value = _value(logits[t], general, column if rule.is_cascade else -1, unit)
            error = following - value + rule.lam * error
            errors[t, column] = error * (value * (1.0 - value) if rule.is_squared else 1.0)
            following = value
    meet()
    for t in range(lane_number(), len(logits), lane_count()):
        for column in range(columns, parts):
            errors[t, column] = errors[t, 0]
    meet()


@kernel
def fill_steps(errors: Errors, rates: npt.NDArray[np.float64], unit: float, steps: Logits) -> None:
    """Writes how far the weights of each part move for each position, steps [T, K] in units.

    errors is [T, K], or [T, 1] where all parts have the same. The running total is rounded, not
    each step, so that many small steps are not lost.
    """
    scale = 1.0 / unit  # exact: a power of two
    is_shared = errors.shape[1] == 1
    for part in range(lane_number(), len(rates), lane_count()):
        total = 0.0
        done = 0
        for t in range(len(errors)):
            total += rates[part] * errors[t, 0 if is_shared else part]
            rounded = nearest(total * scale)
            steps[t, part] = rounded - done
            done = rounded
    meet()


class UpdateRule(NamedTuple):
    """How far the weights move for what a game has shown."""

    errors: ErrorRule
    general: npt.NDArray[np.uint8]
    """[K, K]: whether part j is as general as part i."""
    rates: npt.NDArray[np.float64]
    """[K]: the step size of each part."""
    unit: float
    """A unit in logits."""

    def steps(self, logits: Logits, outcome: float) -> Logits:
        """The steps [T, K] that a game with these predictions [T, K] calls for."""
        errors = np.zeros(logits.shape)
        steps = np.zeros(logits.shape, np.int64)
        fill_errors(logits, self.general, outcome, self.errors, self.unit, errors)
        fill_steps(errors, self.rates, self.unit, steps)
        return steps
