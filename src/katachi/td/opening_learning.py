# pyright: reportArgumentType=false, reportReturnType=false, reportCallIssue=false
"""Learning from openings as one kernel: what `learn_game` does, for thousands of games a call.

A game is kept as what changes from position to position, in the paper's net one input a move: the
logit of a position is a running sum, and a weight moves by the steps of all positions from the
change on. Sums are of whole numbers, so the weights are the plain loop's to the last bit.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from katachi._jit import kernel
from katachi.evaluators.opening_net import Weights, nudge_changes, sum_changes
from katachi.features.opening_rows import Encoded
from katachi.features.units import Logits
from katachi.td.targets import Errors, UpdateRule, fill_errors, fill_steps, logistic

Numbers = npt.NDArray[np.int64]


class OpeningGames(NamedTuple):
    """L openings, each the first positions of a game and how good they turned out."""

    encoded: Encoded
    """The positions of all games, each as what changes from the one before."""
    first: Numbers
    """[L]: the first position of each."""
    length: Numbers
    """[L]: how many it has."""
    outcome: npt.NDArray[np.float64]
    """[L]: (1 + z) / 2: 1 good for Black, 0 for White, one half even."""
    symmetry: npt.NDArray[np.uint8]
    """[L]: how it is turned."""
    game: Numbers
    """[L]: the game it is of."""

    def select(self, chosen: npt.NDArray[np.generic]) -> "OpeningGames":
        """Some of them, by number or by mask; the positions are shared."""
        parts = (self.first, self.length, self.outcome, self.symmetry, self.game)
        return OpeningGames(self.encoded, *(np.ascontiguousarray(part[chosen]) for part in parts))

    @property
    def size(self) -> int:
        """The number of openings."""
        return len(self.first)


class OpeningScratch(NamedTuple):
    """Memory for one opening of T positions and K parts."""

    logits: Logits
    errors: Errors
    steps: Logits
    gains: Weights
    """[inputs]: zeros."""
    sums: Logits
    """[K]"""


def new_scratch(positions: int, parts: int, inputs: int) -> OpeningScratch:
    """Memory for openings of so many positions at most."""
    shape = (positions, parts)
    return OpeningScratch(
        np.zeros(shape, np.int64),
        np.zeros(shape),
        np.zeros(shape, np.int64),
        np.zeros(inputs, np.int64),
        np.zeros(parts, np.int64),
    )


@kernel
def learn_openings(
    games: OpeningGames,
    order: Numbers,
    images: npt.NDArray[np.uint16],
    part_of: npt.NDArray[np.uint8],
    rule: UpdateRule,
    memory: tuple[Weights, OpeningScratch],
) -> None:
    """Learns from the openings of `order`, one after another; the weights move after each, all
    its predictions being made with the old ones."""
    weights, scratch = memory
    for game in order:
        span = (games.first[game], games.length[game])
        image = images[games.symmetry[game]]
        logits = scratch.logits[: span[1]]
        errors, steps = scratch.errors[: span[1]], scratch.steps[: span[1]]
        found = (logits, scratch.sums)
        sum_changes(games.encoded, span, image, part_of, weights, found)
        outcome = games.outcome[game]
        fill_errors(logits, rule.general, outcome, rule.errors, rule.unit, errors)
        fill_steps(errors, rule.rates, rule.unit, steps)
        learned = (weights, scratch.gains, scratch.sums)
        nudge_changes(games.encoded, span, image, part_of, steps, learned)


@kernel
def fill_chances(
    games: OpeningGames,
    images: npt.NDArray[np.uint16],
    part_of: npt.NDArray[np.uint8],
    memory: tuple[Weights, OpeningScratch],
    unit: float,
    chances: npt.NDArray[np.float64],
) -> None:
    """Writes Black's chance in each position of each opening, chances [L, T]; what lies behind an
    opening's end is left alone."""
    weights, scratch = memory
    for game in range(len(games.first)):
        span = (games.first[game], games.length[game])
        image = images[games.symmetry[game]]
        logits = scratch.logits[: span[1]]
        sum_changes(games.encoded, span, image, part_of, weights, (logits, scratch.sums))
        for t in range(span[1]):
            total = np.int64(0)
            for part in range(logits.shape[1]):
                total += logits[t, part]
            chances[game, t] = logistic(unit * total)
