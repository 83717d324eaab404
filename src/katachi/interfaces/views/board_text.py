"""Boards for the terminal: stones, numbered moves, heat maps of territory."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from rich.color import Color
from rich.style import Style
from rich.text import Text

from katachi.interfaces.console import Console
from katachi.pictures import drawing
from katachi.rules.color import BLACK, EMPTY, WHITE
from katachi.rules.diagram import SYMBOLS, star_points
from katachi.rules.game import Game
from katachi.rules.point import COLUMN_LETTERS, points_of
from katachi.search.territory_views import TerritoryView

WOOD = "on rgb(220,179,92)"
LINES = f"rgb(120,90,40) {WOOD}"
_INK = {BLACK: "black", WHITE: "bright_white"}
_CURSOR = "on rgb(90,150,210)"
_LABEL = "bold rgb(150,20,20)"


@dataclass(frozen=True)
class Marks:
    """What is drawn on a board besides its stones and its last move."""

    cursor: int | None = None
    """The point that is about to be chosen."""
    labels: Mapping[int, str] = field(default_factory=dict)
    """One letter or digit on an empty point."""
    owners: Mapping[int, int] = field(default_factory=dict)
    """Whose each point is: shown on empty points, and where a stone of the other colour, a dead
    one, stands."""


@dataclass(frozen=True)
class _Cell:
    """One point as it is drawn."""

    text: str
    style: str = ""
    is_last: bool = False
    is_cursor: bool = False


NO_MARKS = Marks()
OWNER_LEGEND = "b, w: points of Black and White; x, o: dead stones"
BRIGHT_OWNER_LEGEND = "small squares: points of Black and White; crosses: dead stones"


def owner_legend(console: Console) -> str:
    """How owners of points are drawn on this console."""
    return OWNER_LEGEND if has_letters(console) else BRIGHT_OWNER_LEGEND


def has_letters(console: Console) -> bool:
    """Whether stones are the letters X and O, for want of colours or of signs for stones."""
    return console.is_ascii or not console.has_colors


def render_board(console: Console, game: Game, marks: Marks = NO_MARKS) -> Text:
    """The present position with coordinates and the last stone marked: on wood where the console
    has colours, else as a plain diagram."""
    row_of = _plain_row if has_letters(console) else _bright_row
    letters = "   " + " ".join(COLUMN_LETTERS[: game.size])
    text = Text(letters + "\n")
    stars = star_points(game.size)
    colors = game.colors.reshape(game.size, game.size).tolist()
    for row, points in enumerate(points_of(game.size).reshape(game.size, game.size).tolist()):
        number = game.size - row
        cells = [
            _cell(game, marks, point, colors[row][col], is_star=point in stars)
            for col, point in enumerate(points)
        ]
        text.append(f"{number:2}")
        text.append_text(row_of(cells))
        text.append(f"{number}\n")
    return text.append(letters)


def _cell(game: Game, marks: Marks, point: int, color: int, *, is_star: bool) -> _Cell:
    owner = marks.owners.get(point, EMPTY)
    is_last, is_cursor = point == game.last_point, point == marks.cursor
    if color == EMPTY and point in marks.labels:
        return _Cell(marks.labels[point], _LABEL, is_last, is_cursor)
    if color == EMPTY:
        mark = "bw"[owner - BLACK] if owner else "+" if is_star else "."
        return _Cell(mark, _INK.get(owner, "rgb(120,90,40)"), is_last, is_cursor)
    is_dead = owner not in (EMPTY, color)
    symbol = SYMBOLS[color].lower() if is_dead else SYMBOLS[color]
    return _Cell(symbol, _INK[color], is_last, is_cursor)


def _plain_row(cells: list[_Cell]) -> Text:
    """A row with the last stone in round brackets and the cursor in square ones."""
    row = list(" " + " ".join(cell.text for cell in cells) + " ")
    for brackets, chosen in (
        ("()", [cell.is_last for cell in cells]),
        ("[]", [cell.is_cursor for cell in cells]),
    ):
        for at, is_chosen in enumerate(chosen):
            if is_chosen:
                row[2 * at], row[2 * at + 2] = brackets[0], brackets[1]
    return Text("".join(row))


_BRIGHT = {"X": "●", "O": "●", "x": "\u00d7", "o": "\u00d7", "b": "▪", "w": "▪", ".": "·"}


def _bright_row(cells: list[_Cell]) -> Text:
    """A row on wood; the last stone has a ring, the cursor a ground of its own."""
    row = Text(" ")
    for at, cell in enumerate(cells):
        letter = "◉" if cell.is_last and cell.text in "XO" else _BRIGHT.get(cell.text, cell.text)
        row.append(letter, style=f"{cell.style} {_CURSOR if cell.is_cursor else WOOD}")
        row.append(" ", style=WOOD if at < len(cells) - 1 else "")
    return row


_STYLES = {True: f"black {WOOD}", False: f"bright_white {WOOD}"}
_NUMBERED = {True: "bright_white on black", False: "black on bright_white"}
LEGEND = "X Black, O White; odd numbers are Black's moves, even ones White's."


def render_numbered(console: Console, game: Game, first: int) -> Text:
    """The present position; the moves from number `first` on, counted from 1, carry their numbers,
    the later one where two were played on one point."""
    numbers = {
        move.point: number
        for number, move in enumerate(game.moves, start=1)
        if number >= first and move.point in set(points_of(game.size).tolist())
    }
    letters = "   " + "".join(f"{letter:>3}" for letter in COLUMN_LETTERS[: game.size])
    text = Text(letters + "\n", style="dim")
    for row in range(game.size):
        text.append(f"{game.size - row:2} ", style="dim")
        _append_row(text, game, row, numbers, is_plain=console.color_system is None)
        text.append(f" {game.size - row:<2}\n", style="dim")
    text.append(letters, style="dim")
    return text


def _append_row(
    text: Text, game: Game, row: int, numbers: dict[int, int], *, is_plain: bool
) -> None:
    first = row * game.size
    points = points_of(game.size)[first : first + game.size].tolist()
    stars = star_points(game.size)
    for color, point in zip(game.colors[first : first + game.size].tolist(), points, strict=True):
        is_black = color == BLACK
        if color == EMPTY:
            plain = "." if is_plain else "·"
            symbol = "+" if point in stars else plain
            text.append(f"  {symbol}", style="" if is_plain else LINES)
        elif point in numbers:
            text.append(" ", style="" if is_plain else WOOD)
            text.append(f"{numbers[point]:>2}", style="" if is_plain else _NUMBERED[is_black])
        elif is_plain:
            text.append("  X" if is_black else "  O")
        else:
            text.append("  ●", style=_STYLES[is_black])


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
