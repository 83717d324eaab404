"""How good a territory net is on a batch: at owners of points, moves that were chosen, results."""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from katachi.evaluators.chances import chances_of, winning_logits

if TYPE_CHECKING:
    from katachi.nets.fitting import MoveBatch

Floats = npt.NDArray[np.float32]


class Scores(NamedTuple):
    """Sums over moves that were played, or over points that somebody owns."""

    nats: float
    """Cross-entropy."""
    right: int
    """Moves that were thought likeliest, or points given to their owner."""
    total: int

    def means(self) -> tuple[float | None, float | None]:
        """(nats, share that is right); None where there was nothing."""
        total = self.total or None
        return total and self.nats / total, total and self.right / total


NO_SCORE = Scores(0.0, 0, 0)
NONE_SCORED = (NO_SCORE, NO_SCORE, NO_SCORE)


def judge_choices(logits: Floats, batch: "MoveBatch") -> Scores:
    """How well logits [B, outputs, N, N] predict the chosen cells."""
    rows = np.flatnonzero(batch.chosen >= 0)
    scores = logits[rows, batch.outputs[rows]].reshape(batch.free[rows].shape).astype(np.float64)
    scores[~batch.free[rows]] = -np.inf
    best = scores.max(axis=1)
    chosen = scores[np.arange(len(rows)), batch.chosen[rows]]
    total = np.log(np.exp(scores - best[:, None]).sum(axis=1)) + best
    return Scores(float((total - chosen).sum()), int((chosen == best).sum()), len(rows))


def judge_results(logits: Floats, batch: "MoveBatch") -> Scores:
    """How well the owners of logits [B, outputs, N, N] add up to the results that are known; those
    count as right that are given to the winner."""
    rows = np.flatnonzero(batch.results >= 0)
    chances = chances_of(logits[:, 0].reshape(len(logits), -1)[rows].astype(np.float64))
    lead = 2.0 * chances.sum(axis=1) - chances.shape[1] - batch.deductions[rows]
    won = winning_logits(chances.astype(np.float32), lead)
    results = batch.results[rows].astype(np.float64)
    nats = results * np.logaddexp(0.0, -won) + (1.0 - results) * np.logaddexp(0.0, won)
    return Scores(float(nats.sum()), int(((won > 0) == (results > 0.5)).sum()), len(rows))


def judge_logits(logits: Floats, owners: Floats) -> Scores:
    """How good logits are where the owners are 1 (Black) or 0 (White), not between."""
    is_owned = owners != 0.5
    wanted = np.where(owners > 0.5, logits, -logits)[is_owned].astype(np.float64)
    return Scores(float(np.logaddexp(0.0, -wanted).sum()), int((wanted > 0).sum()), len(wanted))
