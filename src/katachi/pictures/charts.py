"""Bars and curves with intervals: panels side by side and in rows, one legend for all."""

import math
from collections.abc import Sequence
from typing import NamedTuple

from katachi.pictures.drawing import (
    BAND,
    COLORS,
    FAINT_INK,
    GRID,
    INK,
    Axis,
    axis_of,
    box_at,
    line_between,
    svg_text,
    text_at,
)

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


AnyPanel = Panel | Curves


def draw_panels(
    title: str, text: str, series: list[str], panels: Sequence[AnyPanel], columns: int = 2
) -> str:
    """The picture as SVG text; `words` stand under the title, `series` are named in a legend."""
    widths = [_width(panel) for panel in panels]
    column_widths = [max(widths[i::columns]) for i in range(min(columns, len(panels)))]
    height = TOP + PLOT_HEIGHT + BOTTOM
    elements = [
        text_at(MARGIN, 30, title, 18, fill=INK, font_weight="600"),
        text_at(MARGIN, 50, text, 12, fill=FAINT_INK),
        *_legend(series, has_intervals=_has_intervals(panels)),
    ]
    for number, panel in enumerate(panels):
        x = MARGIN + sum(column_widths[: number % columns])
        y = HEADING + height * (number // columns)
        elements += _curves(panel, x, y) if isinstance(panel, Curves) else _panel(panel, x, y)
    heading = max(LETTER * len(text), 11.5 * len(title), _legend_width(series))
    whole = max(sum(column_widths), heading) + 2 * MARGIN
    rows = math.ceil(len(panels) / columns)
    return svg_text(whole, HEADING + rows * height + MARGIN / 2, title, elements)


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


def _has_intervals(panels: Sequence[AnyPanel]) -> bool:
    return any(end is not None for panel in panels for _, end in _values(panel))


def _values(panel: AnyPanel) -> list[tuple[float | None, float | None]]:
    """(number, lower end) of all that a panel shows."""
    if isinstance(panel, Curves):
        return [(spot.y, spot.low) for curve in panel.curves for spot in curve]
    return [(bar.value, bar.low) for group in panel.bars for bar in group]


def _legend_width(series: list[str]) -> float:
    return sum(44 + LETTER * len(name) for name in (*series, WHISKERS))


def _legend(series: list[str], *, has_intervals: bool) -> list[str]:
    elements = []
    x = float(MARGIN)
    for number, name in enumerate(series):
        elements.append(box_at(x, 64, 12, 12, COLORS[number]))
        elements.append(text_at(x + 18, 74, name, 12, fill=INK))
        x += 44 + LETTER * len(name)
    if has_intervals:
        elements.append(text_at(x, 74, WHISKERS, 12, fill=FAINT_INK))
    return elements


class _Scale(NamedTuple):
    """Where values lie on a panel."""

    axis: Axis
    bottom: float
    is_log: bool

    def y(self, value: float) -> float:
        """The height of a value, within the panel."""
        if self.is_log:
            value = math.log10(max(value, 1.0))
        share = min(max(self.axis.place(value), 0.0), 1.0)
        return self.bottom - PLOT_HEIGHT * share

    def tick_text(self, tick: float) -> str:
        """A mark in words."""
        return f"{10**tick if self.is_log else tick:,.6g}"


def _scale(panel: Panel, bottom: float) -> _Scale:
    bars = [bar for group in panel.bars for bar in group]
    ends = [end for bar in bars for end in _ends(bar)]
    ends += [line.value for line in panel.lines]
    longest = max(ends, default=0.0) or 1.0
    if panel.is_log:
        zeros = float(math.ceil(math.log10(max(longest, 10.0))))
        return _Scale(Axis(0.0, zeros, 1.0), bottom, is_log=True)
    low, top = _with_room(ends, panel.top)
    for bar in bars if panel.top is None else ():
        room = min((8 + TURNED_LETTER * len(bar.words)) / PLOT_HEIGHT, MOST_WORDS)
        if bar.words and bar.value is not None:
            top = max(top, low + (max(_ends(bar)) - low) / (1.0 - room))
    return _Scale(axis_of(low, top, MOST_TICKS), bottom, is_log=False)


def _ends(bar: Bar) -> list[float]:
    """Where a bar and its whisker end."""
    return [end for end in (bar.value, bar.low, bar.high) if end is not None]


def _with_room(ends: list[float], top: float | None) -> tuple[float, float]:
    """(low, high) of a scale that holds these and zero, with some room beyond them: a whisker that
    ends on the frame looks as if it were cut off."""
    low, high = min([0.0, *ends]), max([0.0, *ends])
    room = HEADROOM * ((high - low) or 1.0)
    return (low - room if low < 0.0 else 0.0), top or high + room


def _panel(panel: Panel, x: float, y: float) -> list[str]:
    left, bottom = x + LEFT, y + TOP + PLOT_HEIGHT
    width = _group_width(panel)
    right = left + width * len(panel.groups)
    scale = _scale(panel, bottom)
    elements = [*_heading(panel, x, y), *_grid(scale, left, right)]
    for number, (name, bars) in enumerate(zip(panel.groups, panel.bars, strict=True)):
        middle = left + width * (number + 0.5)
        for series, bar in enumerate(bars):
            place = middle + BAR * (series - len(bars) / 2)
            elements += _bar(bar, place, COLORS[series], scale)
        elements.append(text_at(middle, bottom + 16, name, 11, fill=INK, text_anchor="middle"))
    for line in panel.lines:
        elements.append(_level(line, left, right, scale))
    return elements


def _heading(panel: AnyPanel, x: float, y: float) -> list[str]:
    elements = [
        text_at(x, y + 18, panel.title, 13, fill=INK, font_weight="600"),
        text_at(x, y + 36, panel.unit, 11, fill=FAINT_INK),
    ]
    meaning = _meaning(panel.lines)
    if meaning:  # beside the unit: over the bars it would lie on one
        begin = x + LETTER * len(panel.unit) + (12 if panel.unit else 0)
        sample = (begin, y + 32), (begin + DASH, y + 32)
        elements.append(line_between(*sample, INK, 1.2, stroke_dasharray="5 4"))
        elements.append(text_at(begin + DASH + 6, y + 36, meaning, 11, fill=INK))
    return elements


def _curves(panel: Curves, x: float, y: float) -> list[str]:
    left, bottom = x + LEFT, y + TOP + PLOT_HEIGHT
    right = left + CURVES_WIDTH
    spots = [spot for curve in panel.curves for spot in curve]
    ends = [end for s in spots for end in (s.y, s.low, s.high) if end is not None]
    ends += [line.value for line in panel.lines]
    scale = _Scale(axis_of(*_with_room(ends, panel.top), MOST_TICKS), bottom, is_log=False)
    axis = axis_of(*_with_room([spot.x for spot in spots], None), MOST_TICKS)
    elements = [*_heading(panel, x, y), *_grid(scale, left, right)]
    for tick in axis.ticks():
        place = (left + CURVES_WIDTH * axis.place(tick), bottom + 16)
        elements.append(text_at(*place, f"{tick:,.6g}", 11, fill=FAINT_INK, text_anchor="middle"))
    name = text_at(right, bottom + 30, panel.x_name, 11, fill=INK, text_anchor="end")
    elements.append(name)
    for series, curve in enumerate(panel.curves):
        places = [left + CURVES_WIDTH * axis.place(spot.x) for spot in curve]
        elements += _curve(curve, places, COLORS[series], scale)
    for line in panel.lines:
        elements.append(_level(line, left, right, scale))
    return elements


def _curve(curve: list[Spot], places: list[float], color: str, scale: _Scale) -> list[str]:
    """A line through the spots; a whisker where one has an interval."""
    heights = [scale.y(spot.y) for spot in curve]
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in zip(places, heights, strict=True))
    elements = [f'<polyline points="{points}" fill="none" stroke="{color}" stroke-width="1.8"/>']
    for spot, x, y in zip(curve, places, heights, strict=True):
        if spot.low is not None and spot.high is not None:
            low, high = scale.y(spot.low), scale.y(spot.high)
            elements.append(line_between((x, low), (x, high), color, 1.2))
        elements.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{DOT}" fill="{color}"/>')
    return elements


def _grid(scale: _Scale, left: float, right: float) -> list[str]:
    elements = [box_at(left, scale.bottom - PLOT_HEIGHT, right - left, PLOT_HEIGHT, BAND)]
    for tick in scale.axis.ticks():
        y = scale.bottom - PLOT_HEIGHT * scale.axis.place(tick)
        elements.append(line_between((left, y), (right, y), GRID, 1))
        words = scale.tick_text(tick)
        elements.append(text_at(left - 6, y + 4, words, 11, fill=FAINT_INK, text_anchor="end"))
    return elements


def _bar(bar: Bar, x: float, color: str, scale: _Scale) -> list[str]:
    elements = []
    top = base = scale.y(0.0)
    if bar.value is not None:
        top, foot = sorted((base, scale.y(bar.value)))
        elements.append(box_at(x + 2, top, BAR - 4, foot - top, color))
    if bar.low is not None and bar.high is not None:
        low, high = scale.y(bar.low), scale.y(bar.high)
        middle = x + BAR / 2
        elements.append(line_between((middle, low), (middle, high), INK, 1.2))
        elements += [
            line_between((middle - 3, end), (middle + 3, end), INK, 1.2) for end in (low, high)
        ]
        top = min(top, high)
    if bar.words:
        place = (x + BAR / 2 + 3.5, top - 4)
        turn = f"rotate(-90 {place[0]:.1f} {place[1]:.1f})"
        elements.append(text_at(*place, bar.words, 10, fill=FAINT_INK, transform=turn))
    return elements


def _level(line: Line, left: float, right: float, scale: _Scale) -> str:
    y = scale.y(line.value)
    return line_between((left, y), (right, y), INK, 1.2, stroke_dasharray="5 4")
