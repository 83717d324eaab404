"""Linear evaluators over feature maps: values, moves, learning and files."""

import random
from pathlib import Path

import numpy as np
import pytest

from katachi.errors import KatachiError
from katachi.evaluators.linear import Linear, find_map
from katachi.features.shape_map import ShapeMap, UnionMap
from katachi.features.shape_sets import parse_sets
from katachi.features.templates import template_map
from katachi.features.units import UNIT
from katachi.features.window_map import FeatureMap, WindowMap, WindowTable
from katachi.players.evaluating import EvaluatingPlayer
from katachi.rules.color import BLACK, EMPTY
from katachi.rules.game import Game
from katachi.rules.point import PASS
from katachi.rules.ruleset import KoRule, Rules
from katachi.rules.state import COLOR, EMPTY_COUNT
from katachi.search.afterstates import afterstates, sensible_moves
from katachi.search.selectors import EpsilonGreedy
from tests.checks import check_player
from tests.oracle.games import play_random_move
from tests.oracle.linear import plain_features, plain_value

SIZE = 5


def learned_map(side: int, kinds: int, seed: int = 1) -> WindowMap:
    """Features by a table of random numbers, as a learned map has them."""
    rows = np.random.default_rng(seed).random((3 ** (side * side), kinds), np.float32)
    return WindowMap("learned", WindowTable(side, rows))


MAPS: dict[str, FeatureMap] = {
    "templates 2x2": template_map(2),
    "templates 3x3": template_map(3),
    "learned": learned_map(2, 7),
    "shapes": ShapeMap(parse_sets("1x1-2x2:LI+LD")),
}
WINDOW_MAPS = [name for name, each in MAPS.items() if each.table is not None]


def weighted(name: str, seed: int = 1) -> Linear:
    """A model over a map with random weights."""
    model = Linear([MAPS[name]], SIZE)
    theta = np.random.default_rng(seed).normal(size=model.weight_count)
    part = model.parts[0]
    part.restore((theta / UNIT / 8).astype(np.int32) if name == "shapes" else theta)
    return model


def random_game(moves: int, seed: int) -> Game:
    """A random game of so many moves."""
    game, source = Game(SIZE), random.Random(seed)
    for _ in range(moves):
        play_random_move(game, source)
    return game


@pytest.mark.kernel
@pytest.mark.parametrize("name", WINDOW_MAPS)
def test_a_value_is_the_weighted_sum_of_the_features_of_whoever_moved_last(name: str) -> None:
    model = weighted(name)
    part = model.parts[0]
    table = part.map.table
    assert table is not None
    for moves in (1, 8, 15):
        game = random_game(moves, moves)
        viewer = game.moves[-1].color
        wanted = plain_value(game.colors, SIZE, table, viewer, part.theta.tolist())
        assert model.predict(game.states)[0, 0] * UNIT == pytest.approx(wanted, abs=1e-6)
        value = model.evaluate(game.states).value[0]
        mine = value if viewer == BLACK else 1 - value
        assert np.log(mine / (1 - mine)) == pytest.approx(wanted, abs=1e-6)


@pytest.mark.kernel
@pytest.mark.parametrize("name", WINDOW_MAPS)
def test_moves_are_worth_exactly_what_the_positions_after_them_are(name: str) -> None:
    model = weighted(name)
    captures = 0
    for seed in range(8):
        game = random_game(4 + 5 * seed, seed)
        color = game.to_play
        moves = sensible_moves(game, color)
        if len(moves) == 0:
            continue
        fast = model.predict_moves(game.words, color, moves)
        after = afterstates(game, color, moves).states
        assert fast is not None
        assert np.array_equal(fast, model.predict(after).sum(axis=1))
        captures += int((after.words[:, EMPTY_COUNT] >= game.words[EMPTY_COUNT]).sum())
    assert captures > 0


@pytest.mark.kernel
def test_suicide_and_pass_are_worth_what_they_lead_to() -> None:
    model = weighted("templates 2x2")
    source, suicides = random.Random(1), 0
    for _ in range(2):
        game = Game(SIZE, rules=Rules(KoRule.SIMPLE, suicide=True))
        for _ in range(40):
            color = game.to_play
            moves = np.append(game.legal_moves(color), np.uint16(PASS))
            after = afterstates(game, color, moves).states
            fast = model.predict_moves(game.words, color, moves)
            assert fast is not None
            assert np.array_equal(fast, model.predict(after).sum(axis=1))
            played = after.words[np.arange(len(moves) - 1), COLOR + moves[:-1].astype(int)]
            suicides += int((played == EMPTY).sum())
            game.play(color, int(source.choice(moves[:-1].tolist() or [PASS])))
            if game.is_over:
                break
    assert suicides > 0


@pytest.mark.parametrize("name", MAPS)
def test_a_nudge_moves_each_weight_by_step_times_feature(name: str) -> None:
    model = Linear([MAPS[name]], SIZE)
    game = random_game(9, 3)
    viewer = game.moves[-1].color
    features = MAPS[name].transform(game.states, np.array([viewer], np.uint8))[0]
    model.nudge(game.states, np.array([[2**20]], np.int64))
    scale = 1.0 if name == "shapes" else 1.0 / UNIT
    np.testing.assert_allclose(model.parts[0].theta * scale, 2**20 * features, rtol=1e-6)
    gained = float((features.astype(np.float64) ** 2).sum()) * 2**20
    assert model.predict(game.states)[0, 0] == pytest.approx(gained, rel=1e-6)


def test_features_of_a_map_are_those_read_point_by_point() -> None:
    game = random_game(11, 5)
    for name in WINDOW_MAPS[:1]:
        table = MAPS[name].table
        assert table is not None
        found = MAPS[name].transform(game.states)[0].tolist()
        assert found == plain_features(game.colors, SIZE, table, BLACK)


def test_81_templates_at_64_places_are_5184_features() -> None:
    assert template_map(2).count(9) == 5184


def test_shapes_count_each_window_once() -> None:
    shapes = ShapeMap(parse_sets("2x2:LI"))
    features = shapes.transform(random_game(9, 1).states)
    assert features.shape == (1, shapes.count(SIZE))
    assert features.sum() == (SIZE - 1) ** 2


def test_a_union_has_the_features_of_all() -> None:
    both = UnionMap([MAPS["templates 2x2"], MAPS["learned"]])
    states = random_game(9, 1).states
    assert both.transform(states).shape == (1, both.count(SIZE))
    model = Linear(both.maps, SIZE)
    plain = Linear([both], SIZE)
    for each, steps in ((model, np.full((1, 2), 1000)), (plain, np.full((1, 1), 1000))):
        each.nudge(states, steps)
    together = model.predict(states).sum()
    assert together == pytest.approx(int(plain.predict(states).sum()), abs=40)


def test_linear_plays() -> None:
    model = weighted("templates 2x2")
    check_player(lambda seed: EvaluatingPlayer("linear", model, seed), [SIZE])


def test_epsilon_is_the_share_of_moves_by_chance() -> None:
    random = np.random.default_rng(1)
    values = np.array([0.1, 0.9, 0.2, 0.3])
    chosen = [EpsilonGreedy(0.4).select(values, random) for _ in range(2000)]
    assert np.mean(np.array(chosen) == 1) == pytest.approx(0.7, abs=0.04)
    assert {EpsilonGreedy(0.0).select(values, random) for _ in range(20)} == {1}


def test_a_model_is_read_as_it_was_written(tmp_path: Path) -> None:
    for name in ("templates 2x2", "shapes"):
        model = weighted(name)
        model.training = {"seed": 3}
        model.save(tmp_path / name, "# card")
        again = Linear.load(tmp_path / name)
        assert again.training == {"seed": 3}
        assert np.array_equal(again.parts[0].theta, model.parts[0].theta)


@pytest.mark.parametrize("name", ["templates:4x4", "nonsense", "crbm:nowhere", "shapes:9x9:LI"])
def test_unknown_features_are_reported_in_one_line(name: str) -> None:
    with pytest.raises(KatachiError) as error:
        find_map(name)
    assert "\n" not in str(error.value)


def test_windows_larger_than_the_board_are_refused() -> None:
    with pytest.raises(KatachiError, match="do not fit on a 2x2 board"):
        Linear([template_map(3)], 2)


def test_another_board_is_refused() -> None:
    with pytest.raises(KatachiError, match="for 5x5 boards, not 7x7"):
        weighted("learned").evaluate(Game(7).states)
