"""What the page can ask for: operations by name, and what they are given.

A module of operations is made of functions such as

    @operation("position", PositionRequest)
    def position(request: PositionRequest, context: Context) -> Answers:
        yield Result({"position": ...})

Each is a generator of steps. A step ends with a `Part`, which is sent at once, with None, which
only lets others have their turn, or with the one `Result`, which is the last. An `async def` runs
on the server's loop instead of a worker thread, for what waits more than it works.
"""

import inspect
from collections.abc import AsyncIterator, Callable, Iterator
from enum import Enum
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeVar

import msgspec

from katachi.errors import KatachiError


class Part(NamedTuple):
    """A piece of an answer, sent as soon as it is there."""

    fields: dict[str, Any]


class Result(NamedTuple):
    """The end of an answer."""

    fields: dict[str, Any]


Answers = Iterator[Part | Result | None]
AsyncAnswers = AsyncIterator[Part | Result | None]


class Request(msgspec.Struct, forbid_unknown_fields=True):
    """What an operation is asked; each has its own fields, and no others are taken."""


class Nothing(Request):
    """The request of operations that need no field."""


class RequestError(KatachiError):
    """A request that cannot be answered; `field` names the part that is wrong."""

    def __init__(self, field: str, text: object) -> None:
        super().__init__(str(text))
        self.field = field


class Lane(Enum):
    """Which threads an operation is done by, so that short work never waits for long work."""

    QUICK = "quick"
    """Milliseconds: rules, lists, files."""
    WORK = "work"
    """Evaluators, in steps of well below a second."""
    CLOCK = "clock"
    """Players that think for seconds, or wait for another program."""


class Context(Protocol):
    """What an operation knows of the server and of the page that asks."""

    @property
    def folder(self) -> Path:
        """Where run folders and ladders are looked for."""
        ...

    @property
    def shared(self) -> dict[str, Any]:
        """What operations keep for all pages, by a name of their own; it lives with the server."""
        ...

    @property
    def own(self) -> dict[str, Any]:
        """What operations keep for this page alone. Entries with a method `close` are closed when
        the page has left."""
        ...

    def is_stopped(self) -> bool:
        """Whether nobody waits for this answer any more; long steps look and return."""
        ...


AnyRequest = TypeVar("AnyRequest", bound=Request)
Handle = Callable[[Any, Any], Answers | AsyncAnswers]


class Operation(NamedTuple):
    """One thing that can be asked for."""

    name: str
    request: type[Request]
    handle: Handle
    lane: Callable[[Any], Lane]
    is_async: bool
    is_endless: bool
    """Whether it goes on until it is cancelled: then it needs a WebSocket."""


OPERATIONS: dict[str, Operation] = {}
"""Every operation by name; a module adds its own when it is imported."""


def operation(
    name: str,
    request: type[AnyRequest],
    *,
    lane: Lane | Callable[[AnyRequest], Lane] = Lane.WORK,
    is_endless: bool = False,
) -> Callable[[Callable[[AnyRequest, Context], Any]], Callable[[AnyRequest, Context], Any]]:
    """Makes a generator function the operation of that name."""

    def add(handle: Callable[[AnyRequest, Context], Any]) -> Callable[[AnyRequest, Context], Any]:
        is_async = inspect.isasyncgenfunction(handle)
        OPERATIONS[name] = Operation(name, request, handle, _choice(lane), is_async, is_endless)
        return handle

    return add


def _choice(lane: Lane | Callable[[Any], Lane]) -> Callable[[Any], Lane]:
    if isinstance(lane, Lane):
        fixed = lane
        return lambda _: fixed
    return lane


NameOfPlayer = Callable[[str, Path], str]
"""(ID, folder of the server) -> the name by which the library knows the player; raises KatachiError
for an ID that is not known."""
PLAYER_PREFIXES: dict[str, NameOfPlayer] = {}
"""Who finds the players that are named `PREFIX:ID`, by prefix: `run` for the models of runs."""
