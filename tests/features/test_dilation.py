"""Regions grown and trimmed are the oracle's."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from katachi.features.dilation import SCRATCH, grow_regions
from katachi.rules.board import Board
from katachi.rules.color import BLACK, WHITE
from katachi.rules.diagram import SYMBOLS
from katachi.rules.game import Game
from katachi.rules.point import points_of
from katachi.rules.state import Words
from tests.oracle.games import point_of, random_games, stones_of
from tests.oracle.go import Spot
from tests.oracle.players import regions


def grow(words: Words, dilations: int, erosions: int) -> tuple[int, Words]:
    scratch = np.full(SCRATCH, 7, np.uint16)
    return int(grow_regions(words, dilations, erosions, scratch)), scratch


def points_of_spots(spots: set[Spot]) -> list[int]:
    return sorted(point_of(spot) for spot in spots)


@pytest.mark.kernel
@given(random_games(max_size=8, longest=40), st.integers(0, 4), st.integers(0, 3))
def test_regions_are_the_oracles(game: Game, dilations: int, erosions: int) -> None:
    black, white = regions(stones_of(game), game.size, dilations, erosions)
    balance, scratch = grow(game.words, dilations, erosions)
    points = points_of(game.size)
    assert points[scratch[points] == BLACK].tolist() == points_of_spots(black)
    assert points[scratch[points] == WHITE].tolist() == points_of_spots(white)
    assert balance == len(black) - len(white)


@given(random_games(max_size=25, longest=100))
def test_the_influence_players_regions_are_the_oracles(game: Game) -> None:
    black, white = regions(stones_of(game), game.size, 7, 3)
    assert grow(game.words, 7, 3)[0] == len(black) - len(white)


def shape_after(diagram: str, dilations: int, erosions: int) -> list[str]:
    """The regions drawn as a diagram."""
    board = Board.from_diagram(diagram)
    _, scratch = grow(board.words, dilations, erosions)
    grid = scratch[points_of(board.size)].reshape(board.size, board.size)
    return ["".join(SYMBOLS[int(cell)] for cell in row) for row in grid]


LONE_STONE = """
. . . . .
. . . . .
. . X . .
. . . . .
. . . . .
"""


def test_a_dilation_adds_the_neighbors() -> None:
    assert shape_after(LONE_STONE, 1, 0) == [".....", "..X..", ".XXX.", "..X..", "....."]


def test_an_erosion_takes_the_rim_but_never_a_stone() -> None:
    assert shape_after(LONE_STONE, 1, 1) == [".....", ".....", "..X..", ".....", "....."]


def test_the_edge_of_the_board_does_not_erode() -> None:
    corner = """
    X . . .
    . . . .
    . . . .
    . . . .
    """
    assert shape_after(corner, 2, 1) == ["XX..", "X...", "....", "...."]


def test_a_point_that_both_reach_at_once_stays_neutral() -> None:
    facing = """
    . . . . .
    . . . . .
    X . . . O
    . . . . .
    . . . . .
    """
    assert shape_after(facing, 2, 0)[2] == "XX.OO"
    assert shape_after(facing, 7, 0) == ["XX.OO"] * 5
