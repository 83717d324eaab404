"""Where the runs of a server lie, and the one that it has begun itself.

Runs are named by a digest of their place: the page never says where anything lies.
"""

import atexit
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from katachi.errors import KatachiError
from katachi.files.locking import is_held
from katachi.files.plain_text import one_line
from katachi.files.user_data import user_data_folder
from katachi.interfaces.views.player_lines import player_name
from katachi.learning.run_view import SHAPE, RunView, is_run

PREFIX = "run"
"""Players of runs are named `run:ID`."""
DIGITS = 12
MOST_SEED = (1 << 53) - 1
"""JavaScript knows no larger whole numbers."""
KEPT_RUNS = 20
"""Of those that were begun from a page, the newest so many are kept."""
MOST_FOLDERS = 1000
"""Folders that are looked at in one place."""


class PagePreset(NamedTuple):
    """A run that can be begun from the page."""

    title: str
    about: str
    size: int
    games: int
    options: tuple[str, ...]


PRESETS = {
    "shape5": PagePreset(
        "Local shape on 5x5",
        "Two agents that know only the rules play each other. Within a minute they beat ALP, who "
        "counts liberties.",
        size=5,
        games=120_000,
        # Small steps and a test every 500 games: the curve is seen to rise.
        options=("--alpha", "0.1", "--final-alpha", "0.03", "--test-every", "500"),
    )
}


def identity_of(path: Path) -> str:
    """The name by which the page knows a file or folder: always the same for the same place."""
    return sha256(str(path.absolute()).encode(errors="surrogateescape")).hexdigest()[:DIGITS]


_PAGE_NAME = re.compile(rf"({'|'.join(PRESETS)})-([0-9]{{8}})-([0-9]{{6}})(-[0-9]{{1,2}})?")
"""How the folders of runs are named that are begun from a page: by preset and time."""


def title_of(path: Path) -> str:
    """What a run is called: its folder's name, or in words where a page has begun it."""
    found = _PAGE_NAME.fullmatch(path.name)
    if found is None:
        return path.name
    preset, day, clock = found.groups()[:3]
    date, hour = f"{day[:4]}-{day[4:6]}-{day[6:]}", f"{clock[:2]}:{clock[2:4]}:{clock[4:]}"
    return f"{PRESETS[preset].title}, {date} {hour}"


def data_folder() -> Path:
    """Where runs that are begun from the page are kept."""
    return user_data_folder() / "runs"


def find_paths(folder: Path) -> Iterator[Path]:
    """Every run in a folder, in `runs` below it, and where the page keeps its own."""
    for place in dict.fromkeys((folder, folder / "runs", data_folder())):
        yield from (each for each in (place, *_folders_in(place)) if is_run(each))


def _folders_in(place: Path) -> list[Path]:
    try:
        with os.scandir(place) as entries:
            found = [Path(entry.path) for entry in entries if entry.is_dir()]
    except OSError:
        return []
    return sorted(found)[:MOST_FOLDERS]


def find_run(name: str, folder: Path) -> Path:
    """The run of a name; raises KatachiError."""
    for path in find_paths(folder):
        if identity_of(path) == name:
            return path
    raise KatachiError("there is no such run any more")


def player_of(name: str, folder: Path) -> str:
    """The player that plays by the best model of a run, as the library names it; raises
    KatachiError where the run has no model yet, or nobody plays by it."""
    path = find_run(name, folder)
    if not RunView(path).is_finished:
        raise KatachiError(f"the run {path.name} is not finished: nobody can play by it yet")
    player = player_name(path)
    if player is None:
        raise KatachiError(f"nobody plays by what the run {path.name} learns")
    return player


def check_seed(seed: int) -> None:
    """Raises KatachiError for a seed that no run of the page can have."""
    if not 0 <= seed <= MOST_SEED:
        raise KatachiError(f"seed {seed}: use 0 to {MOST_SEED}")


class Child(NamedTuple):
    """A run that this server has begun."""

    path: Path
    preset: PagePreset
    process: subprocess.Popen[bytes]
    errors: Path
    """What it wrote to its standard error."""


class RunShelf:
    """The runs of a server. Any thread may ask; one run at a time is begun here."""

    PATIENCE: ClassVar[float] = 5.0
    """Seconds that a run has to end once it is asked to."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._child: Child | None = None
        self._begun: set[Path] = set()
        self._stopped: set[Path] = set()
        self._lock = threading.Lock()
        atexit.register(self.close)

    def paths(self) -> list[Path]:
        """Every run: those that learn now first, then the newest."""
        found = dict.fromkeys(find_paths(self.folder))
        child = self._child
        if child is not None and child.process.poll() is None:
            found[child.path] = None
        return sorted(found, key=lambda path: (not self.is_running(path), -_time_of(path)))

    def find(self, name: str) -> Path:
        """The run of a name; raises KatachiError."""
        child = self._child
        if child is not None and identity_of(child.path) == name:
            return child.path
        return find_run(name, self.folder)

    def view(self, path: Path) -> RunView | None:
        """A run to look at; None for one of ours that has not written anything yet."""
        return RunView(path) if is_run(path) or not self.is_pages(path) else None

    def is_pages(self, path: Path) -> bool:
        """Whether this server has begun a run."""
        return path in self._begun

    def is_running(self, path: Path) -> bool:
        """Whether a run learns now."""
        child = self._child
        if child is not None and child.path == path:
            return child.process.poll() is None
        return is_run(path) and RunView(path).is_running

    def summary(self, path: Path) -> dict[str, Any]:
        """A run in a few words and numbers."""
        view = self.view(path)
        fields: dict[str, Any] = {"id": identity_of(path), "title": title_of(path)}
        if view is None:
            preset = self._child.preset if self._child else PRESETS["shape5"]
            fields |= {"learner": SHAPE, "size": preset.size, "done": 0, "of": preset.games}
            fields |= {"is_finished": False, "player": None, "seconds": None}
        else:
            is_played = view.is_finished and player_name(path) is not None
            fields |= {"learner": view.learner, "size": view.size, "done": view.done}
            fields |= {"of": view.goal, "is_finished": view.is_finished, "seconds": view.seconds}
            fields["player"] = f"{PREFIX}:{fields['id']}" if is_played else None
        is_running = self.is_running(path)
        return fields | {"is_running": is_running, "is_pages": self.is_pages(path)}

    def start(self, preset: str, seed: int) -> Path:
        """Begins a run and returns where; raises KatachiError while another one goes on."""
        with self._lock:
            if self._child is not None and self._child.process.poll() is None:
                raise KatachiError("a run of this page goes on already: stop it first")
            if self._child is not None:
                self._child.errors.unlink(missing_ok=True)
            path = _new_folder(preset)
            self._child = _begin(path, PRESETS[preset], seed)
            self._begun.add(path)
            return path

    def check_child(self, path: Path) -> None:
        """Raises KatachiError, with its own words, where a run of ours has failed."""
        child = self._child
        if child is None or child.path != path or path in self._stopped:
            return
        if child.process.poll() in (None, 0):
            return
        try:
            last = child.errors.read_text(errors="replace").strip().splitlines()[-1]
        except (OSError, IndexError):
            last = f"it ended with code {child.process.poll()}"
        raise KatachiError(f"the run has failed: {one_line(last)[:300]}")

    def interrupt(self, path: Path | None = None) -> None:
        """Asks the run that was begun here to end, if it is this one; what it has learned is
        kept."""
        child = self._child
        if child is None or path not in (None, child.path):
            return
        if child.process.poll() is None:
            self._stopped.add(child.path)
            child.process.send_signal(signal.SIGINT)

    def close(self) -> None:
        """Ends the run that was begun here and waits for it; safe to call twice."""
        child = self._child
        if child is None:
            return
        self.interrupt()
        try:
            child.process.wait(self.PATIENCE)
        except subprocess.TimeoutExpired:
            child.process.kill()
            child.process.wait()
        child.errors.unlink(missing_ok=True)


@cache
def shelf_at(folder: Path) -> RunShelf:
    """The runs of a server with this folder; the same object each time."""
    return RunShelf(folder)


def _time_of(path: Path) -> float:
    try:
        return (path / "config.json").stat().st_mtime
    except OSError:
        return 0.0


def _new_folder(preset: str) -> Path:
    """A folder that is not there yet, named by the time; raises KatachiError where none can be."""
    place = data_folder()
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise KatachiError(f"cannot keep a run in {place}: {error.strerror}") from None
    _drop_old(place)
    name = f"{preset}-{time.strftime('%Y%m%d-%H%M%S')}"
    names = (name, *(f"{name}-{number}" for number in range(2, 100)))
    return next(place / each for each in names if not (place / each).exists())


def _drop_old(place: Path) -> None:
    """Removes the oldest runs that were begun from a page, so that they do not fill the disk."""
    ours = [path for path in _folders_in(place) if _PAGE_NAME.fullmatch(path.name)]
    kept = sorted(ours, key=_time_of, reverse=True)[: KEPT_RUNS - 1]
    for path in set(ours) - set(kept):
        if is_held(path / "lock") is False:
            shutil.rmtree(path, ignore_errors=True)


def _begin(path: Path, preset: PagePreset, seed: int) -> Child:
    options = ("--size", str(preset.size), "--games", str(preset.games), *preset.options)
    command = (sys.executable, "-m", "katachi", "train", "shape", *options)
    handle, errors = tempfile.mkstemp(prefix="katachi-run-", suffix=".txt")
    with os.fdopen(handle, "wb") as file:
        process = subprocess.Popen(
            (*command, "--seed", str(seed), "--out", str(path)),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=file,
            start_new_session=True,  # an interrupt at the terminal is passed on by `close`, once
        )
    return Child(path, preset, process, Path(errors))
