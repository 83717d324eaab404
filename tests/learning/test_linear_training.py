"""Linear evaluators learn what the rule says, and the kernel learns what the plain loop does."""

from functools import cache

import numpy as np
import pytest

from katachi.errors import KatachiError
from katachi.evaluators.linear import Linear
from katachi.features.templates import template_map
from katachi.features.units import UNIT
from katachi.features.window_map import WindowMap
from katachi.learning.linear_matches import (
    LinearTerms,
    mean_error,
    play_linear_match,
    settled_margin,
)
from katachi.learning.linear_training import GameSource, LinearSettings, LinearTrainer
from katachi.learning.sources import RecordedGames
from katachi.records.dataset import GameSet, set_of_records
from katachi.records.record import GameRecord, GameTexts
from katachi.rules.area import area_difference
from katachi.rules.game import Game
from katachi.rules.point import point_from_vertex
from katachi.rules.positions import last_movers
from tests.evaluators.test_linear import learned_map
from tests.learning.territory_games import gnugo_games


@cache
def shipped_games() -> GameSet:
    """The games that come with the tests."""
    return gnugo_games()


BLACK_MOVE = np.array([1], np.uint8)
MAPS = {"templates": template_map(2), "learned": learned_map(3, 5)}


@pytest.mark.parametrize("source", [GameSource.SELF, GameSource.FROZEN])
@pytest.mark.parametrize("name", MAPS)
def test_the_kernel_learns_what_the_plain_loop_does(name: str, source: GameSource) -> None:
    settings = LinearSettings(size=5, source=source, games=6, alpha=0.05, final_epsilon=0.5, seed=4)
    fused = LinearTrainer(settings, Linear([MAPS[name]], 5))
    plain = LinearTrainer(settings, Linear([MAPS[name]], 5))
    plain._fused = None
    for trainer in (fused, plain):
        trainer.learn(6)
    one, other = fused.model().parts[0].theta, plain.model().parts[0].theta
    assert np.abs(one).max() > 1e-4
    assert np.array_equal(one, other)


def one_map(seed: int = 1) -> WindowMap:
    return learned_map(2, 3, seed)


def test_a_lesson_moves_weights_by_rate_times_error_times_slope_times_features() -> None:
    """theta += alpha * delta * V(1 - V) * phi, the last delta being r - V, all by old weights."""
    games = shipped_games()[:1]
    settings = LinearSettings(games=1, alpha=0.01)
    model = Linear([one_map()], 9)
    theta = np.random.default_rng(1).normal(scale=0.01, size=model.weight_count)
    model.parts[0].restore(theta)
    wanted = theta.copy()
    source = RecordedGames(games, settings.seed)
    for _, states, outcome in source.take(0):
        logits = model.predict(states).sum(axis=1) * UNIT
        values = 1 / (1 + np.exp(-logits))
        following = np.append(values[1:], outcome)
        features = one_map().transform(states, last_movers(states))
        wanted += settings.alpha * ((following - values) * values * (1 - values)) @ features
    LinearTrainer(settings, model, games).learn(1)
    np.testing.assert_allclose(model.parts[0].theta, wanted, atol=1e-6)


def test_what_was_learned_foretells_the_games() -> None:
    games = shipped_games()[:20]
    settings = LinearSettings(games=100, alpha=0.1)
    model = Linear([template_map(2)], 9)
    before = mean_error(model, games)
    assert before.squared == pytest.approx(0.25)
    LinearTrainer(settings, model, games).learn(settings.games)
    assert mean_error(model, games).squared < 0.2


def test_a_match_counts_every_game_once() -> None:
    first, second = (Linear([each], 5) for each in MAPS.values())
    score = play_linear_match(first, second, LinearTerms(games=10, limit=60))
    assert sum(score) == 10
    stopped = play_linear_match(first, second, LinearTerms(games=4, limit=5))
    assert stopped.undecided == 4


def test_where_passing_is_a_move_games_end_sooner() -> None:
    one, other = (Linear([template_map(2)], 5) for _ in range(2))  # all moves are equal to them
    score = play_linear_match(one, other, LinearTerms(20, limit=200, has_pass=True))
    assert score.undecided == 0
    assert play_linear_match(one, other, LinearTerms(20, limit=20, has_pass=True)).undecided < 20


def test_dead_stones_are_lifted_where_boards_are_not_filled() -> None:
    game = Game(5, 0.5)
    for point in ("B1", "D5", "B2", "A1", "B3", "D4", "B4", "D3", "B5", "D2", "C3", "D1"):
        game.play(game.to_play, point_from_vertex(point, 5))
    # White's stone on A1 is dead, and Black has all of that side.
    assert settled_margin(game) > area_difference(game.words) - game.komi + 4


def test_whoever_counts_decides_games_with_passes() -> None:
    one, other = (Linear([template_map(2)], 5) for _ in range(2))
    terms = LinearTerms(10, limit=200, has_pass=True)
    score = play_linear_match(one, other, terms, lambda _: 1.0)
    assert (score.wins, score.losses) == (5, 5)  # Black's each time


def test_self_play_beats_where_it_began() -> None:
    settings = LinearSettings(size=5, source=GameSource.SELF, games=600, alpha=0.1, seed=2)
    model = Linear([template_map(2)], 5)
    LinearTrainer(settings, model).learn(settings.games)
    score = play_linear_match(model, Linear([template_map(2)], 5), LinearTerms(100, limit=200))
    assert score.wins > 60


def test_games_of_several_sizes_are_refused() -> None:
    move = np.array([34], np.uint16)
    texts = GameTexts(result="B+R")
    small = GameRecord(size=5, moves=move, colors=BLACK_MOVE, texts=texts)
    mixed = set_of_records([small, shipped_games()[0]])
    with pytest.raises(KatachiError, match="one board size are needed; the sizes here: 5, 9"):
        RecordedGames(mixed, 1)


def test_games_nobody_won_teach_nothing() -> None:
    lost = set_of_records([GameRecord(size=5, moves=np.array([34], np.uint16), colors=BLACK_MOVE)])
    with pytest.raises(KatachiError, match="none of the games has a winner"):
        RecordedGames(lost, 1)


def test_games_of_another_size_are_refused() -> None:
    with pytest.raises(KatachiError, match="of size 9, not 5"):
        LinearTrainer(LinearSettings(size=5), Linear([template_map(2)], 5), shipped_games())
