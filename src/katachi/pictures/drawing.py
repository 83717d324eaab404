"""The strokes that pictures are made of, as SVG text, and the scales beside them."""

import math
from dataclasses import dataclass
from html import escape

INK, FAINT_INK, GRID, BAND = "#1a202c", "#5f6b7a", "#d9dee5", "#f5f7fa"
COLORS = (
    "#2b6cb0",
    "#c05621",
    "#2f855a",
    "#6b46c1",
    "#97266d",
    "#b7791f",
    "#2c7a7b",
    "#718096",
)
"""One for each series of a picture."""
WOOD, WOOD_LINES, EDGE = "#f2d9a7", "#8a6d3b", "#5b3a12"
BLACK_STONE, WHITE_STONE = "#1a202c", "#ffffff"
GOOD, BAD = "#2b6cb0", "#c05621"
"""What speaks for something and what against it."""
BLACKS, WHITES = GOOD, BAD
"""Territory of each side, in pictures and in the terminal."""
FONT = "system-ui, 'Segoe UI', 'Helvetica Neue', 'DejaVu Sans', Arial, sans-serif"
MOST_TICKS = 10


@dataclass(frozen=True)
class Axis:
    """A scale with marks at round numbers."""

    low: float
    high: float
    step: float

    def ticks(self) -> list[float]:
        """Where the scale is marked: at the multiples of the step."""
        first = math.ceil(self.low / self.step)
        last = math.floor(self.high / self.step)
        return [number * self.step for number in range(first, last + 1)]

    def place(self, value: float) -> float:
        """Where a value lies, from 0 (low) to 1 (high)."""
        return (value - self.low) / (self.high - self.low)


def axis_of(low: float, high: float, most_ticks: int = MOST_TICKS) -> Axis:
    """A scale from `low` to `high`, which must differ."""
    rough = (high - low) / most_ticks
    unit = 10.0 ** math.floor(math.log10(rough))
    step = unit * next(factor for factor in (1, 2, 2.5, 5, 10) if factor * unit >= rough)
    return Axis(low, high, step)


def svg_text(width: float, height: float, title: str, elements: list[str]) -> str:
    """A whole picture on a white ground; `title` is what a reader that cannot see is told."""
    size = f'viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" height="{height:.0f}"'
    opening = f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="{FONT}" role="img">'
    ground = f'<rect width="{width:.0f}" height="{height:.0f}" rx="8" fill="#ffffff"/>'
    body = "\n".join([f"<title>{escape(title)}</title>", ground, *elements])
    return f"{opening}\n{body}\n</svg>\n"


def text_at(x: float, y: float, words: str, size: int, **style: str) -> str:
    """Words whose base line begins at a place; style names are SVG's, with `_` for `-`."""
    look = "".join(f' {key.replace("_", "-")}="{value}"' for key, value in style.items())
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}"{look}>{escape(words)}</text>'


def line_between(
    start: tuple[float, float], end: tuple[float, float], color: str, width: float, **style: str
) -> str:
    """A straight line."""
    places = f'x1="{start[0]:.1f}" y1="{start[1]:.1f}" x2="{end[0]:.1f}" y2="{end[1]:.1f}"'
    look = "".join(f' {key.replace("_", "-")}="{value}"' for key, value in style.items())
    return f'<line {places} stroke="{color}" stroke-width="{width:g}"{look}/>'


def box_at(x: float, y: float, width: float, height: float, color: str) -> str:
    """A filled rectangle."""
    size = f'width="{width:.1f}" height="{height:.1f}"'
    return f'<rect x="{x:.1f}" y="{y:.1f}" {size} fill="{color}"/>'
