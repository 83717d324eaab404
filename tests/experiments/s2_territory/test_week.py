"""S2-week: minutes to the error of the paper's learning."""

import pytest

from katachi.experiments.runner import Runner
from katachi.experiments.s2_territory.week import (
    ERROR,
    QUICK,
    TIME,
    Look,
    WeekSettings,
    _claim,
    draw,
    run,
    runs_of,
)
from katachi.statistics import Estimate
from tests.experiments.studies import row_named

RUNS = ((4, 10), (1, 64), (2, 64))


def test_the_papers_run_is_first_and_has_its_settings() -> None:
    first, *short = runs_of(WeekSettings()).values()
    assert (first.epochs[-1], first.batch, first.games) == (50, 10, 3166)
    assert [(each.epochs, each.batch) for each in short] == [((n,), 64) for n in (2, 5, 10, 20)]


def test_the_shortest_that_is_good_enough_is_reported() -> None:
    def look(epoch: int, error: float, minutes: float) -> Look:
        return Look(epoch, Estimate(error), 9, 60 * minutes)

    paper = [look(25, 0.4, 40.0), look(50, 0.39, 80.0)]
    claim = _claim(paper, [look(5, 0.41, 3.0), look(10, 0.389, 6.0), look(20, 0.37, 12.0)])
    assert claim.ours == "its error, 0.3900 nats a point, after 6.0 minutes (10 epochs)"
    assert claim.holds
    assert not _claim(paper, [look(5, 0.41, 3.0)]).holds


@pytest.mark.slow
def test_a_quick_study_tells_and_shows_every_run(bench: Runner) -> None:
    pytest.importorskip("torch")
    table = run(QUICK, 1, bench)
    assert row_named(table, "4 epochs, an update every 10 positions", TIME.name).paper == 9000
    for name in (
        "4 epochs, an update every 10 positions",
        "1 epochs, an update every 64 positions",
        "2 epochs, an update every 64 positions",
        "after 2 of these",
    ):
        assert 0.3 < (row_named(table, name, ERROR.name).ours or 0.0) < 1.0
    assert draw(table, "S2-week").count("<polyline") == 2
    assert not list(bench.folder.glob("*.safetensors"))
