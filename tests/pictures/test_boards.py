"""Boards in pictures."""

import pytest

from katachi.pictures.boards import BOARD, BoardPlace, draw_grid
from katachi.pictures.drawing import WOOD_LINES, Disc, Drawing


@pytest.mark.parametrize(("size", "stars"), [(19, 9), (9, 5)])
def test_an_empty_board_has_its_star_points(size: int, stars: int) -> None:
    drawing = Drawing("board")
    pitch = BOARD / (size + 1)
    draw_grid(drawing, BoardPlace(size, 10.0, 20.0))
    found = [mark for mark in drawing.marks if isinstance(mark, Disc)]
    assert {mark.fill for mark in found} == {WOOD_LINES}
    middle = pitch * (size + 1) / 2
    assert any((mark.x, mark.y) == (10.0 + middle, 20.0 + middle) for mark in found)
    assert len(found) == stars
