"""`katachi play` as a person plays: by lines, by keys, with and without colours."""

import fcntl
import io
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest

from katachi.interfaces.cli import main
from katachi.interfaces.console import Console
from katachi.interfaces.play.table import Table, holds_only_a_game
from katachi.interfaces.views.board_text import render_board
from katachi.players.roster import make_player
from katachi.records.conversion import game_from_record
from katachi.records.record import GameRecord
from katachi.records.sgf import read_games
from katachi.rules.color import BLACK, opponent
from katachi.rules.game import Game
from katachi.rules.point import PASS, point_from_vertex, vertex_from_point
from tests.interfaces.shown import Shown
from tests.interfaces.test_cli import GAMES

OUT = "game.sgf"


def played(shown: Shown, lines: str, *arguments: str, player: str = "alp", out: str = OUT) -> str:
    """What is seen when these lines are typed, 80 columns wide."""
    shown.patch.setenv("COLUMNS", "80")
    shown.patch.setattr(sys, "stdin", io.StringIO(lines))
    return shown.by("play", player, "--size", "5", "--out", out, *arguments)


def record() -> GameRecord:
    return next(iter(read_games(OUT)))


def moves() -> list[str]:
    return [vertex_from_point(point, 5) for point in record().moves.tolist()]


def test_a_whole_game_is_played_to_its_score(shown: Shown) -> None:
    wall = "\n".join(["C3", *(f"{col}{row}" for col in "BDAE" for row in (3, 2, 4)), *["pass"] * 9])
    text = played(shown, f"{wall}\nquit\n", player="random")
    assert "wins by" in text
    assert "area" in text
    assert "dead stones:" in text
    assert record().result.is_decided
    assert record().ownership is not None
    assert moves()[-2:] == ["pass", "pass"]
    lines = [line for line in text.splitlines() if "first start" not in line]
    assert max(map(len, lines)) <= 80
    assert text.isascii()


def test_the_last_move_and_captures_are_shown(shown: Shown) -> None:
    text = played(shown, "D4\nquit\n")
    assert "(X)" in text
    assert "Black (X): you, captured 0" in text
    assert f"move 2: White {moves()[1]}" in text


def test_undo_takes_back_both_moves(shown: Shown) -> None:
    text = played(shown, "C3\nD4\nundo\nquit\n")
    assert moves()[0] == "C3"
    assert len(moves()) == 2
    assert "taken back" in text
    assert "there is no move of yours to take back" in played(
        shown, "undo\n", "--color", "white", out="other.sgf"
    )


def test_hints_are_numbered_on_the_board(shown: Shown) -> None:
    text = played(shown, "hint\nquit\n")
    assert "alp likes:" in text
    first = text.split("alp likes:\n1  ")[1].split()[0]
    board = text.split("komi 7.5; no move yet")[1]
    row = next(line for line in board.splitlines() if line.startswith(f" {first[1]} "))
    assert row[3 + 2 * "ABCDE".index(first[0])] == "1"


def test_a_player_without_opinions_asks_another_for_hints_and_scores(shown: Shown) -> None:
    text = played(shown, "hint\nscore\n", player="playouts:1")
    assert "territory likes:" in text
    assert "territory estimates, komi 7.5 counted:" in text


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("zz", "'zz' is not a vertex: write a letter and a number such as D4"),
        ("J9", "'J9' is not on a 5x5 board"),
        ("", "type a move such as D4, or help"),
        ("save /nowhere/at/all.sgf", "cannot write /nowhere/at/all.sgf: the folder"),
        ("save .", "cannot write .: it is not a file"),
        ("save taken.sgf", "taken.sgf is there already: choose another file"),
        ("undo", "there is no move of yours to take back"),
        ("\x1b[31m", "is not a vertex"),
    ],
)
def test_bad_input_is_one_clear_line(shown: Shown, line: str, words: str) -> None:
    Path("taken.sgf").write_bytes(b"")
    text = played(shown, f"{line}\nquit\n")
    prompt = "Black's move, or help: \n"
    after = text.split(prompt, 1)[1].split(prompt)[0]
    assert words in after
    assert after.count("\n") == 1


def test_a_stone_cannot_stand_on_another(shown: Shown) -> None:
    assert "illegal move black C3: occupied" in played(shown, "C3\nC3\nquit\n")


def test_whoever_resigns_has_lost_unless_it_is_taken_back(shown: Shown) -> None:
    text = played(shown, "C3\nresign\nD4\nquit\n")
    assert "Black resigns: White wins" in text
    assert "the game is over: undo goes on with it" in text
    assert str(record().result) == "W+R"
    played(shown, "C3\nresign\nundo\nquit\n", out="other.sgf")
    assert not next(iter(read_games("other.sgf"))).result.is_decided


def test_white_and_handicap_begin_as_they_should(shown: Shown) -> None:
    text = played(shown, "quit\n", "--handicap", "3", "--color", "white")
    assert text.count("X") >= 3
    assert record().handicap == 3
    assert record().komi == 0.5
    assert len(record().moves) == 0
    played(shown, "quit\n", "--color", "white", out="other.sgf")
    assert len(next(iter(read_games("other.sgf"))).moves) == 1


def test_a_game_goes_on_where_it_was_left(shown: Shown) -> None:
    played(shown, "C3\nquit\n")
    shown.patch.setattr(sys, "stdin", io.StringIO("A1\nquit\n"))
    text = shown.by("play", "alp", "--resume", OUT)
    assert moves()[0] == "C3"
    assert moves()[2] == "A1"
    assert "the game is saved as game.sgf; next: katachi play --resume game.sgf" in text


def test_a_file_with_comments_is_not_written_over(shown: Shown, tmp_path: Path) -> None:
    file = tmp_path / "noted.sgf"
    file.write_bytes(b"(;SZ[5];B[cc]C[good])")
    assert not holds_only_a_game(file)
    shown.patch.setattr(sys, "stdin", io.StringIO("quit\n"))
    shown.by("play", "alp", "--resume", str(file))
    assert b"good" in file.read_bytes()
    assert len(list(tmp_path.glob("katachi-*.sgf"))) == 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("nobody",), "no player 'nobody'"),
        (("alp", "--size", "1"), "board size 1"),
        (("alp", "--color", "red"), "red"),
        (("alp", "--handicap", "1"), "--handicap 1: use 0, or 2 to 20 stones on this board"),
        (("alp", "--time", "nan"), "--time nan: use seconds above 0"),
        (("alp", "--out", "/nowhere/at/all.sgf"), "cannot write /nowhere/at/all.sgf"),
        (("alp", "--resume", "no-such.sgf"), "cannot read no-such.sgf"),
        (("alp", "--resume", "x", "--size", "9"), "are those of the resumed game"),
        (("alp", "--out", "."), "is there already: choose another file"),
    ],
)
def test_bad_options_are_one_clear_line(
    shown: Shown, arguments: tuple[str, ...], words: str
) -> None:
    shown.patch.setattr(sys, "stdin", io.StringIO(""))
    shown.patch.setattr(sys, "argv", ["katachi", "play", *arguments])
    with pytest.raises(SystemExit):
        main()
    error = shown.capsys.readouterr().err
    [line] = [line for line in error.splitlines() if "first start" not in line]
    assert words in line


def test_a_pass_in_a_finished_game_is_answered_by_a_pass() -> None:
    record = next(iter(read_games(Path(GAMES))))
    game = game_from_record(record)
    while game.moves and game.moves[-1].point == PASS:
        game.undo()
    winner = record.result.winner
    if game.to_play == winner:
        game.play(winner, PASS)
    table = Table(make_player("alp", 1), game, opponent(winner), 1.0)
    game.play(opponent(winner), PASS)
    assert table.answer().lower() == "pass"


class Terminal:
    """The command in a terminal of 80 by 24."""

    def __init__(self, folder: Path, *arguments: str, **environment: str) -> None:
        self.main, inner = pty.openpty()
        fcntl.ioctl(inner, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        variables = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "LINES", "CI")}
        variables |= {"TERM": "xterm-256color", "PYTHONIOENCODING": "utf-8"} | environment
        command = [sys.executable, "-m", "katachi", "play", *arguments]
        self.process = subprocess.Popen(
            command, stdin=inner, stdout=inner, stderr=inner, env=variables, cwd=folder,
            start_new_session=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509
        )  # fmt: skip
        os.close(inner)
        self.seen = ""

    def wait_for(self, words: str) -> str:
        """All that was shown until these words were."""
        end = time.monotonic() + 60
        start = len(self.seen)
        while words not in self.seen[start:]:
            assert time.monotonic() < end, self.seen
            if select.select([self.main], [], [], 0.2)[0]:
                try:
                    self.seen += os.read(self.main, 65536).decode(errors="replace")
                except OSError:
                    break
        return self.seen[start:]

    def type(self, text: str) -> None:
        os.write(self.main, text.encode())

    def close(self) -> int:
        status = self.process.wait(timeout=30)
        os.close(self.main)
        return status


def test_arrow_keys_choose_a_point(tmp_path: Path) -> None:
    terminal = Terminal(tmp_path, "alp", "--size", "5", "--out", OUT)
    seen = terminal.wait_for("or help: ")
    assert "\x1b[48;5;" in seen  # wood
    terminal.type("\x1b[A\x1bOC\x1b[D\x1b[Cx\x7f\r")  # up, right, left, right, a letter taken back
    terminal.wait_for("move 2: White")
    terminal.type("qui\x1bquit\r")
    assert terminal.close() == 0
    file = tmp_path / OUT
    [first, *_] = next(iter(read_games(file))).moves.tolist()
    assert vertex_from_point(first, 5) == "D4"


@pytest.mark.parametrize("environment", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_terminals_without_colours_or_unicode_show_letters(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    terminal = Terminal(tmp_path, "alp", "--size", "5", **environment)
    terminal.wait_for("or help: ")
    terminal.type("C3\r" if "TERM" not in environment else "C3\n")
    seen = terminal.wait_for("move 2: White")
    terminal.type("quit\r" if "TERM" not in environment else "quit\n")
    assert terminal.close() == 0
    assert "(O)" in seen
    assert "X" in seen
    assert "\x1b[48" not in seen
    assert "●" not in seen


def test_an_interrupted_game_is_kept(tmp_path: Path) -> None:
    terminal = Terminal(tmp_path, "alp", "--size", "5")
    terminal.wait_for("or help: ")
    terminal.type("C3\r")
    terminal.wait_for("move 2: White")
    terminal.process.send_signal(signal.SIGINT)
    assert "next: katachi play --resume katachi-" in terminal.wait_for(".sgf; next: katachi play")
    assert terminal.close() == 130
    [file] = tmp_path.glob("katachi-*.sgf")
    assert len(next(iter(read_games(file))).moves) == 2


def test_a_terminal_without_unicode_shows_letters() -> None:
    file = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    console = Console(file=file, force_terminal=True, color_system="truecolor")
    game = Game(5)
    game.play(BLACK, point_from_vertex("C3", 5))
    assert "(X)" in render_board(console, game).plain


def test_a_game_is_played_by_pipes(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "katachi", "play", "alp", "--size", "5", "--out", OUT]
    done = subprocess.run(
        command, input="C3\npass\n", cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert "\x1b" not in done.stdout
    assert "katachi review game.sgf" in done.stderr or "--resume game.sgf" in done.stderr
    assert (tmp_path / OUT).exists()
