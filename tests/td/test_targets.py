"""Error rules against their definitions, and steps against gradients."""

import math

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from katachi.evaluators.local_shape import LocalShape
from katachi.features.shape_sets import is_as_general, parse_sets
from katachi.features.units import UNIT
from katachi.rules.state import BoardState
from katachi.td.targets import ErrorRule, fill_errors, fill_steps
from tests.checks import random_colors, states_from_colors

Matrix = npt.NDArray[np.float64]
SETS = parse_sets("1x1-2x2:LI+LD,2x2:LI:liberty")
GENERAL = [[is_as_general(other, one) for other in SETS] for one in SETS]

games = st.integers(1, 9).flatmap(
    lambda length: st.lists(
        st.lists(st.integers(-(2**27), 2**27), min_size=len(SETS), max_size=len(SETS)),
        min_size=length,
        max_size=length,
    )
)
outcomes = st.sampled_from([0.0, 0.5, 1.0])
lambdas = st.sampled_from([0.0, 0.3, 0.9, 1.0])


def logistic(logit: float) -> float:
    return 1 / (1 + math.exp(-logit))


def lambda_return(values: list[float], t: int, outcome: float, lam: float) -> float:
    """What TD(lambda) aims at in position t: the mean of all looks ahead, n steps far with weight
    (1 - lambda) lambda ** (n - 1), the result with what is left."""
    steps = len(values) - t
    aim = sum((1 - lam) * lam ** (n - 1) * values[t + n] for n in range(1, steps))
    return aim + lam ** (steps - 1) * outcome


def oracle_errors(logits: list[list[int]], outcome: float, rule: ErrorRule) -> Matrix:
    """The errors by their definition, each on its own."""
    errors = np.zeros((len(logits), len(SETS)))
    for part in range(len(SETS)):
        used = GENERAL[part] if rule.is_cascade else [True] * len(SETS)
        sums = [sum(x for x, is_used in zip(row, used, strict=True) if is_used) for row in logits]
        values = [logistic(UNIT * each) for each in sums]
        for t, value in enumerate(values):
            slope = value * (1 - value) if rule.is_squared else 1.0
            errors[t, part] = (lambda_return(values, t, outcome, rule.lam) - value) * slope
    return errors


def errors_of(logits: list[list[int]], outcome: float, rule: ErrorRule) -> Matrix:
    errors = np.zeros((len(logits), len(SETS)))
    general = np.array(GENERAL, np.uint8)
    fill_errors(np.array(logits, np.int64), general, outcome, rule, UNIT, errors)
    return errors


@pytest.mark.parametrize("is_cascade", [False, True])
@pytest.mark.parametrize("is_squared", [False, True])
@given(logits=games, outcome=outcomes, lam=lambdas)
def test_errors_are_those_of_the_lambda_return(
    logits: list[list[int]], outcome: float, lam: float, is_squared: bool, is_cascade: bool
) -> None:
    rule = ErrorRule(lam, is_squared, is_cascade)
    expected = oracle_errors(logits, outcome, rule)
    np.testing.assert_allclose(errors_of(logits, outcome, rule), expected, rtol=0, atol=1e-12)


@pytest.mark.kernel
def test_errors_are_those_of_the_lambda_return_in_one_game() -> None:
    logits = [[5_000_000 * (t - k) for k in range(len(SETS))] for t in range(4)]
    for rule in (ErrorRule(), ErrorRule(0.7, is_squared=False), ErrorRule(1.0, is_cascade=True)):
        expected = oracle_errors(logits, 1.0, rule)
        np.testing.assert_allclose(errors_of(logits, 1.0, rule), expected, rtol=0, atol=1e-12)


def test_in_a_cascade_a_set_hears_nothing_of_more_specific_ones() -> None:
    rule = ErrorRule(is_cascade=True)
    logits = [[1_000_000] * len(SETS) for _ in range(3)]
    before = errors_of(logits, 0.0, rule)
    last = len(SETS) - 1
    for row in logits:
        row[last] = -50_000_000
    changed = np.any(errors_of(logits, 0.0, rule) != before, axis=0)
    assert changed.tolist() == [GENERAL[part][last] for part in range(len(SETS))]
    assert changed.any()
    assert not changed.all()


@given(
    st.lists(st.floats(-0.3, 0.3), min_size=1, max_size=30),
    st.sampled_from([1e-9, 1e-7, 1e-3, 2.0]),
)
def test_the_steps_of_a_game_add_up_to_what_was_meant(errors: list[float], rate: float) -> None:
    steps = np.zeros((len(errors), 1), np.int64)
    fill_steps(np.array(errors)[:, None], np.array([rate]), UNIT, steps)
    meant = np.cumsum(errors) * rate / UNIT
    assert np.abs(np.cumsum(steps[:, 0]) - meant).max() <= 0.5 + 1e-6 * np.abs(meant).max()


def loss_of(model: LocalShape, states: BoardState, outcome: float, rule: ErrorRule) -> float:
    """The loss of all positions together, where each is to be worth the outcome."""
    values = 1 / (1 + np.exp(-UNIT * model.predict(states).sum(axis=1)))
    if rule.is_squared:
        return float((0.5 * (values - outcome) ** 2).sum())
    return float(-(outcome * np.log(values) + (1 - outcome) * np.log(1 - values)).sum())


def difference_quotients(
    model: LocalShape, states: BoardState, outcome: float, rule: ErrorRule
) -> Matrix:
    """The gradient of the loss by two looks a weight."""
    width = 2**16
    slopes = np.zeros(len(model.weights))
    for index in range(len(model.weights)):
        sides = []
        for sign in (1, -1):
            model.weights[index] += sign * width
            sides.append(loss_of(model, states, outcome, rule))
            model.weights[index] -= sign * width
        slopes[index] = (sides[0] - sides[1]) / (2 * width * UNIT)
    return slopes


@pytest.mark.parametrize("outcome", [0.0, 1.0])
@pytest.mark.parametrize("is_squared", [True, False])
@pytest.mark.parametrize(
    "sets", ["1x1-2x2:LI", "2x2:LD", "1x1:LD,4x3:LI,5x5:LD", "1x1-2x2:LI:liberty"]
)
def test_a_nudge_goes_down_the_gradient(sets: str, is_squared: bool, outcome: float) -> None:
    """With lambda 1 every position aims at the result, so a game's steps are a gradient's."""
    model = LocalShape(parse_sets(sets), 5, bins=40)
    random = np.random.default_rng(7)
    model.weights[:] = random.integers(-(2**23), 2**23, len(model.weights))
    states = states_from_colors(random_colors(5, 6, seed=3), 5)
    rule = ErrorRule(1.0, is_squared)
    slopes = difference_quotients(model, states, outcome, rule)
    before = model.weights.copy()
    nudge(model, states, outcome, rule, rate=0.01)
    moved = (model.weights.astype(np.int64) - before) * UNIT
    np.testing.assert_allclose(moved, -0.01 * slopes, rtol=1e-4, atol=1e-6)
    assert np.count_nonzero(moved) > 3


def nudge(
    model: LocalShape, states: BoardState, outcome: float, rule: ErrorRule, rate: float
) -> None:
    logits = model.predict(states)
    errors, steps = np.zeros(logits.shape), np.zeros(logits.shape, np.int64)
    fill_errors(logits, model.tables.general, outcome, rule, UNIT, errors)
    fill_steps(errors, np.full(len(model.sets), rate), UNIT, steps)
    model.nudge(states, steps)
