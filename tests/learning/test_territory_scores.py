"""How good a net is on a batch is counted where there is something to count."""

import math

import numpy as np
import pytest

from katachi.evaluators.chances import DOUBT, LEAST_DOUBT
from katachi.learning.territory_scores import NO_SCORE, judge_choices, judge_logits, judge_results
from katachi.nets.fitting import MoveBatch


def test_points_are_judged_where_somebody_owns_them() -> None:
    logits = np.array([2.0, -1.0, 3.0, -3.0], np.float32)
    owners = np.array([1.0, 1.0, 0.5, 0.0], np.float32)
    scores = judge_logits(logits, owners)
    expected = -np.log([1 / (1 + np.exp(-2)), 1 / (1 + np.exp(1)), 1 / (1 + np.exp(-3))]).sum()
    assert scores.nats == pytest.approx(expected)
    assert (scores.right, scores.total) == (2, 3)
    assert judge_logits(logits[2:3], owners[2:3]) == NO_SCORE


def judged_batch(results: list[float]) -> tuple[MoveBatch, np.ndarray]:
    """Positions with these results and the logits of a net that was not asked."""
    random, count = np.random.default_rng(4), len(results)
    logits = random.normal(0, 2, (count, 3, 5, 5)).astype(np.float32)
    empty = np.empty(0, np.float32)
    free, chosen = np.ones((count, 25), bool), np.full(count, -1)
    outputs, deductions = np.ones(count, np.int64), random.uniform(-9, 9, count).astype(np.float32)
    known = np.array(results, np.float32)
    return MoveBatch(empty, empty, empty, outputs, free, chosen, deductions, known), logits


def test_results_are_judged_by_what_the_owners_add_up_to() -> None:
    batch, logits = judged_batch([1.0, 0.0, -1.0, 0.5, 1.0, 0.0, -1.0, 1.0])
    nats = 0.0
    for row, result in enumerate(batch.results.tolist()):
        if result < 0:
            continue
        chances = [1 / (1 + math.exp(-each)) for each in logits[row, 0].reshape(-1).tolist()]
        lead = sum(chances) - sum(1 - each for each in chances) - float(batch.deductions[row])
        variance = sum(4 * each * (1 - each) for each in chances)
        chance = 1 / (1 + math.exp(-lead / math.sqrt(LEAST_DOUBT + DOUBT * 5 * variance)))
        nats -= result * math.log(chance) + (1 - result) * math.log(1 - chance)
    assert judge_results(logits, batch).nats == pytest.approx(nats, rel=1e-5)


RESULTS = [1.0, 0.0, -1.0, 0.5, 1.0, 0.5, 0.0, 0.5, 0.5]


def test_exchanging_colours_leaves_scores_of_results_as_they_are() -> None:
    batch, logits = judged_batch(RESULTS)
    exchanged = np.where(batch.results < 0, batch.results, 1 - batch.results)
    other = batch._replace(deductions=-batch.deductions, results=exchanged)
    scores, others = judge_results(logits, batch), judge_results(-logits, other)
    assert others[1:] == scores[1:]
    assert others.nats == pytest.approx(scores.nats, rel=1e-5)


def test_a_draw_counts_in_the_nats_alone() -> None:
    batch, logits = judged_batch([1.0, 0.0, 1.0, 0.5, -1.0])
    batch = batch._replace(deductions=np.zeros(5, np.float32))
    logits[:] = 5.0  # all points are Black's
    scores = judge_results(logits, batch)
    assert scores[1:] == (2, 4, 1)
    assert scores.means() == (scores.nats / 4, 2 / 3)
    draws = judge_results(logits, batch._replace(results=np.full(5, 0.5, np.float32)))
    assert draws.nats > 5
    assert draws.means() == (draws.nats / 5, None)


def test_where_no_result_is_known_and_no_move_was_chosen_nothing_is_judged() -> None:
    batch, logits = judged_batch([-1.0, -1.0])
    assert judge_results(logits, batch) == NO_SCORE
    assert judge_choices(logits, batch) == NO_SCORE
