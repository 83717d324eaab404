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
from tests.experiments.studies import row_named

RUNS = ((4, 10), (1, 64), (2, 64))


def test_the_papers_run_is_first_and_has_its_settings() -> None:
    first, *short = runs_of(WeekSettings()).values()
    assert (first.epochs[-1], first.batch, first.games) == (50, 10, 3166)
    assert [(each.epochs, each.batch) for each in short] == [((n,), 64) for n in (2, 5, 10)]


def rows_of(key: Key, error: float, minutes: float, paper: float | None = None) -> list[Row]:
    return [ERROR.row(key, error), TIME.row(key, minutes, paper=paper)]


def test_the_shortest_that_is_good_enough_is_reported() -> None:
    paper = rows_of({"after": 25}, 0.4, 40.0) + rows_of(
        {"epochs": 50, "batch": 10}, 0.39, 80.0, 9.0
    )
    short = [
        row
        for epochs, error, minutes in ((5, 0.41, 3.0), (10, 0.389, 6.0), (20, 0.37, 12.0))
        for row in rows_of({"epochs": epochs, "batch": 64}, error, minutes)
    ]
    (claim,) = judge(Table(quantities=[ERROR, TIME], rows=[*paper, *short], labels=LABELS))
    words = "10 epochs, an update every 64 positions"
    assert claim.ours == f"its error, 0.3900 nats a point, after 6.0 minutes ({words})"
    assert claim.verdict is Verdict.YES
    (claim,) = judge(Table(quantities=[ERROR, TIME], rows=[*paper, *short[:2]], labels=LABELS))
    assert claim.verdict is Verdict.NO


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
