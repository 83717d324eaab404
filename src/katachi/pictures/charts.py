"""Bars and curves with intervals: panels side by side and in rows, one legend for all."""

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from katachi.pictures import drawing
from katachi.pictures.drawing import FAINT_INK, INK, Axis, Box, Drawing, Label, Mark, Plot, axis_of

PLOT_HEIGHT, BAR, GAP = 190, 20, 18
CURVES_WIDTH, DOT = 420, 2.6
LEFT, RIGHT, TOP, BOTTOM, MARGIN = 62, 16, 48, 34, 20
HEADING = 88
LETTER = 6.6
"""Width of a small letter, about."""
MOST_TICKS = 6
WHISKERS = "whiskers: 95 % interval"
HEADROOM = 0.08
"""How much longer a scale is than its longest bar, as a share, and below zero than the lowest."""
TURNED_LETTER, MOST_WORDS = 5.8, 0.6
"""Height of a letter of words that stand on end over a bar, about, and the share of a panel that
such words may take."""
DASH = 26
"""Length of the sample beside what a dashed line means."""


class Bar(NamedTuple):
    """One number; None stands where it would be, with its words."""

    value: float | None
    low: float | None = None
    high: float | None = None
    words: str = ""


class Line(NamedTuple):
    """A level that is to be seen, such as what the paper says."""

    value: float
    words: str


class Panel(NamedTuple):
    """Groups of bars, one bar a series."""

    title: str
    unit: str
    groups: list[str]
    bars: list[list[Bar]]
    """[groups][series]"""
    top: float | None = None
    """Where the scale ends; above the longest bar by default."""
    lines: tuple[Line, ...] = ()
    is_log: bool = False
    bottom: float | None = None
    """Where the scale begins; at 0 by default, or below the least."""


class Spot(NamedTuple):
    """One number of a curve."""

    x: float
    y: float
    low: float | None = None
    high: float | None = None


class Curves(NamedTuple):
    """Numbers against another, one curve a series."""

    title: str
    unit: str
    x_name: str
    """The name of the horizontal axis."""
    curves: list[list[Spot]]
    """[series], each by rising x."""
    top: float | None = None
    """Where the scale ends; above the highest spot by default."""
    lines: tuple[Line, ...] = ()
    bottom: float | None = None
    """As that of bars."""


AnyPanel = Panel | Curves


def draw_panels(
    title: str, text: str, series: list[str], panels: Sequence[AnyPanel], columns: int = 2
) -> str:
    """The picture as SVG text; `text` stands under the title, `series` are named in a legend."""
    widths = [_width(panel) for panel in panels]
    column_widths = [max(widths[i::columns]) for i in range(min(columns, len(panels)))]
    height = TOP + PLOT_HEIGHT + BOTTOM
    picture = Drawing(title)
    picture.add_heading(MARGIN, 30, text)
    picture.add(*_legend(series, has_intervals=_has_intervals(panels)))
    for number, panel in enumerate(panels):
        x = MARGIN + sum(column_widths[: number % columns])
        y = HEADING + height * (number // columns)
        draw = _curves(panel, x, y) if isinstance(panel, Curves) else _bars(panel, x, y)
        picture.add(*_heading(panel, x, y), *draw)
    heading = max(LETTER * len(text), 11.5 * len(title), _legend_width(series))
    picture.width = max(sum(column_widths), heading) + 2 * MARGIN
    picture.height = HEADING + math.ceil(len(panels) / columns) * height + MARGIN / 2
    return drawing.svg_from_drawing(picture)


def _group_width(panel: Panel) -> float:
    bars = max(len(group) for group in panel.bars)
    name = max(len(name) for name in panel.groups)
    return max(bars * BAR, LETTER * name) + GAP


def _width(panel: AnyPanel) -> float:
    plot = float(CURVES_WIDTH)
    if isinstance(panel, Panel):
        plot = _group_width(panel) * len(panel.groups)
    return LEFT + max(plot, 7.4 * len(panel.title), _second_line_width(panel)) + RIGHT


def _second_line_width(panel: AnyPanel) -> float:
    """Of the unit and of what the dashed lines mean."""
    meaning = _meaning(panel.lines)
    return LETTER * (len(panel.unit) + len(meaning)) + (2 * DASH if meaning else 0)


def _meaning(lines: tuple[Line, ...]) -> str:
    """What the dashed lines are, in words; their values too where there are several."""
    named = [line for line in lines if line.words]
    if len(named) == 1:
        return named[0].words
    return ", ".join(f"{line.words} ({line.value:.4g})" for line in named)


def _numbers(panel: AnyPanel) -> list[Bar]:
    """All that a panel shows, each with its interval."""
    if isinstance(panel, Curves):
        return [Bar(*spot[1:]) for curve in panel.curves for spot in curve]
    return [bar for group in panel.bars for bar in group]


def _has_intervals(panels: Sequence[AnyPanel]) -> bool:
    return any(bar.low is not None for panel in panels for bar in _numbers(panel))


def _legend_width(series: list[str]) -> float:
    return sum(44 + LETTER * len(name) for name in (*series, WHISKERS))


def _legend(series: list[str], *, has_intervals: bool) -> Iterator[Mark]:
    x = float(MARGIN)
    for number, name in enumerate(series):
        yield Box(x, 64, 12, 12, drawing.COLORS[number])
        yield Label(x + 18, 74, name, 12, INK)
        x += 44 + LETTER * len(name)
    if has_intervals:
        yield Label(x, 74, WHISKERS, 12, FAINT_INK)


def _scale(panel: AnyPanel) -> Axis:
    """The scale upwards, which holds everything that is shown, whiskers, lines and words."""
    bars = _numbers(panel)
    ends = [end for bar in bars for end in _ends(bar)] + [line.value for line in panel.lines]
    if isinstance(panel, Panel) and panel.is_log:
        zeros = math.log10(max([10.0, *ends]))
        return Axis(0.0, float(math.ceil(zeros)), 1.0, is_log=True)
    low, top = _with_room(ends, panel.top)
    low = low if panel.bottom is None else panel.bottom
    for bar in bars if panel.top is None else ():
        room = min((8 + TURNED_LETTER * len(bar.words)) / PLOT_HEIGHT, MOST_WORDS)
        if bar.words and bar.value is not None:
            top = max(top, low + (max(_ends(bar)) - low) / (1.0 - room))
    return axis_of(low, top, MOST_TICKS)


def _ends(bar: Bar) -> list[float]:
    """Where a bar and its whisker end."""
    return [end for end in bar[:3] if end is not None]


def _with_room(ends: list[float], top: float | None) -> tuple[float, float]:
    """(low, high) of a scale that holds these and zero, with some room beyond them: a whisker that
    ends on the frame looks as if it were cut off."""
    low, high = min([0.0, *ends]), max([0.0, *ends])
    room = HEADROOM * ((high - low) or 1.0)
    return (low - room if low < 0.0 else 0.0), top or high + room


def _heading(panel: AnyPanel, x: float, y: float) -> Iterator[Mark]:
    yield Label(x, y + 18, panel.title, 13, INK, weight="600")
    yield Label(x, y + 36, panel.unit, 11, FAINT_INK)
    meaning = _meaning(panel.lines)
    if meaning:  # beside the unit: over the bars it would lie on one
        begin = x + LETTER * len(panel.unit) + (12 if panel.unit else 0)
        yield drawing.Line(begin, y + 32, begin + DASH, y + 32, INK, 1.2, is_dashed=True)
        yield Label(begin + DASH + 6, y + 36, meaning, 11, INK)


def _bars(panel: Panel, x: float, y: float) -> Iterator[Mark]:
    count = len(panel.groups)
    group = _group_width(panel)
    across = Axis(0.0, count, 1.0)
    plot = Plot(x + LEFT, y + TOP, group * count, PLOT_HEIGHT, across, _scale(panel))
    yield from plot.frame(drawing.number_text)
    for number, (name, bars) in enumerate(zip(panel.groups, panel.bars, strict=True)):
        middle = plot.x(number + 0.5)
        for series, bar in enumerate(bars):
            place = middle + BAR * (series - len(bars) / 2)
            yield from _bar(bar, place, drawing.COLORS[series], plot)
        yield Label(middle, plot.bottom + 16, name, 11, INK, "middle")
    yield from (plot.level(line.value) for line in panel.lines)


def _bar(bar: Bar, x: float, color: str, plot: Plot) -> Iterator[Mark]:
    top = base = plot.y(max(0.0, plot.up.low))
    middle = x + BAR / 2
    if bar.value is not None:
        top, foot = sorted((base, plot.y(bar.value)))
        yield Box(x + 2, top, BAR - 4, foot - top, color)
    if bar.low is not None and bar.high is not None:
        low, high = plot.y(bar.low), plot.y(bar.high)
        yield drawing.Line(middle, low, middle, high, INK, 1.2)
        yield from (drawing.Line(middle - 3, y, middle + 3, y, INK, 1.2) for y in (low, high))
        top = min(top, high)
    if bar.words:
        yield Label(middle + 3.5, top - 4, bar.words, 10, FAINT_INK, is_upright=True)


def _curves(panel: Curves, x: float, y: float) -> Iterator[Mark]:
    spots = [spot.x for curve in panel.curves for spot in curve]
    across = axis_of(*_with_room(spots, None), MOST_TICKS)
    plot = Plot(x + LEFT, y + TOP, CURVES_WIDTH, PLOT_HEIGHT, across, _scale(panel))
    yield from (*plot.frame(drawing.number_text), *plot.feet(drawing.number_text))
    right = plot.left + plot.width
    yield Label(right, plot.bottom + 30, panel.x_name, 11, INK, "end")
    for curve, color in zip(panel.curves, drawing.COLORS, strict=False):
        yield from _curve(curve, color, plot)
    yield from (plot.level(line.value) for line in panel.lines)


def _curve(curve: list[Spot], color: str, plot: Plot) -> Iterator[Mark]:
    """A line through the spots; a whisker where one has an interval."""
    places = [(plot.x(spot.x), plot.y(spot.y)) for spot in curve]
    if places:
        yield drawing.Curve(places, color)
    for spot, (x, y) in zip(curve, places, strict=True):
        if spot.low is not None and spot.high is not None:
            yield drawing.Line(x, plot.y(spot.low), x, plot.y(spot.high), color, 1.2)
        yield drawing.Disc(x, y, DOT, color)
