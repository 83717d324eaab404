"""A server that says what real ones were heard to say, connection by connection."""

import asyncio
import contextlib
import re
from collections.abc import AsyncIterator

from katachi.players.protocol import Choice
from katachi.rules.game import Game
from katachi.rules.point import PASS, point_from_vertex
from tests.interfaces.cgos.playground import LOCAL, PASSWORD

NAME = "katachi1"
PYTHON_LOGIN = f"""
> protocol genmove_analyze
< e1 katachi-\\S+ genmove_analyze
> username
< {NAME}
> password
< {PASSWORD}
"""
TCL_LOGIN = f"""
> protocol
< e1 katachi-\\S+
> username
< {NAME}
> password
< {PASSWORD}
"""
LONGEST_WAIT = 5.0


class Recorded:
    """Plays back one script a connection, the last one for all that follow.

    A line `> text` is said, `< pattern` must be heard next, `close` and `cut` end the connection
    in an orderly way or not; after its last line a script listens until the client leaves.
    """

    def __init__(self, *scripts: str) -> None:
        self.scripts = list(scripts)
        self.connections = 0
        self.faults: list[str] = []
        self.rest: list[str] = []
        """What clients said after the end of a script."""

    async def meet(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        script = self.scripts[min(self.connections, len(self.scripts) - 1)]
        self.connections += 1
        with contextlib.suppress(OSError):
            for line in filter(None, map(str.strip, script.splitlines())):
                if not await self._follow(line, reader, writer):
                    return
            while heard := await reader.readline():
                self.rest.append(heard.decode().rstrip("\n"))
        writer.close()

    async def _follow(
        self, line: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> bool:
        """Does what a line of a script says; False if that ends the connection."""
        if line == "close":
            writer.close()
        elif line == "cut":
            writer.transport.abort()
        elif line.startswith(">"):
            writer.write(line[2:].encode() + b"\n")
            return True
        else:
            async with asyncio.timeout(LONGEST_WAIT):
                heard = (await reader.readline()).decode()
            if re.fullmatch(line[2:] + r"\n", heard):
                return True
            self.faults.append(f"{heard!r} is not {line[2:]!r}")
            writer.close()
        return False


@contextlib.asynccontextmanager
async def playing_back(recorded: Recorded) -> AsyncIterator[int]:
    """The port on which the scripts are played back."""
    server = await asyncio.start_server(recorded.meet, LOCAL, 0)
    async with server:
        yield int(server.sockets[0].getsockname()[1])
        server.close()


class Reader:
    """A player that plays the moves of a list, by the number of the move; then it passes."""

    def __init__(self, *vertices: str) -> None:
        self.name = "reader"
        self.vertices = vertices

    def choose(self, game: Game, color: int, seconds: float | None = None) -> Choice:
        turn = len(game.moves) // 2
        if turn >= len(self.vertices):
            return Choice(PASS, 0.5)
        return Choice(point_from_vertex(self.vertices[turn], game.size), 0.25)

    def close(self) -> None:
        pass
