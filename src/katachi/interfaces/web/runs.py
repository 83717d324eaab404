"""Learning on the page: runs that lie in the folder, their curves and games, and one to begin."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Annotated, Any

from msgspec import Meta

from katachi.errors import KatachiError
from katachi.interfaces.web.messages import Id
from katachi.interfaces.web.operations import (
    PLAYER_PREFIXES,
    Answers,
    AsyncAnswers,
    Context,
    Lane,
    Nothing,
    Part,
    Request,
    RequestError,
    Result,
    operation,
)
from katachi.interfaces.web.run_shelf import (
    MOST_SEED,
    PREFIX,
    PRESETS,
    RunShelf,
    identity_of,
    player_of,
    shelf_at,
)
from katachi.learning.run_folder import METRICS
from katachi.learning.run_view import RunView, SampleGame
from katachi.records.result import text_from_result
from katachi.rules.point import vertex_from_point

POLL_SECONDS = 0.3
"""Between two looks at a run that is watched."""

PLAYER_PREFIXES[PREFIX] = player_of


class RunRequest(Request):
    """Which run."""

    id: Id


class StartRequest(Request):
    """Which kind of run to begin."""

    preset: Id = "shape5"
    seed: Annotated[int, Meta(ge=0, le=MOST_SEED)] = 1


def shelf_of(context: Context) -> RunShelf:
    """The runs that a server knows; it ends what was begun when the server ends."""
    shelf: RunShelf = context.shared.setdefault("runs", shelf_at(context.folder))
    return shelf


@operation("runs", Nothing, lane=Lane.QUICK)
def runs(_: Nothing, context: Context) -> Answers:
    """All runs, those that learn now first, then the newest."""
    shelf = shelf_of(context)
    presets = [
        {"name": name, "title": each.title, "about": each.about} for name, each in PRESETS.items()
    ]
    yield Result({"runs": [shelf.summary(path) for path in shelf.paths()], "presets": presets})


@operation("run", RunRequest, lane=Lane.QUICK)
def run(request: RunRequest, context: Context) -> Answers:
    """One run with everything that was measured, and its games."""
    shelf = shelf_of(context)
    path = shelf.find(request.id)
    view = shelf.view(path)
    fields: dict[str, Any] = {"run": shelf.summary(path), "metrics": [], "samples": []}
    fields |= {"columns": [], "rating": None}
    if view is not None:
        fields |= _measured(view) | {"metrics": view.rows}
        fields["samples"] = [sample_data(each) for each in view.samples()]
    yield Result(fields)


def _measured(view: RunView) -> dict[str, Any]:
    """What can be said of the curves of a run."""
    elo = view.rating()
    return {
        "columns": [column._asdict() | {"paper": None} for column in view.columns()],
        "rating": elo and {"elo": elo.value, "low": elo.low, "high": elo.high},
    }


def sample_data(sample: SampleGame) -> dict[str, Any]:
    """A game of a run as the page takes it."""
    record = sample.record
    return {
        "done": sample.done,
        "black": record.texts.black,
        "white": record.texts.white,
        "moves": [vertex_from_point(point, record.size) for point in record.moves.tolist()],
        "size": record.size,
        "komi": record.komi,
        "result": text_from_result(record.result),
    }


class Watch:
    """What a page has seen of a run, so that it is sent only what is new."""

    def __init__(self, shelf: RunShelf, name: str) -> None:
        self.shelf = shelf
        self.path = shelf.find(name)
        self._rows = 0
        self._samples: frozenset[str] = frozenset()
        self._mark: object = ()

    def has_news(self) -> bool:
        """Whether anything was written since this was last asked; it costs next to nothing."""
        mark = (*(_stamp(self.path / name) for name in FILES), self.shelf.is_running(self.path))
        has_changed = mark != self._mark
        self._mark = mark
        return has_changed

    def news(self) -> dict[str, Any]:
        """The run, and what was written since this was last asked."""
        fields: dict[str, Any] = {"run": self.shelf.summary(self.path), "metrics": []}
        fields |= {"samples": [], "columns": [], "rating": None}
        view = self.shelf.view(self.path)
        if view is not None:
            rows, games = view.rows, list(view.samples(self._samples))
            fields |= _measured(view) | {"metrics": rows[self._rows :]}
            fields["samples"] = [sample_data(each) for each in games]
            self._rows = len(rows)
            self._samples |= {each.name for each in games}
        return fields


FILES = (METRICS, "samples", "config.json", "result.json", "model")
"""What changes as a run goes on."""


def _stamp(path: Path) -> tuple[int, int]:
    """Another one whenever a file or folder has changed."""
    try:
        status = path.stat()
    except OSError:
        return 0, 0
    return status.st_mtime_ns, status.st_size


@operation("watch", RunRequest, is_endless=True)
async def watch(request: RunRequest, context: Context) -> AsyncIterator[Part | Result | None]:
    """What a run measures, as it comes, until the run ends."""
    shelf = shelf_of(context)
    seen = Watch(shelf, request.id)
    while True:
        is_running = shelf.is_running(seen.path)
        if seen.has_news():
            yield Part(await asyncio.to_thread(seen.news))
        if not is_running:
            shelf.check_child(seen.path)
            yield Result({"run": shelf.summary(seen.path)})
            return
        await asyncio.sleep(POLL_SECONDS)


@operation("start", StartRequest, lane=Lane.QUICK)
def start(request: StartRequest, context: Context) -> Answers:
    """Begins a small run in a process of its own."""
    if request.preset not in PRESETS:
        raise RequestError("preset", f"no such run: choose {' or '.join(PRESETS)}")
    path = shelf_of(context).start(request.preset, request.seed)
    yield Result({"id": identity_of(path)})


@operation("stop", RunRequest)
async def stop(request: RunRequest, context: Context) -> AsyncAnswers:
    """Ends the run that the page has begun; what it has learned so far is kept."""
    shelf = shelf_of(context)
    path = shelf.find(request.id)
    if not shelf.is_pages(path):
        raise KatachiError("only a run that this server has begun can be stopped here")
    shelf.interrupt(path)
    for _ in range(round(shelf.PATIENCE / POLL_SECONDS)):
        if not shelf.is_running(path):
            break
        await asyncio.sleep(POLL_SECONDS)
    else:
        await asyncio.to_thread(shelf.close)
    yield Result({"run": shelf.summary(path)})
