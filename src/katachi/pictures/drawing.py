"""Pictures made of boxes, lines, discs and words, with scales: SVG, or PNG by matplotlib."""

import math
from dataclasses import dataclass, field
from html import escape
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

from katachi.errors import KatachiError
from katachi.files.atomic import write_atomically

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
    """A whole picture on a white ground; `title` is for readers who cannot see it."""
    size = f'viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" height="{height:.0f}"'
    opening = f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="{FONT}" role="img">'
    ground = f'<rect width="{width:.0f}" height="{height:.0f}" rx="8" fill="#ffffff"/>'
    body = "\n".join([f"<title>{escape(title)}</title>", ground, *elements])
    return f"{opening}\n{body}\n</svg>\n"


def text_at(x: float, y: float, text: str, size: int, **style: str) -> str:
    """Text whose base line begins at a place; style names are SVG's, with `_` for `-`."""
    look = "".join(f' {key.replace("_", "-")}="{value}"' for key, value in style.items())
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}"{look}>{escape(text)}</text>'


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


NOTHING = "none"
DOTS_AN_INCH = 100.0
LETTER = 0.56
"""Width of a letter, about, for a font size of 1."""


class Box(NamedTuple):
    """A rectangle, its top left corner at (x, y)."""

    x: float
    y: float
    width: float
    height: float
    fill: str = NOTHING
    stroke: str = NOTHING
    thickness: float = 1.0


class Line(NamedTuple):
    """A straight line."""

    x1: float
    y1: float
    x2: float
    y2: float
    color: str
    thickness: float = 1.0


class Disc(NamedTuple):
    """A filled circle around (x, y)."""

    x: float
    y: float
    radius: float
    fill: str
    stroke: str = NOTHING
    thickness: float = 1.0


class Diamond(NamedTuple):
    """A filled square on its corner around (x, y)."""

    x: float
    y: float
    radius: float
    fill: str


class Label(NamedTuple):
    """A line of text whose base line begins, has its middle or ends at (x, y)."""

    x: float
    y: float
    text: str
    size: int
    color: str
    anchor: str = "start"
    weight: str = "normal"


Mark = Box | Line | Disc | Diamond | Label


@dataclass
class Drawing:
    """A picture; later marks lie over earlier ones. y grows downwards."""

    title: str
    width: float = 0.0
    height: float = 0.0
    marks: list[Mark] = field(default_factory=list)

    def add(self, *marks: Mark) -> None:
        """Puts marks on top, and makes the picture large enough for them."""
        self.marks += marks
        for mark in marks:
            right, bottom = _extent(mark)
            self.width, self.height = max(self.width, right), max(self.height, bottom)


def _extent(mark: Mark) -> tuple[float, float]:
    """The right and the bottom end of a mark."""
    match mark:
        case Box():
            return mark.x + mark.width, mark.y + mark.height
        case Line():
            return max(mark.x1, mark.x2), max(mark.y1, mark.y2)
        case Disc() | Diamond():
            return mark.x + mark.radius, mark.y + mark.radius
        case Label():
            share = {"start": 1.0, "middle": 0.5}.get(mark.anchor, 0.0)
            return mark.x + share * LETTER * mark.size * len(mark.text), mark.y


def svg_from_drawing(drawing: Drawing) -> str:
    """The picture as SVG text on white."""
    marks = [_svg(mark) for mark in drawing.marks]
    return svg_text(drawing.width, drawing.height, drawing.title, marks)


def _svg(mark: Mark) -> str:
    match mark:
        case Box(x, y, width, height, fill, stroke, thickness):
            place = f'x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}"'
            return f'<rect {place} fill="{fill}"{_svg_stroke(stroke, thickness)}/>'
        case Line(x1, y1, x2, y2, color, thickness):
            return line_between((x1, y1), (x2, y2), color, thickness, stroke_linecap="round")
        case Disc(x, y, radius, fill, stroke, thickness):
            place = f'cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}"'
            return f'<circle {place} fill="{fill}"{_svg_stroke(stroke, thickness)}/>'
        case Diamond(x, y, r, fill):
            outline = f"M{x:.1f} {y - r:.1f}l{r:g} {r:g}-{r:g} {r:g}-{r:g}-{r:g}z"
            return f'<path d="{outline}" fill="{fill}"/>'
        case Label(x, y, text, size, color, anchor, weight):
            look = {"fill": color, "text_anchor": anchor, "font_weight": weight}
            return text_at(x, y, text, size, **look)


def _svg_stroke(color: str, thickness: float) -> str:
    return "" if color == NOTHING else f' stroke="{color}" stroke-width="{thickness:g}"'


def png_from_drawing(drawing: Drawing) -> bytes:
    """The picture as a PNG; raises KatachiError where matplotlib is not installed."""
    try:
        from matplotlib.figure import Figure  # pyright: ignore[reportMissingImports]
    except ImportError:
        cure = "install katachi's extra `plots`, or write an SVG, which needs nothing"
        raise KatachiError(f"a PNG needs matplotlib: {cure}") from None
    size = (drawing.width / DOTS_AN_INCH, drawing.height / DOTS_AN_INCH)
    figure = Figure(figsize=size, dpi=2 * DOTS_AN_INCH)
    plot = figure.add_axes((0, 0, 1, 1))
    plot.set_axis_off()
    plot.set_xlim(0, drawing.width)
    plot.set_ylim(drawing.height, 0)
    for layer, mark in enumerate(drawing.marks):
        _draw(plot, mark, layer)
    picture = BytesIO()
    figure.savefig(picture, format="png")
    return picture.getvalue()


def _draw(plot: Any, mark: Mark, layer: int) -> None:
    """Draws one mark on a matplotlib plot."""
    from matplotlib import patches  # pyright: ignore[reportMissingImports]

    points = 72.0 / DOTS_AN_INCH
    match mark:
        case Box(x, y, width, height, fill, stroke, thickness):
            look = {"fc": fill, "ec": stroke, "lw": points * thickness}
            plot.add_patch(patches.Rectangle((x, y), width, height, zorder=layer, **look))
        case Line(x1, y1, x2, y2, color, thickness):
            plot.plot([x1, x2], [y1, y2], color=color, lw=points * thickness, zorder=layer)
        case Disc(x, y, radius, fill, stroke, thickness):
            look = {"fc": fill, "ec": stroke, "lw": points * thickness}
            plot.add_patch(patches.Circle((x, y), radius, zorder=layer, **look))
        case Diamond(x, y, r, fill):
            corners = [(x, y - r), (x + r, y), (x, y + r), (x - r, y)]
            plot.add_patch(patches.Polygon(corners, fc=fill, zorder=layer))
        case Label(x, y, text, size, color, anchor, weight):
            side = {"start": "left", "middle": "center", "end": "right"}[anchor]
            look = {"ha": side, "va": "baseline", "color": color, "fontsize": points * size}
            plot.text(
                x,
                y,
                text,
                zorder=layer,
                fontweight="bold" if weight == "600" else weight,
                parse_math=False,
                **look,
            )


def write_picture(drawing: Drawing, svg: Path | None, png: Path | None) -> None:
    """Writes the picture to the files that are named; raises OSError, and KatachiError as
    `png_from_drawing` does, with nothing written."""
    image = png_from_drawing(drawing) if png else b""
    if svg:
        write_atomically(svg, svg_from_drawing(drawing).encode())
    if png:
        write_atomically(png, image)
