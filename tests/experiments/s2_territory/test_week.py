"""S2-week: minutes to the error of the paper's learning."""

import pytest

from katachi.experiments.protocol import Key, Row, Table, Verdict
from katachi.experiments.runner import Runner
from katachi.experiments.s2_territory.week import (
    ERROR,
    LABELS,
    QUICK,
    TIME,
    WeekSettings,
    draw,
    judge,
    run,
    runs_of,
)
from katachi.statistics import Estimate
from tests.experiments.studies import row_named

RUNS = ((4, 10), (1, 64), (2, 64))


def test_the_papers_run_is_first_and_has_its_settings() -> None:
    first, *short = runs_of(WeekSettings()).values()
    assert (first.epochs[-1], first.batch, first.games) == (50, 10, 3166)
    assert [(each.epochs, each.batch) for each in short] == [((n,), 64) for n in (2, 5, 10)]


def rows_of(key: Key, error: Estimate, minutes: float, paper: float | None = None) -> list[Row]:
    return [ERROR.estimate(key, error, 300), TIME.row(key, minutes, paper=paper)]


@pytest.mark.parametrize(
    ("half", "more", "verdict"),
    [(0.001, 0.0, Verdict.YES), (0.001, 0.05, Verdict.NO), (0.02, 0.0, Verdict.UNDECIDED)],
)
def test_a_short_learning_is_as_good_only_where_the_interval_says_so(
    half: float, more: float, verdict: Verdict
) -> None:
    def error(value: float) -> Estimate:
        return Estimate(value, value - half, value + half)

    whole = rows_of({"epochs": 50, "batch": 10}, error(0.39), 80.0, 9000.0)
    way = rows_of({"after": 25}, error(0.4), 40.0)
    short = [
        row
        for epochs, minutes in ((5, 3.0), (10, 6.0), (20, 31.0))
        for row in rows_of({"epochs": epochs, "batch": 64}, error(0.39 + more), minutes)
    ]
    rows = [*way, *whole, *short]
    time, claim = judge(Table(quantities=[ERROR, TIME], rows=rows, labels=LABELS))
    assert (time.ours, time.verdict) == ("80.0 minutes for as many epochs", Verdict.YES)
    assert "timed once" in time.rule
    assert "after 6.0 minutes" in claim.ours
    assert claim.verdict is verdict


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
