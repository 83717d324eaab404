"""Several games at once, each in a process of its own that may die without harm to the others."""

import contextlib
import multiprocessing as mp
import os
import signal
import threading
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from typing import NamedTuple, Protocol

from katachi.arena.game import play_game
from katachi.arena.openings import sample_opening
from katachi.arena.outcome import Outcome
from katachi.arena.settings import GameSettings
from katachi.arena.stop_signals import leave_on_signals
from katachi.errors import KatachiError
from katachi.players.names import is_program
from katachi.players.protocol import Player, Seeded
from katachi.players.roster import make_player

MOST_ATTEMPTS = 3
"""How often a game is begun whose process died under it."""


@dataclass(frozen=True)
class GameTask:
    """One game to be played; equal tasks of our own players are equal games."""

    number: int
    """The caller's own name for the task."""
    black: str
    """A player's spec, as `make_player` takes it."""
    white: str
    settings: GameSettings
    opening: int = 0
    """Number of the opening; two games with exchanged colours share one."""
    seed: int = 1
    names: tuple[str, str] | None = None
    """What Black and White are called in the record, where not by their specs."""


class Finished(NamedTuple):
    """A task and what came of it."""

    task: GameTask
    outcome: Outcome


class TaskRunner(Protocol):
    """Who plays the tasks of one process."""

    def play(self, task: GameTask) -> Outcome:
        """Plays one task."""
        ...

    def close(self) -> None:
        """Ends whatever was started."""
        ...


class PlayerRunner:
    """Players of one process: programs stay running between games, ours are made for each."""

    def __init__(self) -> None:
        self._programs: dict[tuple[str, int], Player] = {}

    def play(self, task: GameTask) -> Outcome:
        """Plays one task."""
        black = self._player(task, 0)
        white = self._player(task, 1)
        opening = sample_opening(task.settings, task.seed, task.opening)
        if task.names is not None:
            black.name, white.name = task.names
        try:
            return play_game(black, white, task.settings, opening)
        finally:
            for player in (black, white):
                if player not in self._programs.values():
                    player.close()

    def _player(self, task: GameTask, side: int) -> Player:
        spec = (task.black, task.white)[side]
        seed = hash((task.seed, task.number, side))
        if not is_program(spec):
            return make_player(spec, seed)
        if (spec, side) not in self._programs:
            self._programs[spec, side] = make_player(spec)
        player = self._programs[spec, side]
        if isinstance(player, Seeded):
            player.reseed(seed)
        return player

    def close(self) -> None:
        """Ends all programs."""
        for player in list(self._programs.values()):  # another thread may do the same
            player.close()
        self._programs.clear()


def play_here(
    tasks: Iterable[GameTask], make_runner: Callable[[], TaskRunner] = PlayerRunner
) -> Generator[Finished, None, None]:
    """Plays tasks one after another in this process."""
    runner = make_runner()
    try:
        for task in tasks:
            yield Finished(task, runner.play(task))
    finally:
        runner.close()


MOST_WORKERS = 1024
"""Processes at once."""


def check_workers(workers: int) -> int:
    """`workers` itself; raises KatachiError where nobody would work, or nothing else could."""
    if workers < 1:
        raise KatachiError(f"{workers} workers: use 1 or more")
    if workers > MOST_WORKERS:
        raise KatachiError(f"{workers} workers: use at most {MOST_WORKERS}")
    return workers


def play_tasks(
    tasks: Iterable[GameTask], workers: int, make_runner: Callable[[], TaskRunner] = PlayerRunner
) -> Generator[Finished, None, None]:
    """Plays tasks on so many processes; results come as they are ready.

    A task is taken only when a process is free for it, so `tasks` may depend on earlier results.
    Each process calls `make_runner`, a class that can be found by name. Closing the iterator ends
    every process and program at once.
    """
    if check_workers(workers) == 1:
        return play_here(tasks, make_runner)
    return _play_on(iter(tasks), workers, make_runner)


class _Worker:
    """A process and the task it has."""

    def __init__(self, make_runner: Callable[[], TaskRunner]) -> None:
        context = mp.get_context("spawn")
        self.make_runner = make_runner
        self.connection, theirs = context.Pipe()
        self.process: SpawnProcess = context.Process(
            target=_serve, args=(theirs, make_runner), daemon=True
        )
        self.process.start()
        theirs.close()
        self.task: GameTask | None = None
        self.attempts = 0

    def give(self, task: GameTask, attempts: int = 1) -> None:
        self.task, self.attempts = task, attempts
        # A process that died meanwhile shows at its other end of the connection.
        with contextlib.suppress(OSError):
            self.connection.send(task)

    def end(self) -> None:
        self.connection.close()
        self.process.terminate()
        self.process.join(10)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()


def _play_on(
    tasks: Iterator[GameTask], count: int, make_runner: Callable[[], TaskRunner]
) -> Generator[Finished, None, None]:
    workers: list[_Worker] = []
    try:
        for task in tasks:
            worker = _Worker(make_runner)
            workers.append(worker)
            worker.give(task)
            if len(workers) == count:
                break
        while any(worker.task for worker in workers):
            for worker in _ready(workers):
                finished = _collect(worker, workers)
                if finished is not None:
                    yield finished
            _hand_out(tasks, workers)
    finally:
        for worker in workers:
            worker.end()


def _ready(workers: list[_Worker]) -> list[_Worker]:
    """The workers that have something to say, or have died."""
    busy = {worker.connection: worker for worker in workers if worker.task}
    return [busy[ready] for ready in wait(list(busy)) if isinstance(ready, Connection)]


def _collect(worker: _Worker, workers: list[_Worker]) -> Finished | None:
    """A worker's result; a dead worker is replaced and its game begun again."""
    task = worker.task
    assert task is not None
    try:
        answer = worker.connection.recv()
    except (EOFError, OSError):
        worker.end()
        if worker.attempts >= MOST_ATTEMPTS:
            raise KatachiError(
                f"the process of game {task.number} died {MOST_ATTEMPTS} times"
            ) from None
        fresh = _Worker(worker.make_runner)
        workers[workers.index(worker)] = fresh
        fresh.give(task, worker.attempts + 1)
        return None
    worker.task = None
    if isinstance(answer, Exception):
        raise answer
    return Finished(task, answer)


def _hand_out(tasks: Iterator[GameTask], workers: list[_Worker]) -> None:
    for worker in workers:
        if worker.task is None:
            task = next(tasks, None)
            if task is None:
                return
            worker.give(task)


def _serve(connection: Connection, make_runner: Callable[[], TaskRunner]) -> None:
    """The life of a worker process: tasks in, outcomes out, until the other end is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    leave_on_signals()
    runner = make_runner()
    threading.Thread(target=_follow_parent, args=(runner,), daemon=True).start()
    try:
        _play_all(connection, runner)
    finally:
        runner.close()


def _play_all(connection: Connection, runner: TaskRunner) -> None:
    with contextlib.suppress(EOFError, OSError):
        while True:
            task = connection.recv()
            try:
                answer: Outcome | Exception = runner.play(task)
            except KatachiError as error:
                answer = KatachiError(str(error))
            connection.send(answer)


def _follow_parent(runner: TaskRunner) -> None:
    """Ends this process and its programs as soon as the one that started it is gone."""
    parent = mp.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        runner.close()
        os._exit(1)
