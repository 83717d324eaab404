"""An own feature map: a name, a count and a transform are all that a linear evaluator needs."""

import numpy as np
import numpy.typing as npt

from katachi.evaluators.linear import Linear
from katachi.rules.game import Game
from katachi.rules.state import BoardState, colors_of
from tests.checks import check_evaluator


class StonesOfLines:
    """How many more own stones than the opponent's stand on each row, from the top."""

    name = "rows"
    table = None

    def count(self, size: int) -> int:
        return size

    def transform(
        self, states: BoardState, viewers: npt.NDArray[np.uint8] | None = None
    ) -> npt.NDArray[np.float32]:
        signs = np.array([0, 1, -1])[colors_of(states.words)]
        size = int(np.sqrt(signs.shape[1]))
        rows = signs.reshape(len(signs), size, size).sum(axis=2)
        sides = np.ones(len(rows)) if viewers is None else np.where(viewers == 1, 1, -1)
        return np.asarray(rows * sides[:, None], np.float32)


def test_an_own_feature_map_is_judged_by_and_learned() -> None:
    model, game = Linear([StonesOfLines()], 5), Game(5)
    game.play(1, int(game.legal_moves(1)[0]))
    model.nudge(game.states, np.array([[1 << 24]]))
    assert model.evaluate(game.states).value[0] > 0.5
    assert np.flatnonzero(model.parts[0].theta).tolist() == [0]
    check_evaluator(model, [5])
