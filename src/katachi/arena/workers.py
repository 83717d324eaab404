"""Several games at once, each in a process of its own that may die without harm to the others."""

import contextlib
from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from katachi.arena.game import play_game
from katachi.arena.openings import sample_opening
from katachi.arena.outcome import Outcome
from katachi.arena.settings import GameSettings
from katachi.arena.stop_signals import leave_on_signals
from katachi.errors import KatachiError
from katachi.players.names import is_program
from katachi.players.protocol import Player, Seeded
from katachi.players.roster import make_player
from katachi.workers import Processes, Worker, work_here, work_on

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


GameRunner = Worker[GameTask, Outcome]
"""Who plays the games of one process."""


class PlayerRunner:
    """Players of one process: programs stay running between games, ours are made for each."""

    def __init__(self) -> None:
        self._programs: dict[tuple[str, int], Player] = {}

    def work(self, task: GameTask) -> Outcome:
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


MOST_WORKERS = 1024
"""Processes at once."""


def check_workers(workers: int) -> int:
    """`workers` itself; raises KatachiError where nobody would work, or nothing else could."""
    if workers < 1:
        raise KatachiError(f"{workers} workers: use 1 or more")
    if workers > MOST_WORKERS:
        raise KatachiError(f"{workers} workers: use at most {MOST_WORKERS}")
    return workers


def play_here(tasks: Iterable[GameTask]) -> Generator[Finished, None, None]:
    """Plays tasks one after another in this process."""
    return play_tasks(tasks, 1)


def play_tasks(
    tasks: Iterable[GameTask], workers: int, make_runner: Callable[[], GameRunner] = PlayerRunner
) -> Generator[Finished, None, None]:
    """Plays tasks on so many processes; results come as they are ready.

    A task is taken only when a process is free for it, so `tasks` may depend on earlier results.
    Each process calls `make_runner`, a class that can be found by name. Closing the iterator ends
    every process and program at once.
    """
    take = partial(next, iter(tasks), None)
    if check_workers(workers) == 1:
        played = work_here(take, make_runner)
    else:
        processes = Processes(workers, _name, MOST_ATTEMPTS)
        played = work_on(take, partial(_begin_process, make_runner), processes)
    return _finished(played)


def _finished(
    played: Generator[tuple[GameTask, Outcome], None, None],
) -> Generator[Finished, None, None]:
    with contextlib.closing(played):
        for task, outcome in played:
            yield Finished(task, outcome)


def _name(task: GameTask) -> str:
    return f"game {task.number}"


def _begin_process(make_runner: Callable[[], GameRunner]) -> GameRunner:
    """The players of a process of its own, which are closed when it is asked to end."""
    leave_on_signals()
    return make_runner()
