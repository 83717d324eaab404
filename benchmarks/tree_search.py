"""What a visit of tree search costs, and how many a second players make.

    python benchmarks/tree_search.py [--json]

One core, 9x9, batches of eight leaves, the moves of a game one after another. The tree's own cost
is that of a search whose leaves are judged by nobody: every position is even, and the likelier
moves are the same everywhere. CPU time, and the best round counts. Last, by the wall clock and for
two cores that nobody else uses: visits a second by one thread and by two.
"""

import os
import time

os.environ |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")

import numpy as np
from _report import Measurement, measured_versions, read_options, show

from katachi.evaluators.protocol import Evaluator
from katachi.evaluators.simple import ConstantEvaluator
from katachi.players.roster import make_player
from katachi.players.tree import TreePlayer
from katachi.rules.game import Game
from katachi.rules.state import BoardState
from katachi.search.tree import Numbers
from katachi.search.tree_leaves import Judge
from katachi.search.tree_limits import Goal, TreeLimits
from katachi.search.tree_search import TreeSearch
from katachi.search.tree_walk import Said

ROUNDS = 5
MOVES = 10
SIZE = 9
PLAYERS = {"territory": 400, "shape": 2000, "alp": 1000, "crbm": 400}
"""Who judges leaves, and visits a move."""
OWN_VISITS = 8000
THREADED = ("territory", "shape")
"""Who is measured by one thread and by two."""
THREAD_SECONDS = 0.5
THREAD_ROUNDS = 16
_SCORES = np.random.default_rng(1).normal(size=(64, SIZE * SIZE))
_EVEN = np.full(64, 0.5), np.zeros(64), np.zeros((64, 0), np.uint8)


def say_nothing(_states: BoardState, sides: Numbers) -> Said:
    """Even, whatever it is."""
    count = len(sides)
    values, leads, owned = _EVEN
    return Said(values[:count], leads[:count], _SCORES[:count], owned[:count])


def judge_nothing(_evaluator: Evaluator, _komi: float, _seed: int) -> Judge:
    """A judge that costs nothing."""
    return say_nothing


def seconds_a_visit(search: TreeSearch, visits: int) -> float:
    """CPU seconds a new visit takes over the moves of a game."""
    best = float("inf")
    for _ in range(ROUNDS):
        game, made = Game(SIZE), 0
        begin = time.process_time()
        for _ in range(MOVES):
            result = search.search(game, game.to_play, Goal(visits=visits))
            made += result.new_visits
            game.play(game.to_play, result.moves[0].point)
        best = min(best, (time.process_time() - begin) / max(1, made))
        search.forget()
    return best


def visits_a_second(name: str) -> tuple[float, float]:
    """Visits a second of the wall clock from an empty board, by one thread and by two: of the best
    round of each, in turn, so that who else uses the machine holds up both alike."""
    player = make_player(f"tree:{name}", limits=TreeLimits(threads=2))
    assert isinstance(player, TreePlayer)
    search, best = player.searcher, {1: 0.0, 2: 0.0}
    for threads in THREAD_ROUNDS * (1, 2):
        player.use_threads(threads)
        game = Game(SIZE)
        search.prepare(game)  # room for a tree is made before the clock runs, as in a game
        result = search.search(game, game.to_play, Goal(THREAD_SECONDS, is_for_move=False))
        best[threads] = max(best[threads], result.new_visits / result.seconds)
    return best[1], best[2]


def main() -> None:
    """Measures the tree alone, then the players."""
    read_options()
    versions = measured_versions()
    settings = {"size": SIZE, "batch": TreeLimits().batch, "rounds": ROUNDS, "clock": "CPU"}
    alone = TreeSearch(ConstantEvaluator(), judge=judge_nothing)
    alone.prepare(Game(SIZE))
    cost = seconds_a_visit(alone, OWN_VISITS)
    show(
        Measurement("a visit, leaves judged by nobody", 1e9 * cost, *(None, None), settings, "ns"),
        versions,
    )
    for name, visits in PLAYERS.items():
        player = make_player(f"tree:{name}")
        assert isinstance(player, TreePlayer)
        rate = 1.0 / seconds_a_visit(player.searcher, visits)
        title = f"tree:{name}, {visits} visits a move"
        show(Measurement(title, rate, None, None, settings, "visits/s"), versions)
    for name in THREADED:
        one, two = visits_a_second(name)
        title = f"tree:{name}, two threads beside one"
        walled = settings | {"clock": "wall", "rounds": THREAD_ROUNDS}
        show(Measurement(title, two, one, two / one, walled, "visits/s"), versions)


if __name__ == "__main__":
    main()
