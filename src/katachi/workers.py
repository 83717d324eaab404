"""Tasks done one after another in this process, or by several processes at once.

A `Pool` is all that those who have tasks need to know. `ProcessPool` is this machine, `RayPool`
(`ray_pool.py`) a cluster; what comes of a task is the same.
"""

import contextlib
import multiprocessing as mp
import os
import signal
import threading
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from typing import Any, Generic, Protocol, TypeVar, runtime_checkable

from katachi.errors import KatachiError

T = TypeVar("T")
R = TypeVar("R")
T_contra = TypeVar("T_contra", contravariant=True)
R_co = TypeVar("R_co", covariant=True)

MOST_WORKERS = 1024
"""Processes of one machine at once."""
FOLLOW_SECONDS = 1.0
"""How soon a process notices at the latest that the one that started it is gone."""


class Worker(Protocol[T_contra, R_co]):
    """Who does the tasks of one process."""

    def work(self, task: T_contra) -> R_co:
        """What comes of one task; KatachiError ends the whole work."""
        ...

    def close(self) -> None:
        """Ends whatever was started; may be called twice, and by another thread."""
        ...


@runtime_checkable
class CardWorker(Protocol):
    """A worker that can do many tasks at once on a GPU."""

    def work_together(self, tasks: list[Any]) -> Iterator[tuple[Any, Any]]:
        """(task, what came of it) of each, as soon as it is there; raises KatachiError."""
        ...


def _do_nothing() -> None:
    """What needs no preparation."""


@dataclass(frozen=True)
class Terms(Generic[T]):
    """How tasks are to be done."""

    name: Callable[[T], str]
    """What a task is called in a message."""
    attempts: int = 1
    """How often a task is begun whose process died under it; a cluster, where machines come and go,
    may do it more often."""
    are_copies: bool = False
    """Whether processes begin as copies of this one with all it has compiled, or afresh; what makes
    their workers must then be found by name."""
    prepare: Callable[[], None] = _do_nothing
    """What a process of this machine does before it makes its worker, found by name."""
    time_left: Callable[[], float | None] = lambda: None
    """Seconds after which tasks under way are given up; None without a limit."""


class Shared(Generic[R_co]):
    """Data that many tasks have in common, as it travels with each of them."""

    def __init__(self, data: R_co) -> None:
        self._data = data

    def get(self) -> R_co:
        """The data, which nobody changes."""
        return self._data


class Pool(Protocol):
    """Who does tasks."""

    @property
    def count(self) -> int:
        """Tasks at once."""
        ...

    @property
    def sees_files(self) -> bool:
        """Whether its workers find the files of this machine."""
        ...

    def share(self, data: R) -> Shared[R]:
        """Data that is sent once, not with each task, where this can be done."""
        ...

    def work(
        self, take: Callable[[], T | None], make_worker: Callable[[], Worker[T, R]], terms: Terms[T]
    ) -> Generator[tuple[T, R], None, None]:
        """(task, what came of it) of each task that `take` gives, as soon as it is there.

        A task is taken only when somebody is free for it, so it may depend on earlier results.
        It ends when `take` gives None and nothing is under way. When the time is up, or the
        iterator is closed, all work is ended at once. Raises KatachiError where a task cannot be
        done, or its process died too often.
        """
        ...


class ProcessPool:
    """Processes of this machine; this process itself where one is enough."""

    sees_files = True

    def __init__(self, count: int = 1) -> None:
        """Raises KatachiError where nobody would work, or nothing else could."""
        self.count = check_workers(count)

    def share(self, data: R) -> Shared[R]:
        """The data as it is: it goes to each process with its task."""
        return Shared(data)

    def work(
        self, take: Callable[[], T | None], make_worker: Callable[[], Worker[T, R]], terms: Terms[T]
    ) -> Generator[tuple[T, R], None, None]:
        """What comes of each task."""
        if self.count == 1:
            return _work_here(take, make_worker)
        return _work_on(take, make_worker, terms, self.count)


class CardPool:
    """A GPU of this machine, on which a worker that can do so does all tasks at once."""

    count = 1
    sees_files = True

    def share(self, data: R) -> Shared[R]:
        """The data as it is: nothing travels."""
        return Shared(data)

    def work(
        self,
        take: Callable[[], T | None],
        make_worker: Callable[[], Worker[T, R]],
        terms: Terms[T],  # noqa: ARG002 (nobody dies alone here)
    ) -> Generator[tuple[T, R], None, None]:
        """What comes of each task."""
        worker = make_worker()
        if not isinstance(worker, CardWorker):
            raise KatachiError("this is not done on a GPU: use --device cpu")
        if tasks := list(iter(take, None)):
            yield from worker.work_together(tasks)


Workers = int | Pool
"""So many processes of this machine, or another pool."""


def pool_of(workers: Workers) -> Pool:
    """The pool itself, or that of so many processes; raises KatachiError."""
    return ProcessPool(workers) if isinstance(workers, int) else workers


def check_workers(workers: int, most: int = MOST_WORKERS) -> int:
    """`workers` itself; raises KatachiError where nobody would work, or nothing else could."""
    if workers < 1:
        raise KatachiError(f"{workers} workers: use 1 or more")
    if workers > most:
        raise KatachiError(f"{workers} workers: use at most {most}")
    return workers


def call_in_copy(make: Callable[[], R]) -> R:
    """What a copy of this process makes, which then ends: what it starts on the way, such as the
    threads that PyTorch has for a GPU, is not here and does not keep later copies from working.
    Raises KatachiError as `make` does, or where the copy dies."""
    context = mp.get_context("fork")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_call, args=(make, theirs), daemon=True)
    process.start()
    theirs.close()
    try:
        answer: R | KatachiError = ours.recv()
    except EOFError:
        raise KatachiError("a process that was to prepare the runs died") from None
    finally:
        process.join()
        ours.close()
    if isinstance(answer, KatachiError):
        raise answer
    return answer


def _call(make: Callable[[], Any], connection: Connection) -> None:
    try:
        answer = make()
    except KatachiError as error:
        answer = KatachiError(str(error))
    connection.send(answer)


def is_in_pool() -> bool:
    """Whether this process does the tasks of another, which has the other cores busy."""
    return mp.current_process().daemon or _IS_FAR.is_set()


def work_far_away() -> None:
    """Notes that this process does the tasks of another, as a cluster's do."""
    _IS_FAR.set()


_IS_FAR = threading.Event()


def _work_here(
    take: Callable[[], T | None], make_worker: Callable[[], Worker[T, R]]
) -> Generator[tuple[T, R], None, None]:
    """(task, what came of it) of each task that `take` gives, until it gives None."""
    worker = make_worker()
    try:
        while (task := take()) is not None:
            yield task, worker.work(task)
    finally:
        worker.close()


def _work_on(
    take: Callable[[], T | None],
    make_worker: Callable[[], Worker[T, R]],
    terms: Terms[T],
    count: int,
) -> Generator[tuple[T, R], None, None]:
    """As `_work_here` in several processes, which are begun when there are tasks for them."""
    begun: list[_Process[T, R]] = []
    try:
        while True:
            _hand_out(take, begun, lambda: _Process(make_worker, terms), count)
            ready = _ready(begun, terms.time_left())
            if not ready:
                return
            for process in ready:
                task = process.task
                if task is not None and process.has_answered():
                    yield task, process.answer()
    finally:
        for process in begun:
            process.end()


class _Process(Generic[T, R]):
    """A process and the task it has."""

    def __init__(self, make_worker: Callable[[], Worker[T, R]], terms: Terms[T]) -> None:
        self.make_worker, self.terms = make_worker, terms
        self.task: T | None = None
        self._begin()

    def _begin(self) -> None:
        context = mp.get_context("fork" if self.terms.are_copies else "spawn")
        self.connection, theirs = context.Pipe()
        arguments = (theirs, self.make_worker, self.terms.prepare, os.getpid())
        # The stubs know this method of each kind of context only.
        self.process = context.Process(target=_serve, args=arguments, daemon=True)  # type: ignore[attr-defined]
        self.process.start()
        theirs.close()

    def give(self, task: T, attempts: int = 1) -> None:
        self.task, self.attempts = task, attempts
        # A process that died meanwhile shows at its other end of the connection.
        with contextlib.suppress(OSError):
            self.connection.send(task)

    def has_answered(self) -> bool:
        """Whether there is an answer; else the process had died, and another begins the task."""
        assert self.task is not None
        try:
            self._answer = self.connection.recv()
        except (EOFError, OSError):
            self.end()
            if self.attempts < self.terms.attempts:
                self._begin()
                self.give(self.task, self.attempts + 1)
                return False
            times = f" {self.attempts} times" if self.attempts > 1 else ""
            text = f"the process of {self.terms.name(self.task)} died{times}"
            raise KatachiError(text) from None
        self.task = None
        return True

    def answer(self) -> R:
        if isinstance(self._answer, Exception):
            raise self._answer
        answer: R = self._answer
        return answer

    def end(self) -> None:
        self.connection.close()
        self.process.terminate()
        self.process.join(10)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()


def _hand_out(
    take: Callable[[], T | None],
    begun: list[_Process[T, R]],
    begin: Callable[[], _Process[T, R]],
    count: int,
) -> None:
    """Gives tasks to free processes, and begins more while there are too few."""
    free = [process for process in begun if process.task is None]
    for index in range(len(free) + count - len(begun)):
        task = take()
        if task is None:
            return
        if index >= len(free):
            begun.append(begin())
        (free[index] if index < len(free) else begun[-1]).give(task)


def _ready(begun: list[_Process[T, R]], seconds: float | None) -> list[_Process[T, R]]:
    """The processes that have an answer, or have died; none where nothing is under way or the time
    is up."""
    busy = {process.connection: process for process in begun if process.task is not None}
    found = wait(list(busy), seconds) if busy else []
    return [busy[each] for each in found if isinstance(each, Connection)]


def _serve(
    connection: Connection,
    make_worker: Callable[[], Worker[T, R]],
    prepare: Callable[[], None],
    parent: int,
) -> None:
    """The life of a process: tasks in, results out, until the other end is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # also in the midst of a kernel
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        signal.signal(signal.SIGHUP, signal.SIG_DFL)
    prepare()
    worker = make_worker()
    threading.Thread(target=_follow, args=(parent, worker), daemon=True).start()
    try:
        _answer_all(connection, worker)
    finally:
        worker.close()


def _answer_all(connection: Connection, worker: Worker[T, R]) -> None:
    with contextlib.suppress(EOFError, OSError):
        while True:
            task = connection.recv()
            try:
                answer: R | Exception = worker.work(task)
            except KatachiError as error:
                answer = KatachiError(str(error))
            connection.send(answer)


def _follow(parent: int, worker: Worker[T, R]) -> None:
    """Ends this process and what its worker started as soon as the one that began it is gone."""
    process = mp.parent_process()
    while process is not None and os.getppid() == parent:
        if wait([process.sentinel], FOLLOW_SECONDS):
            break
    worker.close()
    os._exit(1)
