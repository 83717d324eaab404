"""Territory before and after a move as a picture: four boards with a square on every point."""

from math import sqrt

from katachi.pictures.boards import BOARD, draw_grid, draw_stones
from katachi.pictures.drawing import BLACKS, FAINT_INK, INK, WHITE_STONE, WHITES
from katachi.pictures.marks import Box, Drawing, Words
from katachi.search.territory_views import TerritoryReading, TerritoryView

MARGIN, LINE = 22.0, 14.0
PANEL_WIDTH, PANEL_HEIGHT = BOARD + 2 * MARGIN, BOARD + 64.0
COLUMNS = 2
LARGEST_SQUARE = 0.6
"""Side of the largest square, in distances between lines."""


def picture_of_territory(title: str, source: str, reading: TerritoryReading) -> Drawing:
    """The four views of a reading; `source` says whose opinion it is."""
    drawing = Drawing(title)
    drawing.add(Words(MARGIN, 34, title, 18, INK, weight="600"))
    lines = [
        source,
        "Blue squares: Black's points, orange ones: White's; the area is how sure that is.",
        "Of the difference: what Black gains (blue) and White gains (orange), in parts of the "
        "largest.",
        "Points are those of stones and territory; White's komi is added behind them.",
    ]
    for number, line in enumerate(lines):
        drawing.add(Words(MARGIN, 54 + LINE * number, line, 12, FAINT_INK))
    top = 54 + LINE * len(lines)
    for number, view in enumerate(reading.views):
        row, col = divmod(number, COLUMNS)
        _draw_view(drawing, view, (MARGIN + PANEL_WIDTH * col, top + PANEL_HEIGHT * row))
    drawing.width, drawing.height = drawing.width + MARGIN, drawing.height + MARGIN
    return drawing


def _draw_view(drawing: Drawing, view: TerritoryView, place: tuple[float, float]) -> None:
    left, top = place
    drawing.add(Words(left, top + 14, view.title, 14, INK, weight="600"))
    drawing.add(Words(left, top + 32, view.summary, 12, INK))
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
