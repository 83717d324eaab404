"""Runs of linear learning: killed and resumed they end with the same weights."""

from pathlib import Path

import numpy as np
import pytest

from katachi.errors import KatachiError
from katachi.evaluators.linear import Linear
from katachi.learning.linear_run import LinearPlan, LinearRun, begin_run, resume_run
from katachi.learning.linear_training import LinearSettings, Teacher
from tests.learning.territory_games import GAMES

RECORDS = LinearSettings(lessons=12, alpha=0.1)
FROZEN = LinearSettings(size=5, teacher=Teacher.FROZEN, lessons=12, alpha=0.1, final_epsilon=0.0)
PLAN = LinearPlan((str(GAMES),), measure_every=4)
PLANS = {"records": (RECORDS, PLAN), "frozen": (FROZEN, LinearPlan(measure_every=4))}


def finished(run: LinearRun) -> Linear:
    for _ in run.run(lambda: False):
        pass
    model = Linear.load(run.finish())
    run.close()
    return model


@pytest.mark.parametrize("name", PLANS)
def test_a_resumed_run_ends_with_the_same_weights(name: str, tmp_path: Path) -> None:
    settings, plan = PLANS[name]
    whole = finished(begin_run(tmp_path / "whole", settings, plan, ""))
    broken = begin_run(tmp_path / "broken", settings, plan, "")
    next(iter(broken.run(lambda: False)))
    broken.trainer.train(3)  # lost: no checkpoint knows of it
    broken.close()
    again = resume_run(tmp_path / "broken")
    assert again.trainer.steps == 4
    resumed = finished(again)
    assert np.array_equal(resumed.parts[0].theta, whole.parts[0].theta)
    lines = [(tmp_path / run / "metrics.jsonl").read_bytes() for run in ("whole", "broken")]
    assert lines[0] == lines[1]
    assert "settings" in resumed.training


def test_a_model_can_be_the_start_of_another_run(tmp_path: Path) -> None:
    first = finished(begin_run(tmp_path / "first", RECORDS, PLAN, ""))
    plan = LinearPlan(start=str(tmp_path / "first" / "model"))
    settings = LinearSettings(teacher=Teacher.SELF, lessons=1, alpha=1e-300)
    second = finished(begin_run(tmp_path / "second", settings, plan, ""))
    assert np.array_equal(first.parts[0].theta, second.parts[0].theta)
    assert second.training["plan"]["start"] == "model"


def test_weights_beyond_all_bounds_stop_the_run_at_its_last_checkpoint(tmp_path: Path) -> None:
    run = begin_run(tmp_path / "run", RECORDS, PLAN, "")
    next(iter(run.run(lambda: False)))
    run.trainer.model.parts[0].theta[0] = np.nan
    with pytest.raises(KatachiError, match="no numbers any more after 5 games: use a smaller"):
        run.trainer.train(1)
    run.close()
    again = resume_run(tmp_path / "run")
    assert again.trainer.steps == 4
    assert np.isfinite(again.trainer.model.parts[0].theta).all()
    again.close()


def test_records_need_games(tmp_path: Path) -> None:
    with pytest.raises(KatachiError, match="give --games FILE"):
        begin_run(tmp_path / "run", RECORDS, LinearPlan(), "")
    with pytest.raises(KatachiError, match="none of the games was played on 7x7"):
        begin_run(tmp_path / "run", LinearSettings(size=7), PLAN, "")
