"""Points of the padded board, and their names.

Every board size shares one padded layout: `STRIDE` cells a row, one row or column of edge on each
side, so a neighbour is always at a constant distance. Row 0 is the top row, column 0 the left one.
"""

from functools import cache

import numpy as np
import numpy.typing as npt

from katachi.errors import KatachiError
from katachi.rules.size import MAX_SIZE

STRIDE = 32
CELLS = (MAX_SIZE + 2) * STRIDE
PASS = 0
"""The pass, as a point: cell 0 is edge on every board, so no stone can ever stand there."""

COLUMN_LETTERS = "ABCDEFGHJKLMNOPQRSTUVWXYZ"

Points = npt.NDArray[np.uint16]


def point_from_row_col(row: int, col: int) -> int:
    """The point `row` rows below the top and `col` columns right of the left edge."""
    return (row + 1) * STRIDE + col + 1


def row_col_from_point(point: int) -> tuple[int, int]:
    """(row, column) of a point, both counted from 0 at the top left."""
    return point // STRIDE - 1, point % STRIDE - 1


def is_on_board(point: int, size: int) -> bool:
    """Whether `point` is one of the size x size points (a pass is not)."""
    row, col = row_col_from_point(point)
    return 0 <= row < size and 0 <= col < size


def point_from_vertex(vertex: str, size: int) -> int:
    """The point a vertex such as "D4" or "pass" names, in either case.

    Raises KatachiError for a text that names no point of this board.
    """
    text = vertex.strip().upper() if vertex.isascii() else ""
    if text == "PASS":
        return PASS
    col = COLUMN_LETTERS.find(text[:1]) if text else -1
    number = text[1:]
    if col < 0 or not number.isdigit() or len(number) > 2:
        raise KatachiError(f"{vertex!r} is not a vertex: write a letter and a number such as D4")
    if col >= size or not 1 <= int(number) <= size:
        raise KatachiError(f"{vertex!r} is not on a {size}x{size} board")
    return point_from_row_col(size - int(number), col)


def vertex_from_point(point: int, size: int) -> str:
    """The name of a point, "D4" or "pass"."""
    if point == PASS:
        return "pass"
    row, col = row_col_from_point(point)
    return f"{COLUMN_LETTERS[col]}{size - row}"


@cache
def points_of(size: int) -> Points:
    """All points of a board, row by row from the top left, as a read-only array [size * size]."""
    rows, cols = np.divmod(np.arange(size * size), size)
    points = ((rows + 1) * STRIDE + cols + 1).astype(np.uint16)
    points.flags.writeable = False
    return points


def index_of_points(points: Points, size: int) -> npt.NDArray[np.int64]:
    """The place of each point among those of a board, row by row."""
    wide = points.astype(np.int64)
    return (wide // STRIDE - 1) * size + wide % STRIDE - 1
