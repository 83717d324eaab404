"""Coloured points as 16-bit codes, and ragged lists of them.

A code is `color * COLOR_UNIT + point`: a move or a setup stone. A pass is a code too: the point
PASS with the colour of the player who passed.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from katachi.rules.color import BLACK, WHITE
from katachi.rules.point import CELLS, Points

COLOR_UNIT = 1024

Codes = npt.NDArray[np.uint16]
Colors = npt.NDArray[np.uint8]
Starts = npt.NDArray[np.int64]
Rows = npt.NDArray[np.int64]


def codes_from_moves(points: Points, colors: Colors) -> Codes:
    """[N] codes of coloured points."""
    return colors.astype(np.uint16) * np.uint16(COLOR_UNIT) + points


def points_from_codes(codes: Codes) -> Points:
    """[N] the points of the codes."""
    return codes % np.uint16(COLOR_UNIT)


def colors_from_codes(codes: Codes) -> Colors:
    """[N] the colours of the codes."""
    return (codes // np.uint16(COLOR_UNIT)).astype(np.uint8)


def are_codes(values: npt.NDArray[Any]) -> bool:
    """Whether all of an array's words are coloured points."""
    if values.dtype != np.uint16 or len(values) == 0:
        return len(values) == 0
    points = values & np.uint16(COLOR_UNIT - 1)
    is_colored = values.min() >= BLACK * COLOR_UNIT and values.max() < (WHITE + 1) * COLOR_UNIT
    return bool(is_colored and points.max() < CELLS)


class Ragged(NamedTuple):
    """N lists of any lengths, one behind the other: list i is values[starts[i]:starts[i + 1]]."""

    starts: Starts
    values: npt.NDArray[Any]

    def row(self, index: int) -> npt.NDArray[Any]:
        """List `index`, as a view."""
        return self.values[self.starts[index] : self.starts[index + 1]]

    @property
    def lengths(self) -> Starts:
        """[N] the length of each list."""
        return np.diff(self.starts)

    def take(self, rows: Rows) -> "Ragged":
        """The lists at `rows`, in that order."""
        lengths = self.lengths[rows]
        starts = starts_from_lengths(lengths)
        shift = np.repeat(self.starts[rows] - starts[:-1], lengths)
        return Ragged(starts, self.values[shift + np.arange(starts[-1])])


def starts_from_lengths(lengths: npt.NDArray[np.int64]) -> Starts:
    """[N + 1] where each list begins, and the end of the last."""
    starts = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=starts[1:])
    return starts


def ragged_from_parts(parts: list[npt.NDArray[Any]], dtype: npt.DTypeLike) -> Ragged:
    """One list for each part."""
    lengths = np.fromiter((len(part) for part in parts), np.int64, len(parts))
    values = np.concatenate(parts) if parts else np.empty(0, dtype)
    return Ragged(starts_from_lengths(lengths), values.astype(dtype, copy=False))


def join_ragged(pieces: list[Ragged]) -> Ragged:
    """The lists of all pieces in order."""
    lengths = np.concatenate([piece.lengths for piece in pieces])
    return Ragged(starts_from_lengths(lengths), np.concatenate([piece.values for piece in pieces]))
