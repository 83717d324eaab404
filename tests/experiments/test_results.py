"""A result is written whole, read again, and written as text."""

from pathlib import Path

import msgspec
import pytest

from katachi.errors import KatachiError
from katachi.experiments.protocol import (
    Claim,
    Key,
    Quantity,
    Row,
    Settings,
    Table,
    Verdict,
    label_of,
)
from katachi.experiments.results import (
    Part,
    Result,
    grids_of,
    make_result,
    markdown_from_result,
    read_result,
    write_result,
)
from katachi.experiments.runner import Runner

WINS, TIME = Quantity("wins", "%", 1), Quantity("games to half")
SMALL: Key = {"set": "2x2:LI"}
POINT: Key = {"set": "1x1|LI"}
CLAIM = Claim(
    paper="2x2 is best", ours="it is", low=1.25, high=2, n=1200, rule="if so", verdict=Verdict.YES
)
TABLE = Table(
    quantities=[WINS, TIME],
    rows=[
        Row(key=SMALL, quantity="wins", ours=81.25, low=79, high=-1.5, n=12, paper=80.0),
        Row(
            key=SMALL,
            quantity="games to half",
            ours=12500.4,
            n=12,
            remark="7 of 12 runs",
        ),
        Row(key=POINT, quantity="wins", ours=0.4, n=12),
        Row(key=POINT, quantity="games to half", ours=None, n=12, remark="never"),
        Row(key={"set": "all"}, quantity="games to half", ours=None, n=12),
    ],
    claims=[CLAIM],
    notes=["A note."],
    shapes={"best": ["XX/X."]},
)


def result(tmp_path: Path) -> Result:
    bench = Runner(tmp_path)
    bench.note(3600.0, {"python": "3.12", "machine": "one"})
    bench.note(1800.0, {"python": "3.13", "machine": "one"})
    return make_result(("S1-F4", "Sets"), Settings(runs=12), 7, TABLE, bench)


def test_a_result_says_what_it_was_made_with(tmp_path: Path) -> None:
    made = result(tmp_path)
    assert made.versions == {"python": "3.12 / 3.13"}
    assert (made.machine, made.seconds, made.runs, made.seed) == ("one", 5400.0, 12, 7)
    assert made.settings == {"runs": 12}
    assert (made.rows, made.claims, made.shapes) == (TABLE.rows, TABLE.claims, TABLE.shapes)


def test_a_result_comes_back_from_its_file(tmp_path: Path) -> None:
    made = result(tmp_path)
    write_result(made, "<svg/>", tmp_path, "S1-F4")
    assert read_result(tmp_path / "S1-F4.json") == made
    assert (tmp_path / "S1-F4.svg").read_text() == "<svg/>"


def test_settings_that_tell_the_same_stand_in_one_table() -> None:
    first, second = grids_of(TABLE)
    assert first.head == ["setting", "wins, %", "paper", "games to half"]
    assert first.rows == [
        ["2x2:LI", "81.2 (79.0 to \N{MINUS SIGN}1.5)", "80.0", "12,500, 7 of 12 runs"],
        ["1x1|LI", "0.4", "-", "never"],
    ]
    assert second == (["setting", "games to half"], [["all", "-"]])


def test_markdown_has_every_part_or_the_one_asked_for(tmp_path: Path) -> None:
    made = result(tmp_path)
    text = markdown_from_result(made)
    assert "| 1x1\\|LI | 0.4 | - | never |\n" in text
    assert "| 2x2 is best | it is | 1.2 to 2.0 | 1,200 | if so | yes |" in text
    assert "```\nXX/X.\n```" in text
    assert "- A note.\n- one; python 3.12 / 3.13; commit " in text
    assert text.rstrip().endswith("seed 7; 12 runs of each setting; 1.5 core hours.")
    claims = markdown_from_result(made, [Part.CLAIMS])
    assert claims.startswith("| the paper says | ours | 95 % interval | n | rule | verdict |\n")
    assert "A note" not in claims


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "is not the result of an experiment"),
        ("{}", "is not the result of an experiment"),
        (None, "No such file"),
    ],
)
def test_what_is_no_result_is_refused(tmp_path: Path, text: str | None, words: str) -> None:
    path = tmp_path / "x.json"
    if text is not None:
        path.write_text(text)
    with pytest.raises(KatachiError, match=words):
        read_result(path)


def test_another_format_is_refused(tmp_path: Path) -> None:
    write_result(result(tmp_path), "", tmp_path, "x")
    path = tmp_path / "x.json"
    path.write_text(path.read_text().replace('"format": 3', '"format": 4'))
    with pytest.raises(KatachiError, match="has format 4, but this katachi reads 3"):
        read_result(path)


def test_a_result_of_the_first_format_is_shown_as_it_was(tmp_path: Path) -> None:
    made = result(tmp_path)
    data = msgspec.to_builtins(made) | {"format": 1}
    for row in data["rows"]:
        row["setting"] = row.pop("key")["set"]
    path = tmp_path / "old.json"
    path.write_bytes(msgspec.json.encode(data))
    # Claims of that time had no rules; they are judged again where they are needed.
    unjudged = msgspec.structs.replace(made, claims=[])
    assert markdown_from_result(read_result(path)) == markdown_from_result(unjudged)


def test_a_key_is_written_by_the_format_that_has_its_factors() -> None:
    labels = ("{net}, lambda {lam:g}", "{net}, after {games:,} games")
    assert label_of(labels, {"net": "raw", "lam": 1.0}) == "raw, lambda 1"
    assert label_of(labels, {"net": "raw", "games": 3000}) == "raw, after 3,000 games"
    assert label_of(labels, {"net": "raw", "part": "all"}) == "raw, all"
