"""S1-grow: boards grow at the goal, or when the games are used up."""

from pathlib import Path

import msgspec
import pytest

from katachi.experiments.protocol import Key, Row, Table, Verdict
from katachi.experiments.runner import Runner, Task
from katachi.experiments.s1_local_shape.growing import (
    ALL,
    DIRECT,
    END,
    FIXED,
    GAMES,
    GROWN,
    LABELS,
    QUICK,
    SECONDS,
    GrowingSettings,
    draw,
    judge,
    measure,
    run,
)
from katachi.experiments.s1_local_shape.trials import FINAL
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


@pytest.mark.parametrize("goal", [0.0, 1.0])
def test_at_a_fixed_budget_every_smaller_size_has_as_many_games(goal: float) -> None:
    """Whether the goal is reached there at once or never; the largest board has the goal."""
    settings = msgspec.structs.replace(QUICK, goal=goal, largest=7, fixed_games=100, games=150)
    stages = measure(settings, Task(FIXED, 1, key={"way": FIXED}, seed=1)).stages
    assert [(s.size, s.games) for s in stages] == [(5, 100), (6, 100), (7, 50 if not goal else 150)]
    assert stages[-1].has_passed is not bool(goal)


def test_a_quick_study_tells_each_size(tmp_path: Path) -> None:
    settings = msgspec.structs.replace(QUICK, goal=1.0)
    table = run(settings, 1, Runner(tmp_path))
    assert row_named(table, "grown, all sizes", GAMES.name).ours == 200
    assert row_named(table, "from nothing, 6x6", GAMES.name).remark == "0 of 2 runs"
    assert row_named(table, f"{FIXED}, 5x5", GAMES.name).remark == ""
    assert row_named(table, f"{FIXED}, {ALL}", GAMES.name).ours == 150
    assert row_named(table, f"{FIXED}, {ALL}", GAMES.name).remark == "0 of 2 runs"
    assert [claim.verdict for claim in judge(table)] == [Verdict.UNDECIDED] * 2
    picture = draw(table, "S1-grow")
    assert f">{FIXED}<" in picture
    assert ">all sizes<" in picture


def test_reaching_the_goal_sooner_bears_out_the_claim(tmp_path: Path) -> None:
    settings = msgspec.structs.replace(QUICK, goal=0.0)
    claim = judge(run(settings, 1, Runner(tmp_path)))[0]
    assert "every run reached the goal at every size" in claim.ours
    assert claim.rule.startswith("yes if the whole 95 % interval of the difference lies above 0")


def table_of(grown: float, fixed: float | None, half: float = 1.0, remark: str = "") -> Table:
    """Seconds of both ways to grow, each so sure, beside 20 s from nothing."""

    def rows(way: str, seconds: float) -> list[Row]:
        keys: list[Key] = [
            {"way": way, "size": size} for size in ((9,) if way == DIRECT else (8, 9))
        ]
        keys += [] if way == DIRECT else [{"way": way, "part": ALL}]
        late = remark if way == FIXED else ""
        made = [
            Row(key=key, quantity=each.name, ours=seconds, low=seconds - half, high=seconds + half)
            for key in keys
            for each in (GAMES, SECONDS)
        ]
        made.append(Row(key={"way": way, "part": END}, quantity=FINAL.name, ours=90.0))
        return [msgspec.structs.replace(row, remark=late) for row in made]

    ways = [(GROWN, grown), *([] if fixed is None else [(FIXED, fixed)]), (DIRECT, 20.0)]
    every = [row for way, seconds in ways for row in rows(way, seconds)]
    return Table(quantities=[GAMES, SECONDS, FINAL], rows=every, labels=LABELS)


@pytest.mark.parametrize(
    ("grown", "fixed", "verdicts"),
    [
        (30.0, 10.0, [Verdict.NO, Verdict.YES]),
        (10.0, 30.0, [Verdict.YES, Verdict.NO]),
        (20.5, 19.5, [Verdict.UNDECIDED, Verdict.UNDECIDED]),
    ],
)
def test_each_way_to_grow_is_judged_by_its_time(
    grown: float, fixed: float, verdicts: list[Verdict]
) -> None:
    claims = judge(table_of(grown, fixed))
    assert [claim.verdict for claim in claims] == verdicts
    assert f"{fixed:.0f} s and {fixed:.0f} games grown, 20 s and 20 games from" in claims[1].ours


def test_runs_that_never_reach_the_goal_may_be_slower_than_is_counted_but_not_faster() -> None:
    assert judge(table_of(30.0, 10.0, remark="3 of 16 runs"))[1].verdict is Verdict.UNDECIDED
    late = judge(table_of(30.0, 30.0, remark="3 of 16 runs"))[1]
    assert late.verdict is Verdict.NO
    assert "the goal was reached at the end by 3 of 16 runs" in late.ours


def test_a_table_without_a_fixed_budget_is_judged_and_drawn() -> None:
    table = table_of(30.0, None)
    assert [claim.verdict for claim in judge(table)] == [Verdict.NO]
    assert FIXED not in draw(table, "S1-grow")
