"""Pictures made of boxes, lines, discs and words, with scales: SVG, or PNG by matplotlib."""

import math
from collections.abc import Callable, Sequence
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
Place = tuple[float, float]
"""(x, y) in a picture; y grows downwards."""
MOST_TICKS = 10
NOTHING = "none"
DOTS_AN_INCH = 100.0
LETTER = 0.56
"""Width of a letter, about, for a font size of 1."""
LINE_HEIGHT = 14.0


@dataclass(frozen=True)
class Axis:
    """A scale with marks at round numbers, or at powers of ten where it is logarithmic: then its
    ends and its step count zeros."""

    low: float
    high: float
    step: float
    is_log: bool = False

    def ticks(self) -> list[float]:
        """Where the scale is marked: at the multiples of the step."""
        first = math.ceil(self.low / self.step)
        last = math.floor(self.high / self.step)
        found = [number * self.step for number in range(first, last + 1)]
        return [10.0**zeros for zeros in found] if self.is_log else found

    def place(self, value: float) -> float:
        """Where a value lies, from 0 (low) to 1 (high); what is beyond an end is put there."""
        shown = math.log10(max(value, 1.0)) if self.is_log else value
        return min(max((shown - self.low) / (self.high - self.low), 0.0), 1.0)


def axis_of(low: float, high: float, most_ticks: int = MOST_TICKS) -> Axis:
    """A scale from `low` to `high`, which must differ."""
    rough = (high - low) / most_ticks
    unit = 10.0 ** math.floor(math.log10(rough))
    step = unit * next(factor for factor in (1, 2, 2.5, 5, 10) if factor * unit >= rough)
    return Axis(low, high, step)


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
    is_dashed: bool = False


class Curve(NamedTuple):
    """A line through several places."""

    places: Sequence[Place]
    color: str
    thickness: float = 1.8


class Area(NamedTuple):
    """What lies between several places, in a faint colour."""

    places: Sequence[Place]
    color: str


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
    """A line of text whose base line begins, has its middle or ends at (x, y); an upright one is
    read from below."""

    x: float
    y: float
    text: str
    size: int
    color: str
    anchor: str = "start"
    weight: str = "normal"
    is_upright: bool = False


Mark = Box | Line | Curve | Area | Disc | Diamond | Label


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

    def add_heading(self, x: float, y: float, *lines: str) -> None:
        """Puts the title at a place, and lines under it."""
        self.add(Label(x, y, self.title, 18, INK, weight="600"))
        self.add_lines(x, y + 20, lines)

    def add_lines(self, x: float, y: float, lines: Sequence[str]) -> float:
        """Puts faint lines of text under each other; returns where the next one would be."""
        for line in lines:
            self.add(Label(x, y, line, 12, FAINT_INK))
            y += LINE_HEIGHT
        return y


class Plot(NamedTuple):
    """A frame for curves and bars, with a scale to the right and one upwards."""

    left: float
    top: float
    width: float
    height: float
    across: Axis
    up: Axis

    @property
    def bottom(self) -> float:
        """Where the frame ends."""
        return self.top + self.height

    def x(self, value: float) -> float:
        """How far to the right a value lies."""
        return self.left + self.width * self.across.place(value)

    def y(self, value: float) -> float:
        """How far down a value lies."""
        return self.bottom - self.height * self.up.place(value)

    def frame(self, text: Callable[[float], str], heavy: float | None = None) -> list[Mark]:
        """The ground with a line and a text at each mark upwards; the one at `heavy` is dark."""
        marks: list[Mark] = [Box(self.left, self.top, self.width, self.height, BAND)]
        ticks = {*self.up.ticks()} if heavy is None else {*self.up.ticks(), heavy}
        for tick in sorted(ticks):
            y, color = self.y(tick), FAINT_INK if tick == heavy else GRID
            marks.append(Line(self.left, y, self.left + self.width, y, color))
            marks.append(Label(self.left - 6, y + 4, text(tick), 11, FAINT_INK, "end"))
        return marks

    def feet(self, text: Callable[[float], str]) -> list[Mark]:
        """A text at each mark to the right, under the frame."""
        place = self.bottom + 16
        ticks = self.across.ticks()
        return [Label(self.x(tick), place, text(tick), 11, FAINT_INK, "middle") for tick in ticks]

    def level(self, value: float) -> Mark:
        """A dashed line across the frame."""
        y = self.y(value)
        return Line(self.left, y, self.left + self.width, y, INK, 1.2, is_dashed=True)


def number_text(tick: float) -> str:
    """A mark of a scale as text."""
    return f"{tick:,.6g}"


def _extent(mark: Mark) -> Place:
    """The right and the bottom end of a mark."""
    match mark:
        case Box():
            return mark.x + mark.width, mark.y + mark.height
        case Line():
            return max(mark.x1, mark.x2), max(mark.y1, mark.y2)
        case Curve() | Area():
            xs, ys = zip(*mark.places, strict=True)
            return max(xs), max(ys)
        case Disc() | Diamond():
            return mark.x + mark.radius, mark.y + mark.radius
        case Label():
            share = {"start": 1.0, "middle": 0.5}.get(mark.anchor, 0.0)
            return mark.x + share * LETTER * mark.size * len(mark.text), mark.y


def svg_from_drawing(drawing: Drawing) -> str:
    """The picture as SVG text on white; its title is for readers who cannot see it."""
    area = f'width="{drawing.width:.0f}" height="{drawing.height:.0f}"'
    box = f'viewBox="0 0 {drawing.width:.0f} {drawing.height:.0f}"'
    opening = f'<svg xmlns="http://www.w3.org/2000/svg" {box} {area} font-family="{FONT}"'
    title = f"<title>{escape(drawing.title)}</title>"
    lines = [f'{opening} role="img">', title, f'<rect {area} rx="8" fill="#ffffff"/>']
    return "\n".join([*lines, *map(_svg, drawing.marks), "</svg>\n"])


def _svg(mark: Mark) -> str:
    match mark:
        case Box(x, y, width, height, fill, stroke, thickness):
            place = f'x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}"'
            return f'<rect {place} fill="{fill}"{_svg_stroke(stroke, thickness)}/>'
        case Line(x1, y1, x2, y2, color, thickness, is_dashed):
            place = f'x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"'
            look = ' stroke-dasharray="5 4"' if is_dashed else ' stroke-linecap="round"'
            return f"<line {place}{_svg_stroke(color, thickness)}{look}/>"
        case Curve(places, color, thickness):
            look = f'fill="none"{_svg_stroke(color, thickness)}'
            return f'<polyline points="{_svg_places(places)}" {look}/>'
        case Area(places, color):
            return f'<polygon points="{_svg_places(places)}" fill="{color}" fill-opacity="0.15"/>'
        case Disc(x, y, radius, fill, stroke, thickness):
            place = f'cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}"'
            return f'<circle {place} fill="{fill}"{_svg_stroke(stroke, thickness)}/>'
        case Diamond(x, y, r, fill):
            outline = f"M{x:.1f} {y - r:.1f}l{r:g} {r:g}-{r:g} {r:g}-{r:g}-{r:g}z"
            return f'<path d="{outline}" fill="{fill}"/>'
        case Label(x, y, text, size, color, anchor, weight, is_upright):
            look = (
                f'font-size="{size}" fill="{color}" text-anchor="{anchor}" font-weight="{weight}"'
            )
            turn = f' transform="rotate(-90 {x:.1f} {y:.1f})"' if is_upright else ""
            return f'<text x="{x:.1f}" y="{y:.1f}" {look}{turn}>{escape(text)}</text>'


def _svg_places(places: Sequence[Place]) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in places)


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
        case Line(x1, y1, x2, y2, color, thickness, is_dashed):
            look = {"color": color, "lw": points * thickness, "ls": "--" if is_dashed else "-"}
            plot.plot([x1, x2], [y1, y2], zorder=layer, **look)
        case Curve(places, color, thickness):
            plot.plot(*zip(*places, strict=True), color=color, lw=points * thickness, zorder=layer)
        case Area(places, color):
            plot.add_patch(patches.Polygon(places, fc=color, alpha=0.15, zorder=layer))
        case Disc(x, y, radius, fill, stroke, thickness):
            look = {"fc": fill, "ec": stroke, "lw": points * thickness}
            plot.add_patch(patches.Circle((x, y), radius, zorder=layer, **look))
        case Diamond(x, y, r, fill):
            corners = [(x, y - r), (x + r, y), (x, y + r), (x - r, y)]
            plot.add_patch(patches.Polygon(corners, fc=fill, zorder=layer))
        case Label(x, y, text, size, color, anchor, weight, is_upright):
            side = {"start": "left", "middle": "center", "end": "right"}[anchor]
            look = {"ha": side, "va": "baseline", "color": color, "fontsize": points * size}
            plot.text(
                x,
                y,
                text,
                zorder=layer,
                fontweight="bold" if weight == "600" else weight,
                rotation=90 if is_upright else 0,
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
