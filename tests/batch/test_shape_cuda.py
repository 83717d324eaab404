"""Runs on a GPU learn what runs on the CPU learn, bit for bit."""

from collections.abc import Iterator

import numpy as np
import pytest

from katachi.errors import KatachiError
from katachi.evaluators.local_shape import LocalShape
from katachi.features.shape_sets import parse_sets
from katachi.measure.shape_matches import play_tests
from katachi.rules.random_play import random_states
from katachi.rules.ruleset import KoRule
from katachi.td.shape_learning import Learner, learning_rates, train_pair
from katachi.td.shape_memory import GameSettings, new_game
from katachi.td.targets import ErrorRule
from tests.cards import needs_card, quick_switches

pytestmark = pytest.mark.gpu
SIZE, LIMIT, GAMES, RUNS, BINS = 3, 27, 4, 2, 64
SETTINGS = GameSettings(0.1, 0.5, KoRule.POSITIONAL.value)
LEARNS = np.ones(2, np.uint8)


@pytest.fixture(autouse=True)
def turns() -> Iterator[None]:
    with quick_switches():
        yield


def hashed_sets() -> LocalShape:
    """Small sets, hashed ones among them."""
    return LocalShape(parse_sets("1x1-2x1:LI,4x3:LI,4x3:LD"), 4, BINS)


CASES = [
    (LocalShape(parse_sets("1x1-2x2:LI"), SIZE, BINS), ErrorRule(), LIMIT),
    (LocalShape(parse_sets("1x1-2x2:LI"), SIZE, BINS), ErrorRule(0.5, is_cascade=True), LIMIT),
    (hashed_sets(), ErrorRule(), 20),
]


@pytest.mark.parametrize(("model", "rule", "limit"), CASES)
def test_the_card_learns_what_the_cpu_learns(
    model: LocalShape, rule: ErrorRule, limit: int
) -> None:
    """On a GPU, or in the CUDA simulator (`make test-cudasim`)."""
    rates = learning_rates(model.tables, [0.1] * len(model.sets))
    randoms = np.stack([random_states(run, 0, GAMES) for run in range(RUNS)])
    weights = np.zeros((RUNS, 2, len(model.weights)), np.int32)
    module = needs_card()
    card = module.CardLearner(model.tables, model.size, limit, weights, (LEARNS, rule))
    for part in ((0, 2), (2, GAMES)):
        card.learn(SETTINGS, rates, card.send(module.CardRandoms(randoms, 0)), part)
    moves = card.moves()
    seen = np.zeros(weights.shape, np.uint64)
    for run in range(RUNS):
        game = new_game(model.tables, model.size, limit, is_cascade=rule.is_cascade)
        learner = Learner(weights[run], seen[run], LEARNS, rates, rule)
        assert train_pair(game, model.tables, learner, SETTINGS, randoms[run], 0) == moves[run]
    assert weights.any()
    assert np.array_equal(card.weights(), weights)
    assert np.array_equal(card.seen(), seen)


def test_test_games_on_the_card_are_those_on_the_cpu() -> None:
    model = CASES[0][0]
    weights = np.random.default_rng(1).integers(-(2**20), 2**20, (1, 2, len(model.weights)))
    weights = weights.astype(np.int32)
    rule = (LEARNS, ErrorRule())
    card = needs_card().CardLearner(model.tables, SIZE, LIMIT, weights, rule)
    randoms = np.stack([random_states(agent, 0, 6) for agent in range(2)])
    tests = card.new_tests(np.stack([randoms, randoms])[:, None])
    card.test(play_tests, SETTINGS, tests, 1)
    game = new_game(model.tables, SIZE, LIMIT)
    wins = [
        int(play_tests(game, model.tables, weights[0], agent, SETTINGS, randoms[agent]))
        for agent in range(2)
    ]
    assert card.wins_of(tests).tolist() == [[[0, 0]], [wins]]


def test_sets_with_liberties_are_for_the_cpu() -> None:
    model = LocalShape(parse_sets("1x1-2x2:LI:liberty"), SIZE, BINS)
    weights = np.zeros((1, 2, len(model.weights)), np.int32)
    with pytest.raises(KatachiError, match="on the CPU"):
        needs_card().CardLearner(model.tables, SIZE, LIMIT, weights, (LEARNS, ErrorRule()))
