"""Runs done one after another, or by several processes at once."""

import contextlib
import multiprocessing as mp
import os
import signal
import threading
import time
from collections.abc import Callable, Generator
from multiprocessing.connection import Connection, wait
from typing import NamedTuple

from katachi.errors import KatachiError
from katachi.experiments.protocol import Key


class Task(NamedTuple):
    """One run to be done."""

    setting: str
    run: int
    """From 1."""
    cost: float = 1.0
    """How long it takes beside the others, about."""
    key: Key = {}  # noqa: RUF012 (never changed)
    """What it is about, as data; `setting` is how this is written."""

    @property
    def name(self) -> tuple[str, int]:
        """What makes it this run."""
        return self.setting, self.run


class Done(NamedTuple):
    """A finished run."""

    task: Task
    seconds: float
    measured: bytes


Measure = Callable[[Task], bytes]
Take = Callable[[], Task | None]
"""The next run to be done; None when there is none, or none that the time is enough for."""

FOLLOW_SECONDS = 1.0
"""How soon a process notices that the one that started it is gone."""


def run_here(measure: Measure, take: Take) -> Generator[Done, None, None]:
    """Does runs one after another in this process; a run that was begun is finished."""
    while (task := take()) is not None:
        yield _do(measure, task)


def run_on(
    count: int, measure: Measure, take: Take, time_left: Callable[[], float | None]
) -> Generator[Done, None, None]:
    """Does runs in so many processes, which begin as copies of this one with all it has compiled.

    When the time is up, or the iterator is closed, runs under way are given up. Raises KatachiError
    where a process dies or a run cannot be done.
    """
    workers = [_Worker(measure) for _ in range(count)]
    try:
        while True:
            for worker in workers:
                if worker.task is None:
                    worker.give(take())
            busy = {worker.connection: worker for worker in workers if worker.task is not None}
            ready = wait(list(busy), time_left()) if busy else []
            if not ready:
                return
            for connection in ready:
                if isinstance(connection, Connection):
                    yield busy[connection].collect()
    finally:
        for worker in workers:
            worker.end()


def _do(measure: Measure, task: Task) -> Done:
    begin = time.perf_counter()
    measured = measure(task)
    return Done(task, time.perf_counter() - begin, measured)


class _Worker:
    """A process and the run it does."""

    def __init__(self, measure: Measure) -> None:
        context = mp.get_context("fork")
        self.connection, theirs = context.Pipe()
        arguments = (theirs, measure, os.getpid())
        self.process = context.Process(target=_serve, args=arguments, daemon=True)
        self.process.start()
        theirs.close()
        self.task: Task | None = None

    def give(self, task: Task | None) -> None:
        self.task = task
        if task is not None:
            self.connection.send(task)

    def collect(self) -> Done:
        task, self.task = self.task, None
        assert task is not None
        try:
            answer = self.connection.recv()
        except (EOFError, OSError):
            raise KatachiError(f"the process of {task.setting} run {task.run} died") from None
        if isinstance(answer, Exception):
            raise answer
        return Done(task, *answer)

    def end(self) -> None:
        self.connection.close()
        self.process.terminate()
        self.process.join(10)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()


def _serve(connection: Connection, measure: Measure, parent: int) -> None:
    """The life of a process: runs in, what came of them out, until it is ended."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # also in the midst of a kernel
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        signal.signal(signal.SIGHUP, signal.SIG_DFL)
    threading.Thread(target=_follow, args=(parent,), daemon=True).start()
    with contextlib.suppress(EOFError, OSError):
        while True:
            task = connection.recv()
            try:
                done = _do(measure, task)
            except KatachiError as error:
                connection.send(KatachiError(str(error)))
            else:
                connection.send((done.seconds, done.measured))


def _follow(parent: int) -> None:
    """Ends this process as soon as the one that started it is gone."""
    while os.getppid() == parent:
        time.sleep(FOLLOW_SECONDS)
    os._exit(1)
