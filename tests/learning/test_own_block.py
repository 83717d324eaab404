"""An own feature block: what it sees, its sum and its steps are all that learning needs."""

import inspect

import numpy as np
import numpy.typing as npt

from katachi.evaluators.linear_evaluator import FeatureBlock, LinearEvaluator
from katachi.features.units import UNIT, Logits
from katachi.learning.loop import learn
from katachi.learning.sources import GameTerms, play_each_other
from katachi.rules.color import BLACK
from katachi.rules.positions import last_movers
from katachi.rules.state import BoardState, colors_of
from katachi.td.targets import ErrorRule, UpdateRule
from tests.checks import check_evaluator

MOST_LINES = 30


class StonesByLine(FeatureBlock):
    """How many more own stones than the opponent's stand on each line from the edge."""

    def __init__(self, size: int) -> None:
        near = np.minimum(np.arange(size), np.arange(size)[::-1])
        self.lines = np.minimum.outer(near, near).reshape(-1)
        self.weights = np.zeros(self.lines.max() + 1, np.int64)

    def features(self, states: BoardState) -> npt.NDArray[np.int64]:
        black = np.array([0, 1, -1])[colors_of(states.words)]
        own = np.where(last_movers(states) == BLACK, 1, -1)[:, None] * black
        lines = range(len(self.weights))
        return np.stack([own[:, self.lines == line].sum(axis=1) for line in lines], axis=1)

    def predict(self, states: BoardState) -> Logits:
        return np.asarray(self.features(states) @ self.weights)[:, None]

    def nudge(self, states: BoardState, steps: Logits) -> None:
        self.weights += (steps * self.features(states)).sum(axis=0)


def test_an_own_block_of_thirty_lines_learns_by_temporal_differences() -> None:
    lines = inspect.getsource(StonesByLine).splitlines()
    assert len([line for line in lines if line.strip()]) <= MOST_LINES
    block = StonesByLine(5)
    model = LinearEvaluator([block], 5)
    terms = GameTerms(size=5, komi=0.5, epsilon=0.3, limit=75, seed=1)
    rule = UpdateRule(ErrorRule(), np.ones((1, 1), np.uint8), np.array([0.1]), UNIT)
    assert len(list(learn([model], play_each_other([model], terms), rule, range(20)))) == 20
    assert block.weights[1] > block.weights[0] > 0  # a stone on the edge is not good for much
    check_evaluator(model, [5])
