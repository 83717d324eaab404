"""Learning curves: what stands in a result, and that learning experiments leave them."""

from pathlib import Path

import pytest

from katachi.experiments.catalogue import load_experiment
from katachi.experiments.curves import curve_of, curves_of
from katachi.experiments.protocol import Quantity
from katachi.experiments.runner import Runner


def test_a_curve_is_the_mean_of_the_runs_that_have_got_there() -> None:
    curve = curve_of({"set": "2x2"}, Quantity("wins", "%"), "games", (5, 10, 15), [[1, 2], [3]])
    assert (curve.at, curve.ours, curve.n) == ([5, 10], [2.0, 2.0], 2)


@pytest.mark.parametrize("name", ["S1-cascade", "S1-grow", "S1-permove"])
def test_learning_experiments_leave_their_curves(name: str, tmp_path: Path) -> None:
    experiment = load_experiment(name)
    table = experiment.run(experiment.quick, 1, Runner(tmp_path))
    curves = curves_of(table)
    assert curves
    for curve in curves:
        assert len(curve.at) == len(curve.ours) > 0
        assert curve.by == "games"
        assert curve.at[0] == experiment.quick.test_every  # type: ignore[attr-defined]
        assert all(0 <= each <= 100 for each in curve.ours)
