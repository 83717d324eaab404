"""The routes: the page, its files, one WebSocket a page, and the same operations by POST."""

import asyncio
import contextlib
import importlib
import logging
import mimetypes
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from katachi.errors import KatachiError
from katachi.files.plain_text import one_line
from katachi.interfaces.console import encode_json
from katachi.interfaces.web.clients import (
    Client,
    Fields,
    Hall,
    close_entries,
    encode_outcome,
    error_fields,
    number_in,
    read_fields,
    read_frame,
)
from katachi.interfaces.web.jobs import Outcome
from katachi.interfaces.web.operations import OPERATIONS, Part, Result

if TYPE_CHECKING:
    from katachi.interfaces.web.warming import Warming

PAGE = Path(__file__).parent / "page"
NO_PAGE = "katachi is here, but its page was not built: only /api/v1 answers.\n"
MODULES = ("playing", "records", "seeing", "library", "runs", "ladders")
"""Where operations are. They import most of the library: too slow before the page is there."""
LARGEST_BODY = 3 << 20
"""Bytes of a POST: an SGF file of 2 MiB in base64."""
MOST_OF_SCRIPTS = 64
"""Requests of all scripts together that are not answered yet."""
MOST_PAGES = 200
SLOWEST = 20.0
"""Seconds in which a page must take an answer."""
SLOWEST_BODY = 60.0
"""Seconds in which a POST must be here."""

_log = logging.getLogger("katachi.web")


class PageFile(NamedTuple):
    """A file of the page, held in memory: no request ever names a file on the disk."""

    content: bytes
    kind: str


def read_page(folder: Path = PAGE) -> dict[str, PageFile]:
    """The files of the page by path; empty where none was built."""
    files = [file for file in folder.rglob("*") if file.is_file()] if folder.is_dir() else []
    return {
        f"/{file.relative_to(folder).as_posix()}": PageFile(file.read_bytes(), _kind(file))
        for file in files
    }


def _kind(file: Path) -> str:
    known = {".js": "text/javascript", ".svg": "image/svg+xml", ".woff2": "font/woff2"}
    return known.get(file.suffix) or mimetypes.guess_type(file.name)[0] or "text/plain"


class Site:
    """All that the server answers by; it loads the library while it answers already."""

    def __init__(self, folder: Path, cores: int) -> None:
        self.hall = Hall(folder, cores)
        self.scripts = Client(self.hall, MOST_OF_SCRIPTS)
        self.pages: set[Client] = set()
        self.failure: str | None = None
        self._files = read_page()
        self._is_loaded = asyncio.Event()
        self._number = 0

    def begin(self) -> None:
        """Starts what works beside the server's loop."""
        loop = asyncio.get_running_loop()
        threading.Thread(target=self._load, args=(loop,), daemon=True).start()

    def _load(self, loop: asyncio.AbstractEventLoop) -> None:
        """Imports the operations, and compiles what is missing."""
        can_work = threading.Event()
        try:
            warming = load_operations(self.hall.shared)
        except Exception as error:
            self.failure = one_line(error)
            _log.error("the operations cannot be loaded: %s", self.failure)
            return
        finally:
            loop.call_soon_threadsafe(self._is_loaded.set)
        threading.Thread(target=warming.run, args=(can_work,), daemon=True).start()
        can_work.wait()
        self.hall.begin()

    def end(self) -> None:
        """Drops all work."""
        if "warming" in self.hall.shared:
            self.hall.shared["warming"].end()
        for client in (*self.pages, self.scripts):
            client.leave()
        close_entries(self.hall.shared)

    async def is_ready(self) -> None:
        """Waits until the operations are known; raises KatachiError where they are not."""
        await self._is_loaded.wait()
        if self.failure is not None:
            raise KatachiError(f"katachi cannot work here: {self.failure}")

    async def page_file(self, request: Request) -> Response:
        """A file of the page."""
        path = request.url.path
        found = self._files.get("/index.html" if path == "/" else path)
        if found is None and path == "/":
            return PlainTextResponse(NO_PAGE)
        if found is None:
            return PlainTextResponse("no such page\n", 404)
        is_named_by_content = path.startswith("/assets/")
        age = "public, max-age=31536000, immutable" if is_named_by_content else "no-cache"
        return Response(found.content, media_type=found.kind, headers={"Cache-Control": age})

    async def hello(self, request: Request) -> Response:
        """What the page needs first."""
        return await self._answer(request, "hello", {})

    async def post(self, request: Request) -> Response:
        """One operation, all of its answer at once."""
        try:
            fields = read_fields(await _body(request) or b"{}")
        except KatachiError as error:
            return _refuse(error)
        return await self._answer(request, request.path_params["name"], fields)

    async def _answer(self, request: Request, name: str, fields: Fields) -> Response:
        loop = asyncio.get_running_loop()
        outcomes: list[Outcome] = []
        is_done = asyncio.Event()

        def deliver(outcome: Outcome) -> None:
            outcomes.append(outcome)
            if not isinstance(outcome, Part):
                loop.call_soon_threadsafe(is_done.set)

        self._number += 1
        number = self._number
        try:
            await self.is_ready()
            known = OPERATIONS.get(name)
            if known is not None and known.is_endless:
                raise KatachiError(f"{name} goes on for ever: ask for it over the WebSocket")
            self.scripts.ask(number, name, fields, deliver)
        except Exception as error:
            return _refuse(error)
        if not await _done_before_leaving(request, is_done):
            self.scripts.cancel(number)
            return Response(status_code=499)
        return _all_at_once(outcomes)

    async def live(self, socket: WebSocket) -> None:
        """One page: its requests as they come, and the answers as they are made."""
        await socket.accept()
        if len(self.pages) >= MOST_PAGES:
            await socket.close(1013, "too many pages are open")
            return
        client = Client(self.hall)
        self.pages.add(client)
        wire = _Wire(socket, client)
        sending = asyncio.create_task(wire.send_all())
        reading = asyncio.create_task(self._read_all(socket, client, wire))
        try:
            await asyncio.wait((sending, reading), return_when=asyncio.FIRST_COMPLETED)
        finally:
            self.pages.discard(client)
            client.leave()
            for task in (sending, reading):
                task.cancel()
            await asyncio.gather(sending, reading, return_exceptions=True)
            with contextlib.suppress(Exception):
                await asyncio.wait_for(socket.close(), 1.0)

    async def _read_all(self, socket: WebSocket, client: Client, wire: "_Wire") -> None:
        with contextlib.suppress(WebSocketDisconnect, RuntimeError):
            while True:
                message = await socket.receive()
                if message["type"] == "websocket.disconnect":
                    return
                data = message.get("text")
                await self._take(
                    message.get("bytes") or b"" if data is None else data, client, wire
                )
                while not client.takes_more():  # who takes no answers may not ask either
                    await wire.taken.wait()

    async def _take(self, data: bytes | str, client: Client, wire: "_Wire") -> None:
        """Takes one frame; whatever is wrong with it is answered."""
        try:
            number, name, fields = read_frame(data)
            if name == "cancel":
                client.cancel(number)
                return
            await self.is_ready()
            client.ask(number, name, fields, lambda outcome: wire.put(number, outcome))
        except Exception as error:
            wire.put(number_in(data), error)


class _Wire:
    """The way out to one page; answers are put there by any thread."""

    def __init__(self, socket: WebSocket, client: Client) -> None:
        self.taken = asyncio.Event()
        """Set when an answer has been sent."""
        self._socket = socket
        self._client = client
        self._loop = asyncio.get_running_loop()
        self._is_there = asyncio.Event()

    def put(self, number: int | None, outcome: Outcome) -> None:
        """Queues an answer."""
        try:
            frame = encode_json({"id": number, **encode_outcome(outcome)})
        except Exception as error:
            frame = encode_json({"id": number, **error_fields(error)})
        self._client.unsent.append(frame.rstrip())
        with contextlib.suppress(RuntimeError):  # the server has ended
            self._loop.call_soon_threadsafe(self._is_there.set)

    async def send_all(self) -> None:
        """Sends what there is as it comes; ends when the page takes nothing, or has left."""
        with contextlib.suppress(WebSocketDisconnect, RuntimeError, TimeoutError, OSError):
            while True:
                await self._is_there.wait()
                self._is_there.clear()
                while self._client.unsent:
                    text = self._client.unsent.popleft().decode()
                    await asyncio.wait_for(self._socket.send_text(text), SLOWEST)
                    self._client.wake()
                    self.taken.set()
                    self.taken.clear()


def _refuse(error: Exception, status: int = 400) -> Response:
    return JSONResponse(error_fields(error), status)


async def _body(request: Request) -> bytes:
    """The body of a POST; raises KatachiError for one that is too large or too slow."""
    pieces, size = [], 0
    try:
        async with asyncio.timeout(SLOWEST_BODY):
            async for piece in request.stream():
                pieces.append(piece)
                size += len(piece)
                if size > LARGEST_BODY:
                    raise KatachiError(f"a request of more than {LARGEST_BODY >> 20} MiB")
    except ClientDisconnect:
        raise KatachiError("the request was cut off") from None
    except TimeoutError:
        raise KatachiError(f"the request took more than {SLOWEST_BODY:g} seconds") from None
    return b"".join(pieces)


async def _done_before_leaving(request: Request, is_done: asyncio.Event) -> bool:
    """Whether the answer was there before whoever asked had left."""
    leaving = asyncio.ensure_future(_left(request))
    done = asyncio.ensure_future(is_done.wait())
    await asyncio.wait((leaving, done), return_when=asyncio.FIRST_COMPLETED)
    leaving.cancel()
    done.cancel()
    return is_done.is_set()


async def _left(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _all_at_once(outcomes: list[Outcome]) -> Response:
    *parts, last = outcomes
    if not isinstance(last, Result):
        return _refuse(last if isinstance(last, Exception) else AssertionError("no result"))
    shown = [part.fields for part in parts if isinstance(part, Part)]
    body = encode_json({"result": last.fields, "parts": shown})
    return Response(body, media_type="application/json")


def load_operations(shared: dict[str, Any]) -> "Warming":
    """Imports every operation, and keeps what all pages share; what compiles kernels comes back."""
    for name in MODULES:
        importlib.import_module(f"katachi.interfaces.web.{name}")
    from katachi.interfaces.web.playing import first_facts
    from katachi.interfaces.web.records import examples_offered
    from katachi.interfaces.web.warming import Warming

    shared["first facts"] = {**first_facts(), "example_games": examples_offered()}
    shared["warming"] = warming = Warming()
    return warming


def make_app(site: Site) -> Starlette:
    """The application of a site."""
    return Starlette(
        routes=[
            Route("/api/v1/hello", site.hello, methods=["GET"]),
            Route("/api/v1/{name}", site.post, methods=["POST"]),
            WebSocketRoute("/api/v1/live", site.live),
            Route("/{path:path}", site.page_file, methods=["GET"]),
        ]
    )
