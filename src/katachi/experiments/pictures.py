"""Bar charts with intervals: panels beside and below each other, one legend for all."""

import math
from typing import NamedTuple

from katachi.arena.drawing import (
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
from katachi.experiments.protocol import Row

PLOT_HEIGHT, BAR, GAP = 190, 20, 18
LEFT, RIGHT, TOP, BOTTOM, MARGIN = 62, 16, 48, 34, 20
HEADING = 88
LETTER = 6.6
"""Width of a small letter, about."""
MOST_TICKS = 6
HEADROOM, WORDS_ROOM = 1.08, 1.4
"""How much longer a scale is than its longest bar, and than one with words over it."""


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
    """Where the scale ends; above the longest bar unless given."""
    lines: tuple[Line, ...] = ()
    is_log: bool = False


def bar_of(row: Row) -> Bar:
    """A row of a table as a bar."""
    return Bar(row.ours, row.low, row.high, row.remark)


def draw_panels(
    title: str, words: str, series: list[str], panels: list[Panel], columns: int = 2
) -> str:
    """The picture as SVG text; `words` stand under the title, `series` are told in a legend."""
    widths = [_width(panel) for panel in panels]
    column_widths = [max(widths[i::columns]) for i in range(min(columns, len(panels)))]
    height = TOP + PLOT_HEIGHT + BOTTOM
    elements = [
        text_at(MARGIN, 30, title, 18, fill=INK, font_weight="600"),
        text_at(MARGIN, 50, words, 12, fill=FAINT_INK),
        *_legend(series, has_intervals=_has_intervals(panels)),
    ]
    for number, panel in enumerate(panels):
        x = MARGIN + sum(column_widths[: number % columns])
        y = HEADING + height * (number // columns)
        elements += _panel(panel, x, y)
    whole = max(sum(column_widths), LETTER * len(words), 11.5 * len(title)) + 2 * MARGIN
    rows = math.ceil(len(panels) / columns)
    return svg_text(whole, HEADING + rows * height + MARGIN / 2, title, elements)


def _group_width(panel: Panel) -> float:
    bars = max(len(group) for group in panel.bars)
    name = max(len(name) for name in panel.groups)
    return max(bars * BAR, LETTER * name) + GAP


def _width(panel: Panel) -> float:
    plot = _group_width(panel) * len(panel.groups)
    return LEFT + max(plot, 7.4 * len(panel.title)) + RIGHT


def _has_intervals(panels: list[Panel]) -> bool:
    bars = [bar for panel in panels for group in panel.bars for bar in group]
    return any(bar.low is not None for bar in bars)


def _legend(series: list[str], *, has_intervals: bool) -> list[str]:
    elements = []
    x = float(MARGIN)
    for number, name in enumerate(series):
        elements.append(box_at(x, 64, 12, 12, COLORS[number]))
        elements.append(text_at(x + 18, 74, name, 12, fill=INK))
        x += 44 + LETTER * len(name)
    if has_intervals:
        elements.append(text_at(x, 74, "whiskers: 95 % interval", 12, fill=FAINT_INK))
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

    def tick_words(self, tick: float) -> str:
        """A mark in words."""
        return f"{10**tick if self.is_log else tick:,.6g}"


def _scale(panel: Panel, bottom: float) -> _Scale:
    bars = [bar for group in panel.bars for bar in group]
    ends = [end for bar in bars for end in (bar.value, bar.low, bar.high) if end is not None]
    ends += [line.value for line in panel.lines]
    longest = max(ends, default=0.0) or 1.0
    if panel.is_log:
        zeros = float(math.ceil(math.log10(max(longest, 10.0))))
        return _Scale(Axis(0.0, zeros, 1.0), bottom, is_log=True)
    has_words = any(bar.words and bar.value is not None for bar in bars)
    top = panel.top or longest * (WORDS_ROOM if has_words else HEADROOM)
    return _Scale(axis_of(min([0.0, *ends]), top, MOST_TICKS), bottom, is_log=False)


def _panel(panel: Panel, x: float, y: float) -> list[str]:
    left, bottom = x + LEFT, y + TOP + PLOT_HEIGHT
    width = _group_width(panel)
    right = left + width * len(panel.groups)
    scale = _scale(panel, bottom)
    elements = [
        text_at(x, y + 18, panel.title, 13, fill=INK, font_weight="600"),
        text_at(x, y + 36, panel.unit, 11, fill=FAINT_INK),
        *_grid(scale, left, right),
    ]
    for number, (name, bars) in enumerate(zip(panel.groups, panel.bars, strict=True)):
        middle = left + width * (number + 0.5)
        for series, bar in enumerate(bars):
            place = middle + BAR * (series - len(bars) / 2)
            elements += _bar(bar, place, COLORS[series], scale)
        elements.append(text_at(middle, bottom + 16, name, 11, fill=INK, text_anchor="middle"))
    for line in panel.lines:
        elements += _level(line, left, right, scale)
    return elements


def _grid(scale: _Scale, left: float, right: float) -> list[str]:
    elements = [box_at(left, scale.bottom - PLOT_HEIGHT, right - left, PLOT_HEIGHT, BAND)]
    for tick in scale.axis.ticks():
        y = scale.bottom - PLOT_HEIGHT * scale.axis.place(tick)
        elements.append(line_between((left, y), (right, y), GRID, 1))
        words = scale.tick_words(tick)
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


def _level(line: Line, left: float, right: float, scale: _Scale) -> list[str]:
    y = scale.y(line.value)
    words = text_at(right, y - 4, line.words, 11, fill=INK, text_anchor="end")
    return [line_between((left, y), (right, y), INK, 1.2, stroke_dasharray="5 4"), words]
