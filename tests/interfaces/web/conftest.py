"""A server of the page in this process, and pages that talk to it over real connections."""

import asyncio
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import pytest
from websockets.sync.client import ClientConnection, connect

from katachi.interfaces.web.app import Site
from katachi.interfaces.web.serving import Address, PageServer, listen
from katachi.interfaces.web.warming import Warming

PATIENCE = 20.0
Fields = dict[str, Any]


@dataclass
class RunningSite:
    """A server, and the way to it."""

    site: Site
    address: Address

    @property
    def url(self) -> str:
        return self.address.url

    @contextmanager
    def page(self, **options: Any) -> Iterator["Page"]:
        address = f"ws://127.0.0.1:{self.address.port}/api/v1/live"
        # Who does not read all that was sent need not wait for the end of it.
        with connect(address, close_timeout=0.2, **options) as socket:
            yield Page(socket)


@dataclass
class Page:
    """One page; requests are numbered by it."""

    socket: ClientConnection
    number: int = 0

    def send(self, op: str, **fields: Any) -> int:
        self.number += 1
        frame = {"id": self.number, "op": op, "fields": fields}
        self.socket.send(msgspec.json.encode(frame).decode())
        return self.number

    def receive(self) -> Fields:
        found: Fields = msgspec.json.decode(self.socket.recv(PATIENCE))
        return found

    def ask(self, op: str, **fields: Any) -> Fields:
        """The result of an operation."""
        last = self.answers(op, **fields)[-1]
        assert "result" in last, last
        result: Fields = last["result"]
        return result

    def refusal(self, op: str, **fields: Any) -> tuple[str, str | None]:
        """(the error, its field) of an operation that is refused."""
        last = self.answers(op, **fields)[-1]
        assert "error" in last, last
        return last["error"], last["field"]

    def answers(self, op: str, **fields: Any) -> list[Fields]:
        number = self.send(op, **fields)
        found = [self.receive()]
        while "part" in found[-1]:
            found.append(self.receive())
        assert all(each["id"] == number for each in found)
        return found


@contextmanager
def running(host: str, folder: Path) -> Iterator[RunningSite]:
    """A server on a free port; kernels are compiled as they are needed."""
    made, address = listen(host, 0)
    ready = threading.Event()
    kept: dict[str, Any] = {}

    async def main() -> None:
        kept["site"] = Site(folder, 2)
        kept["server"] = PageServer(kept["site"], address, ready.set)
        await kept["server"].serve([made])

    thread = threading.Thread(target=lambda: asyncio.run(main()), daemon=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Warming, "__init__", _warm)
        patch.setattr(Warming, "run", lambda _self, can_work: can_work.set())
        thread.start()
        assert ready.wait(PATIENCE)
        try:
            yield RunningSite(kept["site"], address)
        finally:
            kept["server"].should_exit = True
            thread.join(PATIENCE)


def _warm(self: Warming) -> None:
    self.compiling = None
    self._is_ending = threading.Event()


@pytest.fixture(scope="package")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningSite]:
    """A server that only this machine can reach."""
    with running("127.0.0.1", tmp_path_factory.mktemp("runs")) as found:
        yield found


@pytest.fixture
def page(server: RunningSite) -> Iterator[Page]:
    """A page of the server."""
    with server.page() as found:
        yield found


def wait_until(is_so: Callable[[], bool], seconds: float = PATIENCE) -> bool:
    """Whether something comes true in time."""
    pause = threading.Event()
    for _ in range(int(seconds / 0.02)):
        if is_so():
            return True
        pause.wait(0.02)
    return is_so()
