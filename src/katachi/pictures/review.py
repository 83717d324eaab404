"""A review as a picture: the course of the game, and a board for each of the largest mistakes."""

from itertools import pairwise
from math import sqrt
from textwrap import wrap
from typing import NamedTuple

from katachi.pictures.boards import BOARD, draw_grid, draw_stones
from katachi.pictures.drawing import (
    BAD,
    BAND,
    BLACK_STONE,
    FAINT_INK,
    GOOD,
    GRID,
    INK,
    WHITE_STONE,
    Axis,
    axis_of,
)
from katachi.pictures.marks import Box, Disc, Drawing, Line, Words
from katachi.pictures.review_text import Reason, mistake_title
from katachi.rules.color import BLACK
from katachi.rules.game import Game
from katachi.rules.point import PASS, row_col_from_point
from katachi.search.review import GameReview, ReviewedMove

MARGIN, LINE = 24.0, 15.0
COLUMNS = 2
PANEL = BOARD + 2 * MARGIN
GRAPH_WIDTH, GRAPH_HEIGHT = COLUMNS * PANEL - 2 * MARGIN, 190.0
LABEL_WIDTH = 44.0
TEXT_COLUMNS = 58
LARGEST_SQUARE = 0.5


class Mistake(NamedTuple):
    """A mistake, the position before it, and why another move was better."""

    move: ReviewedMove
    game: Game
    reason: Reason


def picture_of_review(
    title: str, source: str, review: GameReview, mistakes: list[Mistake]
) -> Drawing:
    """The whole page; `source` says whose opinion it is."""
    drawing = Drawing(title)
    drawing.add(
        Words(MARGIN, 34, title, 18, INK, weight="600"),
        Words(MARGIN, 54, source, 12, FAINT_INK),
    )
    _draw_graph(drawing, review, mistakes, (MARGIN + LABEL_WIDTH, 84.0))
    top = 84.0 + GRAPH_HEIGHT + 56.0
    for line in _legend(review):
        drawing.add(Words(MARGIN, top, line, 12, FAINT_INK))
        top += LINE
    for at in range(0, len(mistakes), COLUMNS):
        row = mistakes[at : at + COLUMNS]
        ends = [
            _draw_mistake(drawing, review, mistake, (MARGIN + PANEL * col, top + 8))
            for col, mistake in enumerate(row)
        ]
        top = max(ends)
    drawing.width = max(drawing.width + MARGIN, COLUMNS * PANEL)
    drawing.height = top + MARGIN
    return drawing


def _legend(review: GameReview) -> list[str]:
    lines = ["Ring: the move that was played.  A: the better move."]
    if review.is_in_points:
        lines.append(
            "Squares: points that the better move makes more likely the mover's (blue) or less "
            "likely (orange)."
        )
    return lines


def _values(review: GameReview) -> list[float]:
    """Black's lead, or chance to win in percent, before the first and after each move."""
    judged = [review.start, *(move.played for move in review.moves)]
    return [100 * each.win_rate if each.lead is None else each.lead for each in judged]


def _scale(review: GameReview, values: list[float]) -> Axis:
    if not review.is_in_points:
        return axis_of(0.0, 100.0, 5)
    largest = max(5.0, *(abs(value) for value in values))
    return axis_of(-largest, largest, 6)


def _draw_graph(
    drawing: Drawing, review: GameReview, mistakes: list[Mistake], place: tuple[float, float]
) -> None:
    values = _values(review)
    scale = _scale(review, values)
    left, top = place
    width = GRAPH_WIDTH - LABEL_WIDTH
    step = width / max(1, len(values) - 1)
    spots = [
        (left + step * at, top + GRAPH_HEIGHT * (1 - scale.place(value)))
        for at, value in enumerate(values)
    ]
    drawing.add(Box(left, top, width, GRAPH_HEIGHT, BAND))
    _draw_scale(drawing, review, scale, place)
    for number in axis_of(0.0, max(1.0, len(values) - 1.0)).ticks():
        x = left + step * number
        drawing.add(Words(x, top + GRAPH_HEIGHT + 16, f"{number:g}", 11, FAINT_INK, "middle"))
    for (x1, y1), (x2, y2) in pairwise(spots):
        drawing.add(Line(x1, y1, x2, y2, INK, 1.8))
    for move, _, _ in mistakes:
        _draw_mark(drawing, move, spots[move.number])
    words = "Black's lead in points" if review.is_in_points else "Black's chance to win in percent"
    drawing.add(
        Words(left - LABEL_WIDTH, top - 8, f"{words}, after each move", 12, INK, weight="600"),
        Words(left, top + GRAPH_HEIGHT + 34, "discs: the mistakes below", 12, FAINT_INK),
    )


def _draw_scale(
    drawing: Drawing, review: GameReview, scale: Axis, place: tuple[float, float]
) -> None:
    left, top = place
    middle = 0.0 if review.is_in_points else 50.0
    for tick in sorted({*scale.ticks(), middle}):
        y = top + GRAPH_HEIGHT * (1 - scale.place(tick))
        color = FAINT_INK if tick == middle else GRID
        text = _tick_text(tick, is_in_points=review.is_in_points)
        drawing.add(
            Line(left, y, left + GRAPH_WIDTH - LABEL_WIDTH, y, color),
            Words(left - 6, y + 4, text, 11, FAINT_INK, "end"),
        )


def _tick_text(tick: float, *, is_in_points: bool) -> str:
    if not is_in_points:
        return f"{tick:g} %"
    return f"{tick:+g}" if tick else "0"


def _draw_mark(drawing: Drawing, move: ReviewedMove, spot: tuple[float, float]) -> None:
    fill = BLACK_STONE if move.color == BLACK else WHITE_STONE
    drawing.add(Disc(*spot, 5, fill, BAD, 2.0))
    drawing.add(Words(spot[0], spot[1] - 9, str(move.number), 11, INK, "middle"))


def _draw_mistake(
    drawing: Drawing, review: GameReview, mistake: Mistake, place: tuple[float, float]
) -> float:
    """Draws a board with its words; returns where they end."""
    left, top = place
    move, game, reason = mistake
    title = wrap(mistake_title(review, move, game.size), 46)
    for at, line in enumerate(title):
        drawing.add(Words(left, top + 16 + LINE * at, line, 13, INK, weight="600"))
    corner = left, top + 8 + LINE * len(title) + 6
    _draw_board(drawing, mistake, corner)
    y = corner[1] + BOARD + 16
    for text in reason.lines:
        for line in wrap(text, TEXT_COLUMNS):
            drawing.add(Words(left, y, line, 11, INK))
            y += LINE
    return y + 10


def _draw_board(drawing: Drawing, mistake: Mistake, corner: tuple[float, float]) -> None:
    move, game, reason = mistake
    pitch = BOARD / (game.size + 1)
    first = corner[0] + pitch, corner[1] + pitch
    draw_grid(drawing, game.size, pitch, corner)
    after = game.copy()
    after.play(move.color, move.played.point)
    draw_stones(drawing, after, pitch, first)
    if reason.swing is not None:
        for cell, swing in enumerate(reason.swing.tolist()):
            side = LARGEST_SQUARE * pitch * sqrt(min(abs(swing), 1.0))
            row, col = divmod(cell, game.size)
            x, y = first[0] + pitch * col - side / 2, first[1] + pitch * row - side / 2
            if side > 2:
                drawing.add(Box(x, y, side, side, GOOD if swing > 0 else BAD, WHITE_STONE, 0.6))
    if move.best.point != PASS:
        row, col = row_col_from_point(move.best.point)
        x, y = first[0] + pitch * col, first[1] + pitch * row
        fill, ink = (BLACK_STONE, WHITE_STONE)[:: 1 if move.color == BLACK else -1]
        drawing.add(
            Disc(x, y, 0.4 * pitch, fill, GOOD, 2.5),
            Words(x, y + 0.16 * pitch, "A", max(8, round(0.45 * pitch)), ink, "middle", "600"),
        )
