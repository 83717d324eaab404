"""Runs on a card learn what runs on the CPU learn, bit for bit."""

from types import ModuleType

import numpy as np
import pytest

from katachi.errors import KatachiError
from katachi.evaluators.local_shape import LocalShape
from katachi.features.shape_sets import parse_sets
from katachi.rules.random_play import random_states
from katachi.rules.ruleset import KoRule
from katachi.td.shape_games import GameSettings, new_game
from katachi.td.shape_learning import Learner, learning_rates, train_pair
from katachi.td.targets import ErrorRule

pytestmark = pytest.mark.gpu
SIZE, LIMIT, GAMES, RUNS = 3, 27, 4, 3
SETTINGS = GameSettings(0.1, 0.5, KoRule.POSITIONAL.value)
LEARNS = np.ones(2, np.uint8)


def card_module() -> ModuleType:
    module: ModuleType = pytest.importorskip("katachi.batch.shape_cuda", exc_type=ImportError)
    if not module.cuda.is_available():
        pytest.skip("needs a CUDA card, or NUMBA_ENABLE_CUDASIM=1")
    return module


@pytest.mark.parametrize("rule", [ErrorRule(), ErrorRule(0.5, is_cascade=True)])
def test_the_card_learns_what_the_cpu_learns(rule: ErrorRule) -> None:
    """On a card, or in the CUDA simulator (`make test-cudasim`)."""
    model = LocalShape(parse_sets("1x1-2x2:LI"), SIZE, 64)
    rates = learning_rates(model.tables, [0.1] * len(model.sets))
    randoms = np.stack([random_states(run, 0, GAMES) for run in range(RUNS)])
    weights = np.zeros((RUNS, 2, len(model.weights)), np.int32)
    card = card_module().CardLearner(model.tables, SIZE, LIMIT, weights, (LEARNS, rule))
    moves = card.learn(SETTINGS, rates, randoms[:, :2], 0)
    moves += card.learn(SETTINGS, rates, randoms[:, 2:], 2)
    seen = np.zeros(weights.shape, np.uint64)
    for run in range(RUNS):
        game = new_game(model.tables, SIZE, LIMIT, is_cascade=rule.is_cascade)
        learner = Learner(weights[run], seen[run], LEARNS, rates, rule)
        assert train_pair(game, model.tables, learner, SETTINGS, randoms[run], 0) == moves[run]
    assert weights.any()
    assert np.array_equal(card.weights(), weights)
    assert np.array_equal(card.seen(), seen)


def test_sets_with_liberties_are_for_the_cpu() -> None:
    model = LocalShape(parse_sets("1x1-2x2:LI:liberty"), SIZE, 64)
    weights = np.zeros((1, 2, len(model.weights)), np.int32)
    with pytest.raises(KatachiError, match="on the CPU"):
        card_module().CardLearner(model.tables, SIZE, LIMIT, weights, (LEARNS, ErrorRule()))
