"""Boards for the terminal."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from rich.text import Text

from katachi.interfaces.console import Console
from katachi.rules.color import BLACK, EMPTY, WHITE
from katachi.rules.diagram import SYMBOLS, star_points
from katachi.rules.game import Game
from katachi.rules.point import COLUMN_LETTERS, points_of

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
    """Whose each point is: told on empty points, and where a stone of the other colour, a dead
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
