"""One position as an object: what stands where, without history."""

from typing import Self

import numpy as np

from katachi.errors import KatachiError
from katachi.rules.color import BLACK, EDGE, EMPTY, WHITE
from katachi.rules.diagram import Colors, colors_from_diagram, diagram_from_colors
from katachi.rules.kernels import place_stones
from katachi.rules.legality import count_liberties, is_eye
from katachi.rules.point import CELLS, points_of, vertex_from_point
from katachi.rules.state import (
    BLOCK,
    CAPTURED,
    COLOR,
    NEXT,
    SIZE,
    Words,
    colors_of,
    empty_words,
)
from katachi.rules.zobrist import HASH_KEYS


class Board:
    """A position to look at. Built from words, colours or a diagram; it never changes."""

    def __init__(self, words: Words) -> None:
        """A view of one game's words [WORDS]."""
        self.words = words
        self.size = int(words[SIZE])

    @classmethod
    def from_colors(cls, colors: Colors, size: int) -> Self:
        """The position with these colours, row by row; raises KatachiError for other than EMPTY,
        BLACK or WHITE on each point, and where a block has no liberties, for no game leads
        there."""
        words = empty_words(size)
        if np.shape(colors) != (size * size,) or not np.isin(colors, (EMPTY, BLACK, WHITE)).all():
            raise KatachiError(f"a {size}x{size} board needs {size * size} colours, each 0, 1 or 2")
        points = points_of(size)
        occupied = np.flatnonzero(colors)
        place_stones(words, points[occupied], np.asarray(colors, np.uint16)[occupied])
        board = cls(words)
        stays = board.colors == colors
        if not stays.all() or words[CAPTURED + BLACK] or words[CAPTURED + WHITE]:
            point = int(points[np.argmin(stays)])
            raise KatachiError(f"the block at {vertex_from_point(point, size)} has no liberties")
        return board

    @classmethod
    def from_diagram(cls, text: str) -> Self:
        """The position a diagram shows ('.' empty, 'X' Black, 'O' White)."""
        return cls.from_colors(*colors_from_diagram(text))

    @property
    def colors(self) -> Colors:
        """Colours row by row from the top left, [size * size]."""
        return colors_of(self.words)

    @property
    def hash(self) -> int:
        """Hash of the stones, with Black to move."""
        stones = [HASH_KEYS[c, self.points_of_color(c)] for c in (BLACK, WHITE)]
        return int(np.bitwise_xor.reduce(np.concatenate(stones), initial=np.uint64(0)))

    def __str__(self) -> str:
        """The position as a diagram with coordinates."""
        return diagram_from_colors(self.colors, self.size)

    def color_at(self, point: int) -> int:
        """EMPTY, BLACK, WHITE, or EDGE off the board."""
        return int(self.words[COLOR + point]) if 0 <= point < CELLS else EDGE

    def points_of_color(self, color: int) -> list[int]:
        """All points that hold this colour (or are EMPTY), row by row."""
        points = points_of(self.size)
        return [int(p) for p in points[self.colors == color]]

    def block_at(self, point: int) -> list[int]:
        """The stones connected with the one at `point`, in board order; empty if there is none."""
        if self.color_at(point) not in (BLACK, WHITE):
            return []
        stones = [point]
        while (following := int(self.words[NEXT + stones[-1]])) != point:
            stones.append(following)
        return sorted(stones)

    def blocks(self, color: int) -> list[list[int]]:
        """All blocks of a colour, each in board order."""
        roots = {int(self.words[BLOCK + p]) for p in self.points_of_color(color)}
        return sorted(self.block_at(root) for root in roots)

    def liberties_at(self, point: int) -> int:
        """Exact number of liberties of the block at `point`; 0 where no stone stands."""
        if self.color_at(point) not in (BLACK, WHITE):
            return 0
        return int(count_liberties(self.words, point))

    def is_eye(self, point: int, color: int) -> bool:
        """Whether `point` is a simple eye of `color`."""
        return self.color_at(point) == EMPTY and bool(is_eye(self.words, point, color))
