"""Trials on a GPU are those of the CPU."""

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from katachi.errors import KatachiError
from katachi.experiments.protocol import Table
from katachi.experiments.runner import Runner
from katachi.experiments.s1_local_shape import set_study, set_study9, trials
from katachi.workers import CardPool, Workers
from tests.cards import needs_card, quick_switches

SETTINGS = set_study.SetStudySettings(
    runs=2,
    size=3,
    games=3,
    test_every=2,
    test_games=2,
    final_games=4,
    templates=("2x1",),
    bins=64,
)


@pytest.fixture(autouse=True)
def on_card() -> Iterator[None]:
    needs_card()
    with quick_switches():
        yield


def study(folder: Path, workers: Workers, settings: set_study.SetStudySettings) -> Table:
    keys = settings.keys(set_study.UP_TO)
    trainings = [(key, settings.training(set_study.sets_of(key), 1)) for key in keys]
    runner = Runner(folder, workers)
    return trials.learn_all("S1-F4", settings, 1, runner, set_study.LABELS, trainings)


@pytest.mark.gpu
def test_a_study_on_a_card_is_that_of_the_cpu(tmp_path: Path) -> None:
    """On a GPU, or in the CUDA simulator (`make test-cudasim`)."""
    found = study(tmp_path / "GPU", CardPool(), SETTINGS)
    assert found == study(tmp_path / "cpu", 1, SETTINGS)
    assert any(row.ours for row in found.rows)


@pytest.mark.gpu
def test_agents_of_a_card_meet_others_as_those_of_the_cpu_do(tmp_path: Path) -> None:
    settings = msgspec.structs.replace(
        set_study9.QUICK, size=3, games=3, test_every=2, test_games=2, templates=("1x1",), bins=64
    )
    found = set_study9.run(settings, 1, Runner(tmp_path / "GPU", CardPool()))
    assert found == set_study9.run(settings, 1, Runner(tmp_path / "cpu"))


@pytest.mark.gpu
def test_learning_by_move_is_for_the_cpu() -> None:
    from katachi.learning.shape_card import CardRuns

    training = msgspec.structs.replace(SETTINGS.training("1x1:LI", 1), by_move=True)
    with pytest.raises(KatachiError, match="use --device cpu"):
        CardRuns(training, [1])
