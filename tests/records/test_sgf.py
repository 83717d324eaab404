"""Reading and writing single games."""

from pathlib import Path

import numpy as np
import pytest

from katachi.errors import KatachiError
from katachi.records.record import GameRecord, GameTexts, OnError, RecordError, Source
from katachi.records.result import Ending
from katachi.records.sgf import check_record, read_games, write_game
from katachi.rules.color import BLACK, WHITE
from katachi.rules.point import PASS, point_from_vertex, vertex_from_point


def read_one(text: str | bytes) -> GameRecord:
    data = text.encode() if isinstance(text, str) else text
    (record,) = read_games(data)
    return record


def vertices(points: np.ndarray, size: int) -> list[str]:
    return [vertex_from_point(point, size) for point in points.tolist()]


def refusal(text: str | bytes) -> str:
    data = text.encode() if isinstance(text, str) else text
    with pytest.raises(RecordError) as caught:
        list(read_games(data))
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_moves_are_read_in_order_with_their_colours() -> None:
    record = read_one("(;GM[1]FF[4]SZ[9];B[ee];W[gc];B[cg])")
    assert vertices(record.moves, 9) == ["E5", "G7", "C3"]
    assert record.colors.tolist() == [BLACK, WHITE, BLACK]


def test_everything_known_of_the_game_is_read() -> None:
    record = read_one(
        "(;SZ[9]KM[5.5]RU[Chinese]RE[B+2.5]PB[Ann]BR[3k]PW[Bo]WR[1d]DT[2020-01-02]EV[Cup]GN[misc]HA[2])"
    )
    assert record.texts == GameTexts(
        "B+2.5", "Ann", "3k", "Bo", "1d", "2020-01-02", "Chinese", "Cup", "misc"
    )
    assert (record.komi, record.handicap, record.date) == (5.5, 2, 20200102)
    assert (record.black_rank, record.white_rank) == (-2, 1)
    assert (record.result.winner, record.result.ending) == (BLACK, Ending.COUNT)


def test_a_board_without_a_size_is_19() -> None:
    assert read_one("(;FF[4];B[ss])").size == 19


def test_a_size_written_twice_is_one_size() -> None:
    assert read_one("(;SZ[13:13])").size == 13


@pytest.mark.parametrize("move", ["B[]", "B[tt]"])
def test_empty_and_tt_are_passes_up_to_19(move: str) -> None:
    assert read_one(f"(;SZ[19];{move})").moves.tolist() == [PASS]


def test_tt_is_a_point_on_a_larger_board() -> None:
    assert vertices(read_one("(;SZ[21];B[tt])").moves, 21) == ["U2"]


def test_compressed_lists_are_rectangles() -> None:
    record = read_one("(;SZ[9]AB[aa:bc][ii];W[ee])")
    assert vertices(record.setup_black, 9) == ["A9", "B9", "A8", "B8", "A7", "B7", "J1"]


def test_setup_in_nodes_before_the_first_move_adds_up() -> None:
    record = read_one("(;SZ[9]AB[aa][bb]AW[cc];AE[aa]AW[dd];B[ee])")
    assert vertices(record.setup_black, 9) == ["B8"]
    assert vertices(record.setup_white, 9) == ["C7", "D6"]


def test_only_the_main_line_is_read() -> None:
    record = read_one("(;SZ[9];B[aa](;W[bb](;B[cc])(;B[dd]))(;W[ee];B[ff]))")
    assert vertices(record.moves, 9) == ["A9", "B8", "C7"]


def test_nodes_without_a_move_are_passed_over() -> None:
    assert len(read_one("(;SZ[9];C[hello];B[aa];;N[x];W[bb];)").moves) == 2


def test_old_long_property_names_are_understood() -> None:
    record = read_one("(;GaMe[1]SiZe[9]AddBlack[aa]PlayerBlack[Ann];White[bb]L[cc]M[dd])")
    assert (record.size, len(record.setup_black), record.texts.black) == (9, 1, "Ann")


def test_colours_need_not_alternate() -> None:
    assert read_one("(;SZ[9];B[aa];B[bb])").colors.tolist() == [BLACK, BLACK]


def test_who_plays_first_in_a_bare_position_is_said_by_pl() -> None:
    assert read_one("(;SZ[9]AB[aa]PL[W])").first_to_play == WHITE


def test_white_is_first_to_play_after_handicap_stones() -> None:
    assert read_one("(;SZ[9]HA[2]AB[cc][gg])").first_to_play == WHITE


def test_escaped_brackets_are_text() -> None:
    assert read_one(r"(;SZ[9]PB[a\]b\\c];B[aa])").texts.black == r"a]b\c"


def test_a_komi_that_is_no_number_is_unknown() -> None:
    assert read_one("(;SZ[9]KM[nan])").komi is None
    assert read_one("(;SZ[9]KM[six])").komi is None


def test_owners_are_the_marks_then_the_stones_then_nobody() -> None:
    record = read_one("(;SZ[3];B[ba];W[bc];B[ca];;TB[aa][bc]TW[ac])")
    assert record.ownership is not None
    assert record.ownership.reshape(3, 3).tolist() == [[1, 1, 1], [0, 0, 0], [-1, 1, 0]]


def test_marks_before_the_last_move_are_not_final_ownership() -> None:
    assert read_one("(;SZ[9];B[aa];TB[bb];W[cc])").ownership is None


def test_marks_in_the_node_of_the_last_move_count() -> None:
    assert read_one("(;SZ[9];B[aa];W[]TB[bb])").ownership is not None


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "no game found"),
        ("hello", "no game found"),
        ("(;SZ[9];B[aa]", "cut off before its end"),
        ("(;SZ[9];B[aa", "cut off before its end"),
        ("(;SZ[9];B[aa](;W[bb])", "cut off before its end"),
        ("(;SZ[9](;B[aa]);W[bb])", "a node follows the variations"),
        ("(;SZ[1])", "board size 1 is not playable"),
        ("(;SZ[26])", "board size 26 is not playable"),
        ("(;SZ[9:13])", "not the size of a square board"),
        ("(;SZ[nine])", "not the size of a square board"),
        ("(;SZ[9]SZ[9])", "SZ states more than one size"),
        ("(;SZ[9][13])", "SZ states more than one size"),
        ("(;GM[3]SZ[9])", "not a game of Go"),
        ("(;SZ[9];B[jj])", "move 1 B[jj] is off the board"),
        ("(;SZ[9];B[aa];W[z])", "move 2 W[z] is off the board"),
        ("(;SZ[9];B[aa]W[bb])", "two moves in one node at move 1"),
        ("(;SZ[9];B[aa][bb])", "two moves in one node at move 1"),
        ("(;SZ[9];B[aa];AW[bb])", "setup stones after move 1"),
        ("(;SZ[9]AB[jj])", "setup stones that are off the board"),
        ("(;SZ[9]AB[aa][bb]AW[bb])", "B8 is set up in two ways at once"),
        ("(;SZ[9]AB[aa:ca]AE[ca])", "C9 is set up in two ways at once"),
        ("(;SZ[9]TB[aa]TW[aa])", "territory of both players"),
        ("(;SZ[9];B[aa];GM[1]SZ[9];W[bb])", "a second game begins in node 2"),
        ("(;SZ[9];B[aa];W[aa])", "move 2, white A9, is illegal: occupied"),
        ("(;SZ[3]AB[ab][ba];W[aa])", "move 1, white A3, is illegal: suicide"),
        ("(;SZ[2]AB[aa][ab][ba][bb])", "setup stones without liberties"),
        ("(;SZ[9];B[a\0])", "off the board"),
    ],
)
def test_what_is_no_game_is_refused_with_the_reason(text: str, reason: str) -> None:
    assert reason in refusal(text)


def test_retaking_a_ko_at_once_is_illegal_and_later_legal() -> None:
    ko = "(;SZ[5]AB[ba][ab][bc]AW[ca][bb][db][cc];B[cb]"
    assert "move 2, white B4, is illegal: ko" in refusal(ko + ";W[bb])")
    assert len(read_one(ko + ";W[];B[];W[bb])").moves) == 4


def test_suicide_is_allowed_where_the_named_rules_allow_it() -> None:
    text = "(;SZ[5]RU[{}]AB[ca][bb][ab]AW[ba];W[aa])"
    assert "suicide" in refusal(text.format("Japanese"))
    assert len(read_one(text.format("Tromp-Taylor")).moves) == 1
    assert len(read_one(text.format("NZ")).moves) == 1
    assert "suicide" in refusal("(;SZ[5]RU[NZ]AB[ba][ab];W[aa])")


def test_a_refusal_names_file_and_game(tmp_path: Path) -> None:
    file = tmp_path / "two.sgf"
    file.write_text("(;SZ[9];B[aa])\n(;SZ[9];B[zz])\n")
    with pytest.raises(RecordError, match=rf"{file.name} game 2: move 1 B\[zz\] is off the board"):
        list(read_games(file))


def test_skipped_games_are_counted_with_their_reasons() -> None:
    reader = read_games(b"(;SZ[9];B[aa])(;SZ[0])(;SZ[9];B[bb])(;SZ[9];B[cc]", OnError.SKIP)
    assert [record.source.number for record in reader] == [1, 3]
    assert [entry.source.number for entry in reader.rejections] == [2, 4]
    assert "cut off" in reader.rejections[1].reason


def test_games_behind_one_that_was_cut_off_are_still_read() -> None:
    whole = b"(;GM[1]SZ[9];B[aa];W[bb])\n"
    for cut in (
        b"(;GM[1]SZ[9];B[aa]\n",
        b"(;GM[1]SZ[9];B[a\n",
        b"(;GM[1]SZ[9];C[what a\n",
        b"(;\n",
    ):
        reader = read_games(whole + cut + whole + whole, OnError.SKIP)
        assert len(list(reader)) == 3
        assert len(reader.rejections) == 1


def test_text_between_games_is_reported() -> None:
    reader = read_games(b"From: Ann\n\n(;SZ[9])\nGM[1];B[aa])\n(;SZ[9])", OnError.SKIP)
    assert len(list(reader)) == 2
    assert [entry.reason for entry in reader.rejections] == ["text that belongs to no game"]


def test_a_missing_file_is_one_clear_line() -> None:
    with pytest.raises(KatachiError, match=r"cannot read nowhere\.sgf: No such file"):
        list(read_games("nowhere.sgf"))


def test_the_source_of_a_game_is_its_file_and_number(gnugo9: Path) -> None:
    records = list(read_games(gnugo9))
    assert records[59].source == Source(str(gnugo9), 60)


def test_a_written_game_reads_back_as_itself(gnugo9: Path) -> None:
    for record in read_games(gnugo9):
        assert read_one(write_game(record)) == record


def test_a_written_game_with_everything_in_it_reads_back_as_itself() -> None:
    record = read_one(
        "(;SZ[19]KM[-3.25]RU[AGA]RE[W+T]PB[本\\]é]BR[?]PW[\\\\]WR[9p, Meijin]DT[1799]EV[:;()]"
        "GN[x]HA[2]AB[dd][pp]AW[qq];W[];B[aa];B[ss];;TB[ba])"
    )
    assert read_one(write_game(record)) == record


def test_a_written_position_keeps_who_plays_first() -> None:
    record = read_one("(;SZ[9]AB[aa]PL[W])")
    assert read_one(write_game(record)).first_to_play == WHITE


def test_a_written_pass_is_empty() -> None:
    record = GameRecord(
        size=9, moves=np.array([PASS], np.uint16), colors=np.array([BLACK], np.uint8)
    )
    assert b";B[]" in write_game(record)


def test_ownership_is_written_without_the_living_stones_of_its_owner() -> None:
    record = read_one("(;SZ[3];B[ba];W[bc];;TB[aa][bc]TW[ac])")
    text = write_game(record)
    assert b"TB[aa][bc]" in text
    assert b"TW[ac]" in text


def test_point_names_agree_with_vertices() -> None:
    record = read_one("(;SZ[19];B[dp])")
    assert record.moves.tolist() == [point_from_vertex("D4", 19)]


ODD_TEXTS = [
    "./M\udce9/engine",
    "\ud800",
    "two\nlines\r\nmore",
    "\0",
    "a]b\\",
    "\x1b[31m",
    "本" * 999,
]


@pytest.mark.parametrize("text", ODD_TEXTS)
def test_any_text_can_be_written_and_read_back_as_one_line(text: str) -> None:
    texts = GameTexts(black=text, event=text, style=text)
    record = GameRecord(size=9, texts=texts, ownership=np.zeros(81, np.int8))
    texts = read_one(write_game(record)).texts
    plain = text.replace("\udce9", "\ufffd").replace("\ud800", "\ufffd")
    assert texts.black == texts.event == " ".join(plain.split("\n")).replace("\r", "").strip()
    assert check_record(record).texts.white == ""
