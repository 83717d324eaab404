"""The engine outlives whatever it is sent."""

import threading
from pathlib import Path

import pytest

from tests.interfaces.gtp.conversation import EngineProcess
from tests.interfaces.gtp.hostile_input import hostile_files, hostile_lines, is_answered

LINES = 20_000
FILES = 200
WARM_UP_LINES = 3000
WARM_UP_FILES = 25
ALLOWED_GROWTH = 16 << 20
MARK = "31337"


def send_all(engine: EngineProcess, lines: list[bytes]) -> int:
    """Sends lines and then a mark; returns how many replies came before the mark's."""
    data = b"\n".join([*lines, f"{MARK} name".encode(), b""])
    sender = threading.Thread(target=engine.stdin.write, args=(data,))
    sender.start()
    count = 0
    while (reply := engine.read_reply()).id != MARK:
        assert not reply.text.startswith("internal error"), reply.text
        count += 1
    sender.join()
    engine.stdin.flush()
    return count


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_hostile_lines_and_files_are_answered_once_in_form_in_flat_memory(tmp_path: Path) -> None:
    games = tmp_path / "games"
    games.mkdir()
    with EngineProcess("--player", "alp", "--seed", "1", folder=tmp_path) as engine:
        commands = engine.ask("list_commands").text.split("\n")
        lines = hostile_lines(LINES + WARM_UP_LINES, commands, seed=1)
        loads = [f"loadsgf {path}".encode() for path in hostile_files(FILES, games, seed=1)]
        send_all(engine, lines[:WARM_UP_LINES] + loads[:WARM_UP_FILES])
        before = engine.resident_bytes
        rest = lines[WARM_UP_LINES:]
        assert send_all(engine, rest) == sum(is_answered(line) for line in rest)
        assert send_all(engine, loads) == FILES
        grown = engine.resident_bytes - before
        assert grown <= ALLOWED_GROWTH, f"{grown >> 20} MiB more"
        assert engine.ask("8 protocol_version") == (True, "8", "2")
        engine.stdin.close()
        assert engine.process.wait(60) == 0
