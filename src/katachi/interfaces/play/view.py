"""What is seen of a game: its board, a few lines about it, and the last words."""

from dataclasses import dataclass
from textwrap import wrap

from rich.text import Text

from katachi.interfaces.console import Console
from katachi.interfaces.play.table import Table
from katachi.interfaces.views.board_text import NO_MARKS, Marks, has_letters, render_board
from katachi.rules.color import BLACK, COLOR_NAMES, WHITE
from katachi.rules.point import vertex_from_point

COMMANDS = (
    ("D4", "a move"),
    ("pass", "two passes end the game"),
    ("undo", "take back your last move"),
    ("hint", "good moves"),
    ("score", "who is ahead"),
    ("save FILE", "write the game as SGF"),
    ("resign", "give up"),
    ("quit", "leave; the game is kept"),
)
KEYS = (
    "arrows and Enter, or D4: a move",
    "pass  undo  hint  score",
    "save FILE  resign  quit  help",
)
"""The same in short, beside a board."""
GAP = 3
"""Columns between the board and what stands beside it."""
NARROWEST = 30
"""Columns that a panel beside the board needs."""


@dataclass(frozen=True)
class View:
    """A table as it is shown."""

    table: Table
    message: tuple[str, ...] = ()
    marks: Marks = NO_MARKS
    is_board_new: bool = True
    """Whether the board changed, or its marks, since it was shown last."""


def command_lines() -> list[str]:
    """What can be typed, a line each."""
    return [f"{name:10} {what}" for name, what in COMMANDS]


def status_lines(console: Console, table: Table) -> list[str]:
    """Who plays what, the captures, and the last move."""
    game = table.game
    captures = dict(zip((BLACK, WHITE), game.captures, strict=True))
    letters = {BLACK: " (X)", WHITE: " (O)"} if has_letters(console) else {BLACK: "", WHITE: ""}
    lines = []
    for color in (BLACK, WHITE):
        who = "you" if color == table.person else table.player.name
        name = f"{COLOR_NAMES[color].capitalize()}{letters[color]}"
        lines.append(f"{name}: {who}, captured {captures[color]}")
    return [*lines, f"komi {game.komi:g}; {last_move(table)}"]


def last_move(table: Table) -> str:
    """The number and name of the last move."""
    moves = table.game.moves
    if not moves:
        return "no move yet"
    name = vertex_from_point(moves[-1].point, table.game.size)
    return f"move {len(moves)}: {COLOR_NAMES[moves[-1].color].capitalize()} {name}"


def board_lines(console: Console, view: View, cursor: int | None = None) -> list[Text]:
    """The board, line by line."""
    marks = Marks(cursor, view.marks.labels, view.marks.owners)
    return list(render_board(console, view.table.game, marks).split("\n"))


def panel_lines(console: Console, view: View, width: int) -> list[str]:
    """What stands beside the board, in lines of at most `width` columns."""
    parts = [
        *status_lines(console, view.table),
        "",
        *KEYS,
        "",
        *view.message,
    ]
    return [line for part in parts for line in (wrap(part, width, subsequent_indent="  ") or [""])]


def board_width(size: int) -> int:
    """Columns that a board takes with its coordinates."""
    return 2 * size + 5
