"""S1-permove: both ways to learn are measured, and compared by their difference."""

from pathlib import Path

import pytest

from katachi.experiments.protocol import Table, Verdict
from katachi.experiments.runner import Runner
from katachi.experiments.s1_local_shape.trials import FINAL
from katachi.experiments.s1_local_shape.update_times import (
    BY_GAME,
    BY_MOVE,
    QUICK,
    UpdateSettings,
    draw,
    judge,
    run,
    trainings_of,
)


def test_ways_differ_in_nothing_else() -> None:
    trainings = [training for _, training in trainings_of(UpdateSettings())]
    assert [each.by_move for each in trainings] == [False, True] * 2
    assert len({(each.sets, each.alpha, each.loss) for each in trainings}) == 2


@pytest.mark.slow
def test_a_quick_study_tells_both(tmp_path: Path) -> None:
    table = run(QUICK, 1, Runner(tmp_path))
    assert [table.label(row) for row in table.rows_of(FINAL)] == [
        f"2x2:LI, {way}" for way in (BY_GAME, BY_MOVE)
    ]
    assert len(judge(table)) == 1
    assert BY_MOVE in draw(table, "S1-permove")


def test_a_difference_that_intervals_show_is_one() -> None:
    rows = [
        FINAL.mean({"sets": "2x2:LI", "update": way}, values)
        for way, values in ((BY_GAME, [50.0, 51.0, 52.0]), (BY_MOVE, [80.0, 81.0, 82.0]))
    ]
    (claim,) = judge(Table(quantities=[FINAL], rows=rows))
    assert claim.verdict is Verdict.YES
    assert claim.ours == "81.0 % by move, 51.0 % by game"
