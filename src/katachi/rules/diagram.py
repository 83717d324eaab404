"""Boards as text: '.' empty, 'X' Black, 'O' White."""

import numpy as np
import numpy.typing as npt

from katachi.errors import KatachiError
from katachi.rules.color import BLACK, EMPTY, WHITE
from katachi.rules.point import COLUMN_LETTERS, points_of
from katachi.rules.size import check_size

Colors = npt.NDArray[np.uint8]

SYMBOLS = {EMPTY: ".", BLACK: "X", WHITE: "O"}
_COLORS = {symbol: color for color, symbol in SYMBOLS.items()} | {"+": EMPTY}


def star_points(size: int) -> set[int]:
    """The hoshi of a board, as points; small boards have only the centre or none."""
    if size < 7:
        return set()
    edge = 3 if size >= 13 else 2
    lines = {edge, size - 1 - edge}
    if size % 2:
        lines.add(size // 2)
    full = size >= 13
    points = points_of(size)
    return {
        int(points[row * size + col])
        for row in lines
        for col in lines
        if full or row == col or row + col == size - 1
    }


def diagram_from_colors(colors: Colors, size: int, last: int | None = None) -> str:
    """A board with coordinates and star points; the stone on point `last` stands in brackets."""
    stars = star_points(size)
    letters = " ".join(COLUMN_LETTERS[:size])
    lines = [f"   {letters}"]
    for row, points in enumerate(points_of(size).reshape(size, size).tolist()):
        cells = [
            _cell(int(colors[row * size + col]), point, stars) for col, point in enumerate(points)
        ]
        text = " " + " ".join(cells) + " "
        if last in points:
            at = 2 * points.index(last)
            text = f"{text[:at]}({text[at + 1]}){text[at + 3 :]}"
        lines.append(f"{size - row:2}{text}{size - row}")
    lines.append(f"   {letters}")
    return "\n".join(lines)


def _cell(color: int, point: int, stars: set[int]) -> str:
    return "+" if color == EMPTY and point in stars else SYMBOLS[color]


def colors_from_diagram(text: str) -> tuple[Colors, int]:
    """(colours row by row, size) of a plain diagram without coordinates; blanks are ignored."""
    rows = ["".join(line.split()) for line in text.strip().splitlines()]
    size = check_size(len(rows))
    if any(len(row) != size for row in rows):
        raise KatachiError(f"a diagram of {size} rows needs {size} points in each row")
    try:
        colors = [_COLORS[symbol] for row in rows for symbol in row]
    except KeyError as unknown:
        raise KatachiError(f"{unknown} in a diagram: use '.', 'X' and 'O'") from None
    return np.array(colors, np.uint8), size
