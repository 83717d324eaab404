"""A position as an object, and positions built from colours or diagrams."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from katachi.errors import KatachiError
from katachi.rules.board import Board
from katachi.rules.color import BLACK, EDGE, EMPTY, WHITE
from katachi.rules.game import Game
from katachi.rules.point import PASS, point_from_vertex, points_of, vertex_from_point
from katachi.rules.state import (
    BLOCK,
    CAPTURED,
    EMPTIES,
    EMPTY_COUNT,
    KO,
    LIBERTIES,
    STONES,
    Words,
)
from tests.oracle.games import colors_of_stones, random_games
from tests.oracle.go import Stones, is_position_legal, spots_of


def shape_of(words: Words, size: int) -> dict[str, object]:
    """What a position holds whatever way led to it."""
    board = Board(words)
    blocks = board.blocks(BLACK) + board.blocks(WHITE)
    roots = [int(words[BLOCK + block[0]]) for block in blocks]
    empties = board.points_of_color(EMPTY)
    return {
        "colors": board.colors.tolist(),
        "blocks": blocks,
        "roots are stones of their blocks": [r in b for r, b in zip(roots, blocks, strict=True)],
        "stones": [int(words[STONES + root]) for root in roots],
        "liberties": [int(words[LIBERTIES + root]) for root in roots],
        "empty neighbors": [int(words[LIBERTIES + point]) for point in empties],
        "empties": sorted(words[EMPTIES : EMPTIES + int(words[EMPTY_COUNT])].tolist()),
    }


@given(random_games(max_size=19, longest=250))
def test_a_position_from_colors_equals_the_one_played(game: Game) -> None:
    board = Board.from_colors(game.colors, game.size)
    assert shape_of(board.words, game.size) == shape_of(game.words, game.size)
    assert board.hash == game.hash & ~1


@given(random_games(max_size=9))
def test_a_position_from_colors_has_no_history(game: Game) -> None:
    words = Board.from_colors(game.colors, game.size).words
    assert words[KO] == PASS
    assert words[CAPTURED + BLACK] == words[CAPTURED + WHITE] == 0


@st.composite
def any_stones(draw: st.DrawFn) -> tuple[Stones, int]:
    """Colours strewn over a small board, liberties or not."""
    size = draw(st.integers(2, 5))
    colors = draw(st.lists(st.integers(0, 2), min_size=size * size, max_size=size * size))
    return {s: c for s, c in zip(spots_of(size), colors, strict=True) if c}, size


@pytest.mark.kernel
@given(any_stones())
def test_colors_are_refused_exactly_when_a_block_has_no_liberties(
    strewn: tuple[Stones, int],
) -> None:
    stones, size = strewn
    colors = np.array(colors_of_stones(stones, size), np.uint8)
    if is_position_legal(stones, size):
        assert Board.from_colors(colors, size).colors.tolist() == colors.tolist()
    else:
        with pytest.raises(KatachiError, match="has no liberties"):
            Board.from_colors(colors, size)


def test_the_refusal_names_the_block() -> None:
    with pytest.raises(KatachiError, match=r"^the block at B1 has no liberties$"):
        Board.from_diagram(
            """
            . . .
            X X X
            X O X
            """
        )


BOARD = Board.from_diagram(
    """
    . . . . .
    . X X . .
    . . X O O
    . . O . .
    . . . . .
    """
)


def names(points: list[int]) -> list[str]:
    return [vertex_from_point(point, 5) for point in points]


def test_a_block_is_its_connected_stones() -> None:
    assert names(BOARD.block_at(point_from_vertex("C3", 5))) == ["B4", "C4", "C3"]


def test_an_empty_point_has_no_block_and_no_liberties() -> None:
    assert BOARD.block_at(point_from_vertex("A1", 5)) == []
    assert BOARD.liberties_at(point_from_vertex("A1", 5)) == 0


def test_blocks_are_listed_by_color() -> None:
    assert [names(block) for block in BOARD.blocks(WHITE)] == [["D3", "E3"], ["C2"]]


def test_a_liberty_is_counted_once_however_often_it_is_touched() -> None:
    assert BOARD.liberties_at(point_from_vertex("B4", 5)) == 5


def test_a_point_off_the_board_is_edge() -> None:
    assert BOARD.color_at(int(points_of(5)[0]) - 1) == EDGE


def test_a_board_prints_as_its_diagram() -> None:
    assert str(BOARD).splitlines() == [
        "   A B C D E",
        " 5 . . . . . 5",
        " 4 . X X . . 4",
        " 3 . . X O O 3",
        " 2 . . O . . 2",
        " 1 . . . . . 1",
        "   A B C D E",
    ]
