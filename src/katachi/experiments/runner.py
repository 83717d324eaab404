"""How runs are done: in which folder, by how many processes, for how long.

A study is many independent runs. Every finished one goes to a journal at once, so a study can be
stopped at any instant and goes on where it was; what comes of it does not depend on how often.
"""

import time
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cache
from hashlib import sha256
from itertools import product
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar, get_type_hints

import msgspec

from katachi.errors import KatachiError
from katachi.experiments.far_study import FarFiles, FarStudy, cluster_cache
from katachi.experiments.journal import Journal, Line
from katachi.experiments.protocol import Key, Row, Settings, label_of
from katachi.files.locking import locked
from katachi.files.provenance import machine, versions
from katachi.records.shipped_games import COLLECTIONS
from katachi.workers import Terms, Worker, Workers, pool_of

S = TypeVar("S", bound=Settings)
M = TypeVar("M", bound=msgspec.Struct)

CAUTION = 1.25
"""A run is begun only if this many times its expected length is left."""


class Task(NamedTuple):
    """One run to be done."""

    setting: str
    run: int
    """From 1."""
    cost: float = 1.0
    """How long it takes beside the others, about."""
    key: Key = {}  # noqa: RUF012 (never changed)
    """What it is about, as data; `setting` is how this is written."""
    seed: int = 0
    """Its own; this and what follows is known when it is done."""
    study_seed: int = 0
    """Of what all runs of the study have in common."""
    behaviour: str = ""
    """The study's."""
    folder: Path = Path()
    """Where the journal is, and what runs keep beside it."""
    data: Path | None = None
    """Where files are that do not come with the package."""

    @property
    def name(self) -> tuple[str, int]:
        """What makes it this run."""
        return self.setting, self.run

    def require_file(self, name: str) -> Path:
        """A file of the data folder or of the package; raises KatachiError where there is none."""
        return require_file(self.data, name)


def require_file(data: Path | None, name: str) -> Path:
    """A file of a data folder, else one of the package's own; raises KatachiError where it is in
    neither."""
    folders = (COLLECTIONS,) if data is None else (data, COLLECTIONS)
    for folder in folders:
        if (folder / name).is_file():
            return folder / name
    if data is None:
        raise KatachiError(f"{name} is needed: give the folder that it is in with --data")
    raise KatachiError(f"no {name} in {data}: give another folder with --data")


class OutOfTime(Exception):
    """The time given is over; what is done is kept."""

    def __init__(self, done: int, total: int) -> None:
        super().__init__(f"{done:,} of {total:,} runs are kept: run it again to go on")


class Progress(NamedTuple):
    """How far a study is."""

    done: int
    total: int
    task: Task | None = None
    """The run just finished; none at the beginning."""
    took: float = 0.0
    """Its seconds."""
    left: float | None = None
    """Seconds to the end, about; not known at the beginning."""


class Measured(NamedTuple):
    """What came of a run."""

    seconds: float
    data: bytes
    """As JSON."""
    made: dict[str, str]
    """Versions and the machine, which may be another than that of the journal."""


@cache
def _made_with() -> dict[str, str]:
    return versions() | {"machine": machine()}


@dataclass(frozen=True)
class Study(Generic[S, M]):
    """Independent runs: `measure(settings, task)` for each task."""

    id: str
    settings: S
    seed: int
    tasks: list[Task]
    measure: Callable[[S, Task], M]
    """A function, which states what it returns; or `partial` of one."""
    behaviour: str
    """A fingerprint of what the code does: runs of code that does otherwise are not mixed."""
    measure_together: Callable[[S, list[Task]], Iterator[list[tuple[Task, M]]]] | None = None
    """What comes of all these runs, done at once on a GPU; those of a setting together."""

    @property
    def key(self) -> str:
        """Equal for runs that may be compared; the number of runs is no part of it."""
        settings = msgspec.to_builtins(self.settings)
        settings.pop("runs")
        data = msgspec.json.encode([self.id, settings, self.seed, self.behaviour], order="sorted")
        return sha256(data).hexdigest()[:16]

    @property
    def form(self) -> type[M]:
        """What `measure` returns."""
        form: type[M] = get_type_hints(getattr(self.measure, "func", self.measure))["return"]
        return form

    def at(self, folder: Path, data: Path | None) -> "Study[S, M]":
        """The same study whose tasks know where they are done, and by which seeds."""
        tasks = [
            task._replace(
                seed=seed_of(self.seed, self.id, task.setting, task.run),
                study_seed=self.seed,
                behaviour=self.behaviour,
                folder=folder,
                data=data,
            )
            for task in self.tasks
        ]
        return replace(self, tasks=tasks)

    def work(self, task: Task) -> Measured:
        """What comes of one run: a study is its own worker."""
        begin = time.perf_counter()
        data = msgspec.json.encode(self.measure(self.settings, task))
        return Measured(time.perf_counter() - begin, data, _made_with())

    def work_together(self, tasks: list[Task]) -> Iterator[tuple[Task, Measured]]:
        """What comes of these runs on a GPU; each counts with its share of the time."""
        if self.measure_together is None:
            raise KatachiError(
                f"{self.id} has no runs that a GPU does at once: leave out --device cuda"
            )
        begin = time.perf_counter()
        for found in self.measure_together(self.settings, tasks):
            seconds = (time.perf_counter() - begin) / len(found)
            begin = time.perf_counter()
            for task, measured in found:
                data = msgspec.json.encode(measured)
                yield task, Measured(seconds, data, _made_with() | {"device": "cuda"})

    def close(self) -> None:
        """Nothing was started."""


def cross(**factors: Iterable[Any]) -> list[Key]:
    """The keys of a grid: every choice of a value for each factor, the last changing fastest."""
    return [dict(zip(factors, values, strict=True)) for values in product(*factors.values())]


def tasks_of(
    keys: Iterable[Key],
    runs: int = 1,
    cost: Callable[[Key], float] = lambda _: 1.0,
    labels: Iterable[str] = (),
) -> list[Task]:
    """So many runs of each key."""
    return [
        Task(label_of(labels, key), run, cost(key), key)
        for key in keys
        for run in range(1, runs + 1)
    ]


class Found(Generic[M]):
    """What came of a study: the runs of each key, in the order of the tasks."""

    def __init__(self, measured: Iterable[tuple[Task, M]]) -> None:
        self._groups: dict[str, tuple[Key, list[M]]] = {}
        for task, each in measured:
            self._groups.setdefault(task.setting, (task.key, []))[1].append(each)

    def __iter__(self) -> Iterator[tuple[Key, list[M]]]:
        return iter(self._groups.values())

    def runs(self, **key: Any) -> list[M]:
        """All runs of a key; raises KeyError."""
        for known, runs in self:
            if known == key:
                return runs
        raise KeyError(key)

    def one(self, **key: Any) -> M:
        """The first run of a key."""
        return self.runs(**key)[0]

    def rows(self, make: Callable[[Key, list[M]], Iterable[Row]]) -> list[Row]:
        """The rows that are made of each key and its runs."""
        return [row for key, runs in self for row in make(key, runs)]


def seed_of(*parts: object) -> int:
    """A number below 2**63 that depends on every part."""
    text = "\n".join(map(str, parts))
    return int.from_bytes(sha256(text.encode()).digest()[:8], "big") >> 1


class Runner:
    """Does the runs that are still missing, and remembers what all of them were done with."""

    def __init__(
        self,
        folder: Path,
        workers: Workers = 1,
        minutes: float | None = None,
        observe: Callable[[Progress], None] = lambda _: None,
        tell: Callable[[str], None] = lambda _: None,
        data: Path | None = None,
    ) -> None:
        """`observe` hears of the beginning and of each finished run, `tell` of what a person should
        know; `data` is a folder of files that do not come with the package. Raises KatachiError for
        numbers that make no sense and a folder that is not there."""
        self.pool = pool_of(workers)
        if minutes is not None and not minutes > 0:
            raise KatachiError(f"{minutes:g} minutes: use a positive number")
        if data is not None and not data.is_dir():
            raise KatachiError(f"no folder {data}: give one with the games to use")
        self.folder = folder
        self.data = data
        self._files: dict[str, None] = {}
        self.end = None if minutes is None else time.monotonic() + 60 * minutes
        self.observe = observe
        self.tell = tell
        self.seconds = 0.0
        """Of all runs used, whenever they were done."""
        self.made: dict[str, list[str]] = {}
        """Versions and machines of all runs used."""

    def require_file(self, name: str) -> Path:
        """A file of the data folder or of the package; raises KatachiError where there is none.
        What runs need is asked for here before they begin: then other machines get it, too."""
        path = require_file(self.data, name)
        self._files.setdefault(name)
        return path

    def time_left(self) -> float | None:
        """Seconds, or None without a limit."""
        return None if self.end is None else max(0.0, self.end - time.monotonic())

    def note(self, seconds: float, made: dict[str, str]) -> None:
        """Adds to what the runs were done with."""
        self.seconds += seconds
        for name, value in made.items():
            known = self.made.setdefault(name, [])
            if value not in known:
                known.append(value)

    def measure_all(self, study: Study[S, M]) -> Found[M]:
        """What came of every run.

        Raises OutOfTime, with all that is done kept, KatachiError where a run dies or another
        process does the same study, OSError.
        """
        # Who does the runs may stand in another folder.
        study = study.at(self.folder.absolute(), self.data and self.data.absolute())
        journal = Journal(self.folder / f"{study.id}.runs.jsonl")
        with locked(journal.path, f"the journal {journal.path}"):
            return self._measure_missing(study, journal)

    def _measure_missing(self, study: Study[S, M], journal: Journal) -> Found[M]:
        lines = self._read(journal, study)
        queue = _Queue(study.tasks, lines)
        if queue.pending:
            self.observe(Progress(len(study.tasks) - len(queue.pending), len(study.tasks)))
        with closing(self._run(study, queue)) as finished:
            for task, (seconds, data, made) in finished:
                took, raw = round(seconds, 3), msgspec.Raw(data)
                line = Line(study.id, study.key, *task.name, took, made, raw)
                journal.add(line)
                lines[task.name] = line
                self.observe(queue.report(task, seconds))
        missing = [task for task in study.tasks if task.name not in lines]
        if missing:
            raise OutOfTime(len(study.tasks) - len(missing), len(study.tasks))
        return Found((task, self._use(lines[task.name], study)) for task in study.tasks)

    def _read(self, journal: Journal, study: Study[S, M]) -> dict[tuple[str, int], Line]:
        lines = journal.read()
        own = [line for line in lines if line.key == study.key]
        if journal.unreadable:
            self.tell(f"{journal.path}: {journal.unreadable} unreadable lines are passed over")
        if len(own) < len(lines):
            other = len(lines) - len(own)
            self.tell(f"{other:,} runs in the journal are of other settings, seed or code")
        return {(line.setting, line.run): line for line in reversed(own)}

    def _run(
        self, study: Study[S, M], queue: "_Queue"
    ) -> Generator[tuple[Task, Measured], None, None]:
        def take() -> Task | None:
            return queue.take(self.time_left())

        terms: Terms[Task] = Terms(
            lambda task: f"{task.setting} run {task.run}",
            are_copies=True,
            time_left=self.time_left,
        )
        return self.pool.work(take, self._maker(study), terms)

    def _maker(self, study: Study[S, M]) -> Callable[[], Worker[Task, Measured]]:
        if self.pool.sees_files:
            return lambda: study
        files = FarFiles.of([self.require_file(name) for name in self._files], self.pool)
        return lambda: FarStudy(study, files, cluster_cache())

    def _use(self, line: Line, study: Study[S, M]) -> M:
        self.note(line.seconds, line.made)
        try:
            return msgspec.json.decode(line.measured, type=study.form)
        except msgspec.MsgspecError as error:
            path = self.folder / f"{study.id}.runs.jsonl"
            text = f"{path}: {line.setting} run {line.run} is not a run's result: {error}"
            raise KatachiError(text) from None


class _Queue:
    """The runs still to be done, longest first so that none is left running alone at the end."""

    def __init__(self, tasks: list[Task], lines: dict[tuple[str, int], Line]) -> None:
        missing = [task for task in tasks if task.name not in lines]
        self.pending = sorted(missing, key=lambda task: -task.cost)
        self.total = len(tasks)
        self._seconds: dict[str, list[float]] = {}
        self._begin = time.monotonic()
        self._spent, self._cost = 0.0, 0.0
        for task in tasks:
            if task.name in lines:
                self._learn(task, lines[task.name].seconds)
        self._cost_here = 0.0
        self._cost_left = sum(task.cost for task in self.pending)

    def _learn(self, task: Task, seconds: float) -> None:
        self._seconds.setdefault(task.setting, []).append(seconds)
        self._spent += seconds
        self._cost += task.cost

    def _expected(self, task: Task) -> float:
        """How long a run takes, by runs of its setting or else by the pace of all."""
        known = self._seconds.get(task.setting)
        return sum(known) / len(known) if known else self._spent / self._cost * task.cost

    def take(self, left: float | None) -> Task | None:
        """The longest run that the time left will be enough for. While there is no telling, the
        shortest: it shows the pace, and however short the time, something is done."""
        if left is not None and not self._cost:
            return self.pending.pop() if self.pending and left > 0 else None
        for task in self.pending:
            if left is None or (left > 0 and CAUTION * self._expected(task) <= left):
                self.pending.remove(task)
                return task
        return None

    def report(self, task: Task, seconds: float) -> Progress:
        """Counts a finished run."""
        self._learn(task, seconds)
        self._cost_here += task.cost
        elapsed = time.monotonic() - self._begin
        left = elapsed / self._cost_here * (self._cost_left - self._cost_here)
        count = sum(map(len, self._seconds.values()))
        return Progress(count, self.total, task, seconds, left)
