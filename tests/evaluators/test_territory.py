"""Territory keeps the contract, survives the disk, and refuses what is no model of it."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load, save

from katachi.errors import KatachiError
from katachi.evaluators.dag_rnn_kernel import DagRnnKernel
from katachi.evaluators.local_shape import LocalShape
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
from tests.checks import check_evaluator, random_colors, states_from_colors
from tests.evaluators.shape_models import random_model
from tests.evaluators.territory_models import (
    STONES,
    random_arrays,
    random_territory,
    windows_table,
)

PAPER = InputSettings()
EVERY_INPUT = InputSettings((*PAPER.inputs, "influence:strict", "propensity:large", "edge"))
SIZES = (5, 6, 9, 13, 19)


@pytest.mark.parametrize("inputs", [STONES, PAPER, EVERY_INPUT], ids=["stones", "paper", "every"])
def test_evaluator_keeps_the_contract(inputs: InputSettings) -> None:
    model = random_territory(inputs)
    check_evaluator(model, SIZES, tolerance=1e-6)


def test_every_size_is_judged_by_the_same_weights() -> None:
    model = random_territory()
    check_evaluator(model, (2, 3, 4, 25), tolerance=1e-6)


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
    planes = planes_of(shown, plan_inputs(inputs, 5), point_tables(5)[turns][:, moves])
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


def test_a_convolution_keeps_the_contract_and_comes_back(tmp_path: Path) -> None:
    config = TerritoryConfig(STONES, 6, 1, 3, 3, net=NetKind.CONVOLUTION)
    model = Territory(STONES, random_arrays(config))
    check_evaluator(model, (5, 9), tolerance=1e-5)
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


Change = Callable[[bytes], bytes]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model of small nets, with a table of large squares."""
    folder = tmp_path_factory.mktemp("territory") / "model"
    random_territory(InputSettings(("stones", "propensity:large"))).save(folder, "a card")
    return folder


def complaint(whole: Path, folder: Path, name: str, change: Change) -> str:
    """Why a changed copy of a model is refused, in one line of a length that can be read."""
    folder.mkdir()
    for file in ("config.json", "weights.safetensors"):
        data = (whole / file).read_bytes()
        (folder / file).write_bytes(change(data) if file == name else data)
    with pytest.raises(KatachiError) as caught:
        Territory.load(folder)
    line = str(caught.value)
    assert "\n" not in line
    assert len(line) < 1000
    return line


def config_with(**changes: Any) -> Change:
    return lambda data: json.dumps(json.loads(data) | changes).encode()


def inputs_with(**changes: Any) -> Change:
    def changed(data: bytes) -> bytes:
        config = json.loads(data)
        config["inputs"] |= changes
        return json.dumps(config).encode()

    return changed


CONFIGS: dict[str, tuple[Change, str]] = {
    "empty": (lambda _: b"", "is not a model's config"),
    "cut": (lambda data: data[:-9], "is not a model's config"),
    "another kind": (config_with(kind="local shape"), "kind 'local shape', not 'territory'"),
    "a newer version": (config_with(version=2), "this katachi reads version 1"),
    "an unknown field": (config_with(code="x"), "unknown field `code`"),
    "no units": (config_with(hidden=0), "is not a model's config"),
    "too many units": (config_with(states=10**9), "is not a model's config"),
    "too many layers": (config_with(layers=10**9), "is not a model's config"),
    "other units": (config_with(hidden=5), "does not fit its config"),
    "more layers": (config_with(layers=64), "does not fit its config"),
    "an unknown input": (inputs_with(inputs=["luck"]), "no input 'luck': there are stones"),
    "too many moves": (inputs_with(inputs=["recent:" + "9" * 5000]), "no input 'recent:99"),
    "an input twice": (inputs_with(inputs=["stones", "stones"]), "each of them once"),
    "no inputs": (inputs_with(inputs=[]), "a net needs inputs"),
    "other inputs": (inputs_with(inputs=["stones", "propensity"]), "does not fit its config"),
    "another kernel": (inputs_with(influence_kernel="x"), "is not a model's config"),
    "a huge cap": (inputs_with(eye_cap=10**18), "caps of inputs are 1 to 1000"),
    "no cap": (inputs_with(edge_cap=0), "caps of inputs are 1 to 1000"),
    "a net of two outputs": (config_with(outputs=2), "a net of 2 outputs: use 1 or 3"),
    "a temperature of no size": (config_with(temperatures={"x": 1.0}), "holds no temperature"),
    "one of a huge size": (config_with(temperatures={"9" * 5000: 1.0}), "holds no temperature"),
    "one below zero": (config_with(temperatures={"9": -1.0}), "holds no temperature"),
    "one that is not a number": (config_with(temperatures={"9": None}), "is not a model's config"),
    "a larger table": (config_with(large_bits=12), "does not fit its config"),
    "a huge table": (config_with(large_bits=60), "is not a model's config"),
}


@pytest.mark.parametrize(("change", "words"), CONFIGS.values(), ids=CONFIGS.keys())
def test_a_config_that_makes_no_sense_is_one_clear_line(
    change: Change, words: str, whole: Path, tmp_path: Path
) -> None:
    assert words in complaint(whole, tmp_path / "model", "config.json", change)


def tensors_with(change: Callable[[dict[str, Any]], object]) -> Change:
    def changed(data: bytes) -> bytes:
        tensors = dict(load(data))
        change(tensors)
        return save(tensors)

    return changed


def not_a_number(tensors: dict[str, Any]) -> None:
    weights = tensors["output.hidden.bias"].copy()
    weights[1] = np.nan
    tensors["output.hidden.bias"] = weights


WEIGHTS: dict[str, tuple[Change, str]] = {
    "empty": (lambda _: b"", "is not a whole safetensors file"),
    "half": (lambda data: data[: len(data) // 2], "is not a whole safetensors file"),
    "one byte less": (lambda data: data[:-1], "is not a whole safetensors file"),
    "not numbers": (tensors_with(not_a_number), "weights that are not numbers"),
    "one missing": (tensors_with(lambda t: t.pop("output.out.bias")), "does not fit its config"),
    "one more": (tensors_with(lambda t: t.update(x=np.zeros(1))), "does not fit its config"),
    "another type": (
        tensors_with(lambda t: t.update({"output.out.bias": np.zeros(1)})),
        "does not fit its config",
    ),
    "a full table": (
        tensors_with(lambda t: t.update({"large.key": np.ones_like(t["large.key"])})),
        "no table of large patterns",
    ),
}


@pytest.mark.parametrize(("change", "words"), WEIGHTS.values(), ids=WEIGHTS.keys())
def test_weights_that_make_no_sense_are_one_clear_line(
    change: Change, words: str, whole: Path, tmp_path: Path
) -> None:
    assert words in complaint(whole, tmp_path / "model", "weights.safetensors", change)


def test_models_of_another_kind_are_refused_both_ways(whole: Path, tmp_path: Path) -> None:
    random_model("1x1:LI").save(tmp_path / "shape", "")
    with pytest.raises(KatachiError, match="a model of kind 'local shape', not 'territory'"):
        load_territory(str(tmp_path / "shape"))
    with pytest.raises(KatachiError, match="a model of kind 'territory', not 'local shape'"):
        LocalShape.load(whole)
    assert load_territory(str(whole)) is load_territory(str(whole))
    with pytest.raises(KatachiError, match="no model 'nothing-here'"):
        load_territory("nothing-here")
