"""The Gibbs policy and its temperature."""

import math

import numpy as np
import pytest

from katachi.evaluators.protocol import Evaluation, predicts_moves
from katachi.evaluators.simple import AverageLiberties, ConstantEvaluator
from katachi.features.territory_inputs import InputSettings
from katachi.rules.color import BLACK, WHITE
from katachi.rules.game import Game
from katachi.rules.point import points_of
from katachi.search.analysis import mover_values
from katachi.search.policy import (
    Choices,
    GibbsPolicy,
    black_scores,
    fit_temperature,
    log_chances,
)
from tests.evaluators.territory_models import random_territory
from tests.search.evaluators import Scrambler


def played_at(temperature: float, positions: int, seed: int = 1) -> Choices:
    """Moves sampled by a Gibbs policy of this temperature from random scores."""
    random = np.random.default_rng(seed)
    lengths = random.integers(1, 30, positions)
    starts = np.concatenate([[0], np.cumsum(lengths)])
    scores = 100.0 + 3.0 * random.normal(size=starts[-1])
    chances = np.exp(log_chances(scores, starts, temperature))
    played = [
        first + random.choice(length, p=chances[first : first + length])
        for first, length in zip(starts[:-1], lengths, strict=True)
    ]
    return Choices(scores, starts, np.array(played))


def likelihood(choices: Choices, temperature: float) -> float:
    chances = log_chances(choices.scores, choices.starts, temperature)
    return float(chances[choices.played].sum())


def test_chances_are_those_of_the_formula() -> None:
    scores = np.array([1.0, 3.0, 2.0, -7.0, 1000.0, 999.0])
    chances = np.exp(log_chances(scores, np.array([0, 3, 4, 6]), 2.0))
    weights = np.exp(scores[:3] / 2.0)
    assert chances[:3] == pytest.approx(weights / weights.sum())
    assert chances[3] == 1.0
    assert chances[4:].sum() == pytest.approx(1.0)
    assert chances[4] / chances[5] == pytest.approx(math.exp(0.5))


@pytest.mark.parametrize("temperature", [0.1, 1.0, 4.0, 30.0])
def test_the_temperature_is_found_again(temperature: float) -> None:
    found = fit_temperature(played_at(temperature, 4000))
    assert found == pytest.approx(temperature, rel=0.12)


def test_no_other_temperature_makes_the_moves_likelier() -> None:
    choices = played_at(2.0, 60)
    found = fit_temperature(choices)
    best = likelihood(choices, found)
    assert all(likelihood(choices, found * factor) < best for factor in (0.98, 0.999, 1.001, 1.02))


def test_scores_may_be_shifted_and_stretched() -> None:
    choices = played_at(2.0, 60)
    other = choices._replace(scores=1e-6 * (choices.scores - 40.0))
    assert fit_temperature(other) == pytest.approx(1e-6 * fit_temperature(choices), rel=1e-6)


def test_moves_that_no_temperature_explains_give_one_of_the_ends() -> None:
    scores, starts = np.array([0.0, 1.0, 2.0, 0.0, 1.0]), np.array([0, 3, 5])
    best = fit_temperature(Choices(scores, starts, np.array([2, 4])))
    worst = fit_temperature(Choices(scores, starts, np.array([0, 3])))
    assert 0.0 < best < 0.05
    assert 100.0 < worst < math.inf


def test_without_differences_the_temperature_is_one() -> None:
    assert fit_temperature(Choices(np.ones(5), np.array([0, 2, 5]), np.array([0, 3]))) == 1.0


def test_the_best_move_of_either_side_is_the_likeliest() -> None:
    game = Game(5)
    game.play(BLACK, int(game.legal_moves(BLACK)[12]))
    evaluator = Scrambler(10**6)
    for color in (BLACK, WHITE):
        points, chances = GibbsPolicy(evaluator, 0.5).chances(game, color)
        values = mover_values(evaluator, game, color, points)
        assert np.array_equal(np.argsort(-values), np.argsort(-chances))
        assert chances.sum() == pytest.approx(1.0)
        odds = values / (1.0 - values)
        assert chances[0] / chances[1] == pytest.approx((odds[0] / odds[1]) ** 2)


def test_an_evaluator_without_opinion_is_uniform() -> None:
    points, chances = GibbsPolicy(ConstantEvaluator(), 1.0).chances(Game(5), BLACK)
    assert len(points) == 25
    assert chances == pytest.approx(1 / 25)


def test_a_policy_may_be_asked_about_some_moves_only() -> None:
    game = Game(5)
    few = game.legal_moves(BLACK)[:3]
    assert len(GibbsPolicy(AverageLiberties(), 1.0).chances(game, BLACK, few).chances) == 3


def test_points_owned_are_the_score_where_they_are_known() -> None:
    ownership = np.array([[0.25, 0.5, 1.0, 0.0]], np.float32)
    assert black_scores(Evaluation(np.array([0.9]), ownership))[0] == 1.75
    scores = black_scores(Evaluation(np.array([0.0, 0.5, 0.75, 1.0])))
    assert np.isfinite(scores).all()
    assert scores[1:3] == pytest.approx([0.0, math.log(3.0)])


def test_an_evaluator_that_predicts_moves_is_taken_at_its_word() -> None:
    model = random_territory(InputSettings(("stones", "last", "nearness")), outputs=3)
    assert predicts_moves(model)
    game = Game(5)
    for color, point in ((BLACK, 67), (WHITE, 68)):
        game.play(color, point)
    scores = model.move_scores(game.states, np.array([BLACK]))[0]
    found = GibbsPolicy(model, 2.0).chances(game, BLACK)
    places = [points_of(5).tolist().index(point) for point in found.points.tolist()]
    weights = np.exp(scores[places] / 2.0)
    assert found.chances == pytest.approx(weights / weights.sum())
