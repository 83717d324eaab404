"""The scores of the simple players, the obvious way."""

import math
from fractions import Fraction

from tests.oracle.go import (
    BLACK,
    WHITE,
    Spot,
    Stones,
    blocks_of,
    border_of,
    is_eye,
    liberties_of,
    neighbors_of,
    play_stone,
    spots_of,
)

DILATIONS = 7
EROSIONS = 3


def ten_mean_liberties(stones: Stones, size: int, color: int) -> int:
    """The integer part of ten times the mean number of liberties of a block; 0 without blocks."""
    counts = [len(liberties_of(stones, size, b)) for b in blocks_of(stones, size, color)]
    return math.floor(Fraction(10 * sum(counts), len(counts))) if counts else 0


def average_liberties_score(stones: Stones, size: int) -> int:
    """Black's side of the average liberty player's score."""
    black = ten_mean_liberties(stones, size, BLACK)
    return black - ten_mean_liberties(stones, size, WHITE)


def surplus_liberties(stones: Stones, size: int, color: int) -> int:
    """Liberties over two, summed over blocks; a block with one has a surplus of minus one."""
    return sum(len(liberties_of(stones, size, b)) - 2 for b in blocks_of(stones, size, color))


def dilate(black: set[Spot], white: set[Spot], size: int) -> tuple[set[Spot], set[Spot]]:
    """Each region takes what lies beside it, but not what the other holds or also reaches."""
    beside_black = border_of(black, size) - white
    beside_white = border_of(white, size) - black
    return black | (beside_black - beside_white), white | (beside_white - beside_black)


def erode(region: set[Spot], stones: Stones, size: int) -> set[Spot]:
    """Drops the empty spots that lie beside something outside the region."""
    return {
        spot
        for spot in region
        if spot in stones or all(n in region for n in neighbors_of(spot, size))
    }


def regions(
    stones: Stones, size: int, dilations: int, erosions: int
) -> tuple[set[Spot], set[Spot]]:
    """The regions of Black and White."""
    black = {spot for spot, color in stones.items() if color == BLACK}
    white = {spot for spot, color in stones.items() if color == WHITE}
    for _ in range(dilations):
        black, white = dilate(black, white, size)
    for _ in range(erosions):
        black, white = erode(black, stones, size), erode(white, stones, size)
    return black, white


def influence_score(stones: Stones, size: int) -> int:
    """Black's side of the influence player's score."""
    black, white = regions(stones, size, DILATIONS, EROSIONS)
    surplus = surplus_liberties(stones, size, BLACK) - surplus_liberties(stones, size, WHITE)
    return surplus + len(black) - len(white)


def best_average_liberties_spots(
    stones: Stones, size: int, color: int, legal: list[Spot]
) -> list[Spot]:
    """The moves that the average liberty player draws from, row by row: of the legal ones that
    fill no own eye, those of the best score; none when it passes."""
    sensible = [s for s in legal if not is_eye(stones, size, s, color)]
    sign = 1 if color == BLACK else -1
    scores = {
        s: sign * average_liberties_score(play_stone(stones, size, s, color).stones, size)
        for s in sensible
    }
    return [s for s in spots_of(size) if s in scores and scores[s] == max(scores.values())]
