"""Somebody who ends a program when the process that started it is gone, however it went."""

import contextlib
import subprocess

_SCRIPT = 'read -r group && { read -r _ || kill -9 "-$group"; }'
"""Reads the process group; then either a line comes, and all is well, or the end of the input: then
nobody is left who would end the group."""

PATIENCE = 2.0
"""Seconds in which a watcher that is not needed any more should be gone."""


class Watcher:
    """A small process in a session of its own, out of reach of what may be sent to ours. It holds
    one end of a pipe whose other end the system closes when we die, even by SIGKILL."""

    def __init__(self) -> None:
        """Starts it, with nobody to watch yet; raises OSError."""
        quiet = subprocess.DEVNULL
        self._process = subprocess.Popen(
            ["/bin/sh", "-c", _SCRIPT],
            stdin=subprocess.PIPE,
            stdout=quiet,
            stderr=quiet,
            start_new_session=True,
        )

    def watch(self, group: int) -> None:
        """From now on this process group does not outlive us."""
        self._write(f"{group}\n")

    def dismiss(self) -> None:
        """The group has ended, or there was none; safe to call twice."""
        self._write("\n")
        stdin = self._process.stdin
        with contextlib.suppress(OSError, ValueError):
            if stdin is not None:
                stdin.close()
        try:
            self._process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _write(self, text: str) -> None:
        stdin = self._process.stdin
        with contextlib.suppress(OSError, ValueError):  # somebody may have killed it, too
            if stdin is not None:
                stdin.write(text.encode())
                stdin.flush()
