"""Boards in pictures: the grid, the stones, territory before and after a move."""

from collections.abc import Sequence
from math import sqrt
from typing import NamedTuple

from katachi.pictures import drawing as marks
from katachi.pictures.drawing import FAINT_INK, INK, WOOD_LINES, Box, Disc, Drawing, Label, Line
from katachi.rules.color import BLACK, EMPTY
from katachi.rules.diagram import star_points
from katachi.rules.game import Game
from katachi.rules.point import COLUMN_LETTERS, row_col_from_point
from katachi.search.territory_views import TerritoryReading, TerritoryView

BOARD = 330.0
"""Width and height of a board."""


class BoardPlace(NamedTuple):
    """Where a board lies in a picture: its top left corner, and how many lines it has."""

    size: int
    left: float
    top: float

    @property
    def pitch(self) -> float:
        """From one line to the next."""
        return BOARD / (self.size + 1)

    def spot(self, row: float, col: float) -> tuple[float, float]:
        """Where the point of a row and a column is, counted from the top left."""
        return self.left + self.pitch * (col + 1), self.top + self.pitch * (row + 1)


def draw_grid(drawing: Drawing, place: BoardPlace) -> None:
    """Draws an empty board with coordinates and star points."""
    size, left, top = place
    pitch = place.pitch
    drawing.add(Box(left, top, BOARD, BOARD, marks.WOOD))
    for line in range(1, size + 1):
        at = pitch * line
        drawing.add(
            Line(left + pitch, top + at, left + BOARD - pitch, top + at, WOOD_LINES, 0.8),
            Line(left + at, top + pitch, left + at, top + BOARD - pitch, WOOD_LINES, 0.8),
            Label(left + 8, top + at + 3.5, str(size + 1 - line), 9, FAINT_INK, "middle"),
            Label(left + at, top + BOARD - 3, COLUMN_LETTERS[line - 1], 9, FAINT_INK, "middle"),
        )
    for point in star_points(size):
        center = place.spot(*row_col_from_point(point))
        drawing.add(Disc(*center, max(0.09 * pitch, 2.4), WOOD_LINES))


def draw_stone(
    drawing: Drawing, center: tuple[float, float], radius: float, *, is_black: bool
) -> None:
    """Draws a stone around a place."""
    fill = marks.BLACK_STONE if is_black else marks.WHITE_STONE
    drawing.add(Disc(*center, radius, fill, marks.BLACK_STONE, 1.0))


NO_EDGES = (False, False, False, False)


def draw_piece(
    drawing: Drawing,
    corner: tuple[float, float],
    lines: tuple[int, int],
    pitch: float,
    edges: tuple[bool, bool, bool, bool] = NO_EDGES,
) -> None:
    """Draws a piece of a board with so many lines across and down; where it is at the top, left,
    bottom or right edge of the board, the lines end there."""
    (x, y), (rows, cols) = corner, lines
    width, height = pitch * cols, pitch * rows
    at_top, at_left, at_bottom, at_right = (pitch / 2 * is_edge for is_edge in edges)
    drawing.add(Box(x, y, width, height, marks.WOOD))
    for row in range(rows):
        at = y + pitch * (row + 0.5)
        drawing.add(Line(x + at_left, at, x + width - at_right, at, WOOD_LINES, 0.8))
    for col in range(cols):
        at = x + pitch * (col + 0.5)
        drawing.add(Line(at, y + at_top, at, y + height - at_bottom, WOOD_LINES, 0.8))


def draw_position(drawing: Drawing, game: Game, corner: tuple[float, float]) -> BoardPlace:
    """Draws a board with its stones, the last one marked, at `corner`; returns where it lies."""
    place = BoardPlace(game.size, *corner)
    draw_grid(drawing, place)
    for cell, color in enumerate(game.colors.tolist()):
        if color != EMPTY:
            center = place.spot(*divmod(cell, game.size))
            draw_stone(drawing, center, 0.46 * place.pitch, is_black=color == BLACK)
    if game.last_point is not None:
        center = place.spot(*row_col_from_point(game.last_point))
        drawing.add(Disc(*center, 0.46 * place.pitch, "none", marks.GOOD, 3.0))
    return place


def draw_squares(
    drawing: Drawing, place: BoardPlace, values: Sequence[float], widest: float, least: float = 1.0
) -> None:
    """Draws a square on each point whose area is its value: for 1 or -1 it is `widest` pitches
    wide; those not wider than `least` are left out."""
    for cell, value in enumerate(values):
        side = widest * place.pitch * sqrt(min(abs(value), 1.0))
        x, y = place.spot(*divmod(cell, place.size))
        if side > least:
            fill = marks.GOOD if value > 0 else marks.BAD
            drawing.add(Box(x - side / 2, y - side / 2, side, side, fill, marks.WHITE_STONE, 0.6))


MARGIN = 22.0
PANEL_WIDTH, PANEL_HEIGHT = BOARD + 2 * MARGIN, BOARD + 64.0
COLUMNS = 2


def picture_of_territory(title: str, source: str, reading: TerritoryReading) -> Drawing:
    """The four views of a reading; `source` says whose opinion it is."""
    drawing = Drawing(title)
    drawing.add_heading(
        MARGIN,
        34,
        source,
        "Blue squares: Black's points, orange ones: White's; the area is how sure that is.",
        "Of the difference: what Black gains (blue) and White gains (orange), in parts of the "
        "largest.",
        "Points are those of stones and territory; White's komi is added behind them.",
    )
    top = 54 + 4 * marks.LINE_HEIGHT
    for number, view in enumerate(reading.views):
        row, col = divmod(number, COLUMNS)
        _draw_view(drawing, view, (MARGIN + PANEL_WIDTH * col, top + PANEL_HEIGHT * row))
    drawing.width, drawing.height = drawing.width + MARGIN, drawing.height + MARGIN
    return drawing


def _draw_view(drawing: Drawing, view: TerritoryView, corner: tuple[float, float]) -> None:
    left, top = corner
    drawing.add(Label(left, top + 14, view.title, 14, INK, weight="600"))
    drawing.add(Label(left, top + 32, view.summary, 12, INK))
    place = draw_position(drawing, view.game, (left, top + 42))
    draw_squares(drawing, place, view.leanings.tolist(), 0.6)
