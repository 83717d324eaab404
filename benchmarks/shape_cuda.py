"""Shape learning on a CUDA card: whether weights are the CPU's, bit for bit, and games a second.

    python benchmarks/shape_cuda.py [--json]

Many runs of two agents learn side by side at 5x5, a warp a run, and are tested. The peer is one CPU
core of the same machine with one run. What fails is shown, and the rest goes on.
"""

import sys
import time
import traceback
from collections.abc import Callable
from functools import partial

import numpy as np
import numpy.typing as npt
from _report import Measurement, measured_versions, read_options, show

from katachi.batch import shape_cuda
from katachi.batch.shape_cuda import CardLearner, CardRandoms
from katachi.evaluators.local_shape import LocalShape
from katachi.features.shape_sets import parse_sets, sets_up_to
from katachi.measure.shape_matches import play_tests
from katachi.rules.random_play import states_of_runs
from katachi.rules.ruleset import KoRule
from katachi.td.shape_learning import Learner, learning_rates, train_pair
from katachi.td.shape_memory import MOVES_A_POINT, GameSettings, new_game
from katachi.td.targets import ErrorRule

SIZE = 5
LIMIT = MOVES_A_POINT * SIZE * SIZE
SETS = "1x1-3x3:LI"
ALL = ",".join(
    each.name for each in sets_up_to(*parse_sets("5x5:LD")) if "liberty" not in each.name
)
EQUAL = {SETS: (64, 500), "2x2:LI": (64, 500), "all 18 sets": (16, 100)}
"""Runs and games whose weights are compared."""
SPEED = {
    (SETS, 1800): 500,
    (SETS, 132): 500,
    (SETS, 528): 500,
    (SETS, 8192): 200,
    (SETS, 32_768): 100,
    ("2x2:LI", 1800): 500,
    ("all 18 sets", 50): 500,
}
"""Sets and runs, and the games of each that are timed. Of 132 runs every multiprocessor of an H200
has one, of 528 every scheduler."""
TEST_RUNS, TEST_GAMES = 1800, 100
SETTINGS = GameSettings(0.1, 7.5, KoRule.POSITIONAL.value)
GREEDY = SETTINGS._replace(epsilon=0.0)
RULE = ErrorRule()
LEARNS = np.ones(2, np.uint8)


class Case:
    """Shape sets at 5x5, learned on either device."""

    def __init__(self, sets: str) -> None:
        self.model = LocalShape(parse_sets(ALL if sets == "all 18 sets" else sets), SIZE)
        self.rates = learning_rates(self.model.tables, [0.1] * len(self.model.sets))

    def new_weights(self, runs: int) -> npt.NDArray[np.int32]:
        """Of two agents in each run."""
        return np.zeros((runs, 2, len(self.model.weights)), np.int32)

    def on_card(self, runs: int) -> CardLearner:
        """Runs that have learned nothing yet."""
        tables, weights = self.model.tables, self.new_weights(runs)
        return CardLearner(tables, SIZE, LIMIT, weights, (LEARNS, RULE))

    def learn(self, card: CardLearner, randoms: npt.NDArray[np.uint64]) -> float:
        """Lets a card learn in two batches; returns the seconds of the second."""
        sent, half = card.send(CardRandoms(randoms, 0)), randoms.shape[1] // 2
        card.learn(SETTINGS, self.rates, sent, (0, half))
        card.wait()
        begin = time.perf_counter()
        card.learn(SETTINGS, self.rates, sent, (half, 2 * half))
        card.wait()
        return time.perf_counter() - begin

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
    return states_of_runs(range(runs), np.arange(games, dtype=np.uint64))


def check(sets: str, runs: int, games: int, versions: dict[str, str]) -> None:
    """Compares the weights of some runs."""
    case, randoms = Case(sets), randoms_of(runs, games)
    begin = time.perf_counter()
    card = case.on_card(runs)
    case.learn(card, randoms)
    print(f"{sets}: {time.perf_counter() - begin:.1f} s with compilation", file=sys.stderr)
    equal = int((card.weights() == case.on_cpu(randoms)).all(axis=(1, 2)).sum())
    settings = {"size": SIZE, "sets": sets, "runs": runs, "games": games}
    title = f"equal weights, {sets}"
    show(Measurement(title, equal, runs, equal / runs, settings, "runs"), versions)


def speed(sets: str, runs: int, versions: dict[str, str]) -> None:
    """Learning games a second, the second of two batches."""
    case, games = Case(sets), SPEED[sets, runs]
    randoms = randoms_of(runs, 2 * games)
    rate = runs * games / case.learn(case.on_card(runs), randoms)
    case.on_cpu(randoms[:1])
    begin = time.perf_counter()
    case.on_cpu(randoms[:2])
    peer = 2 * 2 * games / (time.perf_counter() - begin)
    settings = {"size": SIZE, "sets": sets, "runs": runs, "peer": "one CPU core of that machine"}
    show(Measurement(f"{runs:,} runs of {sets}", rate, peer, rate / peer, settings), versions)


def tests(versions: dict[str, str]) -> None:
    """Test games against ALP a second, and whether their wins are the CPU's."""
    case = Case(SETS)
    card = case.on_card(TEST_RUNS)
    case.learn(card, randoms_of(TEST_RUNS, 200))
    states = randoms_of(TEST_RUNS * 2, TEST_GAMES).reshape(1, TEST_RUNS, 2, TEST_GAMES)
    played = card.new_tests(np.concatenate([states, states]))
    card.test(play_tests, GREEDY, played, 0)
    card.wait()
    begin = time.perf_counter()
    card.test(play_tests, GREEDY, played, 1)
    card.wait()
    rate = TEST_RUNS * 2 * TEST_GAMES / (time.perf_counter() - begin)
    wins, weights = card.wins_of(played), card.weights()
    game, tables = new_game(case.model.tables, SIZE, LIMIT), case.model.tables
    play_tests(game, tables, weights[0], 0, GREEDY, states[0, 0, 0])  # compiled before it is timed
    begin, equal, checked = time.perf_counter(), 0, 60
    for run in range(checked):
        found = [
            play_tests(game, tables, weights[run], i, GREEDY, states[0, run, i]) for i in (0, 1)
        ]
        equal += int(found == wins[0, run].tolist() == wins[1, run].tolist())
    peer = checked * 2 * TEST_GAMES / (time.perf_counter() - begin)
    settings = {"size": SIZE, "sets": SETS, "runs": TEST_RUNS, "equal": f"{equal} of {checked}"}
    title = f"test games of {TEST_RUNS:,} runs, {SETS}"
    show(Measurement(title, rate, peer, rate / peer, settings), versions)
    print(f"wins of {equal} of {checked} runs are the CPU's", file=sys.stderr)


def attempt(part: Callable[[], None]) -> None:
    """Does a part; what goes wrong there is shown."""
    try:
        part()
    except Exception:  # (whatever it is, the other parts are worth having)
        traceback.print_exc()


def main() -> None:
    """Equality first, then speed."""
    read_options()
    if not shape_cuda.cuda.is_available():
        print("shape learning on a CUDA card: skipped, there is none here", file=sys.stderr)
        return
    versions = measured_versions("numba-cuda")
    attempt(partial(check, SETS, *EQUAL[SETS], versions))
    for sets, runs in SPEED:
        attempt(partial(speed, sets, runs, versions))
        if (sets, runs) == next(iter(SPEED)):
            attempt(partial(tests, versions))
    for sets in list(EQUAL)[1:]:
        attempt(partial(check, sets, *EQUAL[sets], versions))


if __name__ == "__main__":
    main()
