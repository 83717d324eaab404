"""Long runs of the experiments end as they would have, however often they are stopped."""

from functools import partial
from pathlib import Path

import msgspec
import numpy as np
import pytest

from katachi.experiments.protocol import Settings
from katachi.experiments.runner import Task
from katachi.experiments.s2_territory import material
from katachi.experiments.s2_territory.material import (
    SCORED9,
    LongRun,
    new_trainer,
    open_parts,
    path_of_run,
)
from katachi.learning.territory_training import TerritoryTrainer
from tests.learning.territory_games import SMALL


class Seen(msgspec.Struct, frozen=True):
    steps: int
    cells: float


class Stopped(Exception):
    """A process that ends."""


def trainer(data: Path) -> TerritoryTrainer:
    return new_trainer(SMALL, open_parts(data / SCORED9, 12))


def look(learner: TerritoryTrainer, last: int) -> Seen:
    """What a look says; the process ends before one that comes after `last` batches."""
    if learner.done > last:
        raise Stopped
    return Seen(learner.done, learner.measure(1).val_ownership_loss or 0.0)


def test_a_stopped_run_goes_on_where_it_was(
    tmp_path: Path, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("torch")
    monkeypatch.setattr(material, "SECONDS_BETWEEN_SAVES", 0.0)
    monkeypatch.setattr(material, "STEPS_AT_ONCE", 1)
    whole = trainer(data)
    expected = LongRun(whole, tmp_path / "whole", Seen).measure_at(
        [2, 4, 6], partial(look, whole, 6)
    )
    assert [each.steps for each in expected] == [2, 4, 6]
    for last in (0, 2, 4):
        part = trainer(data)
        run = LongRun(part, tmp_path / "parts.1", Seen)
        assert part.done == last
        with pytest.raises(Stopped):
            run.measure_at([2, 4, 6], partial(look, part, last))
    part = trainer(data)
    assert LongRun(trainer(data), tmp_path / "parts.2", Seen).trainer.done == 0
    run = LongRun(part, tmp_path / "parts.1", Seen)
    assert (part.done, len(run.measured)) == (6, 2)
    assert run.seconds > 0
    assert run.measure_at([2, 4, 6], partial(look, part, 6)) == expected
    for name, array in whole.model().arrays.items():
        assert np.array_equal(array, part.model().arrays[name])
    assert not list(tmp_path.iterdir())


def test_runs_that_differ_in_anything_are_kept_apart() -> None:
    settings = Settings()
    tasks = Task("a", 1), Task("a", 2), Task("a", 1, seed=1), Task("a", 1, behaviour="b")
    paths = {
        path_of_run("S2", each, some) for each in (settings, Settings(runs=2)) for some in tasks
    }
    assert len(paths) == 8
