"""S2-t: times beside the paper's."""

import pytest

from katachi.experiments.s2_territory.cost import (
    EPOCH,
    GROWTH,
    ONE_PLY,
    POWER,
    QUICK,
    draw,
    epoch_name,
    ply_name,
    power_of,
    run,
)
from katachi.experiments.workbench import Workbench

pytestmark = pytest.mark.slow


def test_the_power_of_growth_is_found() -> None:
    assert power_of([5, 9, 19], [3.0 * size**4 for size in (5, 9, 19)]) == pytest.approx(4.0)


def test_a_quick_study_takes_every_time(bench: Workbench) -> None:
    pytest.importorskip("torch")
    table = run(QUICK, 1, bench)
    epoch = table.row(epoch_name(10), EPOCH.name)
    assert epoch.paper == 10_800
    assert (epoch.ours or 0.0) > 0
    small, large = (table.row(ply_name(size), ONE_PLY.name).ours or 0.0 for size in (5, 9))
    assert 0 < small < large
    assert table.row(GROWTH, POWER.name).paper == 4.0
    picture = draw(table, "S2-t")
    assert ">the paper: about 3 hours<" in picture
    assert "<polyline" in picture
