"""S2-counted: strengths are found again by fitting, and a table stands beside a net."""

import numpy as np
import pytest

from katachi.experiments.runner import Runner
from katachi.experiments.s2_territory.counted_moves import (
    BOTH,
    NET,
    QUICK,
    TABLE,
    Moves,
    draw,
    fit_strengths,
    judge,
    run,
    table_scores,
)
from katachi.experiments.s2_territory.predicted_moves import LOG
from katachi.measure.prediction_scores import Place
from katachi.search.policy import log_chances


def drawn(strengths: np.ndarray, positions: int, choices: int) -> Moves:
    """Moves of random classes, played as often as their strengths say."""
    random = np.random.default_rng(1)
    classes = np.zeros((positions * choices, 3), np.int32)
    classes[:, 0] = random.integers(len(strengths), size=len(classes))
    weights = strengths[classes[:, 0]].reshape(positions, choices)
    ends = np.cumsum(weights, axis=1)
    chosen = (random.random(positions)[:, None] * ends[:, -1:] > ends).sum(axis=1)
    starts = np.arange(positions + 1) * choices
    place = Place(np.arange(positions), np.zeros(positions, np.int64))
    return Moves(classes, starts, starts[:-1] + chosen, np.zeros(0), place)


def test_fitting_finds_strengths_again() -> None:
    strengths = np.array([1.0, 2.0, 4.0, 0.5])
    found = fit_strengths(drawn(strengths, 4000, 5), sweeps=30, doubt=0.0)[0][:4]
    assert found - found[0] == pytest.approx(np.log(strengths), abs=0.15)


def test_more_sweeps_make_moves_likelier() -> None:
    moves = drawn(np.array([1.0, 3.0, 9.0]), 500, 4)
    likelihoods = []
    for sweeps in (1, 2, 4, 8):
        scores = table_scores(moves, fit_strengths(moves, sweeps, doubt=0.0))
        likelihoods.append(log_chances(scores, moves.starts, 1.0)[moves.played].mean())
    assert likelihoods == sorted(likelihoods)


def test_a_table_is_measured_alone_and_beside_a_net(bench: Runner) -> None:
    table = run(QUICK, 1, bench)
    for who in (NET, TABLE, BOTH):
        assert (table.row(LOG, net=who, games="9x9").ours or 0) < 0
    assert judge(table)
    assert "<svg" in draw(table, "S2-counted")
