"""`katachi openings` as a person runs it."""

import json
from pathlib import Path
from typing import Any

import pytest

from katachi.errors import KatachiError
from katachi.evaluators.opening_net import OpeningNet
from katachi.interfaces.cli.openings import explore, judge, tree
from katachi.interfaces.cli.openings_play import best
from katachi.interfaces.cli.train import OpeningOptions, learn
from katachi.interfaces.console import Console
from katachi.pictures.drawing import Label
from katachi.pictures.openings import grow_branches, picture_of_tree
from katachi.records.judgements import read_judgements, write_judgements
from katachi.records.opening_book import Book, open_book
from katachi.records.opening_tree import OpeningTree
from katachi.records.openings import Style
from katachi.records.sgf import read_games
from katachi.records.shipped_games import JUDGED_OPENINGS, OPENINGS
from katachi.rules.point import vertex_from_point
from tests.interfaces.test_cli import GAMES, complaint

WIDEST_LETTER = 0.64
"""Of the fonts that a picture may be drawn with, for a font size of 1."""


def printed_json(
    capsys: pytest.CaptureFixture[str], command: Any, *files: Path, **options: Any
) -> Any:
    command(*files, json=True, **options)
    return json.loads(capsys.readouterr().out)


def test_the_shipped_openings_have_every_style_and_are_judged() -> None:
    openings = open_book((), Book())
    assert len(openings) == 100
    assert {each.style for each in openings} == set(Style)
    assert {each.judgement for each in openings} == {-1.0, 0.0, 1.0}
    assert len(open_book((), Book(style=Style.CHINESE))) < 100


def test_the_tree_is_told_in_lines_data_and_a_picture(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    tree(depth=2, least=5, svg=tmp_path / "tree.svg")
    text = capsys.readouterr().out
    assert "100 openings of 50 moves: games of GNU Go that come with katachi" in text
    assert "judged: the mean judgement of the openings, +1 is good for Black" in text
    assert "X Q16                       83 openings, judged" in text
    assert "Q16 (83)<" in (tmp_path / "tree.svg").read_text()
    told = printed_json(capsys, tree, depth=2, least=5)
    assert (told["size"], told["openings"], told["ply"]) == (19, 100, 0)
    first = told["children"][0]
    assert (first["move"], first["color"], first["count"], first["judged"]) == (
        "Q16",
        "black",
        83,
        83,
    )
    assert all(child["count"] >= 5 and not child["children"] for child in first["children"])


def test_the_best_line_is_a_line_of_the_book(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    book = Book(length=8, by_result=False, judgements=None)
    told = printed_json(capsys, best, OPENINGS, book=book, player="influence")
    assert len(told["line"]) == 8
    assert told["p0"] == 0.0
    line = " ".join(step["move"] for step in told["line"])
    position = printed_json(capsys, explore, OPENINGS, book=book, line=line)
    assert position["openings"] >= 1
    assert position["moves"] == []
    best(OPENINGS, book=book, player="influence", sgf=tmp_path / "line.sgf")
    text = capsys.readouterr().out
    assert "moves 1 to 8" in text
    (record,) = read_games(tmp_path / "line.sgf")
    vertices = [vertex_from_point(point, 19) for point in record.moves.tolist()]
    assert vertices == [step["move"] for step in told["line"]]
    rows = {line[:2].strip(): line for line in text.splitlines()}
    for number, vertex in enumerate(vertices, 1):
        place = 3 + 3 * "ABCDEFGHJKLMNOPQRST".index(vertex[0])
        assert rows[vertex[1:]][place : place + 3].strip() == str(number)
    assert max(map(len, text.splitlines()[:-1])) <= 80  # the last one names the file


def test_columns_of_what_nobody_knows_are_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    explore()
    text = capsys.readouterr().out
    assert "won" not in text
    assert "judged: the mean judgement" in text
    assert "P:" not in text
    explore(GAMES, book=Book(length=4), player="alp")
    text = capsys.readouterr().out
    assert "Black won" in text
    assert "judged" not in text
    assert "P: what alp thinks, +1 is Black's" in text


def test_a_position_is_explored(capsys: pytest.CaptureFixture[str]) -> None:
    told = printed_json(capsys, explore, line="Q16", player="alp")
    assert told["line"] == ["Q16"]
    assert told["board"][3][15] == "X"
    assert sum(move["count"] for move in told["moves"]) == told["openings"] == 83
    assert all(move["p"] is not None for move in told["moves"])
    explore(line="Q16")
    assert "83 openings, judged" in capsys.readouterr().out
    with pytest.raises(KatachiError, match="no opening goes to A1 here"):
        explore(line="A1")


def test_openings_are_judged_by_any_evaluator(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    out = tmp_path / "told.jsonl"
    judge(by="influence", out=out, moves=(10,), limit=3)
    told = read_judgements(out)
    assert [(each.index, each.moves) for each in told] == [
        (index, moves) for index in range(3) for moves in (10, 50)
    ]
    assert all(each.judge == "influence" and each.z in (-1.0, 0.0, 1.0) for each in told)
    assert "6 judgements by influence" in capsys.readouterr().out
    assert len(open_book((OPENINGS,), Book(judgements=str(out)))) == 3


def test_a_net_learns_from_a_book(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    book = Book(length=20, judgements=str(JUDGED_OPENINGS))
    learn(out=tmp_path / "net", options=OpeningOptions(epochs=2), book=book)
    net = OpeningNet.load(tmp_path / "net" / "model")
    assert net.moves == 20
    assert net.training["openings"] == 100
    assert net.training["plan"]["book"]["judgements"] == JUDGED_OPENINGS.name
    assert "2 of 2 epochs: RMSE" in capsys.readouterr().out
    found = printed_json(capsys, best, book=Book(length=20), player=f"opening:{tmp_path / 'net'}")
    assert len(found["line"]) == 20
    with pytest.raises(KatachiError, match=r"step size 0, 8 epochs: use 0 to 1, a number above"):
        learn(out=tmp_path / "other", options=OpeningOptions(alpha=0.0))
    with pytest.raises(KatachiError, match=r"lambda 2, step size .*, 8 epochs: use 0 to 1"):
        learn(out=tmp_path / "other", options=OpeningOptions(lam=2.0))


def test_what_is_wrong_is_told_in_one_line(tmp_path: Path) -> None:
    assert "an opening of 60 needs 60" in complaint("openings", "tree", "--length", "60")
    with pytest.raises(KatachiError, match="no opening is left"):
        open_book((), Book(winner="black"))
    short = tmp_path / "short.jsonl"
    write_judgements(short, read_judgements(JUDGED_OPENINGS)[-3:])
    with pytest.raises(KatachiError, match="do not match the games: they judge game 100"):
        open_book((GAMES,), Book(length=10, judgements=str(short)))
    with pytest.raises(KatachiError, match="none is after move 7"):
        open_book((), Book(length=7))
    with pytest.raises(KatachiError, match="depth 0, least 2"):
        tree(depth=0)
    with pytest.raises(KatachiError, match="moves to draw: ask for less --depth or a larger"):
        tree(book=Book(length=30), depth=30, least=1, svg=tmp_path / "x")
    for band in (-1.0, float("nan"), float("inf")):
        with pytest.raises(KatachiError, match="use 0 points or more"):
            open_book((), Book(band=band))
    for book in (Book(by_result=True), Book(judgements=str(short))):
        with pytest.raises(KatachiError, match="leave out --judgements and --by-result"):
            judge(by="alp", out=tmp_path / "x", book=book)
    with pytest.raises(KatachiError, match="limit -1: use 0 for all"):
        judge(by="alp", out=tmp_path / "x", limit=-1)
    with pytest.raises(KatachiError, match=r"no folder .*nowhere to write x to"):
        judge(by="alp", out=tmp_path / "nowhere" / "x")
    with pytest.raises(KatachiError, match="judge after 1 to 50 moves"):
        judge(by="alp", out=tmp_path / "x", moves=(51,))
    assert not (tmp_path / "x").exists()


def test_a_damaged_file_of_judgements_is_told_in_one_line(tmp_path: Path) -> None:
    damaged = tmp_path / "told.jsonl.gz"
    write_judgements(damaged, read_judgements(JUDGED_OPENINGS))
    data = bytearray(damaged.read_bytes())
    data[200:260] = bytes(60)
    damaged.write_bytes(data)
    with pytest.raises(KatachiError, match=r"cannot read .*told"):
        read_judgements(damaged)


def test_the_picture_of_a_tree_has_room_for_all_its_words() -> None:
    drawing = picture_of_tree(grow_branches(OpeningTree(open_book((), Book())), 4, 2), "a", "b")
    words = [mark for mark in drawing.marks if isinstance(mark, Label)]
    assert len(words) > 20
    for mark in words:
        assert mark.x + WIDEST_LETTER * mark.size * len(mark.text) <= drawing.width
        assert mark.y + mark.size / 2 <= drawing.height
    assert min(mark.y for mark in words[3:]) - words[2].y > words[2].size


def test_a_way_tells_how_many_went_it(capsys: pytest.CaptureFixture[str]) -> None:
    tree(depth=4)
    lines = capsys.readouterr().out.splitlines()
    assert "      O D16                 10 of 14 openings, judged +0.50" in lines


def test_the_end_of_input_ends_a_walk(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = iter(["b", "Q16"])

    def answer(*_: object) -> str:
        try:
            return next(answers)
        except StopIteration:
            raise EOFError from None

    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    monkeypatch.setattr(Console, "input", answer)
    explore()
    assert next(answers, None) is None


def test_judgements_need_every_game_of_a_collection(tmp_path: Path) -> None:
    games = tmp_path / "games.sgf"
    games.write_text("(;GM[1]SZ[19];B[aa];W[aa])\n" + OPENINGS.read_text())
    for asked in (
        lambda: open_book((games,), Book(judgements=str(JUDGED_OPENINGS))),
        lambda: judge(games, by="alp", out=tmp_path / "x"),
    ):
        with pytest.raises(KatachiError, match="judgements number the games, but one of them"):
            asked()
    assert len(open_book((games,), Book())) == 100
