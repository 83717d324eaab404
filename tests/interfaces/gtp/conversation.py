"""Ways to talk to the engine: inside this process, and with the real one."""

import contextlib
import re
import resource
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple, Self

from katachi.interfaces.gtp import EngineOptions, serve

NINE = EngineOptions(player="alp", seed=1, size=9)
_HEAD = re.compile(r"([=?])([0-9]*)(?: (.*))?", re.DOTALL)


class Reply(NamedTuple):
    """One reply, taken apart."""

    is_success: bool
    id: str
    text: str

    @classmethod
    def parse(cls, whole: str) -> Self:
        match = _HEAD.fullmatch(whole) or _HEAD.fullmatch(whole.replace("\n", " \n", 1))
        assert match is not None, f"not a reply: {whole[:100]!r}"
        return cls(match[1] == "=", match[2], match[3] or "")

    def __str__(self) -> str:
        blank = "" if self.text.startswith("\n") else " "
        return f"{'=' if self.is_success else '?'}{blank}{self.text}".rstrip()


class Talk(NamedTuple):
    """What came of a conversation."""

    replies: list[Reply]
    status: int
    log: list[str]

    @property
    def texts(self) -> list[str]:
        return [str(reply) for reply in self.replies]


def talk(sent: str | bytes, options: EngineOptions = NINE) -> Talk:
    """Sends everything at once to an engine in this process and returns all replies."""
    data = sent.encode() if isinstance(sent, str) else sent
    chunks = iter([data])
    received: list[bytes] = []
    log: list[str] = []
    status = serve(options, lambda: next(chunks, b""), received.append, log.append)
    return Talk(list(split_replies(b"".join(received).decode())), status, log)


def split_replies(text: str) -> Iterator[Reply]:
    """The replies in what an engine wrote; it must be nothing but replies."""
    *wholes, rest = text.split("\n\n")
    assert rest == "", f"ends outside a reply: {rest[:100]!r}"
    return (Reply.parse(whole) for whole in wholes)


def ask(*lines: str, options: EngineOptions = NINE) -> str:
    """The reply to the last of these commands; those before it must succeed."""
    replies = talk("\n".join(lines) + "\n", options).texts
    assert all(reply.startswith("=") for reply in replies[:-1]), replies
    assert len(replies) == len(lines), replies
    return replies[-1]


class EngineProcess:
    """`katachi gtp` as a client starts it."""

    def __init__(self, *arguments: str, folder: Path | None = None) -> None:
        # The simplest player unless another is asked for: it is the engine that is looked at.
        player = () if "--player" in arguments else ("--player", "alp")
        self.process = subprocess.Popen(
            [sys.executable, "-m", "katachi", "gtp", *player, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=folder,
        )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.stdin = self.process.stdin
        self.stdout = self.process.stdout

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()
        self.stdout.close()
        with contextlib.suppress(BrokenPipeError):
            self.stdin.close()

    def send(self, line: str) -> None:
        self.stdin.write(line.encode() + b"\n")
        self.stdin.flush()

    def read_line(self) -> str:
        line = self.stdout.readline().decode()
        assert line, "the engine has ended"
        return line.rstrip("\n")

    def read_reply(self) -> Reply:
        lines = []
        while line := self.read_line():
            lines.append(line)
        return Reply.parse("\n".join(lines))

    def ask(self, line: str) -> Reply:
        self.send(line)
        return self.read_reply()

    @property
    def resident_bytes(self) -> int:
        pages = Path(f"/proc/{self.process.pid}/statm").read_text().split()[1]
        return int(pages) * resource.getpagesize()
