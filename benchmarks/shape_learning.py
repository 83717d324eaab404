"""Learning games a second of local shape, against OpenSpiel's random rollouts, in one process.

    python benchmarks/shape_learning.py [--json]

Ours plays whole games of two co-adapting agents (epsilon-greedy among all legal moves, positional
superko) and both learn from every game; OpenSpiel only plays random games. Ours and the peer take
turns by CPU time, and the best round of each counts. Then: two workers against one, and what a move
costs from 5x5 to 19x19 beside the windows that its stone touches and the number of weights.
"""

import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
from _report import Measurement, measured_versions, read_options, show
from random_games import ROLLOUTS, compared, make_rollouts, rate

from katachi.learning.shape_training import ShapeTrainer, TrainingSettings

ROUNDS = 5
GAMES = {5: 10_000, 9: 1_500, 13: 500, 19: 120}
SETTINGS = (
    (5, "2x2:LI"),
    (5, "1x1-3x3:LI"),
    (5, "1x1-3x3:LI+LD"),
    (9, "1x1-3x3:LI"),
    (9, "1x1-3x3:LI+LD"),
)
WARM = 10
"""Rounds of games learned from before the first one counts, so that games are no longer random."""


def make_trainer(size: int, sets: str) -> ShapeTrainer:
    """Two agents that have learned from some games."""
    trainer = ShapeTrainer(TrainingSettings(size=size, sets=sets))
    trainer.learn(WARM * GAMES[size] // 10)
    return trainer


def compare(size: int, sets: str, versions: dict[str, str]) -> None:
    """Prints learning games beside random rollouts of the same size."""
    rollouts = make_rollouts(size)
    trainer = make_trainer(size, sets)
    ours, peers = [], []
    for _ in range(ROUNDS):
        peers.append(rate(rollouts, ROLLOUTS[size], time.process_time))
        ours.append(rate(trainer.learn, GAMES[size], time.process_time))
    settings = {"size": size, "sets": sets, "rounds": ROUNDS, "games": GAMES[size], "clock": "CPU"}
    show(compared(f"learning games {size}x{size}, {sets}", ours, peers, settings), versions)


def scale(size: int, sets: str, versions: dict[str, str]) -> None:
    """Prints two workers, each with agents of its own, beside one, by wall-clock time."""
    trainers = [make_trainer(size, sets) for _ in range(2)]
    rates: dict[int, list[float]] = {1: [], 2: []}
    for _ in range(ROUNDS):
        for workers, known in rates.items():
            with ThreadPoolExecutor(workers) as pool:
                play = partial(pool.map, ShapeTrainer.learn, trainers[:workers])
                begin = time.perf_counter()
                list(play([GAMES[size]] * workers))
                known.append(workers * GAMES[size] / (time.perf_counter() - begin))
    settings = {"size": size, "sets": sets, "workers": 2, "peer": "one worker", "clock": "wall"}
    title = f"learning games {size}x{size}, {sets}, 2 workers against 1"
    show(compared(title, rates[2], rates[1], settings), versions)


def grow(size: int, sets: str, versions: dict[str, str]) -> None:
    """Prints what a move costs, beside the windows its stone touches on average."""
    trainer = make_trainer(size, sets)
    best = float("inf")
    for _ in range(ROUNDS):
        begin = time.process_time()
        moves = trainer.learn(GAMES[size])
        best = min(best, (time.process_time() - begin) / moves)
    tables = trainer.agents[0].tables
    windows = np.count_nonzero(tables.exact.touch[:, 1]) / size**2
    weights = len(trainer.agents[0].weights)
    title = f"cost of a move {size}x{size}, {sets}"
    settings = {"size": size, "sets": sets, "weights": weights, "windows a stone": windows}
    show(Measurement(title, 1e9 * best, None, None, settings, unit="ns/move"), versions)


def main() -> None:
    """Every setting against the peer, the workers, and the growth of the board."""
    read_options()
    versions = measured_versions("open_spiel")
    for size, sets in SETTINGS:
        compare(size, sets, versions)
    for size in (5, 9):
        scale(size, "1x1-3x3:LI+LD", versions)
    for size in (5, 9, 13, 19):
        grow(size, "1x1-3x3:LI+LD", versions)


if __name__ == "__main__":
    main()
