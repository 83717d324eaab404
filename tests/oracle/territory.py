"""What a territory net sees, the obvious way: dicts of spots and walks over them."""

import math
from collections import defaultdict
from collections.abc import Callable, Iterable

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
    region_of,
    spots_of,
)

Field = dict[Spot, float]
Window = tuple[int, ...]
"""Nine contents, row by row."""
Sides = tuple[int, int, int, int]
"""How far the top, left, bottom and right edges are that count as near; FAR otherwise."""
Spell = tuple[Sides, Window, Window]
"""Where a pattern was, what it was, and who holds its points at the end (+1, -1, 0)."""

FAR = 3
REACH = 6
KERNELS = ("distance", "paths", "eight")


def liberty_orders(stones: Stones, size: int, block: set[Spot]) -> list[int]:
    """How many liberties of order 1 to 4 a block has."""
    waves = [set(block)]
    while len(waves) < 5:
        beside = {n for spot in waves[-1] for n in neighbors_of(spot, size)}
        waves.append({s for s in beside if s not in stones} - set().union(*waves))
    return [len(wave) for wave in waves[1:]]


def count_true_eyes(stones: Stones, size: int, block: set[Spot]) -> int:
    """Simple eyes of the block's colour beside it."""
    color = stones[min(block)]
    return sum(is_eye(stones, size, spot, color) for spot in liberties_of(stones, size, block))


def strength_of(stones: Stones, size: int, block: set[Spot]) -> tuple[int, int, int]:
    """Eyes, liberties, stones."""
    liberties = len(liberties_of(stones, size, block))
    return count_true_eyes(stones, size, block), liberties, len(block)


def weakest_enemies(stones: Stones, size: int, block: set[Spot]) -> list[set[Spot]]:
    """The enemy blocks beside a block, the weakest first."""
    enemies = {
        frozenset(region_of(stones, size, spot)) for spot in border_of(block, size) & set(stones)
    }
    return sorted((set(each) for each in enemies), key=lambda e: strength_of(stones, size, e))


def all_blocks(stones: Stones, size: int) -> list[set[Spot]]:
    """The blocks of both colours."""
    return blocks_of(stones, size, BLACK) + blocks_of(stones, size, WHITE)


def open_spots(stones: Stones, size: int, block: set[Spot], *, is_strict: bool) -> set[Spot]:
    """Where the influence of a block goes."""
    color = stones[min(block)]
    own = strength_of(stones, size, block)[:2]
    closed: set[Spot] = set()
    for enemy in blocks_of(stones, size, 3 - color):
        if not is_strict or strength_of(stones, size, enemy)[:2] > own:
            closed |= enemy
    return set(spots_of(size)) - closed


def spread_distance(start: Spot, free: set[Spot], size: int) -> Field:
    """2^-d along the shortest way of d steps, up to REACH."""
    values, wave = {start: 1.0}, {start}
    for step in range(1, REACH + 1):
        wave = {n for s in wave for n in neighbors_of(s, size) if n in free and n not in values}
        values.update(dict.fromkeys(wave, 2.0**-step))
    return values


def spread_paths(start: Spot, free: set[Spot], size: int) -> Field:
    """2^-d over all walks of d steps, in units of what a lone stone gives its own point."""
    values: Field = defaultdict(float)
    wave: Field = {start: 1.0}
    for _ in range(REACH + 1):
        following: Field = defaultdict(float)
        for spot, value in wave.items():
            values[spot] += value / 10.5
            for neighbor in neighbors_of(spot, size):
                if neighbor in free:
                    following[neighbor] += value / 2
        wave = following
    return values


def spread_eight(start: Spot, free: set[Spot], size: int) -> Field:
    """To a third at each step away from the stone (a sixth diagonally) times the squared cosine
    of the bend; a diagonal step is closed between two closed points."""
    steps = [(i, j) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i, j) != (0, 0)]
    within = [s for s in free if max(abs(s[0] - start[0]), abs(s[1] - start[1])) <= REACH]
    values: Field = defaultdict(float)
    values[start] = 1.0
    for spot in sorted(within, key=lambda s: math.dist(s, start)):
        for i, j in steps:
            to = (spot[0] + i, spot[1] + j)
            is_away = math.dist(to, start) > math.dist(spot, start)
            gaps = [(spot[0] + i, spot[1]), (spot[0], spot[1] + j)]
            is_open = i == 0 or j == 0 or any(gap in free for gap in gaps)
            if to in within and is_away and is_open:
                along = (spot[0] - start[0]) * i + (spot[1] - start[1]) * j
                length = math.dist(spot, start) * math.hypot(i, j)
                bend = max(along / length, 0) ** 2 if length else 1.0
                values[to] += values[spot] * bend / (6 if i and j else 3)
    return values


SPREADS: dict[str, Callable[[Spot, set[Spot], int], Field]] = {
    "distance": spread_distance,
    "paths": spread_paths,
    "eight": spread_eight,
}


def influence_of(stones: Stones, size: int, color: int, kernel: str, *, is_strict: bool) -> Field:
    """What the stones of a colour give to every spot."""
    total: Field = dict.fromkeys(spots_of(size), 0.0)
    for block in blocks_of(stones, size, color):
        free = open_spots(stones, size, block, is_strict=is_strict)
        for stone in block:
            for spot, value in SPREADS[kernel](stone, free, size).items():
                total[spot] += value
    return total


def window_at(contents: dict[Spot, int], corner: Spot) -> Window:
    """The contents of a 3x3 window."""
    return tuple(
        contents.get((corner[0] + i, corner[1] + j), 0) for i in range(3) for j in range(3)
    )


def axis_sides(at: int, size: int) -> list[tuple[int, int]]:
    """(first side, last side) of a window along an axis: only the nearer counts, and only if near;
    in the middle either may."""
    first, last = at, size - 3 - at
    if min(first, last) >= FAR:
        return [(FAR, FAR)]
    ways = []
    if first <= last:
        ways.append((first, FAR))
    if last <= first:
        ways.append((FAR, last))
    return ways


def sides_of(corner: Spot, size: int) -> list[Sides]:
    """Where a window lies; several ways in the middle of a small board."""
    return [
        (top, left, bottom, right)
        for top, bottom in axis_sides(corner[0], size)
        for left, right in axis_sides(corner[1], size)
    ]


def turn_window(window: Window) -> Window:
    """A quarter turn clockwise."""
    return tuple(window[3 * (2 - j) + i] for i in range(3) for j in range(3))


def mirror_window(window: Window) -> Window:
    """Left and right exchanged."""
    return tuple(window[3 * i + 2 - j] for i in range(3) for j in range(3))


def images_of(sides: Sides, *windows: Window) -> list[tuple[Sides, tuple[Window, ...]]]:
    """The eight images of a place and windows there."""
    images = []
    for _ in range(2):
        for _ in range(4):
            images.append((sides, windows))
            top, left, bottom, right = sides
            sides, windows = (left, bottom, right, top), tuple(map(turn_window, windows))
        top, left, bottom, right = sides
        sides, windows = (top, right, bottom, left), tuple(map(mirror_window, windows))
    return images


def swap_colors(window: Window) -> Window:
    """Black and White exchanged."""
    return tuple((0, WHITE, BLACK)[each] for each in window)


def spells_of(
    positions: list[Stones], size: int, final: dict[Spot, int], *, is_every_position: bool
) -> list[tuple[float, Spell]]:
    """Every pattern of a game, with its weight."""
    found = []
    for corner in ((i, j) for i in range(size - 2) for j in range(size - 2)):
        shown = [window_at(stones, corner) for stones in positions]
        ways = sides_of(corner, size)
        for before, now in zip([None, *shown], shown, strict=False):
            if is_every_position or before != now:
                end = window_at(final, corner)
                found += [(1 / len(ways), (sides, now, end)) for sides in ways]
    return found


class OraclePropensity:
    """Counts in a dict by place and pattern."""

    def __init__(self, spells: Iterable[tuple[float, Spell]]) -> None:
        self.held: dict[tuple[Sides, Window], list[list[float]]] = defaultdict(
            lambda: [[0.0] * 9, [0.0] * 9]
        )
        self.met: dict[tuple[Sides, Window], float] = defaultdict(float)
        for weight, spell in spells:
            self._add(weight, *spell)

    def _add(self, weight: float, sides: Sides, window: Window, end: Window) -> None:
        images = [(s, w, e) for s, (w, e) in images_of(sides, window, end)]
        images += [(s, swap_colors(w), tuple(-x for x in e)) for s, w, e in images]
        share = weight / sum((s, w) == (sides, window) for s, w, _ in images)
        for place, seen, ends in images:
            black, white = self.held[place, seen]
            self.met[place, seen] += share
            for index, held in enumerate(ends):
                black[index] += share * (held > 0)
                white[index] += share * (held < 0)

    def score(self, sides: Sides, window: Window, prior: float) -> list[float]:
        """(NB - NW) / (NB + NW + C) of each of the nine."""
        black, white = self.held.get((sides, window), [[0.0] * 9, [0.0] * 9])
        return [(b - w) / (b + w + prior) for b, w in zip(black, white, strict=True)]

    def windows(
        self, stones: Stones, size: int, prior: float, doubt: float
    ) -> dict[Spot, dict[int, tuple[float, float]]]:
        """For each spot and its place in a window: (score, trust)."""
        found: dict[Spot, dict[int, tuple[float, float]]] = {spot: {} for spot in spots_of(size)}
        for corner in ((i, j) for i in range(size - 2) for j in range(size - 2)):
            window, ways = window_at(stones, corner), sides_of(corner, size)
            scores = [self.score(sides, window, prior) for sides in ways]
            met = [self.met.get((sides, window), 0.0) for sides in ways]
            trust = sum(m / (m + doubt) for m in met) / len(ways)
            for place in range(9):
                spot = (corner[0] + place // 3, corner[1] + place % 3)
                value = sum(score[place] for score in scores) / len(ways)
                found[spot][place] = (value, trust)
        return found
