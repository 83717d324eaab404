"""Random games on a CUDA card: whether they are the CPU's, move for move, and how many a second.

    python benchmarks/cuda_games.py [--json]

Every size and ko rule plays the same seeded games on both devices and compares every move, length,
margin, final word of the board and hash. `results/cuda_games.jsonl` is one such run.
"""

import sys
import time

import numpy as np

if not hasattr(np, "row_stack"):  # numba-cuda asks NumPy for a name that NumPy 2.5 dropped
    setattr(np, "row_stack", np.vstack)  # noqa: B010 (NumPy knows no such name)

from _report import Measurement, measured_versions, read_options, show
from numba import cuda

from katachi.batch import cpu
from katachi.batch import cuda as card
from katachi.batch.random_games import RandomGames, new_games, start_of
from katachi.rules.ruleset import KoRule
from katachi.rules.state import COLOR

EQUAL_GAMES = 4096
SPEED_GAMES = {9: 131_072, 19: 32_768}


def differences(ours: RandomGames, theirs: RandomGames) -> int:
    """Number of games in which anything at all differs."""
    differs = ours.lengths != theirs.lengths
    for a, b in ((ours.records, theirs.records), (ours.states.hashes, theirs.states.hashes)):
        differs |= (a != b).any(axis=1)
    differs |= ours.margins != theirs.margins
    differs |= ours.randoms != theirs.randoms
    words = ours.states.words[:, COLOR:] != theirs.states.words[:, COLOR:]
    return int((differs | words.any(axis=1)).sum())


def check(size: int, rule: KoRule, versions: dict[str, str]) -> None:
    """Compares one size and rule."""
    begin = time.perf_counter()
    ours = cpu.play_games(size, EQUAL_GAMES, seed=2007, ko_rule=rule)
    theirs = card.play_games(size, EQUAL_GAMES, seed=2007, ko_rule=rule)
    seconds = time.perf_counter() - begin
    unequal = differences(ours, theirs)
    settings = {
        "size": size,
        "ko": rule.name.lower(),
        "seed": 2007,
        "games": EQUAL_GAMES,
        "moves": int(ours.lengths.sum()),
        "unequal": unequal,
        "device": str(cuda.get_current_device().name),
        "seconds": round(seconds, 1),
    }
    title = f"equal games {size}x{size}, {rule.name.lower()} ko"
    equal = EQUAL_GAMES - unequal
    measured = Measurement(title, equal, EQUAL_GAMES, equal / EQUAL_GAMES, settings, "games")
    show(measured, versions)


def speed(size: int, versions: dict[str, str]) -> None:
    """Games a second on the GPU, all in flight at once, against one CPU core."""
    count = SPEED_GAMES[size]
    games = card.to_device(new_games(size, count, seed=1))
    start = cuda.to_device(start_of(size))
    card.launch(games, start, KoRule.POSITIONAL)
    best = 0.0
    for _ in range(3):
        begin = time.perf_counter()
        card.launch(games, start, KoRule.POSITIONAL)
        best = max(best, count / (time.perf_counter() - begin))
    peer = 0.0
    for _ in range(3):
        begin = time.perf_counter()
        cpu.play_recorded(size, count // 16, seed=1)
        peer = max(peer, count / 16 / (time.perf_counter() - begin))
    settings = {"size": size, "games": count, "peer": "one CPU core of that machine"}
    title = f"random games {size}x{size}, superko, on the GPU"
    show(Measurement(title, best, peer, best / peer, settings), versions)


def main() -> None:
    """Equality first, then speed."""
    read_options()
    if not cuda.is_available():
        print("random games on a CUDA card: skipped, there is none here", file=sys.stderr)
        return
    versions = measured_versions("numba-cuda")
    for size in (5, 9, 13, 19):
        for rule in KoRule:
            check(size, rule, versions)
    for size in SPEED_GAMES:
        speed(size, versions)


if __name__ == "__main__":
    main()
