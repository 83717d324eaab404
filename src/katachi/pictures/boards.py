"""Boards in pictures: the grid, the stones, territory before and after a move."""

from math import sqrt

from katachi.pictures.drawing import (
    BLACK_STONE,
    BLACKS,
    FAINT_INK,
    GOOD,
    INK,
    WHITE_STONE,
    WHITES,
    WOOD,
    WOOD_LINES,
    Box,
    Disc,
    Drawing,
    Label,
    Line,
)
from katachi.rules.color import BLACK, EMPTY
from katachi.rules.diagram import star_points
from katachi.rules.game import Game
from katachi.rules.point import COLUMN_LETTERS, row_col_from_point
from katachi.search.territory_views import TerritoryReading, TerritoryView

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
            Label(left + 8, top + at + 3.5, str(size + 1 - line), 9, FAINT_INK, "middle"),
            Label(left + at, top + BOARD - 3, COLUMN_LETTERS[line - 1], 9, FAINT_INK, "middle"),
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


MARGIN, LINE = 22.0, 14.0
PANEL_WIDTH, PANEL_HEIGHT = BOARD + 2 * MARGIN, BOARD + 64.0
COLUMNS = 2
LARGEST_SQUARE = 0.6
"""Side of the largest square, in distances between lines."""


def picture_of_territory(title: str, source: str, reading: TerritoryReading) -> Drawing:
    """The four views of a reading; `source` says whose opinion it is."""
    drawing = Drawing(title)
    drawing.add(Label(MARGIN, 34, title, 18, INK, weight="600"))
    lines = [
        source,
        "Blue squares: Black's points, orange ones: White's; the area is how sure that is.",
        "Of the difference: what Black gains (blue) and White gains (orange), in parts of the "
        "largest.",
        "Points are those of stones and territory; White's komi is added behind them.",
    ]
    for number, line in enumerate(lines):
        drawing.add(Label(MARGIN, 54 + LINE * number, line, 12, FAINT_INK))
    top = 54 + LINE * len(lines)
    for number, view in enumerate(reading.views):
        row, col = divmod(number, COLUMNS)
        _draw_view(drawing, view, (MARGIN + PANEL_WIDTH * col, top + PANEL_HEIGHT * row))
    drawing.width, drawing.height = drawing.width + MARGIN, drawing.height + MARGIN
    return drawing


def _draw_view(drawing: Drawing, view: TerritoryView, place: tuple[float, float]) -> None:
    left, top = place
    drawing.add(Label(left, top + 14, view.title, 14, INK, weight="600"))
    drawing.add(Label(left, top + 32, view.summary, 12, INK))
    size = view.game.size
    pitch = BOARD / (size + 1)
    corner = left, top + 42
    first = corner[0] + pitch, corner[1] + pitch
    draw_grid(drawing, size, pitch, corner)
    draw_stones(drawing, view.game, pitch, first)
    for cell, leaning in enumerate(view.leanings.tolist()):
        side = LARGEST_SQUARE * pitch * sqrt(min(abs(leaning), 1.0))
        row, col = divmod(cell, size)
        x, y = first[0] + pitch * col - side / 2, first[1] + pitch * row - side / 2
        if side > 1:
            fill = BLACKS if leaning > 0 else WHITES
            drawing.add(Box(x, y, side, side, fill, WHITE_STONE, 0.6))
