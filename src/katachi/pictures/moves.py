"""A move and what it changes, as a picture: the board with the change at each point, and diagrams
of the new and the removed shapes."""

from dataclasses import dataclass

from katachi.evaluators.shape_reading import MoveReading, ShapeChange
from katachi.features.shape_sets import Family
from katachi.features.units import UNIT
from katachi.features.windows import Window
from katachi.pictures import move_shapes, shapes
from katachi.pictures.boards import BOARD, BoardPlace, draw_position, draw_squares
from katachi.pictures.drawing import (
    BAD,
    FAINT_INK,
    GOOD,
    GRID,
    INK,
    WHITE_STONE,
    Box,
    Disc,
    Drawing,
    Label,
    Line,
)
from katachi.pictures.shape_text import UNICODE, logit_text, window_text

PANEL = 400.0
"""Width of what is drawn of one move."""
WINDOWS_MARKED = 3
"""The largest changes whose windows are marked on the board."""
BAR = 120.0


@dataclass(frozen=True)
class _Look:
    """How much is said of each move."""

    count: int
    has_details: bool


def picture_of_moves(
    title: str, explanations: list[move_shapes.Explanation], count: int, *, details: bool = False
) -> Drawing:
    """Each explained move with its `count` largest changes; a row of them for each model. With
    `details` the values by set and the exact sums as well."""
    drawing, look = Drawing(title), _Look(count, details)
    drawing.add_heading(shapes.MARGIN, 34)
    y = 44.0
    for explanation in explanations:
        name = f"{explanation.source.name}: {explanation.source.summary}"
        drawing.add(Label(shapes.MARGIN, y + 18, name, 13, INK, weight="600"))
        y = _draw_legend(drawing, explanation, y + 28, has_details=details)
        ends = [
            _draw_move(drawing, explanation, move, (shapes.MARGIN + PANEL * at, y), look)
            for at, move in enumerate(explanation.moves)
        ]
        y = max(ends) + shapes.MARGIN
    drawing.width, drawing.height = drawing.width + shapes.MARGIN, y
    return drawing


def _largest_heat(explanation: move_shapes.Explanation) -> float:
    return max(abs(move.reading.heat).max() for move in explanation.moves) * UNIT or 1.0


def _draw_legend(
    drawing: Drawing, explanation: move_shapes.Explanation, y: float, *, has_details: bool
) -> float:
    largest = _largest_heat(explanation)
    drawing.add(
        Box(shapes.MARGIN, y + 3, 12, 12, GOOD, WHITE_STONE),
        Label(shapes.MARGIN + 18, y + 13, "better", 12, FAINT_INK),
        Box(shapes.MARGIN + 70, y + 3, 12, 12, BAD, WHITE_STONE),
        Label(shapes.MARGIN + 88, y + 13, "worse for the player who moves", 12, FAINT_INK),
    )
    scale = f"; the largest is {largest:.4f} in log-odds (+1.1 is 75 %)" if has_details else ""
    lines = [
        "The area of a square is the change of value at its point: each window's change shared out "
        f"equally to its points{scale}.",
        "Numbered frames: where the largest changes are. Percent: what a shape alone changes in "
        "the chance to win.",
    ]
    if any(each.family is Family.LIBERTY for each in explanation.source.model.sets):
        lines.append(UNICODE.liberty_legend.capitalize() + ".")
    return drawing.add_lines(shapes.MARGIN, y + 32, lines) + 8


def _draw_move(
    drawing: Drawing,
    explanation: move_shapes.Explanation,
    move: move_shapes.ExplainedMove,
    place: tuple[float, float],
    look: _Look,
) -> float:
    """Draws one move's panel; returns where it ends."""
    x, y = place
    size, reading = explanation.game.size, move.reading
    changes = reading.changes[: look.count]
    title = move_shapes.move_title(move, size, explanation.candidates)
    drawing.add(Label(x, y + 14, title, 14, INK, weight="600"))
    drawing.add(Label(x, y + 32, move_shapes.loss_line(explanation, move), 12, INK))
    y += 44
    _draw_board(drawing, explanation, move, (x, y))
    y += BOARD + 14
    if look.has_details:
        drawing.add(Label(x, y + 4, move_shapes.value_line(reading), 12, INK))
        y = _draw_sets(drawing, explanation, move, (x, y + 14))
    y = _draw_changes(drawing, explanation, move, (x, y + 8), look)
    if not look.has_details:
        return y
    for at, line in enumerate(move_shapes.sum_lines(reading, changes)):
        drawing.add(Label(x, y + 12 + 15 * at, line, 11, INK))
    return y + 60


def _draw_board(
    drawing: Drawing,
    explanation: move_shapes.Explanation,
    move: move_shapes.ExplainedMove,
    place: tuple[float, float],
) -> None:
    """Draws the position after the move, the change at each point, and the largest windows."""
    game = explanation.game.copy()
    game.play(move.reading.color, move.reading.point)
    board = draw_position(drawing, game, place)
    changes = move.reading.heat * UNIT / _largest_heat(explanation)
    draw_squares(drawing, board, changes.tolist(), 0.8)
    for number, change in enumerate(move.reading.changes[:WINDOWS_MARKED], 1):
        for window in change.windows[:1]:
            _draw_frame(drawing, window, number, board)


def _draw_frame(drawing: Drawing, window: Window, number: int, place: BoardPlace) -> None:
    """Frames a window and puts a number on the frame."""
    rows, cols = zip(*(divmod(cell, place.size) for cell in window.cells), strict=True)
    inset = 2.0 * number
    x, y = place.spot(min(rows) - 0.5, min(cols) - 0.5)
    left, top = x + inset, y + inset
    width = place.pitch * (max(cols) - min(cols) + 1) - 2 * inset
    height = place.pitch * (max(rows) - min(rows) + 1) - 2 * inset
    drawing.add(Box(left, top, width, height, stroke=INK, thickness=1.6))
    at = left + width * (number == 2), top + height * (number == 3)  # each has its corner
    drawing.add(Disc(*at, 6.5, INK))
    drawing.add(Label(at[0], at[1] + 3.5, str(number), 10, WHITE_STONE, "middle"))


def _draw_sets(
    drawing: Drawing,
    explanation: move_shapes.Explanation,
    move: move_shapes.ExplainedMove,
    place: tuple[float, float],
) -> float:
    """Draws the change of each set as a bar; returns where they end."""
    x, y = place
    readings = [each.reading for each in explanation.moves]
    largest = max([1, *(abs(units) for reading in readings for units in reading.by_set)])
    zero = x + 190 + BAR / 2
    drawing.add(Label(x, y + 11, "change of log-odds by set", 12, INK, weight="600"))
    y += 18
    names = explanation.set_names
    drawing.add(Line(zero, y, zero, y + 15 * len(names), GRID))
    for name, units in zip(names, move.reading.by_set, strict=True):
        width = BAR / 2 * abs(units) / largest
        left = zero if units > 0 else zero - width
        drawing.add(
            Label(x, y + 11, name, 11, FAINT_INK),
            Label(x + 165, y + 11, logit_text(units), 11, INK, "end"),
            Box(left, y + 3, width, 9, GOOD if units > 0 else BAD),
        )
        y += 15
    return y


def _draw_changes(
    drawing: Drawing,
    explanation: move_shapes.Explanation,
    move: move_shapes.ExplainedMove,
    place: tuple[float, float],
    look: _Look,
) -> float:
    """Draws diagrams of changed shapes in rows as wide as a panel; returns where they end."""
    left, y = place
    x, tallest = left, 0.0
    reading, size = move.reading, explanation.game.size
    for number, change in enumerate(reading.changes[: look.count], 1):
        breadth = max(shapes.diagram_width(change.shape.shape_set), PANEL / 4 - 1)
        if x + breadth > left + PANEL:
            x, y, tallest = left, y + tallest, 0.0
        mark = f"{number}. " if number <= WINDOWS_MARKED else ""
        parts = [mark + _value_text(change, reading, look), *_change_texts(change, size, look)]
        height = _draw_lines(drawing, parts, (x, y), is_good=change.change > 0)
        shapes.draw_shape(drawing, change.shape, size, (x, y + height + 4), own=reading.color)
        tallest = max(tallest, height + shapes.PITCH * change.shape.shape_set.template.width + 18)
        x += breadth
    return y + tallest


def _value_text(change: ShapeChange, reading: MoveReading, look: _Look) -> str:
    if look.has_details:
        return logit_text(change.change)
    return f"{move_shapes.share_of_chance(change, reading):+.1%}"


def _change_texts(change: ShapeChange, size: int, look: _Look) -> list[str]:
    place = window_text(change.windows[0], size) + ("…" if len(change.windows) > 1 else "")
    if not look.has_details:
        return [move_shapes.count_text(change), place]
    each = f"{logit_text(change.units)} each"
    return [move_shapes.count_text(change), each, change.shape.shape_set.name, place]


def _draw_lines(
    drawing: Drawing, words: list[str], place: tuple[float, float], *, is_good: bool
) -> float:
    """Draws the words above a shape, the first one large; returns their height."""
    x, y = place
    for at, line in enumerate(words):
        color = (GOOD if is_good else BAD) if at == 0 else FAINT_INK
        weight = "600" if at == 0 else "normal"
        drawing.add(
            Label(
                x, y + shapes.LINE * (at + 0.8), line, 12 if at == 0 else 10, color, weight=weight
            )
        )
    return shapes.LINE * len(words)
