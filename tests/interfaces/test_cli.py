"""The command as a person runs it: what it shows, exit codes, one line for what is wrong."""

import io
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from inspect import signature
from pathlib import Path

import pytest

from katachi.interfaces.cli import main
from katachi.interfaces.cli.cgos import connect
from katachi.interfaces.cli.engine import analysis, gtp, gui_config
from katachi.interfaces.gtp import EngineOptions
from katachi.players.kinds import DEFAULT_PLAYER
from katachi.players.names import check_player_name
from tests.interfaces.shown import Shown
from tests.players.finished_runs import write_shape_run

GAMES = Path(__file__).parents[1] / "data" / "gnugo9.sgf"


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """What a command shows and how it ends, within this process: a start takes seconds."""
    encoding, _, errors = environment.get("PYTHONIOENCODING", "utf-8").partition(":")
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding, errors or "strict") for _ in range(2))
    status: object = 0
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
        patch.setattr(sys, "argv", ["katachi", *arguments])
        for name, value in ({"TERM": "dumb", "COLUMNS": "100"} | environment).items():
            patch.setenv(name, value)
        try:
            main()
        except SystemExit as end:
            status = end.code or 0
    assert isinstance(status, int)
    return subprocess.CompletedProcess(arguments, status, text_of(out), text_of(err))


def text_of(stream: io.TextIOWrapper) -> str:
    """All that was written, as a pipe would give it."""
    stream.seek(0)
    return stream.read()


def run_process(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """The same by a process of its own."""
    command = [sys.executable, "-m", "katachi", *arguments]
    variables = os.environ | {"TERM": "dumb", "COLUMNS": "100"} | environment
    return subprocess.run(
        command, capture_output=True, text=True, timeout=300, env=variables, check=False
    )


def is_waiting(line: str) -> bool:
    """Whether a line only says that something is under way, as may happen on a slow machine."""
    return any(words in line for words in ("first start", "reading the games", "starting "))


def complaint(*arguments: str) -> str:
    """The one line of a command that must fail."""
    return complaint_of(run(*arguments))


def complaint_of(done: subprocess.CompletedProcess[str]) -> str:
    """The one line that it says."""
    lines = [line for line in done.stderr.splitlines() if not is_waiting(line)]
    assert done.returncode != 0
    assert len(lines) == 1, done.stderr
    assert lines[0].startswith("katachi: ")
    return lines[0]


@pytest.mark.parametrize("statement", ["import katachi", "import katachi.interfaces.cli"])
def test_importing_is_cheap(statement: str) -> None:
    code = f"{statement}; import sys; print([m for m in ('numba', 'torch') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_public_names_load_on_first_use() -> None:
    code = "import katachi; print(katachi.Game(5).size, sorted(katachi.__all__) == dir(katachi))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "5 True"


def test_help_needs_neither_numba_nor_torch() -> None:
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "katachi", "--help"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "gtp" in done.stdout
    imported = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert not imported & {"numba", "torch"}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("gtp", "--player", "nobody"), "no player 'nobody': `katachi players` lists all"),
        (("gtp", "--player", "gtp:no-such-engine"), "no program 'no-such-engine'"),
        (("gtp", "--size", "1"), "board size 1 is not playable: use 2 to 25"),
        (("gtp", "--size", "26"), "board size 26 is not playable: use 2 to 25"),
        (("demo", "--size", "26"), "board size 26 is not playable"),
        (("analysis", "--player", "nobody"), "no player 'nobody'"),
        (("games", "show", "no-such-file.sgf"), "no-such-file.sgf"),
        (("games", "show", str(GAMES), "--game", "61"), "holds 60 games"),
        (("games", "show", str(GAMES), "--move", "999"), "no move 999"),
        (("games", "stats"), "no file"),
        (("gui-config", "notepad"), "no client 'notepad': choose from sabaki"),
        (("nonsense",), "nonsense"),
        (("gtp", "--komi", "many"), "many"),
        (("gtp", "--komi", "nan"), "komi nan is not playable"),
        (("gtp", "--time", "-1"), "seconds a move"),
    ],
)
def test_bad_input_is_one_clear_line(arguments: tuple[str, ...], words: str) -> None:
    assert words in complaint(*arguments)


def test_a_real_process_ends_with_the_same_line_and_status() -> None:
    for arguments in (("nonsense",), ("games", "stats")):
        done = run_process(*arguments)
        assert complaint_of(done) == complaint(*arguments)
        assert done.returncode == run(*arguments).returncode


def test_an_unreadable_game_is_named_with_file_and_number(tmp_path: Path) -> None:
    broken = tmp_path / "broken.sgf"
    broken.write_text("(;GM[1]SZ[9];B[aa];W[bb])(;GM[1]SZ[9];B[zz")
    done = run("games", "stats", str(broken))
    assert "1 games" in done.stdout
    assert "broken.sgf game 2" in done.stdout


def test_a_file_without_games_fails_with_the_reason(tmp_path: Path) -> None:
    nothing = tmp_path / "nothing.sgf"
    nothing.write_text("no game here")
    for command in ("stats", "show"):
        assert "nothing.sgf game 1" in complaint("games", command, str(nothing))


def test_show_counts_games_as_the_file_does(tmp_path: Path) -> None:
    file = tmp_path / "three.sgf"
    file.write_text("(;GM[1]SZ[9];B[zz])\n(;GM[1]SZ[9];B[aa])\n(;GM[1]SZ[9];B[bb];W[cc])\n")
    assert "three.sgf game 1" in complaint("games", "show", str(file), "--game", "1")
    assert "move 2 of 2" in run("games", "show", str(file), "--game", "3").stdout


def test_show_draws_the_position() -> None:
    done = run("games", "show", str(GAMES), "--game", "1", "--move", "20")
    assert done.returncode == 0
    assert "A B C D E F G H J" in done.stdout
    assert "move 20 of" in done.stdout


def test_stats_counts_the_games() -> None:
    done = run("games", "stats", str(GAMES))
    assert "60 games" in done.stdout
    assert "9x9" in done.stdout


def test_demo_learns_until_both_agents_are_tested_and_shows_shapes() -> None:
    done = run("demo", "--games", "4000", "--seconds", "20")
    assert done.returncode == 0, done.stderr
    assert "agent 2" in done.stdout
    assert "v ALP" in done.stdout
    assert "wins by" in done.stdout
    assert "Best of the moves it has often made:" in done.stdout
    assert "Worst:" in done.stdout
    assert "katachi train shape --size 5 --out RUN" in done.stdout
    assert done.stdout.rstrip().endswith("katachi web")


def test_doctor_finds_what_is_here() -> None:
    done = run("doctor")
    assert done.returncode == 0, done.stderr
    assert "numba" in done.stdout
    assert "kernels" in done.stdout


@pytest.fixture
def without_numba(tmp_path: Path) -> str:
    """A folder that hides Numba from a program that looks there first."""
    (tmp_path / "numba.py").write_text("raise ImportError('no compiler in this house')")
    return str(tmp_path)


def test_doctor_reports_where_numba_cannot_be_imported(without_numba: str) -> None:
    done = run_process("doctor", PYTHONPATH=without_numba, COLUMNS="400")
    assert done.returncode != 0
    assert "no compiler in this house" in done.stdout
    assert done.stderr.splitlines() == ["katachi: 1 thing(s) to fix: kernels"]


def test_a_command_without_its_packages_points_to_the_doctor(without_numba: str) -> None:
    line = complaint_of(run_process("demo", PYTHONPATH=without_numba))
    assert line == "katachi: no compiler in this house: run `katachi doctor` to see what is missing"


@pytest.mark.parametrize("client", ["sabaki", "gogui", "katrain", "lizzie", "q5go", "qgo"])
def test_every_client_has_an_entry_that_starts_the_engine(client: str) -> None:
    done = run("gui-config", client)
    assert done.returncode == 0
    assert ("analysis" if client == "katrain" else "gtp") in done.stdout
    assert Path(next(w for w in done.stdout.split() if w.endswith("katachi"))).exists()
    assert done.stdout.startswith(f"player: {DEFAULT_PLAYER} (")
    assert f"--player {DEFAULT_PLAYER}" in done.stdout
    assert "Run `katachi warmup` once" in done.stdout


def test_katrain_is_made_to_end_with_the_engine(capsys: pytest.CaptureFixture[str]) -> None:
    gui_config("katrain")
    shown = capsys.readouterr().out
    assert "Custom command" in shown
    assert re.search(r"\n  exec \S+ analysis --player territory\n", shown)


def test_a_client_is_given_the_whole_path_of_a_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    write_shape_run(tmp_path / "run")
    for player in ("run", "shape:run"):
        gui_config("gogui", player=player)
        assert f"--player {player.replace('run', str(tmp_path / 'run'))}" in capsys.readouterr().out


def test_qgo_is_given_a_script_that_it_takes_for_gnugo(capsys: pytest.CaptureFixture[str]) -> None:
    gui_config("qgo")
    shown = capsys.readouterr().out
    assert "/katachi-gnugo\n" in shown


def test_the_player_is_the_same_everywhere_unless_named() -> None:
    for command in (gtp, analysis, gui_config, connect):
        assert signature(command).parameters["player"].default == DEFAULT_PLAYER
    assert EngineOptions().player == DEFAULT_PLAYER
    check_player_name(DEFAULT_PLAYER)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--player", "shape:nosuch"), "no model 'nosuch'"),
        (("--player", "territory:shape9"), "shape9 holds a model of kind 'local shape'"),
        (("--player", "shape:shape9", "--size", "13"), "shape9 is for 9x9 boards, not 13x13"),
    ],
)
def test_gtp_refuses_a_wrong_model_before_the_first_command(
    shown: Shown, arguments: tuple[str, ...], words: str
) -> None:
    [line] = shown.by("gtp", *arguments, status=1).splitlines()
    assert words in line


def test_gtp_starts_on_the_board_of_its_model(
    shown: Shown, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    started: list[EngineOptions] = []
    monkeypatch.setattr("katachi.interfaces.gtp.run_engine", started.append)
    write_shape_run(tmp_path / "run")
    text = shown.by("gtp", "--player", "run")
    assert text == "katachi: run is a training run: its best model, agent-2, plays\n"
    shown.by("gtp")
    assert [options.size for options in started] == [5, 19]


@pytest.mark.slow
def test_a_cold_start_says_so_and_the_second_does_not(tmp_path: Path) -> None:
    """A folder of its own for compiled kernels: `warmup` fills it once."""
    cold = run_process("warmup", XDG_CACHE_HOME=str(tmp_path))
    assert cold.returncode == 0, cold.stderr
    assert "compiled and kept" in cold.stderr
    warm = run_process("warmup", XDG_CACHE_HOME=str(tmp_path))
    assert "compiled already" in warm.stderr
    probe = "import katachi._jit as j; print(j.is_warm())"
    done = subprocess.run(
        [sys.executable, "-c", probe],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"XDG_CACHE_HOME": str(tmp_path)},
    )
    assert done.stdout.strip() == "True"


@pytest.fixture
def full_disk(tmp_path: Path) -> Iterator[str]:
    """A folder on a file system without room; needs the right to mount one."""
    folder = tmp_path / "full"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=32k", "tmpfs", str(folder)],
        capture_output=True,
        check=False,
    )
    if mounted.returncode:
        pytest.skip("needs the right to mount a small file system")
    yield str(folder)
    subprocess.run(["umount", str(folder)], check=True)


def test_a_full_disk_for_the_cache_is_one_clear_line(full_disk: str) -> None:
    line = complaint_of(run_process("warmup", XDG_CACHE_HOME=full_disk))
    assert "XDG_CACHE_HOME" in line
    left = [f for f in Path(full_disk).rglob("*") if f.is_file()]
    assert left == []


def test_a_cache_folder_that_cannot_be_made_is_one_clear_line(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    done = run_process("demo", XDG_CACHE_HOME=str(blocked))
    assert "XDG_CACHE_HOME" in complaint_of(done)


@pytest.mark.parametrize(
    ("asked", "threads"),
    [({}, 1), ({"OPENBLAS_NUM_THREADS": "2"}, 2), ({"OMP_NUM_THREADS": "2"}, 2)],
)
def test_products_of_nets_take_one_core_unless_the_user_says_otherwise(
    asked: dict[str, str], threads: int
) -> None:
    pytest.importorskip("threadpoolctl")
    code = (
        "import sys; from katachi.interfaces.cli import main; sys.argv = ['katachi', '--version']; "
        "main(); import numpy; from threadpoolctl import threadpool_info; "
        "print(*(each['num_threads'] for each in threadpool_info() if each['user_api'] == 'blas'))"
    )
    others = {
        name: each
        for name, each in os.environ.items()
        if not name.endswith(("_THREADS", "_ONE_CORE"))
    }
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=others | asked, check=True
    )
    assert done.stdout.splitlines()[-1] == str(min(threads, os.cpu_count() or 1))
