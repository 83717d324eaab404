"""The learning curve as a picture: each agent's rate of wins against ALP, with its interval."""

import math
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import Protocol

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

WIDTH, HEIGHT = 760, 440
LEFT, RIGHT, TOP, BOTTOM, MARGIN = 64, 32, 84, 72, 20
MOST_TICKS = 8
MOST_POINTS = 400
"""More tests than the picture has room for are thinned out."""


class Test(Protocol):
    """What a test said, as far as the curve shows it."""

    @property
    def games(self) -> int:
        """Games learned from."""
        ...

    @property
    def size(self) -> int:
        """Board size."""
        ...

    @property
    def rates(self) -> list[float]:
        """By agent: the rate of wins."""
        ...

    @property
    def intervals(self) -> tuple[tuple[float, float], ...]:
        """By agent: its interval."""
        ...


Place = Callable[[float, float], tuple[float, float]]
"""Where (games, rate) lies in the picture."""


def svg_from_measurements(tests: Sequence[Test], title: str, subtitle: str) -> str:
    """The picture as SVG text; without a test it has axes only."""
    axis = axis_of(0.0, float(tests[-1].games if tests else 1), MOST_TICKS)

    def place(games: float, rate: float) -> tuple[float, float]:
        x = LEFT + (WIDTH - LEFT - RIGHT) * axis.place(games)
        return x, TOP + (HEIGHT - TOP - BOTTOM) * (1 - rate)

    shown = thin_out(tests)
    agents = range(len(tests[-1].intervals) if tests else 0)
    elements = [
        text_at(MARGIN, 32, title, 18, fill=INK, font_weight="600"),
        text_at(MARGIN, 54, subtitle, 12, fill=FAINT_INK),
        *_grid(axis, place),
        *_boards(tests, place),
        *(_band(shown, agent, place) for agent in agents),
        *(_curve(shown, agent, place) for agent in agents),
        *_legend(len(agents)),
    ]
    return svg_text(WIDTH, HEIGHT, title, elements)


def thin_out(tests: Sequence[Test]) -> list[Test]:
    """At most `MOST_POINTS` tests, evenly spaced, the last among them."""
    every = math.ceil(len(tests) / MOST_POINTS) or 1
    return list(tests[::-1][::every][::-1])


def _grid(axis: Axis, place: Place) -> list[str]:
    (left, bottom), (right, top) = place(axis.low, 0), place(axis.high, 1)
    elements = [box_at(left, top, right - left, bottom - top, BAND)]
    for percent in range(0, 101, 25):
        y = place(axis.low, percent / 100)[1]
        elements.append(line_between((left, y), (right, y), GRID, 1))
        text = f"{percent} %"
        elements.append(text_at(left - 8, y + 4, text, 12, fill=FAINT_INK, text_anchor="end"))
    for tick in axis.ticks():
        x = place(tick, 0)[0]
        elements.append(line_between((x, bottom), (x, bottom + 5), FAINT_INK, 1))
        text = f"{tick:,g}" if tick < 1 else f"{tick:,.0f}"
        elements.append(text_at(x, bottom + 20, text, 12, fill=FAINT_INK, text_anchor="middle"))
    return elements


def _boards(tests: Sequence[Test], place: Place) -> list[str]:
    """A line where the board has grown, and the new size."""
    elements = []
    for before, after in pairwise(tests):
        if after.size != before.size:
            (x, top), end = place(before.games, 1), place(before.games, 0)
            elements.append(line_between((x, top), end, FAINT_INK, 1, stroke_dasharray="4 4"))
            text = f"{after.size}x{after.size}"
            elements.append(text_at(x + 4, top + 14, text, 12, fill=FAINT_INK))
    return elements


def _points(places: Iterable[tuple[float, float]]) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in places)


def _band(tests: list[Test], agent: int, place: Place) -> str:
    lower = [place(test.games, test.intervals[agent][0]) for test in tests]
    upper = [place(test.games, test.intervals[agent][1]) for test in tests]
    outline = _points(lower + upper[::-1])
    return f'<polygon points="{outline}" fill="{COLORS[agent]}" fill-opacity="0.15"/>'


def _curve(tests: list[Test], agent: int, place: Place) -> str:
    points = _points(place(test.games, test.rates[agent]) for test in tests)
    color = COLORS[agent]
    return f'<polyline points="{points}" fill="none" stroke="{color}" stroke-width="1.8"/>'


def _legend(agents: int) -> list[str]:
    y = HEIGHT - 22
    elements = [text_at(LEFT, y + 4, "games", 12, fill=INK)]
    for agent in range(agents):
        x = LEFT + 64 + 96 * agent
        elements.append(box_at(x, y - 2, 18, 4, COLORS[agent]))
        elements.append(text_at(x + 24, y + 4, f"agent {agent + 1}", 12, fill=FAINT_INK))
    text = "rate of wins, with its 95 % interval (Wilson)"
    elements.append(text_at(WIDTH - RIGHT, y + 4, text, 12, fill=FAINT_INK, text_anchor="end"))
    return elements
