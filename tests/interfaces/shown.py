"""Commands as a person sees them, run in this process."""

import sys

import pytest

from katachi.interfaces.cli import main

STEERING = "\x1b[31m\r\x07\x9b\u202e"
"""What would steer a terminal."""


class Shown:
    """What commands show, in this process."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self.patch, self.capsys = monkeypatch, capsys
        self.patch.setenv("COLUMNS", "300")

    def by(self, *arguments: str, status: int = 0) -> str:
        """All that a command writes; nothing in it may steer a terminal."""
        self.patch.setattr(sys, "argv", ["katachi", *arguments])
        code: object = 0
        try:
            main()
        except SystemExit as end:
            code = end.code or 0
        out, err = self.capsys.readouterr()
        assert code == status, err
        assert not set(out + err) & set(STEERING) - set("[31m"), repr(out + err)
        return str(out + err)
