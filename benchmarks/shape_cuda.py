"""Shape learning on a CUDA card: whether weights are the CPU's, bit for bit, and games a second.

    python benchmarks/shape_cuda.py [--json]

Many runs of two agents learn side by side at 5x5, one thread a run. The peer is one CPU core of the
same machine with one run.
"""

import sys
import time

import numpy as np
import numpy.typing as npt

if not hasattr(np, "row_stack"):  # numba-cuda asks NumPy for a name that NumPy 2.5 dropped
    setattr(np, "row_stack", np.vstack)  # noqa: B010 (NumPy knows no such name)

from _report import Measurement, measured_versions, read_options, show
from numba import cuda

from katachi.batch.shape_cuda import CardLearner
from katachi.evaluators.local_shape import LocalShape
from katachi.features.shape_sets import parse_sets
from katachi.rules.random_play import random_states
from katachi.rules.ruleset import KoRule
from katachi.td.shape_games import MOVES_A_POINT, GameSettings, new_game
from katachi.td.shape_learning import Learner, learning_rates, train_pair
from katachi.td.targets import ErrorRule

SIZE = 5
LIMIT = MOVES_A_POINT * SIZE * SIZE
SETS = "1x1-3x3:LI", "2x2:LI"
RUNS = 1800, 8192, 32_768
EQUAL_RUNS, EQUAL_GAMES, SPEED_GAMES = 64, 200, 200
SETTINGS = GameSettings(0.1, 7.5, KoRule.POSITIONAL.value)
RULE = ErrorRule()
LEARNS = np.ones(2, np.uint8)


class Case:
    """Shape sets at 5x5, learned on either device."""

    def __init__(self, sets: str) -> None:
        self.model = LocalShape(parse_sets(sets), SIZE)
        self.rates = learning_rates(self.model.tables, [0.1] * len(self.model.sets))

    def new_weights(self, runs: int) -> npt.NDArray[np.int32]:
        """Of two agents in each run."""
        return np.zeros((runs, 2, len(self.model.weights)), np.int32)

    def on_card(self, runs: int) -> CardLearner:
        """Runs that have learned nothing yet."""
        tables, weights = self.model.tables, self.new_weights(runs)
        return CardLearner(tables, SIZE, LIMIT, weights, (LEARNS, RULE))

    def on_cpu(self, randoms: npt.NDArray[np.uint64]) -> npt.NDArray[np.int32]:
        """The weights that runs with these randoms [R, games] learn."""
        weights = self.new_weights(len(randoms))
        seen = np.zeros(weights.shape, np.uint64)
        game = new_game(self.model.tables, SIZE, LIMIT)
        for run, part in enumerate(randoms):
            learner = Learner(weights[run], seen[run], LEARNS, self.rates, RULE)
            train_pair(game, self.model.tables, learner, SETTINGS, part, 0)
        return weights


def randoms_of(runs: int, games: int) -> npt.NDArray[np.uint64]:
    """[runs, games]: every run by a seed of its own."""
    return np.stack([random_states(run, 0, games) for run in range(runs)])


def check(sets: str, versions: dict[str, str]) -> None:
    """Compares the weights of some runs."""
    case, randoms = Case(sets), randoms_of(EQUAL_RUNS, EQUAL_GAMES)
    card = case.on_card(EQUAL_RUNS)
    card.learn(SETTINGS, case.rates, randoms, 0)
    equal = (card.weights() == case.on_cpu(randoms)).all(axis=(1, 2)).sum()
    settings = {"size": SIZE, "sets": sets, "runs": EQUAL_RUNS, "games": EQUAL_GAMES}
    title = f"equal weights, {sets}"
    show(Measurement(title, equal, EQUAL_RUNS, equal / EQUAL_RUNS, settings, "runs"), versions)


def speed(sets: str, runs: int, versions: dict[str, str]) -> None:
    """Learning games a second, the second of two batches."""
    case = Case(sets)
    card, randoms = case.on_card(runs), randoms_of(runs, 2 * SPEED_GAMES)
    card.learn(SETTINGS, case.rates, randoms[:, :SPEED_GAMES], 0)
    begin = time.perf_counter()
    card.learn(SETTINGS, case.rates, randoms[:, SPEED_GAMES:], SPEED_GAMES)
    rate = runs * SPEED_GAMES / (time.perf_counter() - begin)
    case.on_cpu(randoms[:1])
    begin = time.perf_counter()
    case.on_cpu(randoms[:8])
    peer = 8 * 2 * SPEED_GAMES / (time.perf_counter() - begin)
    settings = {"size": SIZE, "sets": sets, "runs": runs, "peer": "one CPU core of that machine"}
    show(Measurement(f"{runs:,} runs of {sets}", rate, peer, rate / peer, settings), versions)


def main() -> None:
    """Equality first, then speed."""
    read_options()
    if not cuda.is_available():
        print("shape learning on a CUDA card: skipped, there is none here", file=sys.stderr)
        return
    versions = measured_versions("numba-cuda")
    for sets in SETS:
        check(sets, versions)
        for runs in RUNS:
            speed(sets, runs, versions)


if __name__ == "__main__":
    main()
