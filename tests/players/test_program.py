import os
import shlex
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from katachi.errors import KatachiError
from katachi.interfaces.cli.cgos import PASSWORD_VARIABLE
from katachi.one_core import OURS
from katachi.players.gtp_program import LONGEST_REPLY, GtpProgram, _Lines
from katachi.players.program import ProgramPlayer
from katachi.players.protocol import Choice, FailureKind, PlayerFailure
from katachi.players.roster import make_player
from katachi.rules.color import BLACK, WHITE
from katachi.rules.game import Game
from katachi.rules.point import PASS, point_from_vertex
from katachi.rules.scoring import final_status
from tests.arena.processes import all_gone
from tests.arena.shell_engines import write_engine
from tests.timing import SLACK

ROGUE = f"{shlex.quote(sys.executable)} {shlex.quote(str(Path(__file__).with_name('rogue.py')))}"


def ask(manner: str, patience: float = 20.0) -> Choice:
    game = Game(9)
    game.play(BLACK, point_from_vertex("A1", 9))
    player = ProgramPlayer(f"{ROGUE} {manner}", patience)
    try:
        return player.choose(game, WHITE)
    finally:
        player.close()


@pytest.mark.parametrize(
    ("manner", "kind", "words"),
    [
        ("illegal", FailureKind.ILLEGAL, "occupied"),
        ("off-board", FailureKind.GARBAGE, "not on a 9x9 board"),
        ("nonsense", FailureKind.GARBAGE, "not a vertex"),
        ("refuses", FailureKind.GARBAGE, "I would rather not"),
        ("not-gtp", FailureKind.GARBAGE, "hello"),
        ("binary", FailureKind.GARBAGE, "not a vertex"),
        ("crashes", FailureKind.CRASH, "status 7"),
    ],
)
def test_a_misbehaving_program_is_a_clear_result(
    manner: str, kind: FailureKind, words: str
) -> None:
    choice = ask(manner)
    assert choice.point is None
    assert choice.failure is not None
    assert choice.failure.kind is kind
    assert words in str(choice.failure)
    assert "\n" not in str(choice.failure)


def test_a_crash_tells_the_last_words() -> None:
    assert "out of cheese" in str(ask("crashes").failure)


def test_a_hanging_program_is_given_up_in_time() -> None:
    begin = time.monotonic()
    choice = ask("slow", patience=0.5)
    assert choice.failure is not None
    assert choice.failure.kind is FailureKind.HANG
    assert time.monotonic() - begin < 10


def test_an_endless_answer_is_cut_off() -> None:
    choice = ask("endless")
    assert choice.failure is not None
    assert choice.failure.kind is FailureKind.GARBAGE


def test_resigning_is_not_a_failure() -> None:
    assert ask("resigns") == Choice(None)


def test_a_pass_in_capitals_is_a_pass() -> None:
    assert ask("passes").point == PASS


def test_a_program_that_is_not_there_is_one_line() -> None:
    with pytest.raises(KatachiError, match="no program 'no-such-engine'"):
        make_player("gtp:no-such-engine --mode gtp")


@pytest.mark.parametrize("prefix", ["", "gtp:"])
def test_a_path_with_a_blank_is_quoted_as_in_a_shell(tmp_path: Path, prefix: str) -> None:
    (tmp_path / "a b").mkdir()
    engine = write_engine(tmp_path / "a b" / "engine", genmove="echo '= E5'")
    player = make_player(f"{prefix}'{engine}' --quiet")
    choice = player.choose(Game(9), BLACK)
    player.close()
    assert choice.point == point_from_vertex("E5", 9)
    with pytest.raises(KatachiError, match="no program"):
        make_player(f"gtp:{engine}")


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("'gnugo --mode gtp", "a quote is not closed"),
        ("gnugo --mode gtp\\", "a backslash ends it"),
        ("", "names no program"),
        ("''", "names no program"),
        ("cat\0", "holds a character that no command can"),
    ],
)
def test_a_command_that_cannot_be_read_is_one_line(command: str, words: str) -> None:
    for use in (lambda: make_player(f"gtp:{command}"), lambda: GtpProgram(command)):
        with pytest.raises(KatachiError, match=words):
            use()


def test_output_nobody_asked_for_is_not_kept_without_end(tmp_path: Path) -> None:
    flood = "printf '= pass\\n\\n'; exec yes xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
    program = GtpProgram(write_engine(tmp_path / "engine", genmove=flood))
    assert program.send("genmove b") == "pass"
    deadline = time.monotonic() + 20
    while program.is_running and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not program.is_running  # nobody hears it any more
    kept = 0
    while program._lines.get(0.0) is not _Lines.FLOOD:
        kept += 1
    program.close()
    assert 0 < kept * 50 < LONGEST_REPLY


def test_a_flood_is_a_failure_even_where_it_looks_like_blank_lines(tmp_path: Path) -> None:
    program = GtpProgram(write_engine(tmp_path / "engine", genmove="exec yes ''"))
    with pytest.raises(PlayerFailure, match="without end") as caught:
        program.send("genmove b")
    program.close()
    assert caught.value.kind is FailureKind.GARBAGE


def test_what_is_reported_of_a_failure_is_short_and_printable(tmp_path: Path) -> None:
    long = "printf '? \\033[31m'; head -c 100000 /dev/zero | tr '\\000' x; echo"
    program = GtpProgram(write_engine(tmp_path / "engine", genmove=long))
    with pytest.raises(PlayerFailure, match="refused 'genmove b'") as caught:
        program.send("genmove b")
    program.close()
    assert len(str(caught.value)) < 350
    assert str(caught.value).isprintable()


def test_a_program_sees_neither_the_password_nor_our_one_core(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(PASSWORD_VARIABLE, "secret")
    monkeypatch.setenv("KATACHI_TEST", "seen")
    monkeypatch.setenv(OURS, "1")
    engine = write_engine(tmp_path / "engine", name="echo =; env")
    program = GtpProgram(engine)
    answer = program.send("name")
    program.close()
    assert "KATACHI_TEST=seen" in answer
    assert "secret" not in answer
    assert OURS not in answer


def test_whoever_closes_second_waits_until_the_program_has_ended(tmp_path: Path) -> None:
    deaf = "trap '' TERM; sleep 60; echo '='"
    program = GtpProgram(write_engine(tmp_path / "engine", name=deaf))
    program._write("name")
    first = threading.Thread(target=program.close)
    first.start()
    time.sleep(0.1)
    program.close()
    assert not program.is_running
    first.join()


def test_a_program_ends_with_whoever_started_it_even_by_kill(tmp_path: Path) -> None:
    """Also what the program has started itself, and what no longer listens."""
    deaf = "trap '' TERM HUP INT; echo $$ > pids; sleep 60 & echo $! >> pids; wait"
    engine = write_engine(tmp_path / "engine", name=deaf)
    start = (
        f"from katachi.players.gtp_program import GtpProgram; GtpProgram({engine!r}).send('name')"
    )
    process = subprocess.Popen([sys.executable, "-c", start], cwd=tmp_path)
    pids = tmp_path / "pids"
    while not pids.exists() or pids.read_text().count("\n") < 2:
        assert process.poll() is None
        time.sleep(0.02)
    process.kill()
    process.wait()
    assert all_gone([int(pid) for pid in pids.read_text().split()])


def test_a_program_goes_on_after_the_thread_that_started_it(tmp_path: Path) -> None:
    programs: list[GtpProgram] = []
    engine = write_engine(tmp_path / "engine")
    thread = threading.Thread(target=lambda: programs.append(GtpProgram(engine)))
    thread.start()
    thread.join()
    time.sleep(0.1)
    assert programs[0].send("genmove b") == "pass"
    programs[0].close()


def test_closing_ends_the_process_and_its_children() -> None:
    program = GtpProgram("sh -c 'sleep 300 & echo $!; cat >/dev/null; sleep 300'")
    child = int(program._next_line(time.monotonic() + SLACK, "start"))
    program.close()
    assert not program.is_running
    assert all_gone([child])
    with pytest.raises(ProcessLookupError):
        os.kill(program._process.pid, 0)
    program.close()


def test_a_forgotten_program_is_ended() -> None:
    program = GtpProgram("cat")
    process = program._process
    del program
    assert process.poll() is not None


def test_after_a_failure_the_next_game_starts_afresh() -> None:
    player = ProgramPlayer(f"{ROGUE} crashes", 20.0)
    assert player.choose(Game(9), BLACK).failure is not None
    assert player.choose(Game(9), BLACK).failure is not None
    player.close()


def test_a_program_started_again_is_sent_the_board_again(tmp_path: Path) -> None:
    player = ProgramPlayer(f"{ROGUE} crashes-once {tmp_path / 'mark'}", 20.0)
    first, second = player.choose(Game(9), BLACK), player.choose(Game(9), BLACK)
    player.close()
    assert first.failure is not None
    assert first.failure.kind is FailureKind.CRASH
    assert second.point == point_from_vertex("E5", 9)


@pytest.mark.gnugo
@pytest.mark.parametrize("size", [9, 13, pytest.param(19, marks=pytest.mark.slow)])
def test_gnugo_plays_a_whole_game_and_agrees_on_the_score(gnugo: str, size: int) -> None:
    command = f"{gnugo} --mode gtp --level 1 --seed 3 --chinese-rules --positional-superko"
    player = ProgramPlayer(command)
    game = Game(size, 7.5)
    while not game.is_over:
        choice = player.choose(game, game.to_play)
        assert choice.failure is None
        if choice.point is None:
            pytest.fail("GNU Go resigned a game against itself")
        game.play(game.to_play, choice.point)
    letter, _, margin = player.program.send("final_score").partition("+")
    player.close()
    score = float(margin) * (1 if letter == "B" else -1)
    assert final_status(game.words).balance - game.komi == score


@pytest.mark.gnugo
def test_gnugo_follows_undo_and_a_new_game(gnugo: str) -> None:
    player = ProgramPlayer(f"{gnugo} --mode gtp --level 0 --seed 1")
    game = Game(9)
    for _ in range(4):
        choice = player.choose(game, game.to_play)
        assert choice.point is not None
        game.play(game.to_play, choice.point)
    game.undo()
    game.undo()
    player.set_up(game)
    assert player.program.send("move_history").count("\n") + 1 == 2
    fresh = Game(13)
    fresh.place_setup([point_from_vertex("D4", 13), point_from_vertex("K10", 13)], [])
    player.set_up(fresh)
    assert sorted(player.program.send("list_stones black").split()) == ["D4", "K10"]
    player.close()
