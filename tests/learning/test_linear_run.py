"""Runs of linear learning: killed and resumed they end with the same weights."""

from pathlib import Path

import numpy as np
import pytest

from katachi.errors import KatachiError
from katachi.evaluators.linear import Linear
from katachi.learning.linear_training import (
    GameSource,
    LinearConfig,
    LinearPlan,
    LinearRun,
    LinearSettings,
)
from tests.learning.territory_games import GAMES

RECORDS = LinearSettings(games=12, alpha=0.1)
FROZEN = LinearSettings(size=5, source=GameSource.FROZEN, games=12, alpha=0.1, final_epsilon=0.0)
PLAN = LinearPlan((str(GAMES),), measure_every=4)
PLANS = {"records": (RECORDS, PLAN), "frozen": (FROZEN, LinearPlan(measure_every=4))}


def finished(run: LinearRun) -> Linear:
    for _ in run.run():
        pass
    model = Linear.load(run.finish())
    run.close()
    return model


@pytest.mark.parametrize("name", PLANS)
def test_a_resumed_run_ends_with_the_same_weights(name: str, tmp_path: Path) -> None:
    settings, plan = PLANS[name]
    whole = finished(LinearRun.begin(tmp_path / "whole", LinearConfig(settings, plan)))
    broken = LinearRun.begin(tmp_path / "broken", LinearConfig(settings, plan))
    next(each for each in broken.run() if each.metrics is not None)
    broken.learner.learn(3)  # lost: no checkpoint knows of it
    broken.close()
    again = LinearRun.resume(tmp_path / "broken")
    assert again.done == 4
    resumed = finished(again)
    assert np.array_equal(resumed.parts[0].theta, whole.parts[0].theta)
    lines = [(tmp_path / run / "metrics.jsonl").read_bytes() for run in ("whole", "broken")]
    assert lines[0] == lines[1]
    assert "settings" in resumed.training


def test_a_model_can_be_the_start_of_another_run(tmp_path: Path) -> None:
    first = finished(LinearRun.begin(tmp_path / "first", LinearConfig(RECORDS, PLAN)))
    plan = LinearPlan(start=str(tmp_path / "first" / "model"))
    settings = LinearSettings(source=GameSource.SELF, games=1, alpha=1e-300)
    second = finished(LinearRun.begin(tmp_path / "second", LinearConfig(settings, plan)))
    assert np.array_equal(first.parts[0].theta, second.parts[0].theta)
    assert second.training["plan"]["start"] == "model"


def test_weights_beyond_all_bounds_stop_the_run_at_its_last_checkpoint(tmp_path: Path) -> None:
    run = LinearRun.begin(tmp_path / "run", LinearConfig(RECORDS, PLAN))
    next(each for each in run.run() if each.metrics is not None)
    run.learner.model().parts[0].theta[0] = np.nan
    with pytest.raises(KatachiError, match="no numbers any more after 5 games: use a smaller"):
        run.learner.learn(1)
    run.close()
    again = LinearRun.resume(tmp_path / "run")
    assert again.done == 4
    assert np.isfinite(again.learner.model().parts[0].theta).all()
    again.close()


def test_records_need_games(tmp_path: Path) -> None:
    with pytest.raises(KatachiError, match="give --games FILE"):
        LinearRun.begin(tmp_path / "run", LinearConfig(RECORDS, LinearPlan()))
    with pytest.raises(KatachiError, match="none of the games was played on 7x7"):
        LinearRun.begin(tmp_path / "run", LinearConfig(LinearSettings(size=7), PLAN))
