"""`katachi cgos` as people start it."""

import asyncio
import contextlib
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from katachi.errors import KatachiError
from katachi.interfaces.cli.cgos import (
    PASSWORD_VARIABLE,
    end_on_signals,
    read_password,
    write_log,
)
from tests.interfaces.cgos.playground import PASSWORD

pytestmark = pytest.mark.timeout(300)
RUN = "from katachi.interfaces.cli.cgos import app; import sys; sys.exit(app(sys.argv[1:]))"
HURRY = ("--first-look", "0.2", "--look-every", "0.2", "--pause", "0.1")


@contextlib.contextmanager
def command(*words: str) -> Iterator["subprocess.Popen[str]"]:
    """A running command whose log can be read; it is ended in any case."""
    environment = {**os.environ, PASSWORD_VARIABLE: PASSWORD}
    process = subprocess.Popen(
        (sys.executable, "-c", RUN, *words),
        stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        assert process.stderr is not None
        process.stderr.close()


def read_until(process: "subprocess.Popen[str]", pattern: str) -> re.Match[str]:
    """The first line of the log that matches."""
    assert process.stderr is not None
    lines = []
    for line in process.stderr:
        lines.append(line)
        if found := re.search(pattern, line):
            return found
    raise AssertionError(f"ended before {pattern!r}: {lines}")


def test_serve_and_connect_play_and_end_when_asked(tmp_path: Path) -> None:
    with command(
        "serve", "--port", "0", "--folder", str(tmp_path), *HURRY, "--size", "5"
    ) as server:
        port = read_until(server, r"listening on 127\.0\.0\.1 port (\d+)")[1]
        with (
            command("connect", "--port", port, "--name", "one", "--games", "1") as one,
            command("connect", "--port", port, "--name", "two", "--player", "random") as two,
        ):
            read_until(one, r"played 1 games: \S+")
            assert one.wait(60) == 0
            read_until(two, "game over")
            two.send_signal(signal.SIGTERM)
            read_until(two, "played 1 games")
            assert two.wait(60) == 0
        server.send_signal(signal.SIGINT)
        assert server.wait(60) == 0
    [path] = tmp_path.glob("sgf/*/1.sgf")
    assert b"PB[" in path.read_bytes()


@pytest.mark.slow
def test_an_interrupt_lets_the_game_end() -> None:
    with command("serve", "--port", "0", *HURRY, "--size", "13") as server:
        port = read_until(server, r"port (\d+)")[1]
        with (
            command("connect", "--port", port, "--name", "one") as one,
            command("connect", "--port", port, "--name", "two") as two,
        ):
            for process in (one, two):
                read_until(process, "game 1")
            for process in (one, two):
                process.send_signal(signal.SIGINT)
            for process in (one, two):
                read_until(process, r"game over: [BW]\+[\d.]+|Draw")
                assert process.wait(60) == 0


@pytest.mark.slow
def test_a_killed_server_goes_on_where_it_was(tmp_path: Path) -> None:
    words = ("--folder", str(tmp_path), *HURRY, "--size", "19")
    with command("serve", "--port", "0", *words) as server:
        port = read_until(server, r"port (\d+)")[1]
        with (
            command("connect", "--port", port, "--name", "one", "--games", "1") as one,
            command("connect", "--port", port, "--name", "two", "--games", "1") as two,
        ):
            read_until(one, "game 1")
            time.sleep(1.0)
            server.kill()
            server.wait()
            with command("serve", "--port", port, *words):
                moves = int(read_until(one, r"resumed after (\d+) moves")[1])
                assert moves > 0
                for process in (one, two):
                    read_until(process, r"played 1 games: [BW]\+[\d.]+")
                    assert process.wait(60) == 0
    assert len(list(tmp_path.glob("sgf/*/*.sgf"))) == 1


def test_the_password_comes_from_a_file_or_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "password"
    file.write_text("filed\n")
    monkeypatch.setenv(PASSWORD_VARIABLE, "environ")
    assert read_password(file) == "filed"
    assert read_password(None) == "environ"
    monkeypatch.delenv(PASSWORD_VARIABLE)
    with pytest.raises(KatachiError, match="password-file"):
        read_password(None)
    with pytest.raises(KatachiError, match="cannot read"):
        read_password(tmp_path / "nothing")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_politely(number: signal.Signals) -> None:
    async def wait() -> None:
        end = asyncio.Event()
        end_on_signals(end.set)
        os.kill(os.getpid(), number)
        async with asyncio.timeout(30):
            await end.wait()

    before = signal.signal(number, signal.SIG_DFL)  # The tests may be run by nohup.
    try:
        asyncio.run(wait())
    finally:
        signal.signal(number, before)


def test_a_hang_up_that_is_ignored_stays_ignored() -> None:
    async def wait() -> None:
        end_on_signals(lambda: pytest.fail("it was not ignored"))
        os.kill(os.getpid(), signal.SIGHUP)
        await asyncio.sleep(0.01)

    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        asyncio.run(wait())
    finally:
        signal.signal(signal.SIGHUP, before)


def test_a_log_without_a_terminal_is_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    class Gone:
        def write(self, _text: str) -> None:
            raise OSError(5, "Input/output error")

    monkeypatch.setattr(sys, "stderr", Gone())
    write_log("nobody reads this")


def test_no_option_takes_a_password() -> None:
    with command("connect", "--port", "1", "--name", "one", "--password", "x") as process:
        assert process.wait(60) != 0


def test_help_is_quick_and_loads_no_compiler() -> None:
    code = (
        "import sys\nfrom katachi.interfaces.cli.cgos import app\n"
        "assert 'numba' not in sys.modules\nassert 'katachi.rules.game' not in sys.modules"
    )
    begin = time.monotonic()
    subprocess.run((sys.executable, "-c", code), check=True)
    assert time.monotonic() - begin < 10
