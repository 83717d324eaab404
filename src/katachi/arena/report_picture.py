"""A ranking as a picture: each player's Elo with its 95 % interval, best on top."""

from io import BytesIO
from pathlib import Path
from typing import Any

from katachi.arena.report import RankedPlayer, Report, elo_text, settings_line
from katachi.errors import KatachiError
from katachi.files.atomic import write_atomically
from katachi.pictures.drawing import (
    BAND,
    COLORS,
    FAINT_INK,
    GRID,
    INK,
    Axis,
    axis_of,
    line_between,
    svg_text,
    text_at,
)

FITTED, ANCHORED = COLORS[:2]

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


def svg_from_report(report: Report) -> str:
    """The picture as SVG text."""
    players = report.ranking
    axis = choose_axis(players)
    left = MARGIN + 32 + LETTER * max([6, *(len(player.name) for player in players)])
    width = left + PLOT_WIDTH + TEXT_WIDTH + MARGIN
    width = max(width, 2 * MARGIN + 6.4 * len(settings_line(report)))
    height = TOP + ROW * len(players) + BOTTOM
    elements = [*_heading(report), *_grid(axis, left, len(players))]
    for row, player in enumerate(players):
        elements += _player(player, row, axis, left)
    elements += _legend(left, height)
    return svg_text(width, height, report.name, elements)


def _heading(report: Report) -> list[str]:
    return [
        text_at(MARGIN, 32, report.name, 18, fill=INK, font_weight="600"),
        text_at(MARGIN, 53, settings_line(report), 12, fill=FAINT_INK),
    ]


def _grid(axis: Axis, left: float, rows: int) -> list[str]:
    bottom = TOP + ROW * rows
    size = f'width="{left + PLOT_WIDTH + TEXT_WIDTH - MARGIN:.1f}" height="{ROW}"'
    elements = [
        f'<rect x="{MARGIN}" y="{TOP + ROW * row}" {size} fill="{BAND}"/>'
        for row in range(0, rows, 2)
    ]
    for tick in axis.ticks():
        x = left + PLOT_WIDTH * axis.place(tick)
        elements.append(line_between((x, TOP), (x, bottom), GRID, 1))
        elements.append(
            text_at(x, bottom + 18, elo_text(tick), 12, fill=FAINT_INK, text_anchor="middle")
        )
    return elements


def _player(player: RankedPlayer, row: int, axis: Axis, left: float) -> list[str]:
    y = TOP + ROW * (row + 0.5)
    x, low, high = (
        left + PLOT_WIDTH * axis.place(elo) for elo in (player.elo, player.low, player.high)
    )
    rank = text_at(MARGIN + 18, y + 4.5, str(row + 1), 12, fill=FAINT_INK, text_anchor="end")
    name = text_at(MARGIN + 28, y + 4.5, player.name, 14, fill=INK)
    right = left + PLOT_WIDTH + 12
    if player.is_anchor:
        mark = f'<path d="M{x:.1f} {y - 6.5:.1f}l6.5 6.5-6.5 6.5-6.5-6.5z" fill="{ANCHORED}"/>'
        text = text_at(right, y + 4.5, f"{elo_text(player.elo)}  anchor", 13, fill=ANCHORED)
        return [rank, name, mark, text]
    bars = [line_between((low, y), (high, y), FITTED, 2.5)]
    bars += [line_between((end, y - 5), (end, y + 5), FITTED, 2.5) for end in (low, high)]
    mark = f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5.5" fill="{FITTED}" stroke="#ffffff"/>'
    text = text_at(right, y + 4.5, f"{elo_text(player.elo)} ± {player.error:.0f}", 13, fill=INK)
    return [rank, name, *bars, mark, text]


def _legend(left: float, height: float) -> list[str]:
    y = height - 22
    return [
        text_at(left, y + 4, "Elo", 12, fill=INK, font_weight="600"),
        f'<circle cx="{left + 42:.1f}" cy="{y:.1f}" r="4.5" fill="{FITTED}"/>',
        text_at(left + 52, y + 4, "fitted, with its 95 % interval", 12, fill=FAINT_INK),
        f'<path d="M{left + 242:.1f} {y - 5.5:.1f}l5.5 5.5-5.5 5.5-5.5-5.5z" fill="{ANCHORED}"/>',
        text_at(left + 253, y + 4, "anchor: given, not fitted", 12, fill=FAINT_INK),
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
        error_text = "anchor" if player.is_anchor else f"± {player.error:.0f}"
        place = (1.01, row)
        text = f"{elo_text(player.elo)} {error_text}"
        plot.annotate(text, place, xycoords=("axes fraction", "data"), va="center", fontsize=9)
    plot.set_xlim(axis.low, axis.high)
    plot.set_xticks(axis.ticks(), [elo_text(tick) for tick in axis.ticks()], color=FAINT_INK)
    plot.set_yticks(range(len(players)), [player.name for player in players])
    plot.set_ylim(len(players) - 0.5, -0.5)
    plot.grid(axis="x", color=GRID, zorder=1)
    plot.tick_params(length=0)
    plot.spines[:].set_visible(False)
