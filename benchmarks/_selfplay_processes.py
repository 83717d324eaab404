"""Processes that play against themselves side by side, all by one card, for a while."""

import multiprocessing as mp
import time
from collections.abc import Iterator, Sequence
from multiprocessing.connection import Connection, wait
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from katachi.evaluators.shipped import load_territory
from katachi.learning.selfplay_games import compute_on_card
from katachi.rules.state import BoardState
from katachi.search.tree_games import GamePlan, TreeGames
from katachi.search.tree_leaves import judge_of
from katachi.search.tree_walk import Said

KOMI = 7.0
PATIENCE = 400.0
"""Seconds that the slowest process may take to begin."""
SHORT_GAMES = 48
"""Games of each process from which the length of a game is known."""
WARM_STEPS = 3


class Window(NamedTuple):
    """So many processes for so many seconds."""

    processes: int
    seconds: float


class Played(NamedTuple):
    """What was done in a window by all of its processes together."""

    leaves: int
    calls: int
    """Of the net."""
    moves: int
    judging: float
    """Seconds of all processes in these calls."""
    busy: float
    """Seconds of all processes."""
    seconds: float
    game_moves: float = 0.0
    """Moves of a game, the mean of whole games."""


class _Judge:
    """Counts what it asks for."""

    def __init__(self, model: str, device: str) -> None:
        net = load_territory(model)
        if device != "cpu":
            compute_on_card(net, device)
        self._judge = judge_of(net, KOMI)
        self.leaves, self.calls, self.seconds = 0, 0, 0.0

    def __call__(self, states: BoardState, sides: npt.NDArray[np.int64]) -> Said:
        begin = time.perf_counter()
        said = self._judge(states, sides)
        self.seconds += time.perf_counter() - begin
        self.leaves += len(sides)
        self.calls += 1
        return said


def _plan(games: int, visits: int) -> GamePlan:
    """Every move is searched in full."""
    return GamePlan(9, KOMI, games, visits, visits, full_share=1.0, random_moves=0)


def _moves(games: TreeGames) -> int:
    return sum(len(each.moves) for each in games._games.values())


def _serve(connection: Connection, terms: tuple[str, str, int, int], number: int) -> None:
    """The life of a process: the length of games first, then windows as they are asked for."""
    model, device, at_once, visits = terms
    judge = _Judge(model, device)
    short = TreeGames(_plan(SHORT_GAMES, visits // 4), number, SHORT_GAMES)
    lengths: list[int] = []
    while not short.is_over:
        lengths += [len(each.moves) for each in short.step(judge)]
    games = TreeGames(_plan(at_once, visits), number)
    for _ in range(WARM_STEPS):
        games.step(judge)
    connection.send(float(np.mean(lengths)))
    while (seconds := connection.recv()) is not None:
        connection.send(_play(games, judge, seconds))


def _play(games: TreeGames, judge: _Judge, seconds: float) -> Played:
    judge.leaves, judge.calls, judge.seconds = 0, 0, 0.0
    before, ended, begin = _moves(games), 0, time.perf_counter()
    while time.perf_counter() - begin < seconds:
        ended += sum(len(each.moves) for each in games.step(judge))
    passed = time.perf_counter() - begin
    moves = _moves(games) + ended - before
    return Played(judge.leaves, judge.calls, moves, judge.seconds, passed, passed)


def play_windows(
    model: str, at_once: int, visits: int, windows: Sequence[Window], device: str = "cuda"
) -> Iterator[tuple[Window, Played]]:
    """What was done in each window, as soon as it is over; raises RuntimeError where a process
    does not answer."""
    _compile_kernels(model)
    context = mp.get_context("spawn")
    most = max(each.processes for each in windows)
    pipes = [context.Pipe() for _ in range(most)]
    terms = (model, device, at_once, visits)
    begun = [
        context.Process(target=_serve, args=(theirs, terms, number), daemon=True)
        for number, (_, theirs) in enumerate(pipes)
    ]
    for each in begun:
        each.start()
    ours = [mine for mine, _ in pipes]
    try:
        length = float(np.mean([_answer(each, PATIENCE) for each in ours]))
        for window in windows:
            chosen = ours[: window.processes]
            for connection in chosen:
                connection.send(window.seconds)
            parts = [_answer(each, window.seconds + PATIENCE) for each in chosen]
            yield window, _together(parts, length)
    finally:
        for each in begun:
            each.terminate()


def _compile_kernels(model: str) -> None:
    """Lets one process compile the kernels of the CPU, not all of them at once."""
    games, judge = TreeGames(_plan(2, 4), 1, 2), _Judge(model, "cpu")
    while not games.is_over:
        games.step(judge)


def _together(parts: Sequence[Played], length: float) -> Played:
    return Played(
        sum(each.leaves for each in parts),
        sum(each.calls for each in parts),
        sum(each.moves for each in parts),
        sum(each.judging for each in parts),
        sum(each.busy for each in parts),
        max(each.seconds for each in parts),
        length,
    )


def _answer(connection: Connection, seconds: float) -> Any:
    if not wait([connection], seconds):
        raise RuntimeError("a process that plays does not answer")
    return connection.recv()
