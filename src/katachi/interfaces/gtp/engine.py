"""The engine: takes lines, runs their commands, writes replies."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress

from katachi.errors import KatachiError
from katachi.interfaces.cold_start import tell
from katachi.interfaces.gtp import analysis, core, extras, game_files, gui, wire
from katachi.interfaces.gtp.session import Command, EngineOptions, Session

COMMANDS: dict[str, Command] = {
    **core.COMMANDS,
    **game_files.COMMANDS,
    **analysis.COMMANDS,
    **gui.COMMANDS,
    **extras.COMMANDS,
}
INSTANT_COMMANDS = frozenset(
    (
        *("protocol_version", "name", "version", "known_command", "list_commands", "quit"),
        *("gogui-analyze_commands", "katachi-help", "cputime", "gomill-cpu_time"),
    )
)
"""What is answered before the rules are loaded."""
_CHUNK_BYTES = 1 << 16
_INTERRUPTED = 130

Writer = Callable[[bytes], None]


class Engine:
    """Answers every command once, in order, whatever happens inside it."""

    def __init__(self, session: Session, write: Writer) -> None:
        self.session = session
        self.write = write

    def run(self) -> int:
        """Answers until `quit` or the end of input; returns the exit status."""
        session = self.session
        while not session.is_done:
            session.ponder()
            line = session.inbox.take()
            if line is None:
                break
            request = wire.parse_line(line)
            if request is not None:
                self.answer(request)
        return session.exit_status

    def answer(self, request: wire.Request) -> None:
        """Runs one command and writes its reply."""
        try:
            reply = self._reply(request)
            if isinstance(reply, str):
                self.write(wire.format_reply(request, reply, is_success=True))
            else:
                self._stream(request, reply)
        except KatachiError as refusal:
            self.write(wire.format_error(request, str(refusal)))
        except BrokenPipeError:
            raise
        except Exception as error:
            self._log_failure(request, error)
            self.write(
                wire.format_error(request, f"internal error: {type(error).__name__}: {error}")
            )

    def _reply(self, request: wire.Request) -> str | Iterator[str]:
        if request.is_too_long:
            raise wire.CommandError("line too long")
        command = self.session.commands.get(request.command)
        if command is None:
            raise wire.CommandError("unknown command")
        if request.command not in INSTANT_COMMANDS:
            self.session.open()
        return command(self.session, request.arguments) or ""

    def _stream(self, request: wire.Request, lines: Iterator[str]) -> None:
        """Writes lines as they come. What fails before the first one is an ordinary refusal."""
        first = next(lines)
        self.write(
            wire.encode_line(wire.begin_reply(request, is_success=True)) + wire.encode_line(first)
        )
        try:
            for line in lines:
                self.write(wire.encode_line(line))
        except BrokenPipeError:
            raise
        except Exception as error:
            self._log_failure(request, error)
        self.write(b"\n")

    def _log_failure(self, request: wire.Request, error: Exception) -> None:
        trace = error.__traceback__
        while trace is not None and trace.tb_next is not None:
            trace = trace.tb_next
        place = f"{trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}" if trace else "?"
        self.session.log(
            f"{request.command[:40]!r} failed: {type(error).__name__}: {error} ({place})"
        )


def serve(
    options: EngineOptions,
    read: Callable[[], bytes],
    write: Writer,
    log: Callable[[str], None],
) -> int:
    """Talks to one client until it has had enough; returns the exit status.

    `read` returns bytes as they come and b"" at the end, `write` sends a whole reply or line at
    once, `log` takes one line for a person.
    """
    session = Session(options, wire.Inbox(read), COMMANDS, log)
    try:
        return Engine(session, write).run()
    finally:
        session.close()


def run_engine(options: EngineOptions) -> int:
    """The engine on standard input and output; logs go to standard error."""
    output = _own_output()
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _stop)
    try:
        return serve(options, _read_input, lambda data: _write_all(output, data), log_to_stderr)
    except BrokenPipeError:
        return 0
    except KeyboardInterrupt:
        return _INTERRUPTED


def _stop(number: int, _frame: object) -> None:
    """Leaves by the front door, so that the player's program is ended too."""
    sys.exit(128 + number)


def _own_output() -> int:
    """A handle for replies alone: what else writes to standard output reaches standard error."""
    output = os.dup(1)
    try:
        os.dup2(2, 1)
    except OSError:
        log_to_stderr("standard error is closed")
    return output


def _read_input() -> bytes:
    return os.read(0, _CHUNK_BYTES)


def _write_all(output: int, data: bytes) -> None:
    while data:
        data = data[os.write(output, data) :]


def log_to_stderr(text: str) -> None:
    """One line on standard error, if anyone keeps it open."""
    with suppress(OSError, ValueError, AttributeError):
        tell(text)
