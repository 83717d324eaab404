"""Ratings by games against players of the house ladder."""

import importlib
import json
from pathlib import Path
from types import ModuleType

import pytest

from katachi.experiments.catalogue import load_experiment
from katachi.experiments.matches import Score
from katachi.experiments.protocol import Row
from katachi.experiments.runner import Runner
from katachi.experiments.search_strength import levels9, rated9
from katachi.experiments.search_strength.anchored import HOUSE_LADDER, RATING, AnchoredSettings

ROOT = Path(__file__).parents[3]
TWO = AnchoredSettings(
    anchors={"alp": 850.0, "random": -170.0, "shape": 1747.0}, half=50.0, least=200
)


def test_an_even_score_is_the_opponents_rating() -> None:
    assert TWO.fit({"alp": Score(50, 100)}).elo == pytest.approx(850)
    between = TWO.fit({"alp": Score(20, 100), "random": Score(99, 100)})
    assert 500 < between.elo < 700
    assert between.games == 200


def test_the_nearest_opponents_are_met_two_on_either_side_where_there_are() -> None:
    elos = {"a": 0.0, "b": 100.0, "c": 200.0, "d": 300.0, "e": 1000.0, "f": 2000.0}
    some = AnchoredSettings(anchors=elos, opponents=4, half=50.0, least=200)
    assert some.opponents_of(290) == ["b", "c", "d", "e"]
    assert some.opponents_of(310) == ["c", "d", "e", "f"]
    assert some.opponents_of(-50) == ["a", "b", "c", "d"]
    assert some.opponents_of(50) == ["a", "b", "c", "d"]
    assert some.opponents_of(2500) == ["c", "d", "e", "f"]


def test_as_many_games_as_the_interval_needs_and_most_where_they_tell_most() -> None:
    games = TWO.games_of(800)
    assert games == {"random": 20, "alp": 200, "shape": 20}
    rating = TWO.fit({"alp": Score(88, 200), "random": Score(20, 20), "shape": Score(0, 20)})
    assert rating.error == pytest.approx(50, abs=4)
    assert sum(TWO.games_of(350).values()) > 500


@pytest.mark.parametrize("name", ["X-levels9", "X-rated9"])
def test_a_small_one_runs(name: str, tmp_path: Path) -> None:
    experiment = load_experiment(name)
    table = experiment.run(experiment.quick, 1, Runner(tmp_path))
    assert [row.n for row in table.rows_of(RATING)] == [4, 4]
    assert "<svg" in experiment.draw(table, name)


def test_what_is_off_is_measured_less_asked_for() -> None:
    row = RATING.row({"rating": 300}, 320.0, 200)
    assert rated9._off(row).ours == 20.0


@pytest.fixture
def writing(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    return importlib.import_module("write_ratings")


def test_ratings_are_made_to_rise(writing: ModuleType) -> None:
    assert writing.rising([1.0, 3.0, 2.0, 5.0], [1.0, 1.0, 3.0, 1.0]) == [1.0, 2.25, 2.25, 5.0]


def test_the_table_is_what_the_results_say(
    writing: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.argv", ["write_ratings.py", "--check"])
    writing.main()


def test_levels_are_keys_without_where_they_stand() -> None:
    level = levels9.Level(300, 2.0, 20.0)
    assert "about" not in level.key
    assert levels9.make_level(level.key, 1).strength == (2.0, 20.0, 1, 0.0)
    assert isinstance(RATING.row(level.key, 1.0), Row)


def test_opponents_stand_about_where_the_ladder_has_them() -> None:
    """The ladder goes on, so their places move; by less than it knows them to."""
    ranking = json.loads((ROOT / "results" / "ladder9.json").read_bytes())["ranking"]
    known = {player["name"]: player for player in ranking}
    for name, elo in HOUSE_LADDER.items():
        assert abs(known[name]["elo"] - elo) <= known[name]["error"]
