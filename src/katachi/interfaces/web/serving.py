"""The server as a process: its socket, its address, and its end."""

import asyncio
import contextlib
import errno
import socket
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from katachi.errors import KatachiError
from katachi.interfaces.cli.warmup import count_cores
from katachi.interfaces.web.app import Site, make_app
from katachi.interfaces.web.security import Gate, is_loopback, new_token

LARGEST_FRAME = 1 << 20
PATIENCE = 10.0
"""Seconds between two looks at a connection; one that twice had nothing to answer is closed."""
_WILDCARDS = ("0.0.0.0", "::", "")


class Address(NamedTuple):
    """Where the server listens."""

    host: str
    port: int
    token: str | None

    @property
    def url(self) -> str:
        """What to open in a browser."""
        host = socket.gethostname() if self.host in _WILDCARDS else self.host
        shown = f"[{host}]" if ":" in host else host
        query = "" if self.token is None else f"?token={self.token}"
        return f"http://{shown}:{self.port}/{query}"


def listen(host: str, port: int) -> tuple[socket.socket, Address]:
    """A socket that listens there, and its address; raises KatachiError."""
    if not 0 <= port <= 65535:
        raise KatachiError(f"--port {port}: use 1 to 65535, or 0 for any free one")
    try:
        family = socket.getaddrinfo(host or None, port, type=socket.SOCK_STREAM)[0][0]
        made = socket.create_server((host, port), family=family, backlog=128)
    except OSError as error:
        raise KatachiError(_explain(error, host, port)) from None
    token = None if is_loopback(host) else new_token()
    return made, Address(host, made.getsockname()[1], token)


def _explain(error: OSError, host: str, port: int) -> str:
    if error.errno == errno.EADDRINUSE:
        return f"port {port} of {host} is in use: choose another by --port, or 0 for any free one"
    if error.errno == errno.EACCES:
        return f"port {port} is not for everybody: choose one above 1023 by --port"
    if isinstance(error, socket.gaierror) or error.errno == errno.EADDRNOTAVAIL:
        return f"--host {host}: no address of this machine; use 127.0.0.1, or 0.0.0.0 for all"
    return f"cannot listen at {host}, port {port}: {error.strerror or error}"


class Connection(H11Protocol):
    """A connection that is closed where no whole request comes: whoever sends nothing, or one
    letter a minute, would be listened to for ever."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begins to listen."""
        super().connection_made(transport)
        self.loop.call_later(PATIENCE, self._look, False)

    def _look(self, was_idle: bool) -> None:  # noqa: FBT001 (the loop passes no names)
        if self not in self.connections:  # it is gone, or a WebSocket now
            return
        is_idle = getattr(self.cycle, "response_complete", True)  # no cycle before a request
        if is_idle and was_idle:
            self.transport.close()
        else:
            self.loop.call_later(PATIENCE, self._look, is_idle)


class PageServer(uvicorn.Server):
    """The server of a site."""

    def __init__(self, site: Site, address: Address, announce: Callable[[], None]) -> None:
        """`announce` is called once connections are accepted."""
        super().__init__(config_for(site, address))
        self._site = site
        self._announce = announce

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begins to accept connections."""
        await super().startup(sockets)
        self._site.begin()
        self._announce()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Drops all work, and tells the pages."""
        self._site.end()
        await super().shutdown(sockets)


def serve(
    made: socket.socket, address: Address, folder: Path, announce: Callable[[], None]
) -> None:
    """Answers until an interrupt; `announce` is called once connections are accepted."""

    async def answer() -> None:
        await PageServer(Site(folder, count_cores()), address, announce).serve([made])

    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(answer())


def config_for(site: Site, address: Address) -> uvicorn.Config:
    """How the server of a site is run."""
    return uvicorn.Config(
        Gate(make_app(site), address.host, address.port, address.token),
        loop="asyncio",
        http=Connection,
        ws="websockets-sansio",
        ws_max_size=LARGEST_FRAME,
        ws_per_message_deflate=False,
        lifespan="off",
        log_config=None,
        log_level="critical",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=0,
    )
