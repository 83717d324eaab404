"""S1-agents: equal games for all, and the ladder's table of them."""

from pathlib import Path

from katachi.experiments.runner import Runner
from katachi.experiments.s1_local_shape.agents import QUICK, AgentSettings, run
from katachi.experiments.s1_local_shape.ratings import LEARNED, SCORE, judge


def test_agents_learn_as_the_paper_says() -> None:
    training = AgentSettings().training("L", 1)
    assert (training.alpha, training.cascade, training.size) == (0.1, True, 5)
    assert training.sets.endswith(":liberty")


def test_a_quick_study_makes_its_players_and_rates_them(tmp_path: Path) -> None:
    table = run(QUICK, 1, Runner(tmp_path))
    assert [row.ours for row in table.rows_of(LEARNED)] == [40, 40, 40]
    assert table.row(SCORE, player="L", opponent="B").n == 2
    assert "learned from 40 and 40 games" in judge(table)[0].ours
    assert run(QUICK, 1, Runner(tmp_path)).rows == table.rows
    assert str(tmp_path) not in str(table.report)
