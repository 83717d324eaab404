"""S2-F2a: the error by stones after each of the epochs."""

import pytest

from katachi.experiments.protocol import label_of
from katachi.experiments.runner import Runner
from katachi.experiments.s2_territory.learning_epochs import (
    ALL,
    LABELS,
    QUICK,
    TIME,
    EpochSettings,
    bin_key,
    draw,
    run,
    steps_after,
    training_of,
)
from tests.experiments.studies import row_named

pytestmark = pytest.mark.slow


def test_epochs_are_passes_over_all_positions() -> None:
    settings = EpochSettings()
    assert steps_after(settings, 640, 1) == 10
    assert steps_after(settings, 641, 1) == 11
    training = training_of(settings, 178_000, 7)
    assert training.steps == -(-38 * 178_000 // 64)
    assert (training.hidden, training.states, training.seed) == (16, 8, 7)


def test_numbers_of_stones_have_names() -> None:
    keys = [bin_key(EpochSettings(), number) for number in (0, 5, 6)]
    names = [label_of(LABELS, key) for key in keys]
    assert names == ["0-9 stones", "50-59 stones", "60 stones and more"]


def test_a_quick_study_tells_and_shows_every_epoch(bench: Runner) -> None:
    pytest.importorskip("torch")
    table = run(QUICK, 1, bench)
    epochs = [f"after epoch {n}" for n in (1, 2, 3)]
    assert [each.name for each in table.quantities] == [*epochs, TIME.name]
    assert (row_named(table, "epoch 3", TIME.name).ours or 0.0) > 0
    row = row_named(table, ALL, "after epoch 3")
    assert row.n == 2
    assert 0.3 < (row.ours or 0.0) < 1.0
    assert row_named(table, "0-19 stones", "after epoch 1").ours is not None
    picture = draw(table, "S2-F2a")
    assert picture.count("<polyline") == 3
    assert ">after epoch 2<" in picture
