"""Codes of windows, slow and plain: the states of a window's spots, read as a number of base 3."""

from tests.oracle.go import Stones
from tests.oracle.shapes import shape_in


def obvious_codes(stones: Stones, size: int, side: int, own: int) -> list[int]:
    """The code of every window, row by row from the top left, as a colour sees it."""
    codes = []
    for row in range(size - side + 1):
        for col in range(size - side + 1):
            spots = [(row + i, col + j) for i in range(side) for j in range(side)]
            states = dict(shape_in(stones, spots, own))
            digits = "".join(str(states[spot]) for spot in reversed(spots))
            codes.append(int(digits, 3))
    return codes
