"""Liberties summed over blocks are the oracle's."""

import pytest
from hypothesis import given

from katachi.features.blocks import sum_liberties
from katachi.rules.board import Board
from katachi.rules.color import BLACK, WHITE
from katachi.rules.game import Game
from tests.oracle.games import random_games, stones_of
from tests.oracle.go import blocks_of, liberties_of


@pytest.mark.kernel
@given(random_games(max_size=9, longest=60))
def test_liberties_and_blocks_are_the_oracles(game: Game) -> None:
    stones = stones_of(game)
    for color in (BLACK, WHITE):
        blocks = blocks_of(stones, game.size, color)
        liberties = sum(len(liberties_of(stones, game.size, block)) for block in blocks)
        assert sum_liberties(game.words, color) == (liberties, len(blocks))


def test_a_liberty_shared_by_two_blocks_counts_for_both() -> None:
    board = Board.from_diagram(
        """
        . . . .
        X . X .
        . . . .
        . . . .
        """
    )
    assert sum_liberties(board.words, BLACK) == (7, 2)


def test_a_color_without_stones_has_nothing() -> None:
    assert sum_liberties(Game(5).words, WHITE) == (0, 0)
