"""What is reported about a ladder: tables, picture, JSON, and that it can be checked."""

import builtins
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from katachi import __version__
from katachi.arena.database import Database
from katachi.arena.outcome import Ending
from katachi.arena.rating import fit_ratings
from katachi.arena.report import (
    RankedPlayer,
    Report,
    cross_table,
    make_report,
    markdown_from_report,
    markdown_table,
    notes,
    ranking_table,
    read_report,
    write_report,
)
from katachi.arena.report_picture import choose_axis, svg_from_report, write_png, write_svg
from katachi.errors import KatachiError
from katachi.files.provenance import commit_of_tree
from katachi.rules.color import BLACK, EMPTY, WHITE
from tests.arena.stored_games import contestant, new_game
from tests.arena.test_rating import choix_elo

RESULTS = sorted((Path(__file__).parents[2] / "results").glob("ladder*.json"))
SETTINGS = {
    "size": 9,
    "komi": 7.5,
    "rules": "katachi",
    "time": None,
    "opening_moves": 4,
    "move_limit": 324,
    "referee": None,
}


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """random -170, alp 850, and gnugo, which took 18 of 20 from alp; alp took 19.5 from random."""
    with Database(tmp_path / "ladder.db") as opened:
        opened.agree_on(SETTINGS, {"name": "test <ladder>", "seed": 9, "prior_draws": 0.5})
        random = opened.enter(contestant("random", anchor=-170.0))
        alp = opened.enter(contestant("alp", anchor=850.0))
        gnugo = opened.enter(contestant("gnugo"))
        for number in range(20):
            ending = Ending.TIME if number == 5 else Ending.SCORE
            opened.add_game(new_game(alp, gnugo, number, BLACK if number < 2 else WHITE, ending))
            opened.add_game(new_game(random, alp, number, WHITE if number else EMPTY))
        opened.add_game(new_game(alp, random, 20, EMPTY, Ending.LIMIT))
        yield opened


@pytest.fixture
def report(database: Database) -> Report:
    return make_report(database)


def test_the_ranking_is_that_of_the_fit(report: Report) -> None:
    assert [player.name for player in report.ranking] == ["gnugo", "alp", "random"]
    gnugo, alp, _ = report.ranking
    assert (alp.elo, alp.error, alp.is_anchor) == (850.0, 0.0, True)
    assert gnugo.elo == pytest.approx(850 + 400 * 0.95, abs=60)
    assert gnugo.low == pytest.approx(gnugo.elo - gnugo.error, abs=0.02)
    assert (gnugo.games, gnugo.score) == (20, 18.0)
    assert (report.games, report.stopped, report.seed) == (40, 1, 9)
    assert report.failures == {"alp": {"time": 1}}
    assert report.fit.prior_draws == 0.5


def test_a_report_carries_what_is_needed_to_make_it_again(report: Report, tmp_path: Path) -> None:
    path = tmp_path / "ladder.json"
    write_report(report, path)
    again = read_report(path)
    assert again == report
    elo = fit_ratings(again.scores(), again.fit_settings()).elo()
    assert {p.name: p.elo for p in again.ranking} == pytest.approx(elo, abs=0.01)
    assert again.versions["katachi"] == __version__
    assert again.commit == commit_of_tree() != ""
    assert again.settings == SETTINGS


def test_other_files_are_not_taken_for_reports(report: Report, tmp_path: Path) -> None:
    path = tmp_path / "ladder.json"
    for content in (b"", b"[]", b"{}", b"\xff"):
        path.write_bytes(content)
        with pytest.raises(KatachiError, match="is not the report of a ladder") as error:
            read_report(path)
        assert "\n" not in str(error.value)
    write_report(msgspec.structs.replace(report, format=2), path)
    with pytest.raises(KatachiError, match="has format 2, but this katachi reads 1"):
        read_report(path)
    with pytest.raises(KatachiError, match="No such file"):
        read_report(tmp_path / "none.json")


def test_the_tables_say_it_in_words(report: Report) -> None:
    ranking = ranking_table(report)
    assert ranking.head == ("", "player", "Elo", "95 %", "games", "score")
    assert ranking.rows[1] == ("2", "alp", "850", "anchor", "40", "53.8%")
    assert ranking.rows[2] == ("3", "random", "\N{MINUS SIGN}170", "anchor", "20", "2.5%")
    assert re.fullmatch(r"± \d+", ranking.rows[0][3])
    cross = cross_table(report)
    assert cross.head == ("", "player", "1", "2", "3")
    assert cross.rows == [
        ("1", "gnugo", "·", "18/20", ""),
        ("2", "alp", "2/20", "·", "19.5/20"),
        ("3", "random", "", "0.5/20", "·"),
    ]


def test_the_terms_and_failures_are_stated(report: Report) -> None:
    text = "\n".join(notes(report))
    assert "9x9, komi 7.5, katachi rules, no clock, 4 random opening moves" in text
    assert "anchors random \N{MINUS SIGN}170, alp 850" in text
    assert "0.5 virtual draw" in text
    assert "Neighbours in the ranking have 20 games or more with each other." in text
    assert "alp lost 1 by time." in text
    assert f"katachi {__version__}" in text


def test_neighbours_with_fewer_games_are_named(database: Database) -> None:
    new, old = database.enter(contestant("new")), database.enter(contestant("random", anchor=-170))
    for number in range(3):
        database.add_game(new_game(old, new, number))
    text = "\n".join(notes(make_report(database)))
    assert "have 20 games or more with each other, but for random and new (3)." in text


def test_players_who_cannot_be_compared_are_reported(database: Database) -> None:
    one, other = database.enter(contestant("one")), database.enter(contestant("other"))
    database.add_game(new_game(one, other, 0))
    report = make_report(database)
    assert report.unrated == [["one", "other"]]
    assert ranking_table(report).rows[-1] == ("", "other", "unrated", "", "1", "")
    assert cross_table(report).rows[3] == ("4", "one", "", "", "", "·", "1/1")
    assert "Unrated, because no game leads to an anchor: one, other." in notes(report)


def test_an_empty_ladder_has_a_report(tmp_path: Path) -> None:
    with Database(tmp_path / "empty.db") as database:
        report = make_report(database)
    assert (report.ranking, report.games) == ([], 0)
    ET.fromstring(svg_from_report(report))
    assert markdown_from_report(report)


def test_markdown_has_a_row_for_each_player(report: Report) -> None:
    lines = markdown_table(ranking_table(report)).splitlines()
    assert lines[1] == "| ---: | --- | ---: | ---: | ---: | ---: |"
    assert len(lines) == 5
    assert {line.count("|") for line in lines} == {7}
    text = markdown_from_report(report)
    assert text.startswith("## test &lt;ladder>\n")
    assert text.count("\n| ") == 2 * 5


def test_the_picture_shows_every_player_at_its_place(report: Report, tmp_path: Path) -> None:
    path = tmp_path / "ladder.svg"
    write_svg(report, path)
    root = ET.fromstring(path.read_text(encoding="utf-8"))
    space = "{http://www.w3.org/2000/svg}"
    texts = {text.text: float(text.get("x", "nan")) for text in root.iter(f"{space}text")}
    assert {"gnugo", "alp", "random", "test <ladder>"} <= set(texts)
    (dot,) = [c for c in root.iter(f"{space}circle") if c.get("r") == "5.5"]
    # A rating lies between the marks of the scale as its value lies between their numbers.
    gnugo = report.ranking[0]
    left, right = texts["0"], texts["1000"]
    expected = left + (right - left) * gnugo.elo / 1000
    assert float(dot.get("cx", "nan")) == pytest.approx(expected, abs=0.5)
    width = float(root.get("width", "nan"))
    assert all(0 <= x <= width for x in texts.values())


@pytest.mark.parametrize(
    ("low", "high"), [(0, 0), (-1, 1), (-170, 1800), (1000, 1010), (-9000, 9000), (3, 333)]
)
def test_the_scale_has_round_marks_and_holds_everything(low: float, high: float) -> None:
    player = RankedPlayer("a", low, 0, low, high, 1, 1, False, "", "", "")
    axis = choose_axis([player])
    ticks = axis.ticks()
    assert 3 <= len(ticks) <= 11
    assert all(tick == round(tick) for tick in ticks)
    assert 0 < axis.place(low) <= axis.place(high) < 1


def test_a_png_is_written_where_matplotlib_is(report: Report, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    write_png(report, tmp_path / "ladder.png")
    assert (tmp_path / "ladder.png").read_bytes().startswith(b"\x89PNG")


def test_a_png_without_matplotlib_is_one_clear_line(
    report: Report, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    load = builtins.__import__

    def refuse(name: str, *arguments: object, **named: object) -> object:
        if name.startswith("matplotlib"):
            raise ImportError(name)
        return load(name, *arguments, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(builtins, "__import__", refuse)
    with pytest.raises(KatachiError, match="a PNG needs matplotlib: install katachi's extra"):
        write_png(report, tmp_path / "ladder.png")
    assert not (tmp_path / "ladder.png").exists()


@pytest.mark.slow
@pytest.mark.parametrize("path", RESULTS, ids=lambda path: path.name)
def test_a_committed_ladder_agrees_with_an_independent_fit(path: Path) -> None:
    """Compared are gaps between two players who have both won a game of theirs: without a prior,
    who lost every game is infinitely far away."""
    report = read_report(path)
    expected = choix_elo(report.scores(), dict(report.fit.anchors))
    known = {player.name: player for player in report.ranking}
    wins: dict[tuple[str, str], float] = {}
    for score in report.scores():
        there, back = (score.black, score.white), (score.white, score.black)
        wins[there] = wins.get(there, 0) + score.wins
        wins[back] = wins.get(back, 0) + score.losses
    for (first, second), won in wins.items():
        if won and wins[second, first]:
            gap = known[first].elo - known[second].elo
            error = known[first].error + known[second].error
            assert abs(gap - (expected[first] - expected[second])) <= error + 0.01
