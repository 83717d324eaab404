"""S1-F4: the settings of Figure 4, and the paper's claims held against a table."""

from pathlib import Path

import pytest

from katachi.experiments.crew import Task
from katachi.experiments.protocol import Row, Table
from katachi.experiments.s1_local_shape.set_study import (
    QUICK,
    UP_TO,
    SetStudySettings,
    claims_of,
    draw,
    measure,
    run,
    together,
)
from katachi.experiments.s1_local_shape.trials import EARLY, FINAL, HALF_TIME
from katachi.experiments.workbench import Progress, Workbench

ALL = list(SetStudySettings().settings_by_name())


def test_the_defaults_are_the_papers() -> None:
    settings = SetStudySettings()
    assert (settings.runs, settings.games, settings.size) == (50, 100_000, 5)
    assert (settings.test_every, settings.test_games, settings.final_games) == (500, 100, 1000)
    assert (settings.alpha, settings.epsilon, settings.bins) == (0.1, 0.1, 100_000)


def test_each_of_18_sets_is_learned_alone_and_with_the_more_general_ones() -> None:
    named = SetStudySettings().settings_by_name()
    assert len(named) == 36
    assert named["3x2:LD"] == "3x2:LD"
    assert named[f"{UP_TO}2x2:LI"] == "1x1:LI,2x1:LI,2x2:LI"
    assert together("2x1:LD") == "1x1:LI,1x1:LD,2x1:LI,2x1:LD"
    counts = [named[name].count(",") + 1 for name in named if name.startswith(UP_TO)]
    assert counts == [*range(1, 10), *range(2, 20, 2)]


def table_of(percent: dict[str, float], games: dict[str, float]) -> Table:
    rows = []
    for name in ALL:
        ours = percent.get(name, 10.0)
        rows.append(Row(setting=name, quantity=FINAL.name, ours=ours, n=1))
        rows.append(Row(setting=name, quantity=EARLY.name, ours=ours / 3, n=1))
        rows.append(Row(setting=name, quantity=HALF_TIME.name, ours=games.get(name), n=1))
    return Table(quantities=[FINAL, HALF_TIME, EARLY], rows=rows)


def test_a_table_like_the_papers_bears_out_every_claim() -> None:
    percent = {name: 50.0 - 20 * name.endswith("LD") for name in ALL}
    percent |= {"2x2:LI": 85.0, f"{UP_TO}3x3:LI": 92.0}
    games = {name: 1000.0 * (together(name.removeprefix(UP_TO)).count(",") + 1) for name in ALL}
    claims = claims_of(SetStudySettings(), table_of(percent, games))
    assert len(claims) == 8
    assert all(claim.holds for claim in claims), claims
    assert claims[0].ours == "2x2:LI does best, 85.0 %"
    assert "R squared of a line is 1.00 (18 of 18 settings)" in claims[-1].ours


def test_a_table_unlike_the_papers_bears_out_none() -> None:
    percent = {name: 10.0 + 20 * name.endswith("LD") for name in ALL} | {"3x3:LD": 70.0}
    claims = claims_of(SetStudySettings(), table_of(percent, {}))
    assert not any(claim.holds for claim in claims), claims
    assert "too few settings get there (0 of 18 settings)" in claims[-1].ours


def test_a_run_depends_on_its_seed_only() -> None:
    task = Task("up to 2x2:LD", 1)
    assert measure(QUICK, task, 3) == measure(QUICK, task, 3)
    assert measure(QUICK, task, 3) != measure(QUICK, task, 4)


def test_the_four_charts_show_each_template(tmp_path: Path) -> None:
    table = run(QUICK, 1, Workbench(tmp_path))
    picture = draw(table, "S1-F4")
    for words in ("(a) wins", "(d) games", "4x3", "above 80 %", "above 90 %", "mean of 2 runs"):
        assert words in picture
    assert picture.count("<title>") == 1


@pytest.mark.parametrize("seed", [1, 2])
def test_an_interrupted_study_ends_as_an_uninterrupted_one(tmp_path: Path, seed: int) -> None:
    expected = run(QUICK, seed, Workbench(tmp_path / "whole"))

    def stop_after_five(progress: Progress) -> None:
        if progress.done == 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(QUICK, seed, Workbench(tmp_path / "parts", observe=stop_after_five))
    assert run(QUICK, seed, Workbench(tmp_path / "parts")) == expected
