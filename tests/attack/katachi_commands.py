"""The command line as a person runs it: a process of its own, watched from outside."""

import hashlib
import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple


class Done(NamedTuple):
    """How a command ended."""

    status: int
    output: str
    errors: str

    @property
    def reports(self) -> list[str]:
        """The lines on standard error that are not a progress display."""
        return [line for line in self.errors.splitlines() if line.startswith("katachi: ")]


def run_katachi(
    *arguments: object, seconds: float = 300.0, text: str = "", cache: Path | None = None
) -> Done:
    """Runs `katachi ARGUMENTS`, its caches in a folder of their own where one is given; kills it
    after so many seconds."""
    command = [sys.executable, "-m", "katachi", *map(str, arguments)]
    done = subprocess.run(
        command,
        input=text.encode(),
        capture_output=True,
        timeout=seconds,
        env=os.environ | ({"XDG_CACHE_HOME": str(cache)} if cache else {}),
        check=False,
    )
    words = (each.decode(errors="replace") for each in (done.stdout, done.stderr))
    return Done(done.returncode, *words)


def check_manners(done: Done) -> None:
    """Whatever happened: no traceback, no death by a signal, and words where it failed."""
    said = done.output + done.errors
    assert "Traceback" not in said, said[-2000:]
    assert done.status >= 0, f"died by signal {-done.status}"
    assert done.status == 0 or done.reports, said[-2000:]


def digest(path: Path) -> str:
    """A name for the content of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()
