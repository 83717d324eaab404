"""Names, file names and engines' answers are text, whatever is in them: no markup, no escape
sequence, and nothing that a terminal without UTF-8 could stumble over."""

import ast
import io
import logging
import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from rich.progress import Progress
from rich.table import Table
from rich.text import Text

import katachi
from katachi.files.plain_text import one_line, visible
from katachi.interfaces.console import Console, TextColumn, encode_json
from tests.interfaces.shown import STEERING, Shown
from tests.interfaces.test_cli import run

SOURCES = Path(katachi.__file__).parent
GAMES = Path(__file__).parents[1] / "data" / "gnugo9.sgf"
MARKUP = "[/x] [bold]b :smile:"
WRITTEN_OUT = r"\x1b[31m\x0d\x07\x9b\u202e"
FILE = "[x] [bold]b :smile: \x1b[31m\r\x07\udce9.sgf"
FILE_SHOWN = r"[x] [bold]b :smile: \x1b[31m\x0d\x07\xe9.sgf"
NAME = (MARKUP + STEERING).replace("]", "\\]")
PLAYED = f"(;GM[1]SZ[9]PB[{NAME}]PW[李世石];B[ee];W[cc];B[gg])"


def screen(**options: object) -> tuple[Console, io.StringIO]:
    file = io.StringIO()
    return Console(file=file, width=200, **options), file


def test_a_console_reads_no_markup_and_lets_nothing_steer() -> None:
    console, file = screen()
    grid = Table(title=MARKUP + STEERING, caption=MARKUP)
    grid.add_column(MARKUP + STEERING)
    grid.add_row(MARKUP + STEERING)
    grid.add_row(Text(STEERING))
    console.print(MARKUP + STEERING, style="bold")
    console.print(grid)
    text = file.getvalue()
    assert text.count(MARKUP) == 5
    assert text.count(WRITTEN_OUT) == 4
    assert not set(text) & set("\x1b\r\x07\x9b\u202e")


def test_styles_of_a_console_still_reach_a_terminal() -> None:
    console, file = screen(force_terminal=True, color_system="truecolor", _environ={})
    console.print(f"a{STEERING}", style="bold")
    assert file.getvalue() == f"\x1b[1ma{WRITTEN_OUT}\x1b[0m\n"


def test_lines_of_progress_are_text() -> None:
    console, file = screen(force_terminal=True, _environ={"TERM": "xterm"})
    with Progress(TextColumn("{task.description}"), console=console, auto_refresh=False) as shown:
        shown.add_task(MARKUP + "\x1b]0;title\x07", total=1)
        shown.refresh()
    assert MARKUP + r"\x1b]0;title" in file.getvalue()


def test_nobody_makes_a_console_of_their_own() -> None:
    banned = {"Console", "TextColumn", "print", "get_console"}
    for file in SOURCES.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_bytes())):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("rich"):
                assert not banned & {name.name for name in node.names}, file
            if isinstance(node, ast.Import):
                assert not any(name.name.startswith("rich") for name in node.names), file
            assert not (isinstance(node, ast.Attribute) and node.attr == "from_markup"), file


def test_visible_text_keeps_lines_and_letters() -> None:
    assert visible("李世石\té\n+") == "李世石\té\n+"
    assert visible("a\0\x7f\x85\u2028\ud800\udcff") == r"a\x00\x7f\x85\u2028\ud800\xff"
    assert one_line(" a\r\n b\x1b") == r"a b\x1b"


def test_json_is_one_line_of_utf_8_whatever_is_in_it() -> None:
    assert encode_json({"名": ["\n\x1b", ("é",)]}) == '{"名":["\\n\\u001b",["é"]]}\n'.encode()
    assert (
        encode_json({"a": ["\udce9", {"\ud800": 1}]}) == rb'{"a":["\\udce9",{"\\ud800":1}]}' + b"\n"
    )


def test_rejections_show_what_was_wrong(shown: Shown, tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(b"(;GM[1]SZ[9];B[/a])(;SZ[9];B[zz])(;SZ[9];B[aa])")
    text = shown.by("games", "stats", FILE)
    assert f"{FILE_SHOWN} game 1: move 1 B[/a] is off the board" in text
    assert f"{FILE_SHOWN} game 2: move 1 B[zz] is off the board" in text


def test_names_of_players_are_shown_as_they_are(shown: Shown, tmp_path: Path) -> None:
    (tmp_path / FILE).write_text(PLAYED)
    name = f"{MARKUP}{WRITTEN_OUT}".replace(r"\x0d", " ")  # in SGF the end of a line is a blank
    assert f"{name} - 李世石" in shown.by("games", "show", FILE)


@pytest.mark.parametrize(
    "command",
    [
        ("territory", FILE, "--move", "3", "--player", "random"),
        ("explain", "shape9", FILE, "--move", "3"),
        ("games", "show", FILE, "--move", "1000"),
        ("games", "show", f"no{FILE}"),
        ("evaluate", "alp", FILE, "--size", "19"),
    ],
    ids=lambda command: command[0],
)
def test_commands_name_files_as_they_are(
    shown: Shown, tmp_path: Path, command: tuple[str, ...]
) -> None:
    (tmp_path / FILE).write_text(PLAYED)
    fails = command[0] in ("games", "evaluate")
    text = shown.by(*command, status=1 if fails else 0)
    assert FILE_SHOWN in text or command[0] not in ("territory", "explain")


def test_json_of_commands_names_files_as_they_are(shown: Shown, tmp_path: Path) -> None:
    (tmp_path / FILE).write_text(PLAYED)
    text = shown.by("evaluate", "alp", FILE, "--json")
    assert r'"files":["[x] [bold]b :smile: \u001b[31m\r\u0007\\udce9.sgf"]' in text


def test_models_and_folders_are_named_as_they_are(shown: Shown, tmp_path: Path) -> None:
    out = f"o[/x] {STEERING}"
    settings = ("--size", "2", "--sets", "1x1:LI", "--games", "2", "--test-games", "1")
    text = shown.by("train", "shape", *settings, "--final-games", "1", "--out", out)
    assert f"models, curve and metrics are in o[/x] {WRITTEN_OUT}" in text
    assert f"x] {WRITTEN_OUT}" in shown.by("shapes", out, "--count", "1")
    assert "o[/x]" in shown.by("train", "shape", "--resume", out)


def test_the_list_of_experiments_names_its_folder(shown: Shown, tmp_path: Path) -> None:
    folder = tmp_path / "o[" / "x]"
    folder.mkdir(parents=True)
    (folder / "S1-F4.json").write_text("no result")
    assert "o[/x]/S1-F4.json cannot be read" in shown.by("experiment", "list", "--out", "o[/x]")


ENGINE = """#!/bin/sh
printf '[/y] last words \\033[31m\\n' >&2
while read c a; do case $c in
  genmove) printf '= [/x]\\033[31m\\n\\n';;
  known_command) printf '= false\\n\\n';;
  quit) printf '=\\n\\n'; exit;;
  *) printf '= x\\n\\n';;
esac; done
"""


def test_what_engines_say_is_shown_as_it_is(shown: Shown, tmp_path: Path) -> None:
    (tmp_path / "e.sh").write_text(ENGINE)
    (tmp_path / "e.sh").chmod(0o755)
    terms = ("--games", "1", "--size", "3", "--openings", "0", "--out", "o[/z]")
    text = shown.by("match", "alp", "gtp:./e.sh", *terms)
    assert "[/x]" in text
    assert "games saved in o[/z]/games" in text
    assert "going on after 1 games in o[/z]" in shown.by("match", "alp", "gtp:./e.sh", *terms)


def test_ladders_name_players_as_they_are(shown: Shown, tmp_path: Path) -> None:
    players = "".join(
        f'[[player]]\nname = "{name}"\nspec = "random"\n' for name in ("[/a]", "[bold]:smile:")
    )
    terms = '[ladder]\nname = "[/l]"\nsize = 2\ngames = 2\nopening_moves = 0\n'
    (tmp_path / "r.toml").write_text(terms + players)
    played = shown.by("ladder", "run", "r.toml", "-d", "l[")
    for text in (
        played,
        shown.by("ladder", "show", "-d", "l["),
        shown.by("ladder", "query", "-d", "l["),
    ):
        assert "[/a]" in text
        assert "[bold]:smile:" in text
    assert "[/l]" in played
    assert "[/a]" in shown.by("ladder", "query", "[/a]", "-d", "l[")
    assert "[/a]" in shown.by("ladder", "show", "--markdown", "-d", "l[")
    for more in ((), ("--markdown",)):
        done = run("ladder", "show", "-d", "l[", *more, PYTHONIOENCODING="ascii")
        assert done.returncode == 0, done.stderr
        assert "[/a]" in done.stdout


@pytest.mark.parametrize("encoding", ["latin-1", "ascii"])
def test_terminals_without_utf_8_are_served(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, encoding: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.sgf").write_text(PLAYED)
    commands = [("doctor",), ("games", "show", "a.sgf"), ("evaluate", "alp", "a.sgf")]
    for command in commands:
        done = run(*command, PYTHONIOENCODING=encoding)
        assert done.returncode == 0, done.stderr
        assert done.stdout
        assert "???" in done.stdout or command[0] != "games"


def test_an_engine_logs_where_the_terminal_knows_no_utf_8() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "katachi", "gtp", "--player", "gtp:世"],
        env=os.environ | {"PYTHONIOENCODING": "ascii"},
        input=b"",
        capture_output=True,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr.startswith(b"katachi: no program '?'")


def test_warnings_of_the_library_are_one_line_on_standard_error(
    shown: Shown, capsys: pytest.CaptureFixture[str]
) -> None:
    for _ in range(2):
        shown.by("gui-config", "gogui")
    logging.getLogger("katachi.records.cache").warning("cannot keep\n%s", "a\x1b")
    out, err = capsys.readouterr()
    assert (out, err) == ("", "katachi: cannot keep a\\x1b\n")


def test_not_enough_memory_is_one_line(shown: Shown, monkeypatch: pytest.MonkeyPatch) -> None:
    def greedy() -> None:
        raise MemoryError

    monkeypatch.setattr("katachi.interfaces.cold_start.announce_cold_start", greedy)
    monkeypatch.setattr("katachi.interfaces.cli.games.announce_cold_start", greedy)
    text = shown.by("games", "show", str(GAMES), status=1)
    assert text == "katachi: there is not enough memory for this: ask for less at once\n"


@pytest.mark.parametrize(
    "error",
    [
        torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 40 GiB.\nSee the manual."),
        RuntimeError("[CUresult.CUDA_ERROR_OUT_OF_MEMORY] Call to cuMemAlloc results in it"),
    ],
)
def test_a_full_gpu_is_one_line(
    shown: Shown, monkeypatch: pytest.MonkeyPatch, error: RuntimeError
) -> None:
    def greedy() -> None:
        raise error

    monkeypatch.setattr("katachi.interfaces.cli.games.announce_cold_start", greedy)
    text = shown.by("games", "show", str(GAMES), status=1)
    assert text == "katachi: the GPU has not enough memory for this: ask for less at once\n"


@pytest.mark.parametrize("said", ["", "\n\n", "\udcff[/x]\n"])
def test_the_doctor_hears_what_nvidia_smi_says(
    shown: Shown, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: str
) -> None:
    program = tmp_path / "nvidia-smi"
    program.write_bytes(
        b"#!/bin/sh\nprintf '%s' '" + said.encode(errors="surrogateescape") + b"'\n"
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    text = shown.by("doctor")
    assert ("[/x]" if "x" in said else "nvidia-smi names none") in text
