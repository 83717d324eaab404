"""The journal of an experiment: one line a finished run, kept as soon as it is done.

Runs do not know each other, so journals of several machines are merged by writing them one after
another into one file.
"""

import os
from pathlib import Path

import msgspec


class Line(msgspec.Struct, frozen=True):
    """One finished run."""

    experiment: str
    key: str
    """Stands for everything that decides the outcome: settings, seed and what the code does."""
    setting: str
    run: int
    seconds: float
    made: dict[str, str]
    """Versions and machine."""
    measured: msgspec.Raw


class Journal:
    """A file of lines. A line that cannot be read, as one cut short, stands for no run."""

    def __init__(self, path: Path) -> None:
        """Opens or begins the file; raises OSError."""
        self.path = path
        self.unreadable = 0
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("ab") as file:
            if file.tell() and not _ends_line(path):
                file.write(b"\n")

    def read(self) -> list[Line]:
        """All lines, in order; the unreadable ones are counted."""
        self.unreadable = 0
        lines = []
        with self.path.open("rb") as file:
            for text in file:
                try:
                    lines.append(msgspec.json.decode(text, type=Line))
                except (msgspec.MsgspecError, UnicodeDecodeError):
                    self.unreadable += bool(text.strip())
        return lines

    def add(self, line: Line) -> None:
        """Appends a line, which is on the disk when this returns; raises OSError."""
        with self.path.open("ab", buffering=0) as file:
            file.write(msgspec.json.encode(line) + b"\n")
            os.fsync(file.fileno())


def _ends_line(path: Path) -> bool:
    with path.open("rb") as file:
        file.seek(-1, os.SEEK_END)
        return file.read(1) == b"\n"
