"""The two readers agree on every encoding files are found in."""

import codecs
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from katachi.records.bulk import BulkReader, settle_games
from katachi.records.dataset import open_games
from katachi.records.record import GameRecord, OnError, Rejection
from katachi.records.sgf import read_games

LETTERS = {
    "UTF-8": "李世石본ソü€",
    "GBK": "李世石柯洁乚乗乣古力",
    "GB2312": "李世石柯洁古力",
    "GB18030": "李世石柯洁乚乗㐀",
    "Big5": "張栩也功許育",
    "Big5-HKSCS": "張栩也功許",
    "Shift_JIS": "本因坊江望ソ十表",
    "EUC-JP": "本因坊江望ソ",
    "ISO-2022-JP": "本因坊江望ソ",
    "EUC-KR": "이세돌박정환",
    "Johab": "이세돌박정환",
    "ISO-8859-1": "Müllerßé",
    "ISO-8859-15": "Müller€œ",
    "ISO-8859-2": "Kovácsőű",
    "Windows-1252": "Kovács€œ",
    "KOI8-R": "Иванов",
}
"""Letters of each charset; some end in the byte of a bracket or a backslash."""

RESULTS = ("B+R", "W+3.5", "0", "")


def read_twice(data: bytes) -> tuple[list[GameRecord], list[Rejection]]:
    """What `read_games` reads, once the fast reader is known to read the same."""
    careful = read_games(data, OnError.SKIP)
    records = list(careful)
    fast = BulkReader()
    fast.read_file(data, "")
    columns, illegal = settle_games(fast.columns())
    assert [columns.record(row) for row in range(len(columns))] == records
    found = sorted(fast.rejections + illegal, key=lambda entry: entry.source.number)
    assert found == careful.rejections
    return records, found


def written(charset: str, declared: str | None, black: str, result: str) -> bytes:
    named = "" if declared is None else f"CA[{declared}]"
    root = f"(;GM[1]{named}SZ[9]PB[{black}]PW[{black[::-1]}]RE[{result}]AB[gg]KM[6.5]"
    body = f";B[ee];W[ab]C[{black}];B[cc])"
    return (root + body).encode(charset)


@pytest.mark.parametrize("result", RESULTS)
@pytest.mark.parametrize("charset", LETTERS)
def test_games_in_every_charset_are_read_whole_by_both_readers(charset: str, result: str) -> None:
    letters = LETTERS[charset]
    for length in range(1, len(letters) + 1):
        black = letters[-length:]
        (record,), rejections = read_twice(written(charset, charset, black, result))
        assert (record.texts.black, record.texts.white) == (black, black[::-1])
        assert (record.texts.result, len(record.moves), len(record.setup_black)) == (result, 3, 1)
        assert rejections == []


def test_a_copy_holds_names_in_gbk_as_they_are(tmp_path: Path) -> None:
    file = tmp_path / "h.sgf"
    file.write_bytes("(;CA[GBK]PB[柯洁]PW[李世石]RE[B+R];B[ee];W[ab])".encode("gbk"))
    for _ in range(2):
        (record,) = open_games(file, cache_folder=tmp_path / "copies")
        assert (record.texts.black, record.texts.white) == ("柯洁", "李世石")
        assert (str(record.result), len(record.moves)) == ("B+R", 2)


@st.composite
def mixed_files(draw: st.DrawFn) -> bytes:
    """Some games, each in a charset that its CA names, does not name or names wrongly."""
    games = []
    for _ in range(draw(st.integers(1, 4))):
        charset = draw(st.sampled_from(sorted(LETTERS)))
        black = draw(st.text(st.sampled_from(LETTERS[charset]), max_size=7))
        named = draw(st.sampled_from([charset, charset, None, *sorted(LETTERS), "x-none"]))
        games.append(written(charset, named, black, draw(st.sampled_from(RESULTS))))
    mark = draw(st.sampled_from([b"", b"", codecs.BOM_UTF8]))
    return mark + draw(st.sampled_from([b"", b"\n", b"\r\n"])).join(games)


@given(mixed_files())
@settings(max_examples=150, deadline=None)
def test_files_of_several_charsets_are_read_alike(data: bytes) -> None:
    records, rejections = read_twice(data)
    assert len(records) + len(rejections) >= 1


@given(st.lists(st.sampled_from(sorted(LETTERS)), min_size=1, max_size=6))
@settings(max_examples=100, deadline=None)
def test_each_game_of_a_file_is_read_in_the_charset_it_names(charsets: list[str]) -> None:
    data = b"\n".join(written(name, name, LETTERS[name], "B+R") for name in charsets)
    records, rejections = read_twice(data)
    assert [record.texts.black for record in records] == [LETTERS[name] for name in charsets]
    assert {len(record.moves) for record in records} == {3}
    assert rejections == []


@pytest.mark.parametrize("length", [1 << 22, (1 << 22) - 30, (1 << 22) - 4096, (1 << 22) + 7])
def test_a_game_that_names_its_charset_across_two_pieces_is_read_in_it(length: int) -> None:
    first = written("GBK", "GBK", "柯洁", "B+R")
    blank = b"\n" * (length - len(first) - 20)
    second = written("UTF-8", "UTF-8", "李世石", "W+R")
    records, _ = read_twice(first + blank + second + written("Big5", "Big5", "功許也", "0"))
    assert [record.texts.black for record in records] == ["柯洁", "李世石", "功許也"]


@pytest.mark.parametrize(
    "text",
    [
        "(;GM[1]C[CA[ISO-8859-1]PB[Müller];B[aa])",
        "(;GM[1]PB[Müller];B[aa]C[CA[ISO-8859-1])",
        "(;GM[1]C[see CA [latin1]PB[Müller]CA[UTF-8];B[aa])",
    ],
)
def test_a_charset_inside_a_value_is_text(text: str) -> None:
    ((record,), _) = read_twice(text.encode())
    assert record.texts.black == "Müller"
