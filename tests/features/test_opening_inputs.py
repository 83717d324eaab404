"""Inputs of opening nets are the oracle's, and know colours and mirror images."""

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import assume, given, settings

from katachi.errors import KatachiError
from katachi.features.edge_shapes import CODES, edge_shapes
from katachi.features.opening_inputs import (
    RAW,
    RICH,
    SMALLEST,
    OpeningInputs,
    check_inputs,
    differences_of,
    encode_openings,
    encode_states,
    parts_of,
    unit_scales,
)
from katachi.features.opening_rows import ONE, Encoded
from katachi.rules.board import Board
from katachi.rules.game import Game
from katachi.rules.state import CAPTURED
from katachi.rules.symmetry import INVERTED_COLORS, SYMMETRIES, index_tables
from tests.checks import states_from_colors
from tests.oracle import openings as oracle
from tests.oracle.games import random_games, stones_of

Values = npt.NDArray[np.float64]


def dense(encoded: Encoded, count: int) -> Values:
    rows = np.zeros((len(encoded.starts) - 1, count))
    for number in range(len(rows)):
        span = slice(encoded.starts[number], encoded.starts[number + 1])
        rows[number, encoded.place[span]] = encoded.value[span] / ONE
    return rows


def row_of(game: Game, kind: str) -> Values:
    inputs = OpeningInputs((kind,), game.size)
    encoded = encode_states(inputs, unit_scales(inputs), game.states)
    return np.asarray(dense(encoded, parts_of(inputs).starts[-1])[0])


def assert_same_values(row: Values, expected: dict[object, float]) -> None:
    """Fails unless a row holds the same numbers and zeros, in whatever order."""
    zeros = [0.0] * (len(row) - len(expected))
    assert np.allclose(sorted([*expected.values(), *zeros]), np.sort(row), atol=1.5 / ONE)


@pytest.mark.kernel
@settings(max_examples=15)
@given(random_games(max_size=7, longest=50))
def test_the_inputs_are_the_oracles(game: Game) -> None:
    assume(game.size >= SMALLEST)
    stones, size = stones_of(game), game.size
    assert_same_values(row_of(game, "map"), oracle.count_map(stones, size))
    assert_same_values(row_of(game, "pairs"), oracle.count_pairs(stones, size))
    shapes = {key: float(value) for key, value in oracle.count_shapes(stones, size).items()}
    found = row_of(game, "shapes")
    assert sorted(np.abs(found[found != 0])) == sorted(abs(each) for each in shapes.values())
    captured = int(game.words[CAPTURED + 2]) - int(game.words[CAPTURED + 1])
    assert_same_values(row_of(game, "blocks"), oracle.count_blocks(stones, size, captured))
    influence = row_of(game, "influence")
    for half, is_strict in zip(np.split(influence, 2), (False, True), strict=True):
        assert_same_values(half, oracle.count_influence(stones, size, is_strict=is_strict))


def test_a_shape_has_one_number_for_all_its_images_and_the_sign_of_its_colours() -> None:
    shapes = edge_shapes()
    assert (len(shapes.number), shapes.total) == (CODES, 1644)
    assert set(shapes.number[shapes.number >= 0].tolist()) == set(range(1644))
    board = Board.from_diagram("X....\n.O...\n.....\n.....\n.....")
    game = Game(5)
    game.place_setup(board.points_of_color(1), board.points_of_color(2))
    row = row_of(game, "shapes")
    turned = Game(5)
    turned.place_setup([board.points_of_color(1)[0] + 4], [board.points_of_color(2)[0] + 2])
    assert np.array_equal(row, row_of(turned, "shapes"))
    swapped = Game(5)
    swapped.place_setup(board.points_of_color(2), board.points_of_color(1))
    assert np.array_equal(row, -row_of(swapped, "shapes"))


def positions(count: int) -> list[npt.NDArray[np.uint8]]:
    source = np.random.default_rng(7)
    found = []
    for number in range(count):
        game = Game(7)
        for _ in range(6 * number):
            game.play(game.to_play, int(source.choice(game.legal_moves(game.to_play))))
        found.append(game.colors)
    return found


def test_rich_inputs_know_colours_and_mirror_images() -> None:
    inputs = OpeningInputs(RICH, 7)
    count = parts_of(inputs).starts[-1]

    def rows(colors: list[npt.NDArray[np.uint8]]) -> Values:
        return dense(
            encode_states(inputs, unit_scales(inputs), states_from_colors(colors, 7)), count
        )

    plain = positions(5)
    own = rows(plain)
    for table in index_tables(7):
        assert np.allclose(rows([colors[table] for colors in plain]), own, atol=2 / ONE)
    turned = rows([INVERTED_COLORS[colors] for colors in plain])
    assert np.allclose(turned[:, 2:], -own[:, 2:], atol=2 / ONE)
    assert own[:, :2].tolist() == [[1.0, 0.0]] * 5


def test_the_points_of_a_turned_board_are_named_by_their_images() -> None:
    inputs = OpeningInputs(RAW, 5)
    parts = parts_of(inputs)
    game = Game(5)
    for point in (33, 67, 101, 165):
        game.play(game.to_play, point)
    own = encode_states(inputs, unit_scales(inputs), game.states)
    for symmetry in range(SYMMETRIES):
        moved = states_from_colors([game.colors[index_tables(5)[symmetry]]], 5)
        found = dense(encode_states(inputs, unit_scales(inputs), moved), 26)[0]
        expected = np.zeros(26)
        expected[parts.images[symmetry][own.place]] = own.value / ONE
        assert np.array_equal(found, expected)


def test_openings_are_encoded_as_their_positions_are_and_as_changes() -> None:
    inputs = OpeningInputs(RICH, 5)
    source, game = np.random.default_rng(3), Game(5)
    words = [game.words.copy()]
    for _ in range(24):
        game.play(game.to_play, int(source.choice(game.legal_moves(game.to_play))))
        words.append(game.words.copy())
    assert sum(game.captures)
    hashes = np.repeat(game.state.hashes[:25, None], 26, axis=1)
    states = game.states._replace(words=np.stack(words), hashes=hashes)
    moves = np.array([[move.point for move in game.moves]] * 2, np.uint16)
    plies = np.array([0, 3, 4, 24])
    count = parts_of(inputs).starts[-1]
    found = encode_openings(inputs, unit_scales(inputs), moves, plies)
    expected = dense(encode_states(inputs, unit_scales(inputs), states), count)[plies]
    assert np.array_equal(dense(found, count), np.concatenate([expected, expected]))
    changes = dense(differences_of(found, len(plies)), count)
    assert np.allclose(changes[:4].cumsum(axis=0), expected)
    assert np.allclose(changes[4:].cumsum(axis=0), expected)


@pytest.mark.parametrize("kinds", [(), ("stones",), ("map", "map")])
def test_inputs_that_there_are_not_are_refused(kinds: tuple[str, ...]) -> None:
    with pytest.raises(KatachiError, match=r"choose some of points, turn, map, .* each once"):
        check_inputs(OpeningInputs(kinds))


def test_boards_of_another_size_are_refused() -> None:
    inputs = OpeningInputs(RAW, 9)
    with pytest.raises(KatachiError, match="for 9x9 boards, not 5x5"):
        encode_states(inputs, unit_scales(inputs), Game(5).states)
