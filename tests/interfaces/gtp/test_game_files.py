"""Games go into files and come out of them, or nothing happens."""

import gzip
from datetime import date
from pathlib import Path

import pytest

from katachi.interfaces.gtp.game_files import MAX_FILE_BYTES
from tests.interfaces.gtp.conversation import ask, talk
from tests.interfaces.gtp.scripted import options_for


def test_an_sgf_file_is_written_whole_and_read_back(tmp_path: Path) -> None:
    path = tmp_path / "a game.sgf"
    played = ["komi 5.5", "set_free_handicap D4 E5", "play w C3", "play b pass", "play w C4"]
    assert ask(*played, f"printsgf {path}") == "="
    assert list(tmp_path.iterdir()) == [path]
    assert ask(*played, "printsgf").removeprefix("= ").strip() == path.read_text().strip()
    board = ask(*played, "showboard")
    assert ask(f"loadsgf {path}", "showboard") == board
    assert ask(f"loadsgf {path}") == "= black"
    assert ask(f"loadsgf {path} 2") == "= black"
    assert ask(f"loadsgf {path} 1", "undo") == "? cannot undo"


@pytest.mark.parametrize(
    ("place", "reason"),
    [
        ("missing/game.sgf", "the folder {tmp_path}/missing does not exist"),
        (".", "not a file"),
        ("/dev/full", "not a file"),
    ],
)
def test_a_file_that_cannot_be_written_is_reported(tmp_path: Path, place: str, reason: str) -> None:
    shown = reason.format(tmp_path=tmp_path)
    assert ask(f"printsgf {tmp_path / place}") == f"? cannot write file: {shown}"
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_cannot_be_read_leaves_the_game_alone(tmp_path: Path) -> None:
    bad = tmp_path / "bad.sgf"
    bad.write_bytes(b"(;SZ[9];B[ee]")
    for place in (bad, tmp_path, tmp_path / "missing.sgf", Path("/dev/zero")):
        replies = talk(f"play b D4\nloadsgf {place}\nplay b D4\n").texts
        assert replies[1].startswith("? cannot load file: ")
        assert replies[2] == "? illegal move"


def test_a_packed_file_is_read_unless_it_is_a_bomb(tmp_path: Path) -> None:
    packed = tmp_path / "game.sgf.gz"
    packed.write_bytes(gzip.compress(b"(;SZ[9];B[ee])"))
    assert ask(f"loadsgf {packed}") == "= white"
    packed.write_bytes(gzip.compress(b"(" * (MAX_FILE_BYTES + 1)))
    assert ask(f"loadsgf {packed}") == "? cannot load file: longer than 2 MiB"
    packed.write_bytes(packed.read_bytes()[:50])
    assert ask(f"loadsgf {packed}").startswith("? cannot load file: ")


def test_a_record_may_repeat_a_position_that_the_game_forbids(tmp_path: Path) -> None:
    path = tmp_path / "ko.sgf"
    ko = "(;SZ[9]AB[bg][ah][bi]AW[cg][dh][ci][bh];B[ch];W[];B[];W[bh])"
    path.write_text(ko)
    assert ask(f"loadsgf {path}") == "= black"
    assert ask(f"loadsgf {path} 4", "play w B2") == "? illegal move"


@pytest.mark.parametrize(
    ("rules", "word"),
    [
        ("katachi", "Chinese"),
        ("tromp-taylor", "Tromp-Taylor"),
        ("aga", "AGA"),
        ("new-zealand", "NZ"),
    ],
)
def test_a_written_game_names_its_rules_in_a_word_that_readers_know(rules: str, word: str) -> None:
    assert f"RU[{word}]" in ask(f"kata-set-rules {rules}", "printsgf")


def test_a_written_game_is_dated_and_says_nothing_it_does_not_know() -> None:
    text = ask("play b D4", "printsgf")
    assert f"DT[{date.today().isoformat()}]" in text
    for name in ("RE", "PB", "PW"):
        assert f"{name}[" not in text


def test_two_passes_write_the_result_that_the_score_tells() -> None:
    passes = ["play b E5", "play w pass", "play b pass"]
    assert ask(*passes, "final_score") == "= B+73.5"
    assert "RE[B+73.5]" in ask(*passes, "printsgf")


def test_a_resignation_is_written_until_the_game_goes_on() -> None:
    assert "RE[W+R]" in ask("play b resign", "printsgf")
    assert "RE[B+R]" in ask("genmove w", "printsgf", options=options_for(None))
    for next_move in ("play w D4", "clear_board"):
        assert "RE[" not in ask("play b resign", next_move, "printsgf")


def test_the_players_are_written_where_they_are_known() -> None:
    text = ask("cgos-opponent_name GNU Go", "genmove w", "printsgf")
    assert "PB[GNU Go]" in text
    assert "PW[alp]" in text


def test_the_players_of_a_file_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "game.sgf"
    path.write_text("(;SZ[9]PB[Shusai]PW[Go Seigen];B[ee])")
    text = ask(f"loadsgf {path}", "genmove w", "printsgf")
    assert "PB[Shusai]" in text
    assert "PW[alp]" in text
    assert "PB[" not in ask(f"loadsgf {path}", "clear_board", "printsgf")
