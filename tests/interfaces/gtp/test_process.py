"""The engine as clients start it: a process with pipes."""

import contextlib
import os
import re
import signal
import statistics
import subprocess
import sys
import time
from pathlib import Path

import pytest

from katachi.interfaces.gtp.engine import COMMANDS, INSTANT_COMMANDS
from tests.interfaces.gtp.conversation import EngineProcess, split_replies
from tests.interfaces.test_cli import run
from tests.timing import SLACK

COMMAND = (sys.executable, "-m", "katachi", "gtp")
OTHER_ENDS = [("idle", "end of input"), ("playing", "quit"), ("analysing", "end of input")]
GREETING = b"name\nversion\nprotocol_version\nknown_command genmove\nlist_commands\nquit\n"


def test_a_client_hears_who_it_is_at_once_and_nothing_else() -> None:
    done = subprocess.run(COMMAND, input=GREETING, capture_output=True, check=True)
    assert len(list(split_replies(done.stdout.decode()))) == 6
    assert done.stderr == b""


def test_greeting_imports_no_compiler_and_playing_does() -> None:
    watched = (sys.executable, "-X", "importtime", *COMMAND[1:])
    greeted = subprocess.run(watched, input=GREETING, capture_output=True, check=True)
    played = subprocess.run(watched, input=b"genmove b\n", capture_output=True, check=True)

    def imported(stderr: bytes) -> set[str]:
        lines = stderr.decode().splitlines()
        return {line.rpartition("|")[2].strip() for line in lines if "|" in line}

    assert not {"numba", "torch", "sgfmill"} & imported(greeted.stderr)
    assert "numba" in imported(played.stderr)


@pytest.mark.parametrize(
    ("state", "ending"),
    [
        ("idle", "quit"),
        ("playing", "end of input"),
        ("analysing", "quit"),
        *(pytest.param(*others, marks=pytest.mark.slow) for others in OTHER_ENDS),
    ],
)
def test_it_ends_at_once(ending: str, state: str) -> None:
    with EngineProcess() as engine:
        if state != "idle":
            engine.ask("genmove b")
        if state == "analysing":
            engine.send("kata-analyze b 10")
            assert engine.read_line() == "="
            assert engine.read_line().startswith("info ")
        if ending == "quit":
            engine.send("9 quit")
        else:
            engine.stdin.close()
        started = time.perf_counter()
        assert engine.process.wait(30) == 0
        assert time.perf_counter() - started < SLACK
        rest = engine.stdout.read().decode()
        assert rest.endswith("=9\n\n" if ending == "quit" else "")


def test_any_line_ends_an_analysis_and_is_answered_next() -> None:
    with EngineProcess() as engine:
        engine.ask("boardsize 9")
        waits = []
        for number, line in enumerate(("protocol_version", "name", "known_command play") * 4):
            engine.send(f"{number} lz-analyze b 100000")
            assert engine.read_line() == f"={number}"
            assert engine.read_line().startswith("info move ")
            started = time.perf_counter()
            engine.send(f"1{number} {line}")
            assert engine.read_line() == ""
            assert engine.read_reply().id == f"1{number}"
            waits.append(time.perf_counter() - started)
        assert statistics.median(waits) < SLACK


@pytest.mark.parametrize("restriction", ["", " allow b E5,D4,C3 1", " avoid b E5,D4,C3 1"])
def test_an_analysis_by_a_tree_grows_and_ends_at_once(restriction: str) -> None:
    with EngineProcess("--player", "tree:10000000:alp") as engine:
        engine.ask("boardsize 5")
        engine.send(f"1 kata-analyze b 10 rootInfo true{restriction}")
        assert engine.read_line() == "=1"
        visits: list[int] = []
        while len(set(visits)) < 3:  # on a busy machine a report may come before the next visit
            line = engine.read_line()
            visits.append(int(line.split("rootInfo visits ")[1].split()[0]))
            moves = set(re.findall("info move ([A-Z0-9]+)", line))
            assert "avoid" not in restriction or not moves & {"E5", "D4", "C3"}
            assert "allow" not in restriction or moves <= {"E5", "D4", "C3"}
        assert visits == sorted(visits)
        engine.send(f"2 lz-analyze b 100000{restriction}")
        assert engine.read_line() == ""
        assert engine.read_line() == "=2"
        assert engine.read_line().startswith("info move ")
        started = time.perf_counter()
        engine.send("3 name")
        assert engine.read_line() == ""
        assert engine.read_reply().id == "3"
        assert time.perf_counter() - started < SLACK


def test_a_line_without_a_command_ends_an_analysis_too() -> None:
    with EngineProcess() as engine:
        for line in ("", "# interrupt", "\t", "\x00"):
            engine.send("kata-analyze b 1000")
            assert engine.read_line() == "="
            assert engine.read_line().startswith("info move ")
            engine.send(line)
            assert engine.read_line() == ""
            assert engine.ask("3 name").id == "3"


def test_an_analysis_is_repeated_at_its_interval() -> None:
    with EngineProcess() as engine:
        engine.ask("boardsize 9")
        started = time.perf_counter()
        engine.send("kata-analyze b 5")
        engine.read_line()
        for _ in range(11):
            assert engine.read_line().startswith("info move ")
        assert time.perf_counter() - started > 0.4


def test_a_move_with_analysis_is_not_interrupted() -> None:
    with EngineProcess() as engine:
        engine.send("1 kata-genmove_analyze b 10\n\n2 name")
        assert engine.read_reply().text.split("\n")[-1].startswith("play ")
        assert engine.read_reply().id == "2"


def test_it_plays_a_whole_game_from_another_folder(tmp_path: Path) -> None:
    with EngineProcess("--player", "influence", "--seed", "3", folder=tmp_path) as engine:
        engine.ask("boardsize 5")
        moves = [engine.ask(f"genmove {'bw'[number % 2]}").text for number in range(80)]
        assert moves[0] != "pass"
        assert engine.ask("final_score").text[:2] in ("B+", "W+")


def test_what_others_print_does_not_reach_the_client() -> None:
    program = (
        "import sys; from katachi.interfaces.gtp import EngineOptions, run_engine\n"
        "class Chatterbox:\n"
        "    name = 'chatterbox'\n"
        "    def choose(self, game, color, seconds=None): print('hello'); return (0, None)\n"
        "    def close(self): pass\n"
        "sys.exit(run_engine(EngineOptions(make_player=lambda name, seed: Chatterbox())))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        input=b"reg_genmove b\nname\n",
        capture_output=True,
        check=False,
    )
    assert b"hello" not in done.stdout
    assert b"hello" in done.stderr
    assert len(list(split_replies(done.stdout.decode()))) == 2


def test_a_client_that_goes_away_is_no_crash() -> None:
    with subprocess.Popen(
        COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as engine:
        assert engine.stdin is not None
        assert engine.stdout is not None
        assert engine.stderr is not None
        engine.stdout.close()
        engine.stdin.write(b"name\n" * 10)
        engine.stdin.flush()
        assert engine.wait(60) == 0
        assert engine.stderr.read() == b""
        with contextlib.suppress(BrokenPipeError):
            engine.stdin.close()


def test_without_room_for_kernels_every_reply_says_so() -> None:
    environment = {**os.environ, "XDG_CACHE_HOME": "/dev/null/nowhere"}
    environment.pop("NUMBA_CACHE_DIR", None)
    commands = [*sorted(set(COMMANDS) - INSTANT_COMMANDS), "name"]
    done = subprocess.run(
        COMMAND,
        input="\n".join(commands).encode(),
        capture_output=True,
        env=environment,
        check=False,
    )
    *refused, name = split_replies(done.stdout.decode())
    assert len(refused) == len(commands) - 1
    assert {reply.text.partition(" in ")[0] for reply in refused} == {
        "cannot keep compiled kernels"
    }
    assert name.is_success
    assert done.returncode == 1


@pytest.mark.parametrize(
    "arguments",
    [
        *(("--player", "nobody"), ("--size", "1"), ("--size", "26"), ("--compat", "nothing")),
        *(("--ponder",), ("--threads", "2"), ("--player", "tree:alp", "--memory", "0")),
        ("--player", "tree:alp", "--device", "tpu"),
    ],
)
def test_bad_options_are_one_clear_line_and_a_failure(arguments: tuple[str, ...]) -> None:
    done = run("gtp", *arguments)
    assert done.returncode != 0
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1


def test_a_terminated_engine_ends_its_players_program(tmp_path: Path) -> None:
    script = tmp_path / "deaf.sh"
    script.write_text("#!/bin/sh\necho $$ > " + str(tmp_path / "pid") + "\nexec sleep 1000\n")
    script.chmod(0o755)
    command = [sys.executable, "-m", "katachi", "gtp", "--player", f"gtp:{script}"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as engine:
        assert engine.stdin is not None
        engine.stdin.write(b"genmove b\n")
        engine.stdin.flush()
        deadline = time.monotonic() + 60
        while not (tmp_path / "pid").exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        time.sleep(0.2)
        engine.terminate()
        assert engine.wait(20) == 128 + signal.SIGTERM
    pid = int((tmp_path / "pid").read_text())
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
