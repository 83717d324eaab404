"""Tasks done one after another in this process, or by several processes at once.

`work_here` and `work_on` are all that those who have tasks need to know: another way to spread
tasks has these two functions, too.
"""

import contextlib
import multiprocessing as mp
import os
import signal
import threading
from collections.abc import Callable, Generator
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from typing import Generic, Protocol, TypeVar

from katachi.errors import KatachiError

T = TypeVar("T")
R = TypeVar("R")
T_contra = TypeVar("T_contra", contravariant=True)
R_co = TypeVar("R_co", covariant=True)

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


@dataclass(frozen=True)
class Processes(Generic[T]):
    """How many processes there are, and what they are like."""

    count: int
    name: Callable[[T], str]
    """What a task is called in a message."""
    attempts: int = 1
    """How often a task is begun whose process died under it."""
    are_copies: bool = False
    """Whether they begin as copies of this process with all it has compiled, or afresh; what makes
    their workers must then be found by name."""
    time_left: Callable[[], float | None] = lambda: None
    """Seconds after which tasks under way are given up; None without a limit."""


def work_here(
    take: Callable[[], T | None], make_worker: Callable[[], Worker[T, R]]
) -> Generator[tuple[T, R], None, None]:
    """(task, what came of it) of each task that `take` gives, until it gives None."""
    worker = make_worker()
    try:
        while (task := take()) is not None:
            yield task, worker.work(task)
    finally:
        worker.close()


def work_on(
    take: Callable[[], T | None], make_worker: Callable[[], Worker[T, R]], processes: Processes[T]
) -> Generator[tuple[T, R], None, None]:
    """As `work_here` in several processes, each result as soon as it is there.

    A task is taken only when a process is free for it, so it may depend on earlier results. When
    the time is up, or the iterator is closed, all processes are ended at once. Raises KatachiError
    where a task cannot be done, or its process died too often.
    """
    begun: list[_Process[T, R]] = []
    try:
        while True:
            _hand_out(take, begun, make_worker, processes)
            ready = _ready(begun, processes.time_left())
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

    def __init__(self, make_worker: Callable[[], Worker[T, R]], terms: Processes[T]) -> None:
        self.make_worker, self.terms = make_worker, terms
        self.task: T | None = None
        self._begin()

    def _begin(self) -> None:
        context = mp.get_context("fork" if self.terms.are_copies else "spawn")
        self.connection, theirs = context.Pipe()
        arguments = (theirs, self.make_worker, os.getpid())
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
    make_worker: Callable[[], Worker[T, R]],
    processes: Processes[T],
) -> None:
    """Gives tasks to free processes, and begins more while there are too few."""
    free = [process for process in begun if process.task is None]
    for index in range(len(free) + processes.count - len(begun)):
        task = take()
        if task is None:
            return
        if index >= len(free):
            begun.append(_Process(make_worker, processes))
        (free[index] if index < len(free) else begun[-1]).give(task)


def _ready(begun: list[_Process[T, R]], seconds: float | None) -> list[_Process[T, R]]:
    """The processes that have an answer, or have died; none where nothing is under way or the time
    is up."""
    busy = {process.connection: process for process in begun if process.task is not None}
    found = wait(list(busy), seconds) if busy else []
    return [busy[each] for each in found if isinstance(each, Connection)]


def _serve(connection: Connection, make_worker: Callable[[], Worker[T, R]], parent: int) -> None:
    """The life of a process: tasks in, results out, until the other end is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # also in the midst of a kernel
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        signal.signal(signal.SIGHUP, signal.SIG_DFL)
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
