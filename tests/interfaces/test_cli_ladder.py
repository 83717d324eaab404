"""`katachi ladder` as a person runs it."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from sgfmill import sgf

from katachi.arena.database import Database
from katachi.arena.report import read_report
from tests.arena.shell_engines import write_engine
from tests.interfaces.test_cli import complaint, run

ROSTER = """
[ladder]
name = "small ladder"
size = 5
opening_moves = 2
games = 6
[[player]]
name = "random"
spec = "random"
anchor = -170
[[player]]
name = "alp"
spec = "alp"
[[player]]
name = "pachi"
spec = "gtp:no-such-pachi"
optional = true
"""


@pytest.fixture(scope="module")
def ladder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The database of a small ladder that was run to its end."""
    folder = tmp_path_factory.mktemp("ladder")
    (folder / "roster.toml").write_text(ROSTER)
    database = folder / "ladder.db"
    done = run("ladder", "run", str(folder / "roster.toml"), "--database", str(database))
    assert done.returncode == 0, done.stderr
    assert "pachi is left out: no program 'no-such-pachi' on the PATH" in done.stderr
    assert "small ladder" in done.stdout
    return database


def test_show_prints_ranking_and_cross_table(ladder: Path) -> None:
    done = run("ladder", "show", "--database", str(ladder))
    assert done.returncode == 0
    assert "alp" in done.stdout
    assert "anchor" in done.stdout
    assert "points out of games" in done.stdout
    assert done.stdout.count("/6") == 2


def test_show_writes_files(ladder: Path, tmp_path: Path) -> None:
    picture, results = tmp_path / "a.svg", tmp_path / "a.json"
    arguments = ("--markdown", "--svg", str(picture), "--json", str(results))
    done = run("ladder", "show", "--database", str(ladder), *arguments)
    assert done.stdout.startswith("## small ladder\n\n|")
    assert picture.read_text().startswith("<svg ")
    assert read_report(results).games == 6


def test_query_lists_games_and_prints_one(ladder: Path) -> None:
    done = run("ladder", "query", "random", "alp", "--database", str(ladder), "--last", "4")
    assert len(done.stdout.splitlines()) == 5
    done = run("ladder", "query", "alp", "--database", str(ladder))
    assert "random" in done.stdout
    done = run("ladder", "query", "--database", str(ladder), "--sgf", "2")
    assert sgf.Sgf_game.from_string(done.stdout).get_size() == 5


def test_running_again_plays_nothing_and_more_games_only_the_rest(ladder: Path) -> None:
    roster = str(ladder.parent / "roster.toml")
    run("ladder", "run", roster, "--database", str(ladder))
    with Database(ladder) as database:
        assert database.count_games() == 6
    run("ladder", "run", roster, "--database", str(ladder), "--games", "8")
    with Database(ladder) as database:
        assert database.count_games() == 8


def test_a_report_is_enough_to_go_on(ladder: Path, tmp_path: Path) -> None:
    report, database = tmp_path / "old.json", tmp_path / "new.db"
    run("ladder", "show", "--database", str(ladder), "--json", str(report))
    games = read_report(report).games
    arguments = ("-d", str(database), "--earlier", str(report), "--games", str(games + 2))
    done = run("ladder", "run", str(ladder.parent / "roster.toml"), *arguments)
    assert done.returncode == 0, done.stderr
    assert f"{games} of the games are those of an earlier report" in done.stdout
    with Database(database) as opened:
        assert opened.count_games() == 2


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("run", "none.toml", "--database", "x.db"), "none.toml: No such file"),
        (("run", "{roster}", "--database", "{roster}"), "is not a database"),
        (("run", "{roster}", "--database", "x.db", "--workers", "0"), "0 workers"),
        (("run", "{roster}", "--database", "x.db", "--games", "0"), "--games: 0 games"),
        (("run", "{roster}", "--database", "x.db", "--hours", "nan"), "nan hours"),
        (("run", "{roster}", "--database", "x.db", "--earlier", "{roster}"), "is not the report"),
        (("run", "{roster}", "--database", "x.db", "--same", "alp"), "add --earlier FILE"),
        (("show", "--database", "none.db"), "none.db: there is no such ladder database"),
        (("query", "nobody", "--database", "{ladder}"), "no player 'nobody' (known: random, alp)"),
        (("query", "--sgf", "99", "--database", "{ladder}"), "has no game 99"),
    ],
)
def test_bad_input_is_one_clear_line(ladder: Path, arguments: tuple[str, ...], words: str) -> None:
    places = {"roster": str(ladder.parent / "roster.toml"), "ladder": str(ladder)}
    assert words in complaint("ladder", *(word.format(**places) for word in arguments))


def interrupt(process: subprocess.Popen[str]) -> str:
    """What a command says that is interrupted, again if need be, as a person would."""
    try:
        for _ in range(4):
            process.send_signal(signal.SIGINT)
            with contextlib.suppress(subprocess.TimeoutExpired):
                return process.communicate(timeout=30)[1]
        return "never ended"
    finally:
        if process.poll() is None:
            process.kill()
            process.communicate()


def test_an_interrupt_keeps_every_finished_game(tmp_path: Path) -> None:
    roster, path = tmp_path / "roster.toml", tmp_path / "ladder.db"
    roster.write_text(ROSTER.replace("games = 6", "games = 100000"))
    first = tmp_path / "first.toml"
    first.write_text(ROSTER)
    # An interrupt inside the compiler may be lost.
    assert run("ladder", "run", str(first), "-d", str(tmp_path / "first.db")).returncode == 0
    command = [sys.executable, "-m", "katachi", "ladder", "run", str(roster), "-d", str(path)]
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"TERM": "dumb"},
        # A shell may start a job with interrupts ignored, and that is inherited.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509
    )
    end = time.monotonic() + 120
    while time.monotonic() < end and not (path.exists() and path.stat().st_size > 60_000):
        time.sleep(0.05)
    errors = interrupt(process)
    assert process.returncode == 130, errors
    assert errors.splitlines()[-1] == "katachi: interrupted"
    assert "games are kept: run it again to go on" in errors
    with Database(path) as database:
        database.check()
        assert database.count_games() > 5
        assert len(database.rating_history("alp")) == 1


def test_a_referee_that_does_not_start_is_reported_before_the_first_game(tmp_path: Path) -> None:
    roster = tmp_path / "roster.toml"
    roster.write_text(ROSTER.replace("size = 5", 'size = 5\nreferee = "no-such-referee"'))
    done = run("ladder", "run", str(roster), "--database", str(tmp_path / "l.db"))
    assert done.returncode == 1
    assert "the referee 'no-such-referee': there is no such program" in done.stderr
    with Database(tmp_path / "l.db") as database:
        assert database.count_games() == 0


def test_a_referee_that_fails_later_is_reported(tmp_path: Path) -> None:
    roster = tmp_path / "roster.toml"
    once = f"[ -e {tmp_path}/mark ] && exit 3; touch {tmp_path}/mark; echo '= B+1'"
    referee = write_engine(tmp_path / "engine", final_score=once)
    roster.write_text(ROSTER.replace("size = 5", f'size = 5\nreferee = "{referee}"'))
    done = run("ladder", "run", str(roster), "--database", str(tmp_path / "l.db"), "--games", "2")
    assert done.returncode == 0
    assert done.stderr.count("counted by area, for the referee failed") == 2
    assert "ended with status 3" in done.stderr
