"""An external program that speaks GTP: started, timed, watched and always ended."""

import contextlib
import os
import queue
import signal
import subprocess
import threading
import time
import weakref
from typing import IO

from katachi.errors import KatachiError
from katachi.files.plain_text import shorten
from katachi.one_core import as_the_user_had_it
from katachi.players.names import find_program, split_command
from katachi.players.protocol import FailureKind, PlayerFailure
from katachi.players.watcher import Watcher

LONGEST_REPLY = 4 << 20
"""Bytes of one reply, or of output nobody has asked for, after which a program is called broken."""
LONGEST_COMMAND = 120
"""Characters of a program's command line in messages."""
WITHHELD = frozenset({"KATACHI_CGOS_PASSWORD"})
"""Variables of the environment that are not for programs of others."""
_LINE_COST = 100
"""Bytes that a line takes in memory beside its text, so that empty lines count, too."""


class _Lines:
    """The lines of a program's output that have not been read yet, as many as a reply may have."""

    END = b""
    """Stands for the end of the output; a line has at least its newline."""
    FLOOD = b"flood"
    """Stands for output that was given up; a line of output is never this very object."""

    def __init__(self) -> None:
        self._queue: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._room = LONGEST_REPLY
        self._lock = threading.Lock()

    def fill(self, stream: IO[bytes]) -> None:
        """Moves lines from a stream until it ends, or is given up because nobody reads them."""
        last = self.END
        with stream, contextlib.suppress(OSError, ValueError):
            while line := stream.readline(LONGEST_REPLY):
                if not self._take_room(len(line) + _LINE_COST):
                    last = self.FLOOD
                    break
                self._queue.put(line)
        self._queue.put(last)

    def get(self, seconds: float) -> bytes:
        """The next line, END or FLOOD, which stay; raises queue.Empty if none comes in time."""
        line = self._queue.get(timeout=min(max(0.0, seconds), threading.TIMEOUT_MAX))
        if line is self.END or line is self.FLOOD:
            self._queue.put(line)
        else:
            self._take_room(-len(line) - _LINE_COST)
        return line

    def _take_room(self, size: int) -> bool:
        with self._lock:
            self._room -= size
            return self._room >= 0


def _keep_last(stream: IO[bytes], tail: list[bytes]) -> None:
    """Empties a stream, keeping its last line: what a program said before it failed."""
    with stream, contextlib.suppress(OSError, ValueError):
        while line := stream.readline(65536):
            if line.strip():
                tail[:] = [line.strip()[-200:]]


def _end_process(process: "subprocess.Popen[bytes]", watcher: Watcher) -> None:
    """Closes, then terminates, then kills a process group; returns when the process is reaped.

    Whatever interrupts the waiting, the group is killed on the way out.
    """
    try:
        with contextlib.suppress(OSError, ValueError):
            if process.stdin:
                process.stdin.close()
        for signal_number, patience in ((None, 0.5), (signal.SIGTERM, 0.5), (signal.SIGKILL, 5.0)):
            if signal_number is not None:
                _signal_group(process, signal_number)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(patience)
                break
    finally:
        _signal_group(process, signal.SIGKILL)
        watcher.dismiss()


def _signal_group(process: "subprocess.Popen[bytes]", number: signal.Signals) -> None:
    with contextlib.suppress(OSError):
        os.killpg(process.pid, number)


def _environment() -> dict[str, str]:
    """What a program may know of the environment."""
    environment = as_the_user_had_it(os.environ)
    return {name: value for name, value in environment.items() if name not in WITHHELD}


def _start_watched(words: list[str]) -> "tuple[subprocess.Popen[bytes], Watcher]":
    """A program in a process group of its own, and who ends it after us; raises OSError."""
    pipe = subprocess.PIPE
    watcher = Watcher()
    try:
        process = subprocess.Popen(
            words, stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True, env=_environment()
        )
    except BaseException:
        watcher.dismiss()
        raise
    watcher.watch(process.pid)
    return process, watcher


class GtpProgram:
    """One running program; every failure is a PlayerFailure that says what happened."""

    def __init__(self, command: str, patience: float = 60.0) -> None:
        """Starts the program; `patience` is how many seconds any reply may take."""
        self.command = command
        self.patience = patience
        self._lines = _Lines()
        self._last_words: list[bytes] = []
        self._closing = threading.Lock()
        self._process, watcher = self._start()
        self._finalizer = weakref.finalize(self, _end_process, self._process, watcher)
        self._watch()

    def _start(self) -> "tuple[subprocess.Popen[bytes], Watcher]":
        try:
            words = split_command(self.command)
        except KatachiError as error:
            raise PlayerFailure(FailureKind.MISSING, str(error)) from None
        program = find_program(words[0])
        if program is None:
            raise self.failure(FailureKind.MISSING, "there is no such program on the PATH")
        try:
            return _start_watched([program, *words[1:]])
        except OSError as error:
            raise self.failure(FailureKind.MISSING, str(error.strerror)) from None

    def _watch(self) -> None:
        output, errors = self._process.stdout, self._process.stderr
        if output is None or errors is None:
            raise AssertionError("the program was started with pipes")
        threading.Thread(target=self._lines.fill, args=(output,), daemon=True).start()
        words = (errors, self._last_words)
        self._listener = threading.Thread(target=_keep_last, args=words, daemon=True)
        self._listener.start()

    def failure(self, kind: FailureKind, text: str) -> PlayerFailure:
        """A failure of this program, in one line of words that is not too long to be kept."""
        command = shorten(self.command, LONGEST_COMMAND)
        return PlayerFailure(kind, f"{command!r}: {shorten(text)}")

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
            size += len(line) + _LINE_COST
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
            line = self._lines.get(deadline - time.monotonic())
        except queue.Empty:
            raise self.failure(FailureKind.HANG, f"no answer to {command!r} in time") from None
        if line is _Lines.END:
            raise self._crash(command)
        if line is _Lines.FLOOD:
            raise self.failure(FailureKind.GARBAGE, f"wrote without end before {command!r}")
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
        """Asks the program to quit and ends it for certain; safe to call twice, and from several
        threads: whoever comes second waits until it has ended."""
        with self._closing:
            if self._finalizer.alive:
                with contextlib.suppress(PlayerFailure):
                    self._write("quit")
            self._finalizer()

    @property
    def is_running(self) -> bool:
        """Whether the program has not ended."""
        return self._process.poll() is None
