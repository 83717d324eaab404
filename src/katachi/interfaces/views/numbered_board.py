"""Boards of the terminal whose last moves carry their numbers, as diagrams in books do."""

from rich.text import Text

from katachi.interfaces.console import Console
from katachi.interfaces.views.board_text import LINES, WOOD
from katachi.rules.color import BLACK, EMPTY
from katachi.rules.diagram import star_points
from katachi.rules.game import Game
from katachi.rules.point import COLUMN_LETTERS, points_of

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
