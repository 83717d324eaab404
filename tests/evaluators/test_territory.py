"""Territory keeps the contract, survives the disk, and refuses what is no model of it."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from katachi.errors import KatachiError
from katachi.evaluators.dag_rnn_kernel import DagRnnKernel
from katachi.evaluators.protocol import abilities_of
from katachi.evaluators.shipped import load_territory
from katachi.evaluators.territory import KOMI, NetKind, Territory, TerritoryConfig
from katachi.features.board_views import fold_views, show_views
from katachi.features.propensity import pack_table, round_table, unpack_table
from katachi.features.territory_inputs import InputSettings, plan_inputs, plane_count, planes_of
from katachi.players.protocol import Analyst
from katachi.players.roster import make_player
from katachi.rules.color import BLACK, WHITE
from katachi.rules.game import Game
from katachi.rules.point import point_from_vertex, points_of
from katachi.rules.positions import positions_of_stones
from katachi.rules.state import recent_moves
from katachi.rules.symmetry import INVERTED_COLORS, point_tables
from tests.checks import random_colors, states_from_colors
from tests.evaluators.territory_models import (
    STONES,
    random_arrays,
    random_territory,
    windows_table,
)

PAPER = InputSettings()
EVERY_INPUT = InputSettings((*PAPER.inputs, "influence:strict", "propensity:large", "edge"))
SIZES = (5, 6, 9, 13, 19)


def test_a_board_too_small_for_windows_is_one_clear_line() -> None:
    with pytest.raises(KatachiError, match="propensity needs a board of 3x3 or more, not 2x2"):
        random_territory(PAPER).evaluate(Game(2).states)


def test_the_last_moves_are_seen_at_play_as_they_are_in_training() -> None:
    inputs = InputSettings(("stones", "recent:4", "nearness"))
    model, game = random_territory(inputs), Game(5)
    for number, name in enumerate(("A1", "C3", "pass", "E5", "B2", "D4")):
        game.play(1 + number % 2, point_from_vertex(name, 5))
    game.undo()
    moves = np.array([game.moves[-1 - age].point for age in range(4)], np.uint16)
    views = show_views(game.states.words, 4)
    turns = [(mask & -mask).bit_length() - 1 for mask in views.masks.tolist()]
    shown = positions_of_stones(views.words)
    turned = np.ascontiguousarray(point_tables(5)[turns][:, moves])  # as kernels are compiled for
    planes = planes_of(shown, plan_inputs(inputs, 5), turned)
    owned = DagRnnKernel(model.arrays, plane_count(inputs)[0]).ownership(planes).reshape(2, -1)
    plain, swapped = fold_views(owned, views)
    seen = model.evaluate(game.states).ownership
    assert seen is not None
    np.testing.assert_allclose(seen, (plain + 1 - swapped) / 2, atol=1e-7)


def test_inputs_that_look_too_far_back_are_one_clear_line() -> None:
    message = "^recent:9 looks too far back: a position keeps its last 8 moves$"
    with pytest.raises(KatachiError, match=message):
        random_territory(InputSettings(("stones", "recent:9")))


def test_exchanged_colours_exchange_the_owners_whatever_the_weights() -> None:
    model = random_territory(PAPER, layers=2)
    for size in SIZES:
        positions = random_colors(size, 6, seed=size)
        plain = model.evaluate(states_from_colors(positions, size))
        swapped = [INVERTED_COLORS[colors] for colors in positions]
        turned = model.evaluate(states_from_colors(swapped, size))
        assert plain.ownership is not None
        assert turned.ownership is not None
        np.testing.assert_allclose(turned.ownership, 1 - plain.ownership, atol=1e-6)
        assert plain.ownership.std() > 0.01
        # Komi is White's in both.
        leads = [np.log(each.value / (1 - each.value)) * size for each in (plain, turned)]
        np.testing.assert_allclose(leads[0] + leads[1], -2 * KOMI, atol=1e-2)


def test_the_value_is_the_lead_in_points() -> None:
    evaluation = random_territory().evaluate(Game(9).states)
    assert evaluation.ownership is not None
    lead = 2 * evaluation.ownership.sum(dtype=float) - 81 - KOMI
    assert evaluation.value[0] == pytest.approx(1 / (1 + np.exp(-lead / 9)))


@pytest.mark.parametrize("inputs", [STONES, PAPER, EVERY_INPUT], ids=["stones", "paper", "every"])
def test_a_saved_model_comes_back_as_it_was(inputs: InputSettings, tmp_path: Path) -> None:
    model = random_territory(inputs, hidden=5, states=2, layers=2)
    model.temperatures = {9: 0.7, 19: 1.5}
    model.training = {"seed": 3, "words": "ä\n<>"}
    model.save(tmp_path / "model", "# A card\n")
    loaded = Territory.load(tmp_path / "model")
    assert loaded.inputs == inputs
    assert loaded.arrays.keys() == model.arrays.keys()
    assert all(np.array_equal(loaded.arrays[name], model.arrays[name]) for name in model.arrays)
    assert (loaded.temperatures, loaded.training) == (model.temperatures, model.training)
    assert loaded.weight_count == model.weight_count
    for size in (5, 9):
        states = states_from_colors(random_colors(size, 4, seed=2), size)
        one, other = loaded.evaluate(states), model.evaluate(states)
        assert np.array_equal(one.value, other.value)
        assert np.array_equal(np.asarray(one.ownership), np.asarray(other.ownership))


def test_a_model_that_predicts_moves_comes_back_and_owners_are_its_first_output(
    tmp_path: Path,
) -> None:
    inputs = InputSettings(("stones", "placing", "last", "nearness"))
    model = random_territory(inputs, outputs=3)
    model.save(tmp_path / "model", "")
    loaded = Territory.load(tmp_path / "model")
    game = Game(7)
    for color, point in ((BLACK, 66), (WHITE, 70)):
        game.play(color, point)
    black, white = (loaded.move_scores(game.states, np.array([color])) for color in (BLACK, WHITE))
    assert loaded.predicts_moves
    assert black.shape == (1, 49)
    assert not np.allclose(black, white)
    views = show_views(game.states.words, 2)
    shown = positions_of_stones(views.words)
    planes = planes_of(shown, plan_inputs(inputs, 7), recent_moves(views.words))
    logits = DagRnnKernel(model.arrays, plane_count(inputs)[0]).logits(planes).reshape(2, 3, 49)
    for found, outputs in ((black, (1, 2)), (white, (2, 1))):
        expected = fold_views(logits[(0, 1), outputs], views).mean(axis=0)
        np.testing.assert_array_equal(found, expected)
    assert not random_territory().predicts_moves


def test_a_convolution_comes_back(tmp_path: Path) -> None:
    config = TerritoryConfig(STONES, 6, 1, 3, 3, net=NetKind.CONVOLUTION)
    model = Territory(STONES, random_arrays(config))
    model.save(tmp_path / "model", "")
    loaded = Territory.load(tmp_path / "model")
    assert loaded.net is NetKind.CONVOLUTION
    assert loaded.predicts_moves
    states = Game(5).states
    np.testing.assert_array_equal(loaded.evaluate(states).value, model.evaluate(states).value)


def test_a_model_of_moves_alone_judges_no_position_and_plays_its_likeliest_move(
    tmp_path: Path,
) -> None:
    model = random_territory(STONES, outputs=3)
    model.knows_owners = False
    model.save(tmp_path / "model", "")
    loaded = Territory.load(tmp_path / "model")
    game = Game(5)
    evaluation = loaded.evaluate(game.states)
    assert evaluation.ownership is None
    assert evaluation.value.tolist() == [0.5]
    likeliest = points_of(5)[loaded.move_scores(game.states, np.array([BLACK]))[0].argmax()]
    player = make_player(f"territory:{tmp_path / 'model'}")
    assert player.choose(game, BLACK).point == likeliest
    assert isinstance(player, Analyst)
    best, *others = player.analyse(game, BLACK).candidates
    assert best.point == likeliest
    assert best.prior == max(each.prior for each in (best, *others))
    with pytest.raises(KatachiError, match="judges no position"):
        make_player(f"search:territory:{tmp_path / 'model'}")


def test_the_papers_inputs_have_the_papers_weights() -> None:
    assert random_territory(PAPER, hidden=16, states=8).weight_count == 5801


def test_tables_are_kept_small_and_rounded_once(tmp_path: Path) -> None:
    table = windows_table()
    packed = pack_table(table)
    assert sum(each.nbytes for each in packed) < 2_000_000
    for one, other in zip(round_table(table), table, strict=True):
        assert np.array_equal(one, other)
    rough = unpack_table(packed)._replace(score=table.score + np.float32(0.003))
    assert np.abs(round_table(rough).score - rough.score).max() <= 0.5 / 127 + 1e-6
    random_territory(PAPER).save(tmp_path / "model", "")
    assert (tmp_path / "model" / "weights.safetensors").stat().st_size < 2_100_000


def test_temperatures_are_those_of_the_nearest_size() -> None:
    model = random_territory()
    assert abilities_of(model).temperature is not None
    assert model.temperature(9) is None
    model.temperatures = {9: 0.5, 19: 2.0}
    assert [model.temperature(size) for size in (5, 9, 13, 15, 19, 25)] == [
        *(0.5, 0.5, 0.5, 2.0, 2.0, 2.0),
    ]


def test_nothing_of_torch_is_imported() -> None:
    code = "import sys, katachi.evaluators.territory; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_model_by_name_is_loaded_once(tmp_path: Path) -> None:
    random_territory().save(tmp_path / "model", "a card")
    name = str(tmp_path / "model")
    assert load_territory(name) is load_territory(name)
    with pytest.raises(KatachiError, match="no model 'nothing-here'"):
        load_territory("nothing-here")
