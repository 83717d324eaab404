"""Go the slow, obvious way: stones in a dict, blocks and liberties by flood fill, history in lists.

Nothing here shares code with `katachi.rules`. A spot is (row, column) from the top left.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache

Spot = tuple[int, int]
Stones = dict[Spot, int]
Position = frozenset[tuple[Spot, int]]

BLACK, WHITE = 1, 2
SIMPLE, POSITIONAL, SITUATIONAL = "SIMPLE", "POSITIONAL", "SITUATIONAL"


@cache
def spots_of(size: int) -> tuple[Spot, ...]:
    """All spots of a board, row by row from the top left."""
    return tuple((row, col) for row in range(size) for col in range(size))


@cache
def neighbors_of(spot: Spot, size: int) -> tuple[Spot, ...]:
    """The two to four spots beside this one (none on a board of one point)."""
    row, col = spot
    around = ((row - 1, col), (row, col - 1), (row, col + 1), (row + 1, col))
    return tuple(s for s in around if 0 <= s[0] < size and 0 <= s[1] < size)


@cache
def diagonals_of(spot: Spot, size: int) -> tuple[Spot, ...]:
    """The one to four spots that touch this one at a corner."""
    row, col = spot
    around = ((row - 1, col - 1), (row - 1, col + 1), (row + 1, col - 1), (row + 1, col + 1))
    return tuple(s for s in around if 0 <= s[0] < size and 0 <= s[1] < size)


def region_of(stones: Stones, size: int, start: Spot) -> set[Spot]:
    """The spots of one colour (or empty) connected with `start`."""
    color = stones.get(start)
    region = {start}
    waiting = [start]
    while waiting:
        for spot in neighbors_of(waiting.pop(), size):
            if spot not in region and stones.get(spot) == color:
                region.add(spot)
                waiting.append(spot)
    return region


def border_of(region: Iterable[Spot], size: int) -> set[Spot]:
    """The spots beside a region."""
    inside = set(region)
    return {n for spot in inside for n in neighbors_of(spot, size)} - inside


def liberties_of(stones: Stones, size: int, block: Iterable[Spot]) -> set[Spot]:
    """The empty spots beside a block."""
    return {spot for spot in border_of(block, size) if spot not in stones}


def blocks_of(stones: Stones, size: int, color: int) -> list[set[Spot]]:
    """All blocks of a colour, in the order of their first stones."""
    blocks: list[set[Spot]] = []
    for spot in spots_of(size):
        if stones.get(spot) == color and not any(spot in block for block in blocks):
            blocks.append(region_of(stones, size, spot))
    return blocks


def is_position_legal(stones: Stones, size: int) -> bool:
    """Whether every block has a liberty."""
    blocks = blocks_of(stones, size, BLACK) + blocks_of(stones, size, WHITE)
    return all(liberties_of(stones, size, block) for block in blocks)


def is_eye(stones: Stones, size: int, spot: Spot, color: int) -> bool:
    """Empty, own stones on all sides, and fewer than two enemies on the diagonals; none at the
    edge."""
    if spot in stones or any(stones.get(n) != color for n in neighbors_of(spot, size)):
        return False
    is_interior = len(neighbors_of(spot, size)) == 4
    enemies = sum(stones.get(d) == 3 - color for d in diagonals_of(spot, size))
    return enemies < (2 if is_interior else 1)


def owners_of(stones: Stones, size: int) -> dict[Spot, int]:
    """Owner of each spot by area, 0 for neutral: all stones alive."""
    owners: dict[Spot, int] = dict(stones)
    for spot in spots_of(size):
        if spot not in owners:
            region = region_of(stones, size, spot)
            colors = {stones[s] for s in border_of(region, size)}
            owner = colors.pop() if len(colors) == 1 else 0
            owners.update(dict.fromkeys(region, owner))
    return owners


def area_difference(stones: Stones, size: int) -> int:
    """Black's area minus White's."""
    owners = list(owners_of(stones, size).values())
    return owners.count(BLACK) - owners.count(WHITE)


@dataclass
class Outcome:
    """What playing on a spot leads to, whether allowed or not."""

    stones: Stones
    captured: list[set[Spot]]
    suicide: set[Spot]


def play_stone(stones: Stones, size: int, spot: Spot, color: int) -> Outcome:
    """Places a stone, lifts enemy blocks without liberties, then its own block if it has none."""
    after = dict(stones)
    after[spot] = color
    captured: list[set[Spot]] = []
    for neighbor in neighbors_of(spot, size):
        if after.get(neighbor) == 3 - color:
            block = region_of(after, size, neighbor)
            if not liberties_of(after, size, block):
                captured.append(block)
                for stone in block:
                    del after[stone]
    own = region_of(after, size, spot)
    if liberties_of(after, size, own):
        own = set()
    for stone in own:
        del after[stone]
    return Outcome(after, captured, own)


@dataclass
class OracleGame:
    """A game under one ko rule (by name), with or without suicide.

    The player to move in a situation is the opponent of whoever moved last, Black at the start.
    """

    size: int
    ko: str = POSITIONAL
    suicide: bool = False
    stones: Stones = field(default_factory=dict)
    moves: list[tuple[int, Spot | None]] = field(default_factory=list)
    lost: dict[int, int] = field(default_factory=lambda: {BLACK: 0, WHITE: 0})

    def __post_init__(self) -> None:
        self.last_captured: list[set[Spot]] = []
        self.history: list[Position] = [frozenset(self.stones.items())]
        self.positions: set[Position] = {self.history[0]}
        self.situations: set[tuple[Position, int]] = {(self.history[0], BLACK)}

    @property
    def is_over(self) -> bool:
        """Whether the last two moves were passes."""
        return len(self.moves) >= 2 and all(spot is None for _, spot in self.moves[-2:])

    def verdict(self, color: int, spot: Spot | None) -> str:
        """The word "legal", or the word for the first rule that the move breaks."""
        if spot is None:
            return "legal"
        if spot in self.stones:
            return "occupied"
        return self._verdict_on(color, play_stone(self.stones, self.size, spot, color))

    def _verdict_on(self, color: int, outcome: Outcome) -> str:
        if outcome.suicide and not self.suicide:
            return "suicide"
        if len(outcome.suicide) == 1 and self.ko == SIMPLE:
            return "suicide"
        position = frozenset(outcome.stones.items())
        if self._is_retake(outcome, position):
            return "ko"
        if self.ko == POSITIONAL and position in self.positions:
            return "superko"
        if self.ko == SITUATIONAL and (position, 3 - color) in self.situations:
            return "superko"
        return "legal"

    def _is_retake(self, outcome: Outcome, position: Position) -> bool:
        """Whether a stone takes back the stone that has just taken a single one: the simple ko,
        forbidden under every rule."""
        return (
            [len(block) for block in self.last_captured] == [1]
            and [len(block) for block in outcome.captured] == [1]
            and position == self.history[-2]
        )

    def legal_spots(self, color: int) -> list[Spot]:
        """Where `color` may play, row by row."""
        return [spot for spot in spots_of(self.size) if self.verdict(color, spot) == "legal"]

    def play(self, color: int, spot: Spot | None) -> Outcome:
        """Plays a move or pass, legal or not."""
        outcome = Outcome(self.stones, [], set())
        if spot is not None:
            outcome = play_stone(self.stones, self.size, spot, color)
        self.stones = outcome.stones
        self.last_captured = outcome.captured
        self.lost[3 - color] += sum(len(block) for block in outcome.captured)
        self.lost[color] += len(outcome.suicide)
        self.moves.append((color, spot))
        self.history.append(frozenset(self.stones.items()))
        self.positions.add(self.history[-1])
        self.situations.add((self.history[-1], 3 - color))
        return outcome
