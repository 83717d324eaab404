"""S1-agents: equal games for all, and the ladder's table of them."""

from hashlib import sha256
from pathlib import Path

from katachi.arena.schedule import pair_of
from katachi.experiments.runner import Runner
from katachi.experiments.s1_local_shape.agents import QUICK, AgentSettings, run
from katachi.experiments.s1_local_shape.ratings import LEARNED, SCORE, judge, roster_of


def test_learned_agents_meet_their_neighbours_and_every_level_of_gnu_go_400_times() -> None:
    pairs = roster_of(AgentSettings(shapes="alp", liberties="alp", searching="alp"), 1).pairs
    levels = [f"gnugo-{level}" for level in (0, 1, 5, 10)]
    for name in ("B", "L", "S"):
        others = [*levels, "alp", "influence", *{"B", "L", "S"} - {name}]
        assert {pairs[pair_of(name, other)] for other in others} == {400}


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
    for player in table.report["ranking"]:  # A ladder can go on from it.
        assert player["digest"] == sha256(player["configuration"].encode()).hexdigest()
