"""`katachi shapes` as a person runs it."""

import json
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from katachi.evaluators.local_shape import LocalShape
from katachi.evaluators.named_models import find_models
from katachi.evaluators.shape_ranking import Wanted, rank_set
from katachi.features.shape_sets import parse_sets
from katachi.features.units import UNIT
from katachi.interfaces.cli.shapes import shapes
from katachi.pictures.shape_text import shape_code
from katachi.records.conversion import record_from_game
from katachi.records.sgf import write_game
from katachi.rules.game import Game
from katachi.rules.point import point_from_vertex
from tests.evaluators.shape_models import random_model
from tests.interfaces.test_cli import GAMES, complaint, run


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A model of single points and pairs whose weights are known."""
    one = round(1 / UNIT)
    weights = np.array([0, one // 2, -one // 4, 0, one, 0, 0, -2 * one, 0], np.int32)
    seen = np.array([7, 1234, 3, 0, 9, 0, 0, 8, 5], np.uint64)
    model = LocalShape(parse_sets("1x1:LI,2x1:LI"), 5, 10, weights, seen)
    model.save(tmp_path / "pairs", "a card")
    return tmp_path / "pairs"


def save(model: LocalShape, folder: Path) -> str:
    model.save(folder, "a card")
    return str(folder)


def printed_json(capsys: pytest.CaptureFixture[str], *models: str, **options: Any) -> Any:
    shapes(*models, json=True, **options)
    return json.loads(capsys.readouterr().out)


EXPECTED = """
1x1:LI   3 of 3 weights seen 1 times or more
best
+0.5000
1,234x
 ●
worst
-0.2500
3x
 ○

2x1:LI   3 of 6 weights seen 1 times or more
best
+1.0000
9x
 ● ·
worst
-2.0000
8x
 ○ ●
"""


def test_the_best_and_worst_of_each_set_are_printed(folder: Path) -> None:
    done = run("shapes", str(folder), "--by", "weight")
    assert done.returncode == 0, done.stderr
    heading, *_, listing = done.stdout.partition("1x1:LI")
    assert f"{folder}: 5x5, 2 sets, 9 weights" in heading
    assert "● own stone   ○ opponent's" in heading
    assert "weight of the shape in this set alone" in heading
    assert f"\n1x1:LI{listing}" == EXPECTED


BY_GAIN = """
1x1:LI   1 moves, of shapes seen 1 times or more
best
+4.50
w +0.50
1,234x
 ◉

2x1:LI   2 moves, of shapes seen 1 times or more
best
+4.50
w +1.00
9x
 ◉ ·
worst
+1.50
w -2.00
8x
 ○ ◉
"""


def test_by_default_shapes_are_ordered_by_what_a_move_gains(folder: Path) -> None:
    done = run("shapes", str(folder))
    heading, *_, listing = done.stdout.partition("1x1:LI")
    assert "◉ the own stone that was just played" in heading
    assert "what the stone just played adds to the value" in heading
    assert "edge of the board" not in heading
    assert f"\n1x1:LI{listing}" == BY_GAIN


def test_wins_are_counted_in_games(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    [page] = printed_json(capsys, str(folder), by="wins", sets="1x1:LI", self_play=20)
    [shown] = page["sets"]
    assert shown["by"] == "wins"
    [stone] = shown["best"]
    assert stone["moves"] > 100
    assert 0.3 < stone["wins"] < 0.7


def test_the_sum_is_what_a_shape_adds_to_an_empty_board(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    [page] = printed_json(capsys, str(folder), by="sum", sets="1x1:LI")
    assert page["sets"][0]["best"][0]["sum"] == pytest.approx(0.5 + 4 * 1.0)


def test_a_terminal_without_unicode_is_served(folder: Path) -> None:
    done = run("shapes", str(folder), "--by", "weight", PYTHONIOENCODING="ascii:replace")
    assert done.returncode == 0
    assert "\n # .\n" in done.stdout
    assert "\n o #\n" in done.stdout


def test_json_holds_the_same(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    [page] = printed_json(capsys, str(folder), sets="2x1:LI", by="weight")
    [shown] = page["sets"]
    model = LocalShape.load(folder)
    ranking = rank_set(model, 1, Wanted())
    assert (shown["set"], shown["weights"], shown["considered"]) == ("2x1:LI", 6, 3)
    for side, ranked in (("best", ranking.best), ("worst", ranking.worst)):
        assert [entry["weight"] for entry in shown[side]] == [each.weight for each in ranked]
        assert [entry["shape"] for entry in shown[side]] == [shape_code(e.shape) for e in ranked]
    best = {"shape": "#.", "value": 1.0, "units": round(1 / UNIT), "seen": 9, "weight": 4}
    assert shown["best"] == [best]


def test_options_choose_what_is_shown(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    [page] = printed_json(capsys, str(folder), least_seen=9, by="weight")
    assert [len(shown["best"]) for shown in page["sets"]] == [1, 1]
    assert [len(shown["worst"]) for shown in page["sets"]] == [0, 0]


def test_two_models_stand_side_by_side(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = LocalShape.load(folder)
    other = LocalShape(model.sets, 5, 10, model.weights // 2, model.seen)
    other.training = {"settings": {"cascade": True}}
    picture = tmp_path / "both.svg"
    shapes(str(folder), save(other, tmp_path / "cascade"), svg=picture, by="weight")
    printed = capsys.readouterr().out
    assert "learned as a cascade" in printed
    assert "in brackets: the shape's weight in the other model" in printed
    values = [float(text) for text in re.findall(r"\(([+-].*)\)", printed)]
    assert values == [0.25, -0.125, 0.5, -0.25, 0.5, -1.0, 1.0, -2.0]
    assert "(-1.0000)" in texts_of(picture)


def test_a_run_shows_both_of_its_models(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for number in (1, 2):
        save(random_model("1x1:LI"), tmp_path / "run" / f"agent-{number}")
    (tmp_path / "run" / "config.json").write_text("{}")
    pages = printed_json(capsys, str(tmp_path / "run"))
    assert [Path(page["model"]).name for page in pages] == ["agent-1", "agent-2"]


def texts_of(picture: Path) -> list[str]:
    """The words in an SVG picture."""
    root = ET.fromstring(picture.read_text())
    assert root.tag.endswith("svg")
    return ["".join(element.itertext()) for element in root.iter() if element.tag.endswith("text")]


def test_the_picture_has_every_shape_with_value_and_legend(folder: Path, tmp_path: Path) -> None:
    picture = tmp_path / "shapes.svg"
    shapes(str(folder), svg=picture, by="weight")
    words = texts_of(picture)
    assert {"own stone", "opponent's", "edge of the board", "best", "worst"} <= set(words)
    assert any("log-odds" in text for text in words)
    assert {"+0.5000", "1,234x", "-2.0000", "8x"} <= set(words)
    discs = picture.read_text().count("<circle")
    assert discs == 2 + 1 + 1 + 1 + 2  # the legend's two, and each stone of the four shapes


def test_a_png_is_written_or_what_is_missing_is_said(folder: Path, tmp_path: Path) -> None:
    picture = tmp_path / "shapes.png"
    done = run("shapes", str(folder), "--png", str(picture))
    if done.returncode == 0:
        assert picture.read_bytes().startswith(b"\x89PNG")
    else:
        assert "a PNG needs matplotlib: install katachi's extra `plots`" in done.stderr
        assert not picture.exists()


@pytest.mark.parametrize("name", ["4x3:LI", "2x2:LD:liberty"])
def test_hashed_shapes_are_seen_in_self_play(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = save(random_model(f"2x2:LI,{name}", bins=500), tmp_path / "model")
    [page] = printed_json(capsys, model, sets=name, self_play=2, least_seen=0)
    [shown] = page["sets"]
    assert len(shown["best"]) == len(shown["worst"]) == 10
    assert all(0 < entry["bin_share"] <= 1 for entry in shown["best"])
    assert [page] == printed_json(capsys, model, sets=name, self_play=2, least_seen=0)


def test_hashed_shapes_are_seen_in_given_games(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = random_model("4x3:LI", bins=10_000)
    model.weights[:] = 1
    game = Game(5)
    game.play(1, point_from_vertex("A5", 5))
    (tmp_path / "game.sgf").write_bytes(write_game(record_from_game(game)))
    folder = save(model, tmp_path / "model")
    [page] = printed_json(capsys, folder, games=tmp_path / "game.sgf", least_seen=0, by="weight")
    found = {entry["shape"] for entry in page["sets"][0]["best"]}
    assert found == {"#.../..../....", "..../..../...."}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("nowhere-at-all",), "nowhere-at-all"),
        ((), "no model given"),
        (("MODEL", "--set", "3x3:LI"), "has no set 3x3:LI: it has 1x1:LI, 2x1:LI"),
        (("MODEL", "--set", "9x9"), "no shape set '9x9'"),
        (("MODEL", "--count", "0"), "a count of 0: use 1 to"),
        (("MODEL", "--least-seen", "-1"), "use 0 or more"),
        (("MODEL", "--self-play", "0"), "0 games of self-play"),
        (("MODEL", "MODEL/../copy", "MODEL/../third"), "two models at most are shown, not 3"),
        (("MODEL/..",), "two models at most are shown, not 4"),
        (("MODEL/../hashed", "--games", str(GAMES)), "holds no games on a 5x5 board"),
        (
            ("MODEL", "--svg", "no/such/folder/a.svg"),
            "cannot write no/such/folder/a.svg: the folder no/such/folder does not exist",
        ),
    ],
)
def test_bad_input_is_one_clear_line(folder: Path, arguments: tuple[str, ...], words: str) -> None:
    for name in ("copy", "third"):
        save(LocalShape.load(folder), folder.parent / name)
    save(random_model("4x3:LI"), folder.parent / "hashed")
    assert words in complaint("shapes", *(each.replace("MODEL", str(folder)) for each in arguments))


def test_a_folder_without_a_model_is_named(tmp_path: Path) -> None:
    assert f"cannot read {tmp_path}" in complaint("shapes", str(tmp_path))


def test_a_run_whose_agents_have_a_mean_is_shown_by_it(tmp_path: Path) -> None:
    for name in ("agent-1", "agent-2", "mean"):
        save(random_model("1x1:LI"), tmp_path / name)
    assert find_models(str(tmp_path)) == {str(tmp_path / "mean"): tmp_path / "mean"}
