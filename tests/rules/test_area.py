"""Area: stones, and the empty regions that touch one colour only."""

import pytest
from hypothesis import given

from katachi.rules.area import area_difference, area_owners
from katachi.rules.board import Board
from katachi.rules.game import Game
from tests.oracle.games import random_games, stones_of
from tests.oracle.go import area_difference as oracle_area_difference
from tests.oracle.go import owners_of, spots_of


def test_an_empty_board_is_nobodys() -> None:
    assert Game(9).area_score() == -7.5


def test_one_stone_owns_an_otherwise_empty_board() -> None:
    game = Game(5, komi=0.0)
    game.play(2, 33)
    assert game.area_score() == -25.0


def test_a_region_that_touches_both_colors_is_neutral() -> None:
    board = Board.from_diagram(
        """
        . X . O
        X X . O
        . . . O
        X X O .
        """
    )
    assert area_difference(board.words) == 6 - 5
    assert area_owners(board.words).tolist() == [1, 1, 0, 2, 1, 1, 0, 2, 0, 0, 0, 2, 1, 1, 2, 2]


@pytest.mark.kernel
@given(random_games(max_size=8, longest=50))
def test_area_is_the_oracles(game: Game) -> None:
    stones = stones_of(game)
    owners = owners_of(stones, game.size)
    assert area_owners(game.words).tolist() == [owners[spot] for spot in spots_of(game.size)]
    assert area_difference(game.words) == oracle_area_difference(stones, game.size)
