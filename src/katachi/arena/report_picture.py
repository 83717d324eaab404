"""A ranking as a picture: each player's Elo with its 95 % interval, best on top."""

from pathlib import Path

from katachi.arena.report import RankedPlayer, Report, elo_text, settings_line
from katachi.pictures import drawing as marks
from katachi.pictures.drawing import (
    FAINT_INK,
    INK,
    Axis,
    Diamond,
    Disc,
    Drawing,
    Label,
    Line,
    axis_of,
)

FITTED, ANCHORED = marks.COLORS[:2]

PLOT_WIDTH, TEXT_WIDTH = 480, 116
ROW, TOP, BOTTOM, MARGIN = 32, 74, 66, 20
LETTER = 8.4
"""Width of a letter of the names, about."""


def choose_axis(players: list[RankedPlayer]) -> Axis:
    """A scale that holds every interval, marked at round numbers."""
    low = min((player.low for player in players), default=0.0)
    high = max((player.high for player in players), default=0.0)
    margin = max(0.04 * (high - low), 50.0)
    return axis_of(low - margin, high + margin)


def picture_of_report(report: Report) -> Drawing:
    """The whole page."""
    players = report.current
    axis = choose_axis(players)
    left = MARGIN + 32 + LETTER * max([6, *(len(player.name) for player in players)])
    drawing = Drawing(report.name)
    settings = settings_line(report)
    drawing.add_heading(MARGIN, 32, settings)
    _draw_grid(drawing, axis, left, len(players))
    for row, player in enumerate(players):
        _draw_player(drawing, player, row, axis, left)
    drawing.height = TOP + ROW * len(players) + BOTTOM
    _draw_legend(drawing, left, drawing.height - 22)
    width = left + PLOT_WIDTH + TEXT_WIDTH + MARGIN
    drawing.width = max(width, 2 * MARGIN + 6.4 * len(settings))
    return drawing


def _draw_grid(drawing: Drawing, axis: Axis, left: float, rows: int) -> None:
    bottom = TOP + ROW * rows
    width = left + PLOT_WIDTH + TEXT_WIDTH - MARGIN
    for row in range(0, rows, 2):
        drawing.add(marks.Box(MARGIN, TOP + ROW * row, width, ROW, marks.BAND))
    for tick in axis.ticks():
        x = left + PLOT_WIDTH * axis.place(tick)
        drawing.add(
            Line(x, TOP, x, bottom, marks.GRID),
            Label(x, bottom + 18, elo_text(tick), 12, FAINT_INK, "middle"),
        )


def _draw_player(drawing: Drawing, player: RankedPlayer, row: int, axis: Axis, left: float) -> None:
    y = TOP + ROW * (row + 0.5)
    x, low, high = (
        left + PLOT_WIDTH * axis.place(elo) for elo in (player.elo, player.low, player.high)
    )
    drawing.add(
        Label(MARGIN + 18, y + 4.5, str(row + 1), 12, FAINT_INK, "end"),
        Label(MARGIN + 28, y + 4.5, player.name, 14, INK),
    )
    right, elo = left + PLOT_WIDTH + 12, elo_text(player.elo)
    if player.is_anchor:
        words = Label(right, y + 4.5, f"{elo}  anchor", 13, ANCHORED)
        drawing.add(Diamond(x, y, 6.5, ANCHORED), words)
        return
    drawing.add(
        Line(low, y, high, y, FITTED, 2.5),
        *(Line(end, y - 5, end, y + 5, FITTED, 2.5) for end in (low, high)),
        Disc(x, y, 5.5, FITTED, marks.WHITE_STONE),
        Label(right, y + 4.5, f"{elo} ± {player.error:.0f}", 13, INK),
    )


def _draw_legend(drawing: Drawing, left: float, y: float) -> None:
    drawing.add(
        Label(left, y + 4, "Elo", 12, INK, weight="600"),
        Disc(left + 42, y, 4.5, FITTED),
        Label(left + 52, y + 4, "fitted, with its 95 % interval", 12, FAINT_INK),
        Diamond(left + 242, y, 5.5, ANCHORED),
        Label(left + 253, y + 4, "anchor: given, not fitted", 12, FAINT_INK),
    )


def svg_from_report(report: Report) -> str:
    """The picture as SVG text."""
    return marks.svg_from_drawing(picture_of_report(report))


def write_svg(report: Report, path: str | Path) -> None:
    """Writes the picture as SVG; raises OSError."""
    marks.write_picture(picture_of_report(report), Path(path), None)


def write_png(report: Report, path: str | Path) -> None:
    """Writes the picture as PNG; raises KatachiError where matplotlib is not installed."""
    marks.write_picture(picture_of_report(report), None, Path(path))
