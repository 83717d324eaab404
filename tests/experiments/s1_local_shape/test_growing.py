"""S1-grow: boards grow at the goal, or when the games are used up."""

from pathlib import Path

import msgspec

from katachi.experiments.protocol import Verdict
from katachi.experiments.runner import Runner, Task
from katachi.experiments.s1_local_shape.growing import (
    DIRECT,
    GAMES,
    GROWN,
    QUICK,
    GrowingSettings,
    draw,
    judge,
    measure,
    run,
)
from tests.experiments.studies import row_named


def test_the_defaults_are_the_papers() -> None:
    settings = GrowingSettings()
    assert (settings.size, settings.largest, settings.goal) == (5, 9, 0.9)
    assert (settings.sets, settings.cascade) == ("1x1-3x3:LI+LD", True)


def test_a_goal_that_is_always_reached_takes_one_test_a_size() -> None:
    settings = msgspec.structs.replace(QUICK, goal=0.0, largest=7)
    stages = measure(settings, Task(GROWN, 1, key={"way": GROWN}, seed=1)).stages
    assert [(s.size, s.games, s.has_passed) for s in stages] == [
        (size, settings.test_every, True) for size in (5, 6, 7)
    ]


def test_a_goal_that_is_never_reached_takes_all_the_games() -> None:
    settings = msgspec.structs.replace(QUICK, goal=1.0, games=150)
    growth = measure(settings, Task(GROWN, 1, key={"way": GROWN}, seed=1))
    assert [(s.games, s.has_passed) for s in growth.stages] == [(150, False), (150, False)]
    assert len(growth.final) == 2


def test_from_nothing_begins_on_the_largest_board() -> None:
    stages = measure(QUICK, Task(DIRECT, 1, key={"way": DIRECT}, seed=1)).stages
    assert [stage.size for stage in stages] == [QUICK.largest]


def test_a_quick_study_tells_each_size(tmp_path: Path) -> None:
    settings = msgspec.structs.replace(QUICK, goal=1.0)
    table = run(settings, 1, Runner(tmp_path))
    assert row_named(table, "grown, all sizes", GAMES.name).ours == 200
    assert row_named(table, "from nothing, 6x6", GAMES.name).remark == "0 of 2 runs"
    assert judge(table)[0].verdict is Verdict.UNDECIDED
    picture = draw(table, "S1-grow")
    assert ">from nothing, 6x6<" in picture
    assert ">all sizes<" in picture


def test_reaching_the_goal_sooner_bears_out_the_claim(tmp_path: Path) -> None:
    settings = msgspec.structs.replace(QUICK, goal=0.0)
    claim = judge(run(settings, 1, Runner(tmp_path)))[0]
    assert "every run reached the goal at every size" in claim.ours
    assert claim.rule.startswith("yes if the whole 95 % interval of the difference lies above 0")
