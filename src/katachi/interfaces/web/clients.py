"""Who asks: pages and scripts, what they have asked, and what they have not been sent yet."""

import asyncio
import contextlib
import logging
import re
import threading
import time
from collections import deque
from collections.abc import Callable, Hashable
from pathlib import Path
from typing import Any

import msgspec

from katachi.errors import KatachiError
from katachi.files.plain_text import one_line
from katachi.interfaces.web.jobs import Deliver, FairQueue, Job
from katachi.interfaces.web.operations import (
    OPERATIONS,
    AsyncAnswers,
    Lane,
    Part,
    RequestError,
    Result,
)

MOST_WAITING = 16
"""Requests of one page that are not answered yet."""
MOST_UNSENT = 64
"""Answers that wait to be sent; a page that does not take them has no more work done."""
LARGEST_NUMBER = 1 << 53
LONGEST_ERROR = 300
PATIENCE = 20.0
"""Seconds in which the last step of a page that has left should end."""

_NAMED = re.compile(r"(?:required|unknown) field `([^`]{1,60})`")
_log = logging.getLogger("katachi.web")
Fields = dict[str, Any]


def error_fields(error: Exception) -> Fields:
    """An error as it is sent: one line, and the field that is wrong where it is known."""
    field = None
    if isinstance(error, msgspec.ValidationError):
        text, _, place = str(error).partition(" - at `$")
        field, error = _field(place, text), KatachiError(text)
    elif isinstance(error, RequestError):
        field = error.field
    elif not isinstance(error, KatachiError):
        _log.error("an operation failed: %s: %s", type(error).__name__, one_line(error))
        error = KatachiError(f"something went wrong inside katachi ({type(error).__name__})")
    return {"error": one_line(error)[:LONGEST_ERROR], "field": field}


def _field(place: str, text: str) -> str | None:
    """The name of a field such as `game.moves` from where msgspec says that something is wrong."""
    inside = _NAMED.search(text)
    names = (place.strip("`.").split("[")[0], inside[1] if inside else "")
    return ".".join(filter(None, names)) or None


class Hall:
    """What all pages share: the threads that work for them, and what operations keep."""

    def __init__(self, folder: Path, cores: int) -> None:
        """`folder` is where run folders and ladders are looked for."""
        self.folder = folder
        self.shared: Fields = {}
        threads = {Lane.QUICK: 1, Lane.WORK: cores, Lane.CLOCK: cores}
        self.lanes = {lane: FairQueue(count, _takes_more) for lane, count in threads.items()}

    def begin(self) -> None:
        """Lets the threads work; what was asked before has waited."""
        for lane in self.lanes.values():
            lane.begin()


def _takes_more(client: Hashable) -> bool:
    return isinstance(client, Client) and client.takes_more()


class JobContext:
    """What an operation knows of the server and of the page that asks."""

    def __init__(self, hall: Hall, client: "Client", job: Job) -> None:
        self.folder = hall.folder
        self.shared = hall.shared
        self.own = client.own
        self.is_stopped = job.is_stopped


class Client:
    """A page, or all scripts together."""

    def __init__(self, hall: Hall, most_waiting: int = MOST_WAITING) -> None:
        self.own: Fields = {}
        self.unsent: deque[bytes] = deque()
        self._hall = hall
        self._most_waiting = most_waiting
        self._jobs: dict[int, tuple[Job, Callable[[], object]]] = {}
        """What is not answered yet, and how it is dropped."""
        self._tasks: set[asyncio.Task[None]] = set()

    def takes_more(self) -> bool:
        """Whether answers may be made for it: it has taken most of what it was sent."""
        return len(self.unsent) < MOST_UNSENT

    def wake(self) -> None:
        """Goes on working for it once it has taken what it was sent."""
        if self.takes_more():
            for lane in self._hall.lanes.values():
                lane.wake(self)

    def ask(self, number: int, name: str, fields: Fields, deliver: Deliver) -> None:
        """Has a request answered by `deliver`; raises KatachiError or ValidationError for one that
        is wrong. Called on the server's loop."""
        operation = OPERATIONS.get(name)
        if operation is None:
            raise RequestError("op", f"no operation {name[:40]!r}: see the list in the manual")
        if number in self._jobs:
            raise RequestError("id", f"id {number} is in use: choose another")
        if len(self._jobs) >= self._most_waiting:
            raise KatachiError(f"too many requests at once: wait for one of {self._most_waiting}")
        request = msgspec.convert(fields, operation.request)
        job = Job(self._ending(number, deliver))
        steps = operation.handle(request, JobContext(self._hall, self, job))
        if operation.is_async:
            self._run_here(number, job, steps, deliver)  # type: ignore[arg-type]
            return
        lane = self._hall.lanes[operation.lane(request)]
        job.steps = steps  # type: ignore[assignment]
        self._jobs[number] = job, lambda: lane.cancel(self, job)
        lane.add(self, job)

    def _ending(self, number: int, deliver: Deliver) -> Deliver:
        """Delivers, and frees the number before the last delivery."""

        def act(outcome: Part | Result | Exception) -> None:
            if not isinstance(outcome, Part):
                self._jobs.pop(number, None)
            deliver(outcome)

        return act

    def _run_here(self, number: int, job: Job, steps: AsyncAnswers, deliver: Deliver) -> None:
        """Does the steps of an operation that waits more than it works on the server's loop."""
        task = asyncio.get_running_loop().create_task(
            self._go_through(job, steps, self._ending(number, deliver))
        )
        self._jobs[number] = job, task.cancel
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _go_through(self, job: Job, steps: AsyncAnswers, deliver: Deliver) -> None:
        try:
            async for outcome in steps:
                while not (self.takes_more() or job.is_stopped()):
                    await asyncio.sleep(0.05)
                if job.is_stopped():
                    return
                if outcome is not None:
                    deliver(outcome)
        except Exception as error:
            if not job.is_stopped():
                deliver(error)
        finally:
            close = getattr(steps, "aclose", None)
            if close is not None:
                await close()

    def cancel(self, number: int) -> None:
        """Drops a request; nothing more is delivered for it."""
        found = self._jobs.pop(number, None)
        if found is None:
            return
        job, drop = found
        job.stop()
        drop()

    def leave(self) -> None:
        """Drops all that it has asked for, and closes what operations have kept for it."""
        for number in list(self._jobs):
            self.cancel(number)
        for lane in self._hall.lanes.values():
            lane.drop(self)
        self.unsent.clear()
        threading.Thread(target=self._close_own, daemon=True).start()

    def _close_own(self) -> None:
        """Closes what is kept at once, so that a program that thinks is ended, and once more when
        the step that was being done has ended."""
        close_entries(self.own)
        end = time.monotonic() + PATIENCE
        lanes = self._hall.lanes.values()
        while any(lane.is_busy(self) for lane in lanes) and time.monotonic() < end:
            time.sleep(0.05)
        close_entries(self.own)
        self.own.clear()


def close_entries(kept: Fields) -> None:
    """Closes what can be closed of what operations have kept."""
    for entry in list(kept.values()):
        close: Callable[[], object] | None = getattr(entry, "close", None)
        if close is not None:
            with contextlib.suppress(Exception):
                close()


class Envelope(msgspec.Struct):
    """What every frame has."""

    op: str
    id: int
    fields: Fields | None = None
    """Of the request; where they are not here they lie beside `op`."""


def read_frame(data: bytes | str) -> tuple[int, str, Fields]:
    """(id, op, fields) of a frame; raises RequestError or ValidationError."""
    found = read_fields(data)
    envelope = msgspec.convert(found, Envelope)
    if not 0 <= envelope.id <= LARGEST_NUMBER:
        raise RequestError("id", f"id {envelope.id}: use 0 to 2^53")
    fields = {key: value for key, value in found.items() if key not in ("id", "op", "fields")}
    if envelope.fields is None:
        return envelope.id, envelope.op, fields
    if fields:
        raise RequestError(next(iter(fields)), "this belongs into `fields`")
    return envelope.id, envelope.op, envelope.fields


def read_fields(data: bytes | str) -> Fields:
    """The object of a text; raises KatachiError for a text that holds none."""
    try:
        fields = msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise KatachiError(f"not JSON: {error}") from None
    if not isinstance(fields, dict):
        raise KatachiError("a request is a JSON object")
    return fields


def number_in(data: bytes | str) -> int | None:
    """The id of a frame that is wrong otherwise, if it has one."""
    try:
        number = read_fields(data).get("id")
    except KatachiError:
        return None
    is_number = type(number) is int and 0 <= number <= LARGEST_NUMBER
    return number if is_number else None


def encode_outcome(outcome: Part | Result | Exception) -> Fields:
    """An outcome as the fields of a frame."""
    if isinstance(outcome, Part):
        return {"part": outcome.fields}
    if isinstance(outcome, Result):
        return {"result": outcome.fields}
    return error_fields(outcome)
