"""The learning curve as a picture: each agent's rate of wins against ALP, with its interval."""

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Protocol

from katachi.pictures.drawing import (
    COLORS,
    FAINT_INK,
    INK,
    Area,
    Axis,
    Box,
    Curve,
    Drawing,
    Label,
    Line,
    Mark,
    Plot,
    axis_of,
    svg_from_drawing,
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


def svg_from_measurements(tests: Sequence[Test], title: str, subtitle: str) -> str:
    """The picture as SVG text; without a test it has axes only."""
    across = axis_of(0.0, float(tests[-1].games if tests else 1), MOST_TICKS)
    frame = (LEFT, TOP, WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM)
    plot = Plot(*frame, across, Axis(0.0, 1.0, 0.25))
    picture = Drawing(title)
    picture.add_heading(MARGIN, 32, subtitle)
    picture.add(*plot.frame(lambda rate: f"{rate:.0%}".replace("%", " %")))
    picture.add(*plot.feet(_count_text), *_boards(tests, plot))
    shown = thin_out(tests)
    agents = range(len(tests[-1].intervals) if tests else 0)
    picture.add(*(_band(shown, agent, plot) for agent in agents))
    for agent in agents:
        places = [(plot.x(test.games), plot.y(test.rates[agent])) for test in shown]
        picture.add(Curve(places, COLORS[agent]))
    picture.add(*_legend(len(agents)))
    picture.width, picture.height = WIDTH, HEIGHT
    return svg_from_drawing(picture)


def _count_text(games: float) -> str:
    return f"{games:,.0f}" if games >= 1 else f"{games:g}"


def thin_out(tests: Sequence[Test]) -> list[Test]:
    """At most `MOST_POINTS` tests, evenly spaced, the last among them."""
    every = math.ceil(len(tests) / MOST_POINTS) or 1
    return list(tests[::-1][::every][::-1])


def _boards(tests: Sequence[Test], plot: Plot) -> Iterator[Mark]:
    """A line where the board has grown, and the new size."""
    for before, after in pairwise(tests):
        if after.size != before.size:
            x = plot.x(before.games)
            yield Line(x, plot.top, x, plot.bottom, FAINT_INK, is_dashed=True)
            yield Label(x + 4, plot.top + 14, f"{after.size}x{after.size}", 12, FAINT_INK)


def _band(tests: list[Test], agent: int, plot: Plot) -> Mark:
    lower = [(plot.x(test.games), plot.y(test.intervals[agent][0])) for test in tests]
    upper = [(plot.x(test.games), plot.y(test.intervals[agent][1])) for test in tests]
    return Area(lower + upper[::-1], COLORS[agent])


def _legend(agents: int) -> Iterator[Mark]:
    y = HEIGHT - 22
    yield Label(LEFT, y + 4, "games", 12, INK)
    for agent in range(agents):
        x = LEFT + 64 + 96 * agent
        yield Box(x, y - 2, 18, 4, COLORS[agent])
        yield Label(x + 24, y + 4, f"agent {agent + 1}", 12, FAINT_INK)
    text = "rate of wins, with its 95 % interval (Wilson)"
    yield Label(WIDTH - RIGHT, y + 4, text, 12, FAINT_INK, "end")
