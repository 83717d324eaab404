"""The demo on the page."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from katachi.errors import KatachiError
from katachi.interfaces.cli import demo as module
from katachi.interfaces.cli.demo import demo
from katachi.interfaces.web import serving
from katachi.interfaces.web.run_shelf import RunShelf


@pytest.fixture(autouse=True)
def is_warm(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(module, "compile_kernels", lambda *_: 0.0)
    monkeypatch.chdir(tmp_path)


def test_the_demo_begins_a_run_and_opens_the_page_where_it_is_shown(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    begun: list[tuple[str, int]] = []

    def serve(_made: Any, _address: Any, folder: Path, announce: Callable[[], None]) -> None:
        assert folder == Path.cwd()
        announce()

    def start(_: RunShelf, preset: str, seed: int) -> Path:
        begun.append((preset, seed))
        return Path()

    monkeypatch.setattr(serving, "serve", serve)
    monkeypatch.setattr(RunShelf, "start", start)
    monkeypatch.delenv("DISPLAY", raising=False)
    demo(web=True, seed=7)
    assert begun == [("shape5", 7)]
    assert capsys.readouterr().out.strip().endswith("/#learning")


def test_the_page_has_a_run_of_its_own() -> None:
    with pytest.raises(KatachiError, match="no other option"):
        demo(web=True, size=9)
    with pytest.raises(KatachiError, match="seed -1"):
        demo(web=True, seed=-1)
