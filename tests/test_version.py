"""What katachi says of itself."""

import re
from pathlib import Path

import pytest

from katachi import __version__
from katachi.interfaces import cli

ROOT = Path(__file__).parents[1]


def test_the_version_is_printed_with_the_commit(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("KATACHI_COMMIT", "0123456789ab")
    monkeypatch.setattr("sys.argv", ["katachi", "--version"])
    cli.main()
    assert capsys.readouterr().out == f"{__version__} (0123456789ab)\n"


def test_outside_of_its_repository_katachi_names_no_commit(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("KATACHI_COMMIT", raising=False)
    monkeypatch.setattr(cli, "REPOSITORY", tmp_path)
    assert cli.version_text() == __version__


def test_the_citation_has_the_version() -> None:
    text = (ROOT / "CITATION.cff").read_text()
    assert re.search(rf"^version: {re.escape(__version__)}$", text, re.MULTILINE)
