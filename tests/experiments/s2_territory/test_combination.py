"""S2-combination: the best of each phase is found on other games than those it is measured on."""

from pathlib import Path

import pytest

from katachi.experiments.matches import GNUGO, Score
from katachi.experiments.s2_territory import combination
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
    pairs_of,
    phases_of,
    run,
)
from katachi.experiments.s2_territory.material import SCORED9
from katachi.experiments.workbench import Workbench
from katachi.players.names import check_player_name


@pytest.fixture(autouse=True)
def without_gnugo(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(combination, "has_gnugo", lambda: False)


def test_phases_follow_each_other_and_pairs_are_players() -> None:
    settings = CombinationSettings()
    assert list(phases_of(settings)) == ["moves 1-20", "moves 21-40", "moves from 41"]
    pairs = pairs_of(settings)
    assert len(pairs) == len(set(pairs)) == 2 * 3 * 2
    for name in pairs:
        check_player_name(name)


def test_no_game_is_both_tuned_on_and_measured(data: Path) -> None:
    tuning, measured = (set(games.info["identity"]) for games in games_of(data / SCORED9, QUICK, 1))
    assert len(tuning) == len(measured) == 2
    assert not tuning & measured


def test_the_best_is_that_of_tuning() -> None:
    settings = CombinationSettings(players=("alp", "influence"), switches=(10,))
    logs = {"alp": (-1.0, -3.0), "influence": (-2.0, -2.5)}
    tuned = {
        (f"{player}, {phase}", 1): Tuned(0.5, log)
        for player, each in logs.items()
        for phase, log in zip(phases_of(settings), each, strict=True)
    }
    points = {"alp": 9, "influence": 1, "phases:10:alp,influence": 2, "phases:10:influence,alp": 3}
    tuned |= {(f"{name} v alp", 1): Tuned(score=Score(won, 10)) for name, won in points.items()}
    best = find_best(settings, tuned)
    assert [each.player for each in best.phases[COMBINED].values()] == ["alp", "influence"]
    assert best.player == "phases:10:influence,alp"
    assert [row.ours for row in best.rows] == [90, 10, 20, 30]


def test_a_quick_study_tells_and_shows_every_line(bench: Workbench) -> None:
    table = run(QUICK, 1, bench)
    for player in (*QUICK.players, COMBINED):
        assert (table.row(f"{player}, {ALL}", LOG.name).ours or 0.0) < 0
        assert table.row(f"{player}, moves 1-10", TOP1.name).n == 2
    assert len([row for row in table.rows if row.quantity == TUNING.name]) == 4
    scores = [row.setting for row in table.rows if row.quantity == SCORE.name]
    assert scores[:2] == ["alp v alp", "influence v alp"]
    assert scores[2].startswith("phases:10:")
    assert all(GNUGO not in name for name in scores)
    picture = draw(table, "S2-combination")
    for words in (COMBINED, ALL, "moves from 11", "influence v alp"):
        assert f">{words}<" in picture
