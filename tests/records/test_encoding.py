"""Names of players in the encodings files are found in."""

import pytest

from katachi.records.sgf import read_games


def black_of(data: bytes) -> str:
    (record,) = read_games(data)
    return record.texts.black


def sgf_with(name: str, encoding: str, declared: str | None) -> bytes:
    charset = "" if declared is None else f"CA[{declared}]"
    return f"(;GM[1]{charset}SZ[9]PB[{name}];B[aa])".encode(encoding)


@pytest.mark.parametrize(
    ("name", "encoding", "declared"),
    [
        ("Müller", "iso-8859-1", "ISO-8859-1"),
        ("Müller", "utf-8", "UTF-8"),
        ("Kovács €", "cp1252", "windows-1252"),
        ("本因坊", "shift_jis", "Shift_JIS"),
        ("本因坊", "euc-jp", "EUC-JP"),
        ("이세돌", "euc-kr", "EUC-KR"),
        ("古力", "gb18030", "GB18030"),
        ("古力", "gbk", "GB2312"),
        ("張栩", "big5", "Big5"),
        ("本因坊", "iso2022_jp", "ISO-2022-JP"),
    ],
)
def test_a_declared_encoding_is_used(name: str, encoding: str, declared: str) -> None:
    assert black_of(sgf_with(name, encoding, declared)) == name


@pytest.mark.parametrize(
    ("name", "encoding"),
    [("江望", "shift_jis"), ("也也", "big5"), ("乚", "gbk"), ("ソ", "shift_jis")],
)
def test_a_bracket_or_backslash_inside_a_character_is_text(name: str, encoding: str) -> None:
    data = name.encode(encoding)
    assert b"]" in data or b"\\" in data
    assert black_of(sgf_with(name, encoding, encoding)) == name


def test_text_without_a_declared_encoding_is_utf8_where_it_can_be() -> None:
    assert black_of(sgf_with("이세돌", "utf-8", None)) == "이세돌"


def test_text_without_a_declared_encoding_is_latin_otherwise() -> None:
    assert black_of(sgf_with("Müller", "iso-8859-1", None)) == "Müller"


@pytest.mark.parametrize("declared", ["x-unknown", "rot13", "unicode_escape", "utf-16", "idna"])
def test_an_encoding_that_cannot_be_meant_is_ignored(declared: str) -> None:
    assert black_of(sgf_with("Müller", "utf-8", declared)) == "Müller"


def test_a_wrongly_declared_encoding_falls_back() -> None:
    assert black_of(sgf_with("Müller", "iso-8859-1", "UTF-8")) == "Müller"


def test_games_of_one_file_may_differ_in_encoding() -> None:
    data = sgf_with("Müller", "iso-8859-1", "ISO-8859-1") + sgf_with("Müller", "utf-8", "UTF-8")
    assert [record.texts.black for record in read_games(data)] == ["Müller", "Müller"]


def test_a_byte_order_mark_is_no_text() -> None:
    assert black_of(b"\xef\xbb\xbf" + sgf_with("Müller", "utf-8", None)) == "Müller"


def test_utf16_with_a_byte_order_mark_is_read() -> None:
    assert black_of(sgf_with("Müller", "utf-16", None)) == "Müller"
