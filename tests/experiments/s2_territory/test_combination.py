"""S2-combination: the best of each phase is found on other games than those it is measured on."""

from pathlib import Path

import pytest

from katachi.experiments import matches
from katachi.experiments.matches import GNUGO, Score
from katachi.experiments.runner import Found, Runner, Task, cross, tasks_of
from katachi.experiments.s2_territory.combination import (
    ALL,
    COMBINED,
    LOG,
    QUICK,
    SCORE,
    TOP1,
    TUNING,
    CombinationSettings,
    Tuned,
    draw,
    find_best,
    games_of,
    judge,
    pairs_of,
    phases_of,
    run,
)
from katachi.players.names import check_player_name
from tests.experiments.studies import row_named


@pytest.fixture(autouse=True)
def without_gnugo(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matches, "has_gnugo", lambda: False)


def test_phases_follow_each_other_and_pairs_are_players() -> None:
    settings = CombinationSettings()
    assert list(phases_of(settings)) == ["moves 1-20", "moves 21-40", "moves from 41"]
    pairs = pairs_of(settings)
    assert len(pairs) == len(set(pairs)) == 2 * 3 * 2
    for name in pairs:
        check_player_name(name)


def test_no_game_is_both_tuned_on_and_measured(data: Path) -> None:
    parts = games_of(QUICK, Task("", 1, study_seed=1, data=data))
    tuning, measured = (set(games.info["identity"]) for games in parts)
    assert len(tuning) == len(measured) == 2
    assert not tuning & measured


def test_the_best_is_that_of_tuning() -> None:
    settings = CombinationSettings(players=("alp", "influence"), switches=(10,))
    logs = {"alp": (-1.0, -3.0), "influence": (-2.0, -2.5)}
    keys = cross(player=logs, phase=phases_of(settings))
    tuned = [
        (task, Tuned(0.5, logs[task.key["player"]][number % 2]))
        for number, task in enumerate(tasks_of(keys))
    ]
    points = {"alp": 9, "influence": 1, "phases:10:alp,influence": 2, "phases:10:influence,alp": 3}
    tuned += [
        (task, Tuned(score=Score(points[task.key["player"]], 10)))
        for task in tasks_of(cross(player=points, opponent=["alp"]))
    ]
    best = find_best(settings, Found(tuned))
    assert [each.player for each in best.phases[COMBINED].values()] == ["alp", "influence"]
    assert best.player == "phases:10:influence,alp"
    assert [row.ours for row in best.rows] == [90, 10, 20, 30]


def test_a_quick_study_tells_and_shows_every_line(bench: Runner) -> None:
    table = run(QUICK, 1, bench)
    for player in (*QUICK.players, COMBINED):
        assert (row_named(table, f"{player}, {ALL}", LOG.name).ours or 0.0) < 0
        assert row_named(table, f"{player}, moves 1-10", TOP1.name).n == 2
    assert len([row for row in table.rows if row.quantity == TUNING.name]) == 4
    scores = [table.label(row) for row in table.rows if row.quantity == SCORE.name]
    assert scores[:2] == ["alp v alp", "influence v alp"]
    assert scores[2].startswith("phases:10:")
    assert all(GNUGO not in name for name in scores)
    picture = draw(table, "S2-combination")
    for words in (COMBINED, ALL, "moves from 11", "alp"):
        assert f">{words}<" in picture
    [claim] = judge(table)
    assert "phases:10:" in claim.ours
