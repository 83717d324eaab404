"""An external program that speaks GTP: started, timed, watched and always ended."""

import contextlib
import os
import queue
import shlex
import signal
import subprocess
import threading
import time
import weakref
from typing import IO

from katachi.players.names import find_program
from katachi.players.protocol import FailureKind, PlayerFailure

LONGEST_REPLY = 4 << 20
"""Bytes of one reply after which a program is called broken."""
_END = object()


def _pump(stream: IO[bytes], lines: "queue.Queue[object]") -> None:
    """Moves lines from a stream into a queue until it ends."""
    with stream, contextlib.suppress(OSError, ValueError):
        while line := stream.readline(LONGEST_REPLY):
            lines.put(line)
    lines.put(_END)


def _keep_last(stream: IO[bytes], tail: list[bytes]) -> None:
    """Empties a stream, keeping its last line: what a program said before it failed."""
    with stream, contextlib.suppress(OSError, ValueError):
        while line := stream.readline(65536):
            if line.strip():
                tail[:] = [line.strip()[-200:]]


def _end_process(process: "subprocess.Popen[bytes]") -> None:
    """Closes, then terminates, then kills a process group; returns when the process is reaped."""
    with contextlib.suppress(OSError, ValueError):
        if process.stdin:
            process.stdin.close()
    for signal_number, patience in ((None, 0.5), (signal.SIGTERM, 0.5), (signal.SIGKILL, 5.0)):
        if signal_number is not None:
            with contextlib.suppress(OSError):
                os.killpg(process.pid, signal_number)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(patience)
            break
    with contextlib.suppress(OSError):
        os.killpg(process.pid, signal.SIGKILL)


class GtpProgram:
    """One running program; every failure is a PlayerFailure that says what happened."""

    def __init__(self, command: str, patience: float = 60.0) -> None:
        """Starts the program; `patience` is how many seconds any reply may take."""
        self.command = command
        self.patience = patience
        self._lines: queue.Queue[object] = queue.Queue()
        self._last_words: list[bytes] = []
        self._process = self._start()
        self._finalizer = weakref.finalize(self, _end_process, self._process)
        self._watch()

    def _start(self) -> "subprocess.Popen[bytes]":
        try:
            words = shlex.split(self.command)
        except ValueError as error:
            raise self.failure(
                FailureKind.MISSING, f"the command cannot be read ({error})"
            ) from None
        program = find_program(words[0]) if words else None
        if program is None:
            raise self.failure(FailureKind.MISSING, "there is no such program on the PATH")
        pipe = subprocess.PIPE
        try:
            return subprocess.Popen(
                [program, *words[1:]], stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True
            )
        except OSError as error:
            raise self.failure(FailureKind.MISSING, str(error.strerror)) from None

    def _watch(self) -> None:
        output, errors = self._process.stdout, self._process.stderr
        if output is None or errors is None:
            raise AssertionError("the program was started with pipes")
        threading.Thread(target=_pump, args=(output, self._lines), daemon=True).start()
        words = (errors, self._last_words)
        self._listener = threading.Thread(target=_keep_last, args=words, daemon=True)
        self._listener.start()

    def failure(self, kind: FailureKind, text: str) -> PlayerFailure:
        """A failure of this program, in words."""
        return PlayerFailure(kind, f"{self.command!r}: {text}")

    def send(self, command: str, patience: float | None = None) -> str:
        """The text of the program's reply to a command; raises PlayerFailure if it has none.

        A reply that begins with `?` is a failure of kind GARBAGE whose text holds the refusal.
        """
        self._write(command)
        lines = self._read_reply(time.monotonic() + (patience or self.patience), command)
        text = "\n".join(lines)
        if text.startswith("?"):
            refusal = text[1:].strip() or "no reason given"
            raise self.failure(FailureKind.GARBAGE, f"refused {command!r}: {refusal}")
        if not text.startswith("="):
            raise self.failure(FailureKind.GARBAGE, f"answered {command!r} with {text[:60]!r}")
        return text[1:].strip()

    def knows(self, command: str) -> bool:
        """Whether the program says that it knows a command."""
        return self.send(f"known_command {command}").lower() == "true"

    def _write(self, command: str) -> None:
        stdin = self._process.stdin
        try:
            if stdin is None:
                raise BrokenPipeError
            stdin.write(command.encode() + b"\n")
            stdin.flush()
        except (OSError, ValueError):
            raise self._crash(command) from None

    def _read_reply(self, deadline: float, command: str) -> list[str]:
        """The lines of one reply: blank lines before it are skipped, a blank line ends it."""
        lines: list[str] = []
        size = 0
        while True:
            line = self._next_line(deadline, command)
            size += len(line)
            text = line.decode("utf-8", "replace").rstrip("\r\n")
            if size > LONGEST_REPLY:
                raise self.failure(FailureKind.GARBAGE, f"answered {command!r} without end")
            if text.strip():
                lines.append(text)
                if len(lines) == 1 and text[0] not in "=?":
                    raise self.failure(
                        FailureKind.GARBAGE, f"answered {command!r} with {text[:60]!r}"
                    )
            elif lines:
                return lines

    def _next_line(self, deadline: float, command: str) -> bytes:
        try:
            line = self._lines.get(timeout=max(0.0, deadline - time.monotonic()))
        except queue.Empty:
            raise self.failure(FailureKind.HANG, f"no answer to {command!r} in time") from None
        if not isinstance(line, bytes):
            self._lines.put(_END)
            raise self._crash(command)
        return line

    def _crash(self, command: str) -> PlayerFailure:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(0.5)
        status = self._process.poll()
        if status is not None:
            self._listener.join(1.0)  # its last words may still be on their way
        ended = "closed its output" if status is None else f"ended with status {status}"
        words = self._last_words[0].decode("utf-8", "replace") if self._last_words else ""
        said = f", saying {words!r}" if words else ""
        return self.failure(FailureKind.CRASH, f"{ended} at {command!r}{said}")

    def close(self) -> None:
        """Asks the program to quit and ends it for certain; safe to call twice."""
        if self._finalizer.alive:
            with contextlib.suppress(PlayerFailure):
                self._write("quit")
        self._finalizer()

    @property
    def is_running(self) -> bool:
        """Whether the program has not ended."""
        return self._process.poll() is None
