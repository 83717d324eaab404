"""A ranking as a picture: each player's Elo with its 95 % interval, best on top."""

import math
from dataclasses import dataclass
from html import escape
from io import BytesIO
from pathlib import Path
from typing import Any

from katachi.arena.report import RankedPlayer, Report, elo_text, settings_line
from katachi.records.atomic import write_atomically
from katachi.rules.errors import KatachiError

FITTED = "#2b6cb0"
ANCHORED = "#c05621"
INK, FAINT_INK, GRID, BAND = "#1a202c", "#5f6b7a", "#d9dee5", "#f5f7fa"
FONT = "system-ui, 'Segoe UI', 'Helvetica Neue', 'DejaVu Sans', Arial, sans-serif"

PLOT_WIDTH, TOLD_WIDTH = 480, 116
ROW, TOP, BOTTOM, MARGIN = 32, 74, 66, 20
LETTER = 8.4
"""Width of a letter of the names, about."""
MOST_TICKS = 10


@dataclass(frozen=True)
class Axis:
    """The scale of Elo under the picture."""

    low: float
    high: float
    step: float

    def ticks(self) -> list[float]:
        """Where the scale is marked: at the multiples of the step."""
        first = math.ceil(self.low / self.step)
        last = math.floor(self.high / self.step)
        return [number * self.step for number in range(first, last + 1)]

    def place(self, elo: float) -> float:
        """Where a rating lies, from 0 (left) to 1 (right)."""
        return (elo - self.low) / (self.high - self.low)


def choose_axis(players: list[RankedPlayer]) -> Axis:
    """A scale that holds every interval, marked at round numbers."""
    low = min((player.low for player in players), default=0.0)
    high = max((player.high for player in players), default=0.0)
    margin = max(0.04 * (high - low), 50.0)
    low, high = low - margin, high + margin
    rough = (high - low) / MOST_TICKS
    unit = 10.0 ** math.floor(math.log10(rough))
    step = unit * next(factor for factor in (1, 2, 2.5, 5, 10) if factor * unit >= rough)
    return Axis(low, high, step)


def svg_from_report(report: Report) -> str:
    """The picture as SVG text."""
    players = report.ranking
    axis = choose_axis(players)
    left = MARGIN + 32 + LETTER * max([6, *(len(player.name) for player in players)])
    width = left + PLOT_WIDTH + TOLD_WIDTH + MARGIN
    width = max(width, 2 * MARGIN + 6.4 * len(settings_line(report)))
    height = TOP + ROW * len(players) + BOTTOM
    elements = [*_frame(report, width, height), *_grid(axis, left, len(players))]
    for row, player in enumerate(players):
        elements += _player(player, row, axis, left)
    elements += _legend(left, height)
    body = "\n".join(elements)
    size = f'viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" height="{height:.0f}"'
    opening = f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="{FONT}" role="img">'
    return f"{opening}\n{body}\n</svg>\n"


def _text(x: float, y: float, words: str, size: int, **style: str) -> str:
    look = "".join(f' {key.replace("_", "-")}="{value}"' for key, value in style.items())
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}"{look}>{escape(words)}</text>'


def _line(start: tuple[float, float], end: tuple[float, float], color: str, width: float) -> str:
    places = f'x1="{start[0]:.1f}" y1="{start[1]:.1f}" x2="{end[0]:.1f}" y2="{end[1]:.1f}"'
    return f'<line {places} stroke="{color}" stroke-width="{width:g}"/>'


def _frame(report: Report, width: float, height: float) -> list[str]:
    return [
        f"<title>{escape(report.name)}</title>",
        f'<rect width="{width:.0f}" height="{height:.0f}" rx="8" fill="#ffffff"/>',
        _text(MARGIN, 32, report.name, 18, fill=INK, font_weight="600"),
        _text(MARGIN, 53, settings_line(report), 12, fill=FAINT_INK),
    ]


def _grid(axis: Axis, left: float, rows: int) -> list[str]:
    bottom = TOP + ROW * rows
    size = f'width="{left + PLOT_WIDTH + TOLD_WIDTH - MARGIN:.1f}" height="{ROW}"'
    elements = [
        f'<rect x="{MARGIN}" y="{TOP + ROW * row}" {size} fill="{BAND}"/>'
        for row in range(0, rows, 2)
    ]
    for tick in axis.ticks():
        x = left + PLOT_WIDTH * axis.place(tick)
        elements.append(_line((x, TOP), (x, bottom), GRID, 1))
        elements.append(
            _text(x, bottom + 18, elo_text(tick), 12, fill=FAINT_INK, text_anchor="middle")
        )
    return elements


def _player(player: RankedPlayer, row: int, axis: Axis, left: float) -> list[str]:
    y = TOP + ROW * (row + 0.5)
    x, low, high = (
        left + PLOT_WIDTH * axis.place(elo) for elo in (player.elo, player.low, player.high)
    )
    rank = _text(MARGIN + 18, y + 4.5, str(row + 1), 12, fill=FAINT_INK, text_anchor="end")
    name = _text(MARGIN + 28, y + 4.5, player.name, 14, fill=INK)
    told = left + PLOT_WIDTH + 12
    if player.is_anchor:
        mark = f'<path d="M{x:.1f} {y - 6.5:.1f}l6.5 6.5-6.5 6.5-6.5-6.5z" fill="{ANCHORED}"/>'
        words = _text(told, y + 4.5, f"{elo_text(player.elo)}  anchor", 13, fill=ANCHORED)
        return [rank, name, mark, words]
    bars = [_line((low, y), (high, y), FITTED, 2.5)]
    bars += [_line((end, y - 5), (end, y + 5), FITTED, 2.5) for end in (low, high)]
    mark = f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5.5" fill="{FITTED}" stroke="#ffffff"/>'
    words = _text(told, y + 4.5, f"{elo_text(player.elo)} ± {player.error:.0f}", 13, fill=INK)
    return [rank, name, *bars, mark, words]


def _legend(left: float, height: float) -> list[str]:
    y = height - 22
    return [
        _text(left, y + 4, "Elo", 12, fill=INK, font_weight="600"),
        f'<circle cx="{left + 42:.1f}" cy="{y:.1f}" r="4.5" fill="{FITTED}"/>',
        _text(left + 52, y + 4, "fitted, with its 95 % interval", 12, fill=FAINT_INK),
        f'<path d="M{left + 242:.1f} {y - 5.5:.1f}l5.5 5.5-5.5 5.5-5.5-5.5z" fill="{ANCHORED}"/>',
        _text(left + 253, y + 4, "anchor: given, not fitted", 12, fill=FAINT_INK),
    ]


def write_svg(report: Report, path: str | Path) -> None:
    """Writes the picture as SVG; raises OSError."""
    write_atomically(Path(path), svg_from_report(report).encode())


def write_png(report: Report, path: str | Path) -> None:
    """Writes the picture as PNG; raises KatachiError where matplotlib is not installed."""
    try:
        from matplotlib.figure import Figure  # pyright: ignore[reportMissingImports]
    except ImportError:
        cure = "install katachi's extra `plots`, or write an SVG, which needs nothing"
        raise KatachiError(f"a PNG needs matplotlib: {cure}") from None
    players = report.ranking
    figure = Figure(figsize=(8.6, 1.6 + 0.36 * len(players)), dpi=150, layout="constrained")
    _draw(figure.add_subplot(), players)
    figure.suptitle(report.name, x=0.01, ha="left", fontsize=13, fontweight="bold", color=INK)
    figure.supxlabel(settings_line(report), fontsize=8, color=FAINT_INK)
    picture = BytesIO()
    figure.savefig(picture, format="png")
    write_atomically(Path(path), picture.getvalue())


def _draw(plot: Any, players: list[RankedPlayer]) -> None:
    """Draws the players of a ranking on a matplotlib plot."""
    axis = choose_axis(players)
    for row, player in enumerate(players):
        if row % 2 == 0:
            plot.axhspan(row - 0.5, row + 0.5, color=BAND, zorder=0)
        color = ANCHORED if player.is_anchor else FITTED
        error = None if player.is_anchor else [player.error]
        mark = "D" if player.is_anchor else "o"
        plot.errorbar([player.elo], [row], xerr=error, fmt=mark, color=color, capsize=4, zorder=3)
        words = "anchor" if player.is_anchor else f"± {player.error:.0f}"
        place = (1.01, row)
        text = f"{elo_text(player.elo)} {words}"
        plot.annotate(text, place, xycoords=("axes fraction", "data"), va="center", fontsize=9)
    plot.set_xlim(axis.low, axis.high)
    plot.set_xticks(axis.ticks(), [elo_text(tick) for tick in axis.ticks()], color=FAINT_INK)
    plot.set_yticks(range(len(players)), [player.name for player in players])
    plot.set_ylim(len(players) - 0.5, -0.5)
    plot.grid(axis="x", color=GRID, zorder=1)
    plot.tick_params(length=0)
    plot.spines[:].set_visible(False)
