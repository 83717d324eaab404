"""Boards in pictures: wood, lines, coordinates and stones."""

from katachi.pictures.drawing import (
    BLACK_STONE,
    FAINT_INK,
    GOOD,
    WHITE_STONE,
    WOOD,
    WOOD_LINES,
)
from katachi.pictures.marks import Box, Disc, Drawing, Line, Words
from katachi.rules.color import BLACK, EMPTY
from katachi.rules.diagram import star_points
from katachi.rules.game import Game
from katachi.rules.point import COLUMN_LETTERS, row_col_from_point

BOARD = 330.0
"""Width and height of a board."""


def draw_grid(drawing: Drawing, size: int, pitch: float, place: tuple[float, float]) -> None:
    """Draws an empty board with coordinates and star points, its top left corner at `place`, its
    lines `pitch` apart."""
    left, top = place
    drawing.add(Box(left, top, BOARD, BOARD, WOOD))
    for line in range(1, size + 1):
        at = pitch * line
        drawing.add(
            Line(left + pitch, top + at, left + BOARD - pitch, top + at, WOOD_LINES, 0.8),
            Line(left + at, top + pitch, left + at, top + BOARD - pitch, WOOD_LINES, 0.8),
            Words(left + 8, top + at + 3.5, str(size + 1 - line), 9, FAINT_INK, "middle"),
            Words(left + at, top + BOARD - 3, COLUMN_LETTERS[line - 1], 9, FAINT_INK, "middle"),
        )

    for point in star_points(size):
        row, col = row_col_from_point(point)
        center = left + pitch * (col + 1), top + pitch * (row + 1)
        drawing.add(Disc(*center, max(0.09 * pitch, 2.4), WOOD_LINES))


def draw_stones(drawing: Drawing, game: Game, pitch: float, first: tuple[float, float]) -> None:
    """Draws the stones of a position, the top left point at `first`, and marks the last one."""
    for cell, color in enumerate(game.colors.tolist()):
        if color != EMPTY:
            row, col = divmod(cell, game.size)
            fill = BLACK_STONE if color == BLACK else WHITE_STONE
            center = first[0] + pitch * col, first[1] + pitch * row
            drawing.add(Disc(*center, 0.46 * pitch, fill, BLACK_STONE, 1.0))
    if game.last_point is not None:
        row, col = row_col_from_point(game.last_point)
        center = first[0] + pitch * col, first[1] + pitch * row
        drawing.add(Disc(*center, 0.46 * pitch, "none", GOOD, 3.0))
