"""Influence of both rules and every kernel is the oracle's."""

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from katachi.features.block_strength import measure_blocks, new_strength
from katachi.features.influence import (
    KERNEL_NUMBERS,
    InfluenceKernel,
    new_scratch,
    spread_plainly,
    spread_strictly,
)
from katachi.rules.board import Board
from katachi.rules.color import BLACK, WHITE
from katachi.rules.game import Game
from katachi.rules.point import points_of
from katachi.rules.state import SIZE, Words
from tests.oracle.games import random_games, stones_of
from tests.oracle.go import spots_of
from tests.oracle.territory import influence_of

kernels = st.sampled_from(list(InfluenceKernel))
Grid = npt.NDArray[np.float32]


def spread(words: Words, kernel: InfluenceKernel, *, is_strict: bool) -> Grid:
    """Black's and White's, [2, size, size]."""
    scratch = new_scratch()
    scratch.sums[:] = 7
    if is_strict:
        strength = new_strength()
        measure_blocks(words, strength)
        spread_strictly(words, KERNEL_NUMBERS[kernel], strength, scratch)
    else:
        spread_plainly(words, KERNEL_NUMBERS[kernel], scratch)
    size = int(words[SIZE])
    return scratch.sums[:, points_of(size)].reshape(2, size, size)


def check_influence(game: Game, kernel: InfluenceKernel, *, is_strict: bool) -> None:
    found = spread(game.words, kernel, is_strict=is_strict)
    for view, color in enumerate((BLACK, WHITE)):
        oracle = influence_of(stones_of(game), game.size, color, kernel, is_strict=is_strict)
        expected = [oracle[spot] for spot in spots_of(game.size)]
        np.testing.assert_allclose(found[view].reshape(-1), expected, rtol=1e-4, atol=1e-6)


@pytest.mark.kernel
@given(random_games(max_size=6, longest=30), kernels, st.booleans())
@settings(max_examples=30)
def test_small_boards_are_the_oracles(game: Game, kernel: InfluenceKernel, is_strict: bool) -> None:
    check_influence(game, kernel, is_strict=is_strict)


@given(random_games(max_size=25, longest=150), kernels, st.booleans())
@settings(max_examples=40)
def test_influence_is_the_oracles(game: Game, kernel: InfluenceKernel, is_strict: bool) -> None:
    check_influence(game, kernel, is_strict=is_strict)


def test_a_full_board_of_one_color_does_not_overflow() -> None:
    colors = np.full(19 * 19, BLACK, np.uint8)
    colors[0] = 0
    found = spread(Board.from_colors(colors, 19).words, InfluenceKernel.DISTANCE, is_strict=False)
    assert found[0, 9, 9] == 544 / 64


WALL = Board.from_diagram(
    """
    . . O . .
    . . O . .
    X . O . .
    . . O . .
    . . O . .
    """
)


def test_a_wall_stops_influence_under_both_rules_when_it_is_stronger() -> None:
    for is_strict in (False, True):
        black = spread(WALL.words, InfluenceKernel.DISTANCE, is_strict=is_strict)[0]
        assert black[2].tolist() == [1, 0.5, 0, 0, 0]
        assert not black[:, 2:].any()


def test_a_weaker_stone_stops_plain_influence_only() -> None:
    plain = spread(WALL.words, InfluenceKernel.DISTANCE, is_strict=False)[1]
    strict = spread(WALL.words, InfluenceKernel.DISTANCE, is_strict=True)[1]
    assert plain[2, 0] == 0
    assert strict[2, 0] > 0
