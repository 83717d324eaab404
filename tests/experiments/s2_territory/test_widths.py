"""S2-width: nets of all sizes learn the same way, and their weights and work are counted right."""

from pathlib import Path

import pytest

from katachi.evaluators.territory import NetKind
from katachi.experiments.curves import curves_of
from katachi.experiments.runner import Runner
from katachi.experiments.s2_territory.material import ends_of_parts
from katachi.experiments.s2_territory.widths import (
    QUICK,
    WEIGHTS,
    WORK,
    NetSize,
    WidthSettings,
    draw,
    run,
    training_of,
    work_of,
)
from tests.experiments.studies import row_named


def test_work_counts_the_products_at_a_point() -> None:
    """85 inputs: four lateral nets of 16 units with 16 states before them and 8 behind, and the
    output net of 16 units over 32 states with three outputs."""
    settings, net = WidthSettings(), NetSize(NetKind.SWEEPS, 16, 8, 1)
    expected = 4 * 16 * (85 + 16 + 8) + 16 * (85 + 32 + 3)
    assert work_of(training_of(settings, net, 1), net, 0) == expected
    plain = NetSize(NetKind.CONVOLUTION, 12, 1, 4)
    assert work_of(training_of(settings, plain, 1), plain, 777) == 777


@pytest.mark.slow
def test_a_quick_study_tells_and_shows_every_net(tmp_path: Path, data: Path) -> None:
    pytest.importorskip("torch")
    table = run(QUICK, 1, Runner(tmp_path, data=data))
    names = [net.name for net in QUICK.nets]
    assert list(dict.fromkeys(table.label(row) for row in table.rows)) == names
    planes = 29
    weights = planes * 9 * 4 + 4 + 4 * 9 * 4 + 4 + 4 * 3 + 3
    assert row_named(table, names[1], WEIGHTS.name).ours == weights
    assert row_named(table, names[1], WORK.name).ours == weights
    assert f">{names[0]}<" in draw(table, "S2-width")
    assert [curve.at for curve in curves_of(table)] == [ends_of_parts(QUICK.steps)] * len(names)
