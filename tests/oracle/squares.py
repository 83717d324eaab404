"""Propensity of large squares the obvious way: contents as tuples in a dict."""

import math
from collections import defaultdict

from tests.oracle.go import BLACK, WHITE, Spot, Stones, spots_of

Square = tuple[int, ...]
"""Contents row by row, 3 off the board."""


def square_at(stones: Stones, size: int, center: Spot, reach: int) -> Square:
    """The contents of a square around a spot."""
    spots = [
        (center[0] + i, center[1] + j)
        for i in range(-reach, reach + 1)
        for j in range(-reach, reach + 1)
    ]
    inside = set(spots_of(size))
    return tuple(stones.get(spot, 0) if spot in inside else 3 for spot in spots)


def square_images(square: Square) -> list[Square]:
    """The eight images of a square."""
    side = math.isqrt(len(square))
    places = [(i, j) for i in range(side) for j in range(side)]
    images = []
    for _ in range(2):
        for _ in range(4):
            images.append(square)
            square = tuple(square[side * (side - 1 - j) + i] for i, j in places)
        square = tuple(square[side * i + side - 1 - j] for i, j in places)
    return images


def keyed_square(square: Square) -> tuple[Square, int]:
    """(the smallest of all images, 1 or -1 as its colours are exchanged, 0 where both are it)."""
    plain = min(square_images(square))
    swapped = min(square_images(tuple((0, WHITE, BLACK, 3)[each] for each in square)))
    return min(plain, swapped), (plain < swapped) - (swapped < plain)


class OracleSquares:
    """Counts by square."""

    reaches = (4, 3, 2)

    def __init__(self, prior: float, fewest: int) -> None:
        self.prior = prior
        self.fewest = fewest
        self.met: dict[Square, int] = defaultdict(int)
        self.held: dict[Square, list[int]] = defaultdict(lambda: [0, 0])

    def add_game(self, positions: list[Stones], size: int, final: dict[Spot, int]) -> None:
        """Counts each square once for as long as it stays."""
        for center in spots_of(size):
            for reach in self.reaches:
                shown = [square_at(stones, size, center, reach) for stones in positions]
                for before, now in zip([None, *shown], shown, strict=False):
                    if before != now:
                        self._add(now, final.get(center, 0))

    def _add(self, square: Square, held: int) -> None:
        key, sign = keyed_square(square)
        self.met[key] += 1
        self.held[key][0] += sign * held
        self.held[key][1] += abs(held)

    def score(self, stones: Stones, size: int, center: Spot) -> float:
        """What the largest square known says of its middle."""
        for reach in self.reaches:
            key, sign = keyed_square(square_at(stones, size, center, reach))
            if self.met.get(key, 0) >= self.fewest:
                balance, total = self.held[key]
                return sign * balance / (total + self.prior)
        return 0.0
