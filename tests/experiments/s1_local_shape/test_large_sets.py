"""S1-large: sets are tested after the paper's games and after many more."""

from pathlib import Path

from katachi.experiments.protocol import Table, Verdict
from katachi.experiments.runner import Runner
from katachi.experiments.s1_local_shape.large_sets import QUICK, SHORT, draw, judge, run
from katachi.experiments.s1_local_shape.trials import FINAL


def test_a_quick_study_tells_both_lengths(tmp_path: Path) -> None:
    table = run(QUICK, 1, Runner(tmp_path))
    for quantity in (SHORT, FINAL):
        assert [table.label(row) for row in table.rows_of(quantity)] == list(QUICK.sets)
    assert len(judge(table)) == 2
    assert "sets alone" in draw(table, "S1-large")


def test_more_games_are_judged_by_the_difference() -> None:
    rows = [
        quantity.mean({"sets": "4x3:LD"}, values)
        for quantity, values in ((SHORT, [2.0, 3.0, 4.0]), (FINAL, [40.0, 41.0, 42.0]))
    ]
    (claim,) = judge(Table(quantities=[SHORT, FINAL], rows=rows))
    assert claim.verdict is Verdict.YES
    assert claim.ours == "41.0 %, after the paper's games 3.0 %"
