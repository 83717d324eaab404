# pyright: reportArgumentType=false, reportReturnType=false, reportCallIssue=false
"""Learning from openings as one kernel: what `learn_game` does, for thousands of games a call."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from katachi._jit import kernel
from katachi.evaluators.errors import ErrorRule, Errors, Logits, fill_errors, fill_steps, logistic
from katachi.evaluators.opening_net import Weights, nudge_rows, sum_rows
from katachi.features.opening_rows import Encoded

Numbers = npt.NDArray[np.int64]


class Lessons(NamedTuple):
    """L openings, each the first positions of a game and how good they turned out."""

    encoded: Encoded
    """The positions of all games."""
    first: Numbers
    """[L]: the first position of each."""
    count: Numbers
    """[L]: how many it has."""
    outcome: npt.NDArray[np.float64]
    """[L]: (1 + z) / 2: 1 good for Black, 0 for White, one half even."""
    symmetry: npt.NDArray[np.uint8]
    """[L]: how it is turned."""
    game: Numbers
    """[L]: the game it is of."""

    def select(self, chosen: npt.NDArray[np.generic]) -> "Lessons":
        """Some of them, by number or by mask; the positions are shared."""
        parts = (self.first, self.count, self.outcome, self.symmetry, self.game)
        return Lessons(self.encoded, *(np.ascontiguousarray(part[chosen]) for part in parts))

    @property
    def size(self) -> int:
        """The number of openings."""
        return len(self.first)


class LessonRule(NamedTuple):
    """How far the weights move."""

    errors: ErrorRule
    general: npt.NDArray[np.uint8]
    """[K, K]"""
    rates: npt.NDArray[np.float64]
    """[K]"""
    unit: float


class LessonScratch(NamedTuple):
    """Memory for one opening of T positions and K parts."""

    logits: Logits
    errors: Errors
    steps: Logits
    gains: Weights
    """[inputs]: zeros."""


def new_scratch(positions: int, parts: int, inputs: int) -> LessonScratch:
    """Memory for openings of so many positions at most."""
    shape = (positions, parts)
    return LessonScratch(
        np.zeros(shape, np.int64),
        np.zeros(shape),
        np.zeros(shape, np.int64),
        np.zeros(inputs, np.int64),
    )


@kernel
def learn_lessons(
    lessons: Lessons,
    order: Numbers,
    images: npt.NDArray[np.uint16],
    part_of: npt.NDArray[np.uint8],
    rule: LessonRule,
    memory: tuple[Weights, LessonScratch],
) -> None:
    """Learns from the openings of `order`, one after another; the weights move after each, all
    its predictions being made with the old ones."""
    weights, scratch = memory
    for lesson in order:
        span = (lessons.first[lesson], lessons.count[lesson])
        image = images[lessons.symmetry[lesson]]
        logits = scratch.logits[: span[1]]
        errors, steps = scratch.errors[: span[1]], scratch.steps[: span[1]]
        sum_rows(lessons.encoded, span, image, part_of, weights, logits)
        outcome = lessons.outcome[lesson]
        fill_errors(logits, rule.general, outcome, rule.errors, rule.unit, errors)
        fill_steps(errors, rule.rates, rule.unit, steps)
        nudge_rows(lessons.encoded, span, image, part_of, steps, (weights, scratch.gains))


@kernel
def fill_chances(
    lessons: Lessons,
    images: npt.NDArray[np.uint16],
    part_of: npt.NDArray[np.uint8],
    memory: tuple[Weights, LessonScratch],
    unit: float,
    chances: npt.NDArray[np.float64],
) -> None:
    """Writes Black's chance in each position of each opening, chances [L, T]; what lies behind an
    opening's end is left alone."""
    weights, scratch = memory
    for lesson in range(len(lessons.first)):
        span = (lessons.first[lesson], lessons.count[lesson])
        image = images[lessons.symmetry[lesson]]
        logits = scratch.logits[: span[1]]
        sum_rows(lessons.encoded, span, image, part_of, weights, logits)
        for t in range(span[1]):
            total = np.int64(0)
            for part in range(logits.shape[1]):
                total += logits[t, part]
            chances[lesson, t] = logistic(unit * total)
