"""Many games in one call are the same games as `Game` plays one by one."""

from typing import Any

import numpy as np
import pytest

from katachi import envs
from katachi.envs.actions import action_from_point, action_mask, point_from_action
from katachi.errors import KatachiError
from katachi.features.observation import observation_planes
from katachi.rules.color import BLACK, WHITE
from katachi.rules.game import Game
from katachi.rules.point import PASS
from katachi.rules.ruleset import KoRule, Rules


def follow(games: list[Game], actions: list[int], limit: int) -> list[float]:
    """Plays legal actions one by one; the margins of games that ended, which begin again."""
    margins = []
    for game, action in zip(games, actions, strict=True):
        game.play(game.to_play, point_from_action(action, game.size))
        is_over = game.is_over or len(game.moves) >= limit
        margins.append(game.area_score() if is_over else 0.0)
        if is_over:
            game.clear()
    return margins


@pytest.mark.kernel
@pytest.mark.parametrize("rules", [Rules(), Rules(KoRule.SITUATIONAL, suicide=True)])
def test_a_step_equals_the_game(rules: Rules) -> None:
    vector = envs.vector(4, 6, komi=1.5, rules=rules, limit=40)
    games = [Game(4, 1.5, rules) for _ in range(6)]
    step = vector.reset(seed=3)
    ends = 0
    for _ in range(60):
        movers = [game.to_play for game in games]
        actions = vector.sample_actions()
        step = vector.step(actions)
        margins = follow(games, actions.tolist(), 40)
        assert step.margins.tolist() == margins
        signs = [1 if mover == BLACK else -1 for mover in movers]
        assert step.rewards.tolist() == (np.sign(margins) * signs).tolist()
        assert (step.ended == (step.margins != 0)).all()
        assert step.to_play.tolist() == [game.to_play for game in games]
        assert (step.masks == [action_mask(game) for game in games]).all()
        assert (step.observations == [observation_planes(game) for game in games]).all()
        ends += int(step.ended.sum())
    assert ends > 0


def test_a_forbidden_or_impossible_action_loses_and_begins_again() -> None:
    vector = envs.vector(3, 4)
    vector.reset()
    vector.step([4, 4, 4, 4])
    step = vector.step([4, -1, 10, 9])
    assert step.rewards.tolist() == [-1, -1, -1, 0]
    assert step.ended.tolist() == step.illegal.tolist() == [True, True, True, False]
    assert step.to_play.tolist() == [BLACK, BLACK, BLACK, BLACK]
    assert step.observations[:, 2].sum(axis=(1, 2)).tolist() == [9, 9, 9, 8]


def test_two_passes_end_a_game_that_white_wins_by_komi() -> None:
    vector = envs.vector(5, 1, komi=0.5)
    vector.reset()
    assert vector.step([25]).ended.tolist() == [False]
    step = vector.step([25])
    assert (step.rewards.item(), step.margins.item(), step.to_play.item()) == (1.0, -0.5, BLACK)


def test_planes_are_as_the_mover_sees_them() -> None:
    game = Game(5)
    game.play(BLACK, point_from_action(7, 5))
    game.play(WHITE, PASS)
    own, other, empty, last, passed, white = observation_planes(game)
    assert np.flatnonzero(own).tolist() == [7]
    assert (other.sum(), empty.sum(), last.sum(), passed.min(), white.max()) == (0, 24, 0, 1, 0)
    own, other, _, _, _, white = observation_planes(game, WHITE)
    assert (own.sum(), np.flatnonzero(other).tolist(), white.min()) == (0, [7], 1)


def test_equal_seeds_give_equal_samples() -> None:
    first, second = envs.vector(9, 50), envs.vector(9, 50)
    first.reset(seed=7)
    second.reset(seed=7)
    assert (first.sample_actions() == second.sample_actions()).all()
    assert len(set(first.sample_actions().tolist())) > 10


def test_answers_of_earlier_steps_stay_as_they_were() -> None:
    vector = envs.vector(5, 2)
    before = vector.reset()
    vector.step([12, 12])
    assert before.observations[:, 2].sum() == 50


@pytest.mark.parametrize("action", [0, 7, 25])
def test_actions_and_points_name_each_other(action: int) -> None:
    assert action_from_point(point_from_action(action, 5), 5) == action


def test_wrong_settings_and_actions_are_one_line() -> None:
    wrong: list[dict[str, Any]] = [{"count": 0}, {"size": 1}, {"komi": np.nan}, {"limit": 0}]
    for setting in wrong:
        with pytest.raises(KatachiError):
            envs.vector(**setting)
    vector = envs.vector(5, 2)
    with pytest.raises(KatachiError, match="call reset first"):
        vector.sample_actions()
    for actions in ([1], [1.5, 2.0], [[1, 2]]):
        with pytest.raises(KatachiError, match="give 2 integers"):
            vector.step(actions)
    with pytest.raises(KatachiError, match="0 to 25"):
        point_from_action(26, 5)
