"""What tests of the interfaces may ask for."""

from pathlib import Path

import pytest

from tests.interfaces.shown import Shown


@pytest.fixture
def shown(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> Shown:
    monkeypatch.chdir(tmp_path)
    return Shown(monkeypatch, capsys)
