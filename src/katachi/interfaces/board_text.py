"""Boards for the terminal."""

from rich.text import Text

from katachi.interfaces.console import Console
from katachi.rules.color import BLACK, WHITE
from katachi.rules.diagram import diagram_from_colors, star_points
from katachi.rules.game import Game
from katachi.rules.point import COLUMN_LETTERS, points_of

WOOD = "on rgb(220,179,92)"
LINES = f"rgb(120,90,40) {WOOD}"
_STYLES = {BLACK: f"black {WOOD}", WHITE: f"bright_white {WOOD}"}


def render_board(console: Console, game: Game) -> Text:
    """The present position with coordinates and the last stone marked: on wood where the console
    has colours, else as a plain diagram."""
    if console.color_system is None:
        return Text(diagram_from_colors(game.colors, game.size, game.last_point))
    letters = "   " + " ".join(COLUMN_LETTERS[: game.size]) + "   "
    text = Text(letters + "\n", style="dim")
    stars = star_points(game.size)
    colors = game.colors.reshape(game.size, game.size).tolist()
    for row, points in enumerate(points_of(game.size).reshape(game.size, game.size).tolist()):
        text.append(f"{game.size - row:2} ", style="dim")
        for col, point in enumerate(points):
            _append_point(
                text, colors[row][col], is_star=point in stars, is_last=point == game.last_point
            )
            text.append(" ", style=WOOD if col < game.size - 1 else "")
        text.append(f"{game.size - row:<2}\n", style="dim")
    text.append(letters, style="dim")
    return text


def _append_point(text: Text, color: int, *, is_star: bool, is_last: bool) -> None:
    if color in _STYLES:
        text.append("◉" if is_last else "●", style=_STYLES[color])
    else:
        text.append("+" if is_star else "·", style=LINES)
