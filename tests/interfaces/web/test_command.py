"""`katachi web` as a process."""

import signal
import subprocess
import sys
import threading
import webbrowser
from pathlib import Path

import httpx
import pytest

from katachi.errors import KatachiError
from katachi.interfaces.cli import web
from katachi.interfaces.web.warming import Warming
from tests.interfaces.web.conftest import wait_until

QUICK = (
    "import sys; from katachi.interfaces.web.warming import Warming; "
    "Warming.run = lambda self, can_work: can_work.set(); "
    "from katachi.interfaces.cli import main; sys.argv = ['katachi', *sys.argv[1:]]; main()"
)
"""The command, but for compiling in the background."""


def start(folder: Path) -> "subprocess.Popen[str]":
    command = [sys.executable, "-c", QUICK, "web", "--port", "0", "--no-open"]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, cwd=folder)


def test_the_address_is_printed_once_it_answers_and_an_interrupt_ends_it(tmp_path: Path) -> None:
    with start(tmp_path) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        address = process.stdout.readline().strip()
        try:
            assert httpx.get(address).status_code == 200
            assert httpx.get(f"{address}api/v1/hello", timeout=60).json()["result"]["api"] == 1
        finally:
            process.send_signal(signal.SIGINT)
        assert process.wait(60) == 0
        assert process.stdout.read() == ""
        assert process.stderr.read() == ""


def test_other_machines_need_the_address_that_is_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("katachi.interfaces.web.serving.serve", lambda *_: _[-1]())
    assert web.web(host="0.0.0.0", port=0, open_browser=False, folder=tmp_path) == 0
    printed = capsys.readouterr()
    assert "/?token=" in printed.out
    assert printed.err.startswith("katachi: warning: other machines can reach this page")
    with pytest.raises(KatachiError, match="there is no such folder"):
        web.web(folder=tmp_path / "none")


def test_a_browser_is_opened_only_where_there_are_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    monkeypatch.setattr(sys, "platform", "linux")
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    web._open("one")
    monkeypatch.setenv("DISPLAY", ":0")
    web._open("two")
    assert wait_until(lambda: opened == ["two"])


def test_what_is_compiled_is_said_and_then_done(monkeypatch: pytest.MonkeyPatch) -> None:
    place = "katachi.interfaces.web.warming"
    kept: list[str] = []
    monkeypatch.setattr(f"{place}.check_cache", lambda part: part in kept)
    monkeypatch.setattr(f"{place}.mark_warm", kept.append)
    seen = []
    warming = Warming()
    assert warming.compiling is not None

    def run_steps(steps: object, forecast: object, cores: object, show: object) -> None:
        assert steps
        show(0.5, 7.0)  # type: ignore[operator]
        seen.append(warming.compiling)

    monkeypatch.setattr(f"{place}.run_steps", run_steps)
    can_work = threading.Event()
    warming.run(can_work)
    assert can_work.is_set()
    assert kept == ["web", "complete"]
    assert [(each["done"], each["of"]) for each in seen if each] == [(50, 100), (50, 100)]
    assert seen[0]["what"] == "compiling what the board needs, this once: about 7 s left"  # type: ignore[index]
    assert warming.compiling is None


def test_compiling_ends_with_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("katachi.interfaces.web.warming.check_cache", lambda _: False)
    warming = Warming()
    warming.end()
    can_work = threading.Event()
    warming.run(can_work)
    assert not can_work.is_set()
