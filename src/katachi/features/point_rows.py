# pyright: reportArgumentType=false, reportReturnType=false, reportCallIssue=false
"""Sets of points as rows of bits, with room around the board.

Row r of the padded board (1 is the top row) is word r + MARGIN of a set, and bit c is column c. A
set can then be grown by a step, or looked at around a point, without asking where the board ends:
what lies outside is masked away or was never set.
"""

import numpy as np
import numpy.typing as npt

from katachi._jit import inlined, kernel
from katachi.rules.point import STRIDE
from katachi.rules.size import MAX_SIZE
from katachi.rules.state import COLOR, SIZE, Words

MARGIN = 6
"""Rows above the padded board: as far as anything here reaches."""
ROWS = MAX_SIZE + 15
"""Words of a set: the board, its edge, MARGIN rows above and a few more below."""

PointRows = npt.NDArray[np.uint32]


@inlined
def count_bits(row: np.uint32) -> int:
    """How many points of a row are in a set."""
    bits = np.int64(row)
    bits -= (bits >> 1) & 0x55555555
    bits = (bits & 0x33333333) + ((bits >> 2) & 0x33333333)
    bits = (bits + (bits >> 4)) & 0x0F0F0F0F
    bits += bits >> 8
    return (bits + (bits >> 16)) & 63


@inlined
def add_point(rows: PointRows, start: int, point: int) -> None:
    """Puts a point into the set that begins at `start`."""
    rows[start + MARGIN + (point >> 5)] |= np.uint32(1 << (point & (STRIDE - 1)))


@kernel
def read_color(board: Words, color: int, rows: PointRows, start: int) -> None:
    """Writes the points that hold a colour (or are EMPTY) as the set that begins at `start`."""
    size = np.int64(board[SIZE])
    for word in range(ROWS):
        rows[start + word] = np.uint32(0)
    for row in range(1, size + 1):
        bits = np.int64(0)
        for col in range(1, size + 1):
            bits |= np.int64(board[COLOR + row * STRIDE + col] == color) << col
        rows[start + MARGIN + row] = np.uint32(bits)
