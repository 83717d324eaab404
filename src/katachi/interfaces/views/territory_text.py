"""Territory as a heat map for the terminal."""

from rich.color import Color
from rich.style import Style
from rich.text import Text

from katachi.interfaces.console import Console
from katachi.pictures import drawing
from katachi.rules.color import BLACK, EMPTY
from katachi.rules.diagram import SYMBOLS
from katachi.rules.point import COLUMN_LETTERS
from katachi.search.territory_views import TerritoryView

Shade = tuple[int, int, int]

BLACKS: Shade = Color.parse(drawing.BLACKS).get_truecolor()
WHITES: Shade = Color.parse(drawing.WHITES).get_truecolor()
NOBODYS: Shade = (236, 214, 160)
COLOR_LEGEND = "blue: Black's, orange: White's, wood: open; of the difference, what each gains"
PLAIN_LEGEND = (
    "X Black, O White; percent that Black will own the point (99: as good as sure), of the "
    "difference what Black gains or loses"
)
MOST_SHOWN = 99
"""Two digits keep the columns apart on every board that fits 80 columns."""


def has_shades(console: Console) -> bool:
    """Whether the console shows enough colours for a heat map."""
    return console.color_system in ("256", "truecolor") and not (
        console.no_color or console.is_ascii
    )


def legend_of(console: Console) -> str:
    """What the map means."""
    return COLOR_LEGEND if has_shades(console) else PLAIN_LEGEND


def render_territory(console: Console, view: TerritoryView) -> Text:
    """A view with its title, coordinates and stones: shaded where the console has the colours, else
    the percentages themselves."""
    plain = not has_shades(console)
    rows = _plain_rows(view) if plain else _shaded_rows(view)
    size = view.game.size
    names = [letter.ljust(4) if plain else f" {letter}" for letter in COLUMN_LETTERS[:size]]
    letters = "   " + "".join(names)
    text = Text()
    text.append(f"{view.title}\n", style="bold")
    text.append(f"{view.summary}\n")
    text.append(f"{letters}\n", style="dim")
    for number, row in zip(range(size, 0, -1), rows, strict=True):
        text.append(f"{number:2} ", style="dim")
        text.append_text(row)
        text.append("\n")
    return text


def _plain_rows(view: TerritoryView) -> list[Text]:
    """Each point as a stone or a dot with a number behind it; of a difference as the number alone,
    where there is one. A blank parts it from the next."""
    size, colors = view.game.size, view.game.colors.tolist()
    cells = []
    for color, chance in zip(colors, view.chances.tolist(), strict=True):
        percent = max(-MOST_SHOWN, min(MOST_SHOWN, round(100 * chance)))
        if view.is_difference:
            cell = f"{percent:+d}" if percent else SYMBOLS[color]
        else:
            cell = f"{SYMBOLS[color]}{percent:d}"
        cells.append(cell.ljust(4))
    return [Text("".join(cells[at : at + size]).rstrip()) for at in range(0, size * size, size)]


def _shaded_rows(view: TerritoryView) -> list[Text]:
    size, colors, leanings = view.game.size, view.game.colors.tolist(), view.leanings.tolist()
    rows = []
    for first in range(0, size * size, size):
        row = Text()
        for cell in range(first, first + size):
            ink = Color.from_rgb(*((0, 0, 0) if colors[cell] == BLACK else (255, 255, 255)))
            ground = Color.from_rgb(*_shade(leanings[cell]))
            row.append(
                "  " if colors[cell] == EMPTY else " ●", Style(color=ink, bgcolor=ground, bold=True)
            )
        rows.append(row)
    return rows


def _shade(leaning: float) -> Shade:
    """Between nobody's colour and that of the side it leans to."""
    end = BLACKS if leaning > 0 else WHITES
    share = min(abs(leaning), 1.0)
    red, green, blue = (round(a + share * (b - a)) for a, b in zip(NOBODYS, end, strict=True))
    return red, green, blue
