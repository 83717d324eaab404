"""A curve of win rates that grows in the terminal."""

from typing import NamedTuple

ROWS = 10
"""Lines of text from 0 to 100 %."""
GOAL = 0.8
"""The rate that is marked by a line."""


class Marks(NamedTuple):
    """What the curve is drawn with."""

    bars: str
    """From an empty cell to a full one."""
    dot: str
    goal: str
    """An empty cell whose top is the goal."""
    side: str
    foot: str


UNICODE = Marks(" ▁▂▃▄▅▆▇█", "•", "▔", "│", "└─")
ASCII = Marks("  ..::##", "o", "'", "|", "+-")


def curve_lines(rates: list[tuple[float, float]], width: int, *, is_ascii: bool) -> list[str]:
    """A column for each (lower, higher) pair of rates from 0 to 1, from the left, `width` columns
    in all: a bar up to the lower one, a dot for the higher one where it stands above the bar."""
    marks = ASCII if is_ascii else UNICODE
    columns = [_column(low, high, marks) for low, high in rates]
    columns += [_column(0.0, 0.0, marks)] * (width - len(rates))
    lines = [
        f"{_label(row)} {marks.side}{''.join(column[row] for column in columns)}"
        for row in reversed(range(ROWS))
    ]
    return [*lines, f"  0% {marks.foot[0]}{marks.foot[1] * width}"]


def curve_legend(*, is_ascii: bool) -> str:
    """What the marks of the curve mean, in one line."""
    marks = ASCII if is_ascii else UNICODE
    parts = {
        marks.bars[-1]: "wins v ALP of the worse agent",
        marks.dot: "of the better one",
        marks.goal: f"{GOAL:.0%}",
    }
    return "      " + ", ".join(f"{mark} {words}" for mark, words in parts.items())


def _label(row: int) -> str:
    """The rate at the top of a row, where it is told."""
    top = (row + 1) / ROWS
    return f"{top:4.0%}" if top in (1.0, GOAL, 0.5) else "    "


def _column(low: float, high: float, marks: Marks) -> list[str]:
    """The cells of one test, from the bottom."""
    full = len(marks.bars) - 1
    eighths = [min(max(round((low * ROWS - row) * full), 0), full) for row in range(ROWS)]
    cells = [marks.bars[count] for count in eighths]
    goal = round(GOAL * ROWS) - 1
    if cells[goal] == marks.bars[0]:
        cells[goal] = marks.goal
    top = min(int(high * ROWS), ROWS - 1)
    if high > 0 and eighths[top] < full:
        cells[top] = marks.dot if eighths[top] == 0 else cells[top]
    return cells
