"""Random games a second, against OpenSpiel's C++ rollouts, in one process and by CPU time.

    python benchmarks/random_games.py [--json]

Ours plays uniformly random legal moves that fill no own eye until two passes and scores the board;
OpenSpiel's RandomRolloutEvaluator plays its uniformly random legal actions to the end of the game
and scores it. The plain
game knows simple ko and no more than capture and legality need; the other lines show what each
rule costs: exact liberties of every block after every move, and positional superko with hashes and
a full record. Ours and the peer take turns, and the best round of each counts.
"""

import time
from collections.abc import Callable
from functools import partial

import pyspiel
from _report import Measurement, measured_versions, read_options, show

from katachi.batch.cpu import play_exactly, play_recorded, play_unrecorded

ROUNDS = 5
ROLLOUTS = {5: 8000, 9: 1500, 13: 500, 19: 120}
GAMES = {5: 100_000, 9: 30_000, 13: 12_000, 19: 6_000}


def rate(play: Callable[[int], object], games: int, clock: Callable[[], float]) -> float:
    """Games a second of one round."""
    begin = clock()
    play(games)
    return games / (clock() - begin)


def make_rollouts(size: int) -> Callable[[int], object]:
    """A function that has OpenSpiel play so many rollouts from the empty board.

    A tree search of a single simulation evaluates the root once, which is exactly the evaluator's
    rollouts; the bot is how the evaluator can be called from Python.
    """
    game = pyspiel.load_game("go", {"board_size": size})

    def play(rollouts: int) -> object:
        evaluator = pyspiel.RandomRolloutEvaluator(rollouts, 1)
        bot = pyspiel.MCTSBot(game, evaluator, 1.0, 1, 64, False, 1, False)
        return bot.mcts_search(game.new_initial_state())

    return play


def compare(size: int, versions: dict[str, str]) -> None:
    """Prints every line of one board size."""
    variants: dict[str, Callable[[int], object]] = {
        "plain": lambda games: play_unrecorded(size, games, seed=1),
        "exact liberties": lambda games: play_exactly(size, games, seed=1),
        "superko, hashed and recorded": lambda games: play_recorded(size, games, seed=1),
    }
    rollouts = make_rollouts(size)
    for play in variants.values():
        play(10)
    peers: list[float] = []
    ours: dict[str, list[float]] = {name: [] for name in variants}
    for _ in range(ROUNDS):
        peers.append(rate(rollouts, ROLLOUTS[size], time.process_time))
        for name, play in variants.items():
            ours[name].append(rate(play, GAMES[size], time.process_time))
    settings = {"size": size, "rounds": ROUNDS, "games": GAMES[size], "seed": 1, "clock": "CPU"}
    for name, rates in ours.items():
        title = f"random games {size}x{size}, {name}"
        show(compared(title, rates, peers, settings), versions)


def compared(
    title: str, ours: list[float], peers: list[float], settings: dict[str, object]
) -> Measurement:
    """The best round of each side, and the smallest and largest ratio within a round."""
    ratios = [mine / other for mine, other in zip(ours, peers, strict=True)]
    best = max(ours) / max(peers)
    interval = (min(ratios), max(ratios))
    return Measurement(title, max(ours), max(peers), best, settings, interval=interval)


def scale(size: int, versions: dict[str, str]) -> None:
    """Prints the plain games of two threads beside those of one, by wall-clock time."""
    rates: dict[int, list[float]] = {1: [], 2: []}
    for _ in range(ROUNDS):
        for threads, known in rates.items():
            play = partial(play_unrecorded, size, seed=1, threads=threads)
            known.append(rate(play, GAMES[size] * threads, time.perf_counter))
    settings = {"size": size, "threads": 2, "peer": "one thread", "clock": "wall"}
    title = f"random games {size}x{size}, plain, 2 threads against 1"
    show(compared(title, rates[2], rates[1], settings), versions)


def main() -> None:
    """Every size against the peer, then the threads."""
    read_options()
    versions = measured_versions("open_spiel")
    for size in (5, 9, 13, 19):
        compare(size, versions)
    for size in (9, 19):
        scale(size, versions)


if __name__ == "__main__":
    main()
