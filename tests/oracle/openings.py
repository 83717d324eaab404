"""Openings the obvious way: TD(lambda) as the paper's double sum, trees of frozen sets, and the
inputs of an opening net by walks over dicts of spots."""

import math
from collections import Counter

from tests.oracle.go import BLACK, Spot, Stones, spots_of
from tests.oracle.territory import all_blocks, count_true_eyes, influence_of, liberty_orders

Position = frozenset[tuple[Spot, int]]
Row = dict[object, float]
"""Inputs that are not zero, by what they are."""

CAPS = (10, 15, 20, 20)


def td_change(
    weights: list[float], rows: list[list[float]], z: float, lam: float, alpha: float
) -> list[float]:
    """How far each weight moves after a game: equation 3, sum by sum."""
    values = [math.tanh(sum(w * x for w, x in zip(weights, row, strict=True))) for row in rows]
    following = [*values[1:], z]
    change = [0.0] * len(weights)
    for t in range(len(rows)):
        for k in range(t + 1):
            for i in range(len(weights)):
                slope = (1 - values[k] ** 2) * rows[k][i]
                change[i] += alpha * (following[t] - values[t]) * lam ** (t - k) * slope
    return change


def turn(spot: Spot, size: int, way: int) -> Spot:
    """A spot on a board turned and mirrored in one of eight ways."""
    row, col = spot
    if way & 4:
        row, col = col, row
    return (size - 1 - row if way & 1 else row, size - 1 - col if way & 2 else col)


def images_of(stones: Stones, size: int) -> list[Position]:
    """A position in its eight ways."""
    return [
        frozenset((turn(spot, size, way), color) for spot, color in stones.items())
        for way in range(8)
    ]


def line_of(spot: Spot, size: int) -> int:
    """How far from the edge, 0 on it."""
    return min(spot[0], spot[1], size - 1 - spot[0], size - 1 - spot[1])


def place_of(spot: Spot, size: int) -> tuple[int, ...]:
    """The same for all mirror images of a spot."""
    near = sorted(min(each, size - 1 - each) for each in spot)
    return tuple(near)


def sign_of(color: int) -> int:
    """+1 for Black."""
    return 1 if color == BLACK else -1


def window_of(stones: Stones, size: int, middle: Spot) -> tuple[tuple[int, ...], int]:
    """(the 3x3 shape around a spot as everybody sees it, its sign), sign 0 for one that is its own
    opposite; 3 is beyond the edge."""

    def contents(way: int, *, is_swapped: bool) -> tuple[int, ...]:
        found = []
        for row in range(3):
            for col in range(3):
                down, right = turn((row, col), 3, way)
                spot = (middle[0] + down - 1, middle[1] + right - 1)
                color = stones.get(spot, 0) if spot in set(spots_of(size)) else 3
                found.append({1: 2, 2: 1}.get(color, color) if is_swapped else color)
        return tuple(found)

    own = min(contents(way, is_swapped=False) for way in range(8))
    other = min(contents(way, is_swapped=True) for way in range(8))
    return min(own, other), (own < other) - (other < own)


def count_shapes(stones: Stones, size: int) -> Counter[tuple[int, ...]]:
    """Signed numbers of 3x3 shapes, those of no worth left out."""
    found: Counter[tuple[int, ...]] = Counter()
    for spot in spots_of(size):
        shape, sign = window_of(stones, size, spot)
        found[shape] += sign
    return Counter({shape: count for shape, count in found.items() if count})


def count_map(stones: Stones, size: int) -> Row:
    """Stones by place."""
    found: Counter[object] = Counter()
    for spot, color in stones.items():
        found[place_of(spot, size)] += sign_of(color)
    return {key: float(value) for key, value in found.items()}


def count_pairs(stones: Stones, size: int) -> Row:
    """Pairs by distance, line of the first stone, and whether the second is an enemy."""
    found: Counter[object] = Counter()
    for one, color in stones.items():
        for other, its in stones.items():
            apart = sorted((abs(one[0] - other[0]), abs(one[1] - other[1])), reverse=True)
            if 1 <= apart[0] <= 4:
                key = (*apart, min(line_of(one, size), 4), its != color)
                found[key] += sign_of(color)
    return {key: float(value) for key, value in found.items()}


def count_blocks(stones: Stones, size: int, captured: int) -> Row:
    """Stones by liberties, liberties by line, eyes, and White's captured stones less Black's."""
    found: Counter[object] = Counter()
    for block in all_blocks(stones, size):
        orders = liberty_orders(stones, size, block)
        for spot in block:
            sign = sign_of(stones[spot])
            found["liberties", min(max(orders[0], 1), 9)] += sign
            for order, (count, cap) in enumerate(zip(orders, CAPS, strict=True)):
                share = min(count / cap, 1.0)
                found["order", order, min(line_of(spot, size), 3)] += sign * share  # type: ignore[assignment]
            found["eyes"] += sign * min(count_true_eyes(stones, size, block), 2)
    found["captured"] = captured
    return {key: float(value) for key, value in found.items()}


def count_influence(stones: Stones, size: int, *, is_strict: bool) -> Row:
    """Influence by line: on empty spots, empty spots mostly of one colour, on stones."""
    sums = [influence_of(stones, size, color, "distance", is_strict=is_strict) for color in (1, 2)]
    found: dict[object, float] = {}
    for spot in spots_of(size):
        black, white = (each.get(spot, 0.0) for each in sums)
        balance = black / (1 + black) - white / (1 + white)
        line = line_of(spot, size)
        kind = "stones" if spot in stones else "empty"
        found[kind, line] = found.get((kind, line), 0.0) + balance
        if kind == "empty" and abs(balance) > 0.3:
            found["mostly", line] = found.get(("mostly", line), 0.0) + math.copysign(1, balance)
    return found
