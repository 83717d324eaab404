"""Positions a second that a convolutional net judges without torch, and its planes are made.

    python benchmarks/convolution.py [--json]

One core. The net is the shipped one for 9x9, on 9x9 and 19x19. The peer is what this core would do
at the rate of its own matrix products of the shape that such a layer needs, so the ratio is the
share of that rate that is reached. Operations are counted by the definition, nine products a 3x3
window; more than all of the rate can be reached because tiles need fewer. Planes are those of
random positions. CPU time, and the best round counts.
"""

import os
import random
import time
from collections.abc import Callable, Mapping

os.environ |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")

import numpy as np
import numpy.typing as npt
from _report import Measurement, measured_versions, read_options, show

from katachi.evaluators.convolution_kernel import ConvolutionKernel
from katachi.evaluators.shipped import load_territory
from katachi.rules.game import Game
from katachi.rules.point import PASS
from katachi.rules.state import BoardState
from katachi.search.afterstates import sensible_moves

ROUNDS = 7
MODEL = "owners9"
BATCHES = {9: (1, 8, 64), 19: (1, 8)}


def best_seconds(work: Callable[[], object], times: int) -> float:
    """CPU seconds that the quickest of some rounds takes a time."""
    best = float("inf")
    for _ in range(ROUNDS):
        begin = time.process_time()
        for _ in range(times):
            work()
        best = min(best, (time.process_time() - begin) / times)
    return best


def product_rate(rows: int, width: int) -> float:
    """Operations a second of a matrix product [rows, 9 * width] x [9 * width, width]."""
    source = np.random.default_rng(0)
    left = source.random((rows, 9 * width), np.float32)
    right = source.random((9 * width, width), np.float32)
    made = np.empty((rows, width), np.float32)
    return 18 * rows * width * width / best_seconds(lambda: np.matmul(left, right, out=made), 20)


def operations(arrays: Mapping[str, npt.NDArray[np.float32]], size: int) -> int:
    """Multiplications and additions of the net for one board, by the definition."""
    return 2 * size * size * sum(a.size for name, a in arrays.items() if name.endswith("weight"))


def random_positions(size: int, count: int) -> BoardState:
    """Positions of random games of many lengths."""
    source = random.Random(size)
    rows = []
    for number in range(count):
        game = Game(size)
        for _ in range(size * size * number // count):
            moves = sensible_moves(game, game.to_play).tolist()
            game.play(game.to_play, source.choice(moves) if moves else PASS)
        rows.append(game.states)
    words = np.concatenate([each.words for each in rows])
    return BoardState(words, np.zeros((count, 2), np.uint64), rows[0].keys)


def measure(size: int, boards: int, versions: dict[str, str]) -> None:
    """Prints the net, the planes and both together."""
    model = load_territory(MODEL)
    arrays = model.arrays
    kernel = ConvolutionKernel(arrays)
    states = random_positions(size, boards)
    planes = model.planes(states.words)
    kernel.logits(planes)
    times = max(1, 400 // (boards * (size // 9) ** 2))
    net = boards / best_seconds(lambda: kernel.logits(planes), times)
    made = boards / best_seconds(lambda: model.planes(states.words), times)
    width, work = len(arrays["layers.0.bias"]), operations(arrays, size)
    peak = product_rate(boards * size * size, width)
    limit = peak / work
    settings = {"size": size, "batch": boards, "rounds": ROUNDS, "clock": "CPU", "threads": 1}
    settings |= {"GFLOP a position": work / 1e9, "product GFLOP/s": peak / 1e9}
    name = f"convolution {size}x{size}, batch {boards}"
    whole = 1 / (1 / net + 1 / made)
    reached = f"{net * work / 1e9:.0f} of {peak / 1e9:.0f} GFLOP/s"
    unit = "positions/s"
    show(Measurement(f"{name}, net ({reached})", net, limit, net / limit, settings, unit), versions)
    show(Measurement(f"{name}, planes", made, None, None, settings, unit), versions)
    show(
        Measurement(f"{name}, net and planes", whole, limit, whole / limit, settings, unit),
        versions,
    )


def main() -> None:
    """Runs all sizes and batches."""
    read_options()
    versions = measured_versions()
    for size, batches in BATCHES.items():
        for boards in batches:
            measure(size, boards, versions)


if __name__ == "__main__":
    main()
