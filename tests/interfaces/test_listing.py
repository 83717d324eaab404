"""`katachi players`, `katachi models` and the ratings that they tell."""

import json
from pathlib import Path

import pytest

from katachi.arena.report import read_report
from katachi.files.shipped_folders import LADDER_REPORTS, model_names
from katachi.interfaces.views.player_lines import (
    plain_name,
    rating_text,
    ratings_of,
    read_ratings,
)
from katachi.players.kinds import KINDS
from tests.interfaces.shown import Shown
from tests.players.finished_runs import write_shape_run

GNUGO = "gtp:gnugo --mode gtp --level 5 --chinese-rules --capture-all-dead --positional-superko"


def write_ladder(folder: Path, elo: dict[str, float], size: int = 9) -> None:
    ranking = [{"spec": spec, "elo": value} for spec, value in elo.items()]
    ladder = {"settings": {"size": size}, "ranking": ranking}
    (folder / f"ladder{size}.json").write_text(json.dumps(ladder))


def test_every_kind_of_player_is_listed(shown: Shown) -> None:
    shown.patch.setenv("COLUMNS", "80")
    text = shown.by("players")
    assert max(map(len, text.splitlines())) <= 80
    firsts = [line.split(" ")[0] for line in text.splitlines()]
    for kind in KINDS.values():
        assert kind.form in firsts
    assert "gtp:COMMAND" in firsts
    assert "By default territory plays" in text


def test_ratings_are_those_of_the_house_ladder(shown: Shown) -> None:
    report = read_report(LADDER_REPORTS / "ladder9.json")
    text = shown.by("players")
    for entry in report.current:
        assert f"{entry.elo:.0f}" in text


def test_a_rating_is_found_under_every_name_of_a_player(tmp_path: Path) -> None:
    write_ladder(tmp_path, {GNUGO: 1787.4, "territory:owners9": 1804, "shape9": 1500, "alp": 850})
    write_ladder(tmp_path, {"territory": 1200}, 19)
    (tmp_path / "ladder13.json").write_text("{]")
    assert rating_text("gnugo:5", tmp_path) == "1787 Elo at 9x9"
    assert rating_text("gnugo:4", tmp_path) == ""
    for name in ("territory", "owners9", "territory:owners9"):
        assert [rated.elo for rated in ratings_of(name, tmp_path)] == [1804, 1200]
    assert rating_text("shape", tmp_path) == rating_text("shape9", tmp_path) == "1500 Elo at 9x9"
    assert rating_text("alp", tmp_path) == "850 Elo at 9x9"
    write_ladder(tmp_path, {"territory:selfplay9": 2300})
    read_ratings.cache_clear()
    for name in ("selfplay", "selfplay9", "territory:selfplay9"):
        assert rating_text(name, tmp_path) == "2300 Elo at 9x9"
    assert read_ratings(tmp_path / "nowhere") == ()


def test_a_name_is_as_short_as_can_be() -> None:
    assert plain_name("gtp:gnugo --mode gtp", 9) == "gtp:gnugo --mode gtp"
    assert plain_name("gnugo", 9) == "gnugo:10"
    assert plain_name("moves9", 9) == "territory:moves9"
    assert plain_name("gtp:'", 9) == "gtp:'"


def test_every_shipped_model_is_listed(shown: Shown) -> None:
    shown.patch.setenv("COLUMNS", "80")
    text = shown.by("models")
    assert max(map(len, text.splitlines())) <= 80
    firsts = [line.split(" ")[0] for line in text.splitlines()]
    assert [first for first in firsts if first] == model_names()
    assert text.count("learned from: ") == len(model_names())
    assert "player shape, 9x9" in text
    assert "player territory, any board" in text


def test_models_of_folders_are_described(shown: Shown, tmp_path: Path) -> None:
    write_shape_run(tmp_path / "run", mean=9)
    text = shown.by("models", "run", "shape9")
    assert "player shape, 5x5" in text
    assert "the best model of this training run: run/mean" in text
    assert "shape9       player shape, 9x9" in text


@pytest.mark.parametrize("name", ["nowhere", "shap9", "."])
def test_what_is_no_model_is_one_line(shown: Shown, name: str) -> None:
    [line] = shown.by("models", name, status=1).splitlines()
    assert line.startswith("katachi: ")
