"""A server, clients and an unreliable line between them, all on this machine."""

import asyncio
import contextlib
import random
from collections.abc import AsyncIterator, Callable, Coroutine
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from katachi.interfaces.cgos.career import Patience
from katachi.interfaces.cgos.client import Client, ClientSettings
from katachi.interfaces.cgos.server import Server
from katachi.interfaces.cgos.settings import Dialect, ServerSettings
from katachi.interfaces.cgos.wire import LineStream, open_stream
from katachi.players.protocol import Player
from katachi.players.roster import make_player

LOCAL = "127.0.0.1"
PASSWORD = "opensesame"
QUICK = Patience(
    first_retry=0.05, longest_retry=0.2, tries=5, connect=5.0, login=2.0, silence=10.0, resume=1.0
)

Answer = TypeVar("Answer")


def run(work: Coroutine[None, None, Answer], seconds: float = 60.0) -> Answer:
    """Runs a test's coroutine; one that takes too long fails."""

    async def limited() -> Answer:
        async with asyncio.timeout(seconds):
            return await work

    return asyncio.run(limited())


IN_A_HURRY = ServerSettings(
    port=0,
    size=5,
    time=20.0,
    first_look=0.1,
    look_every=0.1,
    pause=0.05,
    flag_every=0.1,
    poll_every=0.05,
    login=5.0,
    absence=1.0,
)


def server_settings(
    dialect: Dialect = Dialect.CLASSIC, folder: Path | None = None, **changes: Any
) -> ServerSettings:
    """A server in a hurry."""
    return replace(IN_A_HURRY, dialect=dialect, folder=folder, **changes)


@contextlib.asynccontextmanager
async def running_server(
    settings: ServerSettings, log: Callable[[str], None] = lambda _text: None
) -> AsyncIterator[Server]:
    """A server that is closed in the end."""
    server = Server(settings, log, random.Random(1))
    await server.start()
    try:
        yield server
    finally:
        await server.close()


def make_client(
    name: str,
    port: int,
    games: int | None = 1,
    player: Callable[[], Player] | None = None,
    log: Callable[[str], None] = lambda _text: None,
    patience: Patience = QUICK,
) -> Client:
    """A client with a random player by default."""
    settings = ClientSettings(LOCAL, port, name, PASSWORD, games=games, patience=patience)
    return Client(settings, player or (lambda: make_player("random", len(name))), log)


async def until(condition: Callable[[], bool], seconds: float = 30.0) -> None:
    """Waits until something holds."""
    async with asyncio.timeout(seconds):
        while not condition():
            await asyncio.sleep(0.01)


class FlakyLine:
    """A relay to a server that can be cut."""

    def __init__(self, port: int) -> None:
        self.target = port
        self.cuts_after: list[int] = []
        """Lines from the server after which each connection, in turn, is cut."""
        self.connections = 0
        self._listener: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def port(self) -> int:
        assert self._listener is not None
        return int(self._listener.sockets[0].getsockname()[1])

    async def __aenter__(self) -> "FlakyLine":
        self._listener = await asyncio.start_server(self._relay, LOCAL, 0)
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._listener is not None
        self._listener.close()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _relay(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        self.connections += 1
        limit = self.cuts_after.pop(0) if self.cuts_after else 1 << 30
        try:
            back_reader, back_writer = await asyncio.open_connection(LOCAL, self.target)
        except OSError:
            writer.close()
            return
        forth = asyncio.create_task(_copy(reader, back_writer, 1 << 30))
        try:
            await _copy(back_reader, writer, limit)
        finally:
            forth.cancel()
            writer.transport.abort()
            back_writer.transport.abort()
            self._tasks.discard(task)


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, lines: int) -> None:
    with contextlib.suppress(OSError):
        for _ in range(lines):
            line = await reader.readline()
            if not line:
                break
            writer.write(line)
            await writer.drain()
    writer.close()


class RawClient:
    """Says what a test wants said, and keeps what it hears."""

    def __init__(self, stream: LineStream) -> None:
        self.stream = stream

    @classmethod
    async def connect(cls, port: int) -> "RawClient":
        return cls(await open_stream(LOCAL, port))

    @classmethod
    async def log_in(
        cls, port: int, name: str, password: str = PASSWORD, greeting: str = "e1 test"
    ) -> "RawClient":
        client = await cls.connect(port)
        for question, answer in (
            ("protocol", greeting),
            ("username", name),
            ("password", password),
        ):
            await client.expect(question)
            client.say(answer)
        return client

    def say(self, line: str) -> None:
        self.stream.send(line)

    async def hear(self, seconds: float = 30.0) -> str | None:
        async with asyncio.timeout(seconds):
            return await self.stream.read_line()

    async def expect(self, command: str, seconds: float = 30.0) -> str:
        """The next line that is no news; it must begin with this word."""
        line = await self.hear(seconds)
        while line is not None and line.startswith("info"):
            line = await self.hear(seconds)
        assert line is not None, f"closed instead of {command}"
        assert line.split()[0] == command, line
        return line

    async def await_command(self, command: str, seconds: float = 30.0) -> str:
        """The next line that begins with this word; what comes before is skipped."""
        async with asyncio.timeout(seconds):
            while (line := await self.stream.read_line()) is not None:
                if line.split()[:1] == [command]:
                    return line
        raise AssertionError(f"closed before {command}")

    async def close(self) -> None:
        self.stream.close()
        await self.stream.wait_closed()
