"""Local shapes as text: small boards for the terminal, one line for programs."""

from collections.abc import Iterable
from typing import NamedTuple

from katachi.features.shape_contents import OTHER, OWN, Shape, Stone
from katachi.features.units import UNIT
from katachi.features.windows import Window
from katachi.rules.color import BLACK, EMPTY
from katachi.rules.point import point_from_row_col, vertex_from_point

GAP = 3
"""Columns between two blocks of text."""


class Symbols(NamedTuple):
    """How shapes are drawn with letters."""

    stones: dict[int, str]
    """By owner."""
    played: str
    """The own stone that was played last."""
    numbered: dict[int, str]
    """By owner: stones with no, one, and two or more liberties outside the template."""
    edge: str
    """Edges of the board: across, down, and the corners from the top left, row by row."""
    legend: str
    played_legend: str
    edge_legend: str
    liberty_legend: str


UNICODE = Symbols(
    {EMPTY: "·", OWN: "●", OTHER: "○"},
    "◉",
    {OWN: "⓿❶❷", OTHER: "⓪①②"},
    "━┃┏┓┗┛",
    "● own stone   ○ opponent's   · empty",
    "◉ the own stone that was just played",
    "thick line: edge of the board",
    "a number in a stone: liberties of its block outside the shape, 2 for two or more",
)
ASCII = Symbols(
    {EMPTY: ".", OWN: "#", OTHER: "o"},
    "@",
    {OWN: "012", OTHER: "abc"},
    "-|++++",
    "# own stone   o opponent's   . empty",
    "@ the own stone that was just played",
    "- and |: edge of the board",
    "0 1 2 own stone, a b c opponent's: with no, one, more liberties outside the shape",
)


def symbols_for(color: int, *, is_ascii: bool) -> Symbols:
    """The letters for a terminal with stones in their true colours, `color` being the own."""
    symbols = choose_symbols(is_ascii=is_ascii)
    empty = symbols.stones[EMPTY]
    black, white = "XO" if is_ascii else "●○"
    numbers = symbols.liberty_legend.replace("own stone", "Black").replace("opponent's", "White")
    pair = (symbols.numbered[OWN], symbols.numbered[OTHER])
    turn = 1 if color == BLACK else -1
    return symbols._replace(
        stones={EMPTY: empty} | dict(zip((OWN, OTHER)[::turn], (black, white), strict=True)),
        numbered=dict(zip((OWN, OTHER)[::turn], pair, strict=True)),
        legend=f"{black} Black   {white} White   {empty} empty",
        liberty_legend=numbers,
    )


def choose_symbols(*, is_ascii: bool) -> Symbols:
    """The letters for a terminal."""
    return ASCII if is_ascii else UNICODE


def logit_text(units: int) -> str:
    """Units as logits with a sign."""
    return f"{units * UNIT:+.4f}"


def place_text(shape: Shape) -> str:
    """Where a shape stands: the lines, from the nearest corner, of its point next to that corner;
    nothing where location does not matter."""
    return f"at {shape.window.row + 1}-{shape.window.col + 1}" if shape.has_location else ""


def window_text(window: Window, size: int) -> str:
    """A window of the board by its first and last point, as in C3-D4."""
    first, last = (divmod(cell, size) for cell in (window.cells[0], window.cells[-1]))
    corners = [vertex_from_point(point_from_row_col(*spot), size) for spot in (first, last)]
    return "-".join(dict.fromkeys(corners))


def _letter(stone: Stone, symbols: Symbols) -> str:
    if stone.liberties is None:
        return symbols.stones[stone.owner]
    return symbols.numbered[stone.owner][stone.liberties]


def shape_code(shape: Shape, symbols: Symbols = ASCII) -> str:
    """A shape in one line of letters, its rows parted by strokes: `#.o/.#.`."""
    return "/".join("".join(row) for row in _letters(shape, symbols, None))


def _letters(shape: Shape, symbols: Symbols, mark: int | None) -> list[list[str]]:
    """The letters of a shape, row by row; a plain stone that was played last has its own."""
    rows = [[_letter(stone, symbols) for stone in row] for row in shape.rows]
    if mark is not None:
        row, col = divmod(mark, len(rows[0]))
        if shape.rows[row][col].liberties is None:
            rows[row][col] = symbols.played
    return rows


def shape_lines(shape: Shape, size: int, symbols: Symbols, mark: int | None = None) -> list[str]:
    """A shape as a small board; edges are drawn where it stands at one, and the stone at place
    `mark` as the one that was played last."""
    edges = shape.edges(size)
    across, down, *corners = list(symbols.edge)
    left, right = down if edges.left else " ", down if edges.right else " "
    rows = _letters(shape, symbols, mark)
    lines = [f"{left}{' '.join(row)}{right}" for row in rows]
    rule = across * (len(lines[0]) - 2)
    sides = (edges.left, edges.right)
    if edges.top:
        lines.insert(0, _rule(rule, sides, corners[:2], across))
    if edges.bottom:
        lines.append(_rule(rule, sides, corners[2:], across))
    return lines


def _rule(rule: str, sides: tuple[bool, bool], corners: list[str], across: str) -> str:
    """An edge above or below a shape; it goes on where the board does."""
    left, right = (
        corner if at_edge else across for corner, at_edge in zip(corners, sides, strict=True)
    )
    return f"{left}{rule}{right}"


def side_by_side(blocks: Iterable[list[str]], width: int) -> list[str]:
    """Blocks of lines in rows as wide as the terminal, their tops aligned."""
    lines: list[str] = []
    row: list[list[str]] = []
    used = 0
    for block in blocks:
        breadth = max(map(len, block)) + GAP
        if row and used + breadth > width:
            lines += [*_joined(row), ""]
            row, used = [], 0
        row.append(block)
        used += breadth
    return lines + _joined(row)


def _joined(row: list[list[str]]) -> list[str]:
    height = max(map(len, row), default=0)
    widths = [max(map(len, block)) + GAP for block in row]
    return [
        "".join(
            (block[at] if at < len(block) else "").ljust(width)
            for block, width in zip(row, widths, strict=True)
        ).rstrip()
        for at in range(height)
    ]
