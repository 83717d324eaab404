"""How good a territory net is on a batch: at owners of points, moves that were chosen, results."""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from katachi.evaluators.chances import chances_of, winning_logits
from katachi.search.tree_leaves import lead_of_owners

if TYPE_CHECKING:
    from katachi.nets.fitting import MoveBatch

Floats = npt.NDArray[np.float32]


class Scores(NamedTuple):
    """Sums over moves that were played, points that somebody owns, or results that are known."""

    nats: float
    """Cross-entropy."""
    right: int
    """Moves that were thought likeliest, points given to their owner, or results by which the
    likelier side won."""
    total: int
    """How many there are."""
    draws: int = 0
    """Results among them by which nobody won, so that none can be right."""

    def means(self) -> tuple[float | None, float | None]:
        """(nats, share that is right of all but draws); None where there was nothing."""
        total, decided = self.total or None, self.total - self.draws or None
        return total and self.nats / total, decided and self.right / decided


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
    """How well the owners of logits [B, outputs, N, N] add up to the results that are known."""
    rows = np.flatnonzero(batch.results >= 0)
    chances = chances_of(logits[:, 0].reshape(len(logits), -1)[rows].astype(np.float64))
    owners = chances.astype(np.float32)
    won = winning_logits(owners, lead_of_owners(owners, batch.deductions[rows]))
    results = batch.results[rows].astype(np.float64)
    nats = results * np.logaddexp(0.0, -won) + (1.0 - results) * np.logaddexp(0.0, won)
    ahead = results - 0.5
    right, draws = int((won * ahead > 0).sum()), int((ahead == 0).sum())
    return Scores(float(nats.sum()), right, len(rows), draws)


def judge_logits(logits: Floats, owners: Floats) -> Scores:
    """How good logits are where the owners are 1 (Black) or 0 (White), not between."""
    is_owned = owners != 0.5
    wanted = np.where(owners > 0.5, logits, -logits)[is_owned].astype(np.float64)
    return Scores(float(np.logaddexp(0.0, -wanted).sum()), int((wanted > 0).sum()), len(wanted))
