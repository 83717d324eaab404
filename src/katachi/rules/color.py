"""The four things a cell of the padded board can hold."""

EMPTY = 0
BLACK = 1
WHITE = 2
EDGE = 3

COLOR_NAMES = {BLACK: "black", WHITE: "white"}


def opponent(color: int) -> int:
    """The other player's colour."""
    return 3 - color
