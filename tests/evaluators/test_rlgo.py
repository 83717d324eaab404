"""RLGO's weights are read as it wrote them, add up as they should, and play as strongly."""

import os
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from katachi.arena.game import play_game
from katachi.arena.settings import GameSettings
from katachi.errors import KatachiError
from katachi.evaluators.rlgo import (
    LARGEST,
    RlgoEvaluator,
    digits_of_shapes,
    read_weights,
    share_weights,
    sharings_of,
)
from katachi.interfaces.gtp.session import EngineOptions
from katachi.players.roster import make_player
from katachi.rules.color import BLACK, WHITE
from katachi.rules.size import MAX_SIZE
from katachi.rules.symmetry import INVERTED_COLORS, SYMMETRIES, index_tables
from tests.checks import check_player, random_colors, states_from_colors
from tests.evaluators.rlgo_files import file_bytes, random_weights, write_file
from tests.interfaces.gtp.conversation import talk
from tests.oracle.rlgo import logit, set_sizes

EVERY_BOARD = range(LARGEST, MAX_SIZE + 1)


def totals(size: int) -> list[int]:
    """How many weights each set of a board has."""
    return [sharing.total for sharing in sharings_of(size)]


def evaluator_of(size: int, seed: int = 1) -> RlgoEvaluator:
    """An evaluator with random weights."""
    return RlgoEvaluator(random_weights(size, seed), size)


def test_a_9x9_board_has_the_weights_that_rlgo_ships() -> None:
    assert totals(9) == [1, 15, 8, 344, 1418, 61517]


@pytest.mark.parametrize("size", [3, 4, 5, 6, 9])
def test_there_are_as_many_weights_as_the_oracle_counts(size: int) -> None:
    assert totals(size) == set_sizes(size)


def test_every_board_has_a_number_of_weights_of_its_own() -> None:
    assert len({sum(totals(size)) for size in EVERY_BOARD}) == len(EVERY_BOARD)


@pytest.mark.kernel
@pytest.mark.parametrize("size", [3, 4, 5])
def test_logits_are_the_oracles_on_small_boards(size: int) -> None:
    compare_with_oracle(size, positions=8)


@pytest.mark.parametrize("size", [6, 9])
def test_logits_are_the_oracles(size: int) -> None:
    compare_with_oracle(size, positions=20)


def compare_with_oracle(size: int, positions: int) -> None:
    weights = random_weights(size, seed=size)
    colors = random_colors(size, positions, seed=size)
    found = RlgoEvaluator(weights, size).logits(states_from_colors(colors, size))
    expected = [logit(weights, position, size) for position in colors]
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9)


def test_mirror_images_are_worth_exactly_the_same_and_exchanged_colours_the_opposite() -> None:
    """So that ties between mirrored moves are ties."""
    for size in (4, 9):
        evaluator = evaluator_of(size)
        for colors in random_colors(size, 12, seed=5):
            images = [colors[index_tables(size)[s]] for s in range(SYMMETRIES)]
            images.append(INVERTED_COLORS[colors])
            logits = evaluator.logits(states_from_colors(images, size))
            assert logits.tolist() == [logits[0]] * SYMMETRIES + [-logits[0]]


def test_the_heaviest_weights_neither_overflow_nor_warn() -> None:
    """A board full of Black stones adds up what no real position does."""
    for weight in (1000.0, -1000.0):
        evaluator = RlgoEvaluator(np.full(sum(totals(25)), weight, np.float32), 25)
        colors = np.full(25 * 25, BLACK, np.uint8)
        colors[0] = 0
        states = states_from_colors([colors], 25)
        assert evaluator.logits(states)[0] * np.sign(weight) > 3.4e6
        assert evaluator.evaluate(states).value[0] == pytest.approx(float(weight > 0))


def test_it_plays_like_any_other_player(tmp_path: Path) -> None:
    for size in (3, 5, 9):
        path = write_file(tmp_path / f"{size}.w", size)
        check_player(partial(make_player, f"rlgo:{path}"), (size,))


@pytest.mark.parametrize("size", EVERY_BOARD)
def test_a_file_tells_the_size_of_its_board(tmp_path: Path, size: int) -> None:
    path = write_file(tmp_path / "any.w", size, seed=3)
    weights, found = read_weights(path)
    assert found == size
    assert np.array_equal(weights, random_weights(size, seed=3))


def test_a_loaded_evaluator_is_that_of_the_weights(tmp_path: Path) -> None:
    loaded = RlgoEvaluator.load(write_file(tmp_path / "some.w", 9, seed=2))
    states = states_from_colors(random_colors(9, 5, seed=1), 9)
    assert loaded.name == "rlgo:some.w"
    assert np.array_equal(loaded.logits(states), evaluator_of(9, seed=2).logits(states))


def test_a_board_of_another_size_is_refused_by_name() -> None:
    states = states_from_colors(random_colors(5, 2, seed=1), 5)
    with pytest.raises(KatachiError, match=r"^rlgo judges 9x9 boards, not 5x5$"):
        evaluator_of(9).evaluate(states)


def test_an_engine_refuses_another_board_and_plays_on(tmp_path: Path) -> None:
    options = EngineOptions(player=f"rlgo:{write_file(tmp_path / 'nine.w', 9)}", size=9)
    sent = "genmove b\nboardsize 13\nboardsize 9\ngenmove b\n"
    move, refused, _, again = talk(sent, options).texts
    assert refused.startswith("? unacceptable size")
    assert "9x9 boards, not 13x13" in refused
    assert move.startswith("= ")
    assert again.startswith("= ")


def test_an_engine_refuses_a_damaged_file(tmp_path: Path) -> None:
    path = tmp_path / "bad.w"
    path.write_bytes(file_bytes(random_weights(3))[:-4])
    replies = talk("genmove b\nprotocol_version\n", EngineOptions(player=f"rlgo:{path}")).texts
    assert replies[0].startswith(f"? {path}: {sum(totals(3))} weights need")
    assert replies[1] == "= 2"


@pytest.fixture(scope="module")
def authentic() -> Path:
    """RLGO's own file, the first *.w in the folder KATACHI_GAMES names; skipped without."""
    folder = os.environ.get("KATACHI_GAMES", "")
    files = sorted(Path(folder).glob("*.w")) if folder else []
    if not files:
        pytest.skip("needs weights of RLGO 2.5: set KATACHI_GAMES to a folder that holds a .w file")
    return files[0]


def test_rlgos_own_weights_are_where_they_should_be(authentic: Path) -> None:
    weights, size = read_weights(authentic)
    sets = np.split(weights.astype(np.float64), np.cumsum(totals(size))[:-1])
    assert size == 9
    assert sets[0] == pytest.approx(0.2018, abs=1e-4)
    assert sets[1][0] == sets[1].min() == pytest.approx(-0.178, abs=1e-3)
    assert sets[1].max() == pytest.approx(0.133, abs=1e-3)
    assert np.abs(sets[4]).mean() == pytest.approx(0.048, abs=1e-3)
    assert np.abs(sets[5]).mean() == pytest.approx(0.0076, abs=1e-4)
    assert (weights == 0).mean() == pytest.approx(0.032, abs=1e-3)


def test_rlgo_never_learned_shapes_that_cannot_be(authentic: Path) -> None:
    """A stone without a liberty is no position, so its weights are untouched. Were the weights
    numbered in any other way, these zeros would lie elsewhere."""
    weights, size = read_weights(authentic)
    _, _, _, corner, center, _ = np.split(weights, np.cumsum(totals(size))[:-1])
    assert_only_these_are_zero(corner, 2, size, stone=0, beside=[1, 2])
    assert_only_these_are_zero(center, 3, LARGEST, stone=4, beside=[1, 3, 5, 7])


def assert_only_these_are_zero(
    weights: np.ndarray, template: int, size: int, stone: int, beside: list[int]
) -> None:
    """Of a set, just the shapes in the first window with a stone among opponents weigh nothing."""
    digits = digits_of_shapes(template)
    is_caught = (digits[:, stone] > 0) & (digits[:, beside] == 3 - digits[:, [stone]]).all(axis=1)
    sharing = share_weights(template, size)
    classes = sharing.classes[0]
    has_weight = classes.sign != 0
    assert not sharing.values(weights, 0)[is_caught].any()
    assert np.count_nonzero(weights == 0) == len(set(classes.number[is_caught & has_weight]))


@pytest.mark.parametrize("color", [BLACK, WHITE])
def test_rlgos_own_weights_beat_the_average_liberty_player(authentic: Path, color: int) -> None:
    won = 0
    for seed in range(6):
        ours, theirs = make_player(f"rlgo:{authentic}", seed), make_player("alp", seed)
        players = (ours, theirs) if color == BLACK else (theirs, ours)
        won += play_game(*players, GameSettings(9)).winner == color
    assert won >= 5
