"""S2-t: times beside the paper's."""

import pytest

from katachi.experiments.runner import Runner
from katachi.experiments.s2_territory.cost import (
    EPOCH,
    GROWTH,
    ONE_PLY,
    POWER,
    QUICK,
    draw,
    power_of,
    run,
)
from tests.experiments.studies import row_named

pytestmark = pytest.mark.slow


def test_the_power_of_growth_is_found() -> None:
    assert power_of([5, 9, 19], [3.0 * size**4 for size in (5, 9, 19)]) == pytest.approx(4.0)


def test_a_quick_study_takes_every_time(bench: Runner) -> None:
    pytest.importorskip("torch")
    table = run(QUICK, 1, bench)
    epoch = row_named(table, "an update every 10 positions", EPOCH.name)
    assert epoch.paper == 10_800
    assert (epoch.ours or 0.0) > 0
    small, large = (
        row_named(table, f"one ply, {size}x{size}", ONE_PLY.name).ours or 0.0 for size in (5, 9)
    )
    assert 0 < small < large
    assert row_named(table, GROWTH, POWER.name).paper == 4.0
    picture = draw(table, "S2-t")
    assert ">the paper: about 3 hours<" in picture
    assert "<polyline" in picture
