"""Several games at once, each in a process of its own that may die without harm to the others."""

import contextlib
from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from katachi.arena.game import play_game
from katachi.arena.openings import sample_opening
from katachi.arena.outcome import Ending, Outcome
from katachi.arena.settings import GameSettings
from katachi.arena.stop_signals import leave_on_signals
from katachi.errors import KatachiError
from katachi.players.names import is_program
from katachi.players.protocol import Player, Seeded
from katachi.players.roster import make_player
from katachi.workers import Terms, Worker, Workers, pool_of

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
        """Plays one task; raises KatachiError where a program can no longer be started: that is no
        result."""
        black = self._player(task, 0)
        white = self._player(task, 1)
        opening = sample_opening(task.settings, task.seed, task.opening)
        if task.names is not None:
            black.name, white.name = task.names
        try:
            outcome = play_game(black, white, task.settings, opening)
            if outcome.ending is Ending.MISSING:
                raise KatachiError(outcome.reason)
            return outcome
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


def play_here(tasks: Iterable[GameTask]) -> Generator[Finished, None, None]:
    """Plays tasks one after another in this process."""
    return play_tasks(tasks, 1)


def play_tasks(
    tasks: Iterable[GameTask],
    workers: Workers,
    make_runner: Callable[[], GameRunner] = PlayerRunner,
) -> Generator[Finished, None, None]:
    """Plays tasks on so many processes, or another pool; results come as they are ready.

    A task is taken only when somebody is free for it, so `tasks` may depend on earlier results.
    Each process calls `make_runner`, a class that can be found by name. Closing the iterator ends
    every process and program at once. Raises KatachiError where a game cannot be played, as without
    a program that it needs: that is no result.
    """
    take = partial(next, iter(tasks), None)
    # Programs are closed when their process is asked to end.
    terms = Terms(_name, MOST_ATTEMPTS, prepare=leave_on_signals)
    return _finished(pool_of(workers).work(take, make_runner, terms))


def _finished(
    played: Generator[tuple[GameTask, Outcome], None, None],
) -> Generator[Finished, None, None]:
    with contextlib.closing(played):
        for task, outcome in played:
            yield Finished(task, outcome)


def _name(task: GameTask) -> str:
    return f"game {task.number}"
