"""Scoring finished games in which dead stones still stand on the board.

The rule: a block that is unconditionally alive is alive, and a stone on a point that is settled for
the other side is dead (`benson`). Of every other block it is asked who ends up owning its stones in
random continuations, half of them begun by each side: a block that keeps less than half of its
stones' points is dead. Dead stones are lifted, and area is counted on what is left. An empty region
that then touches both colours is neutral, except where one side owns the point after nearly every
continuation (`SURE`): such regions are territory with a gap in the border.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from katachi._jit import kernel
from katachi.rules.area import SCRATCH, area_owners, mark_area
from katachi.rules.benson import settled_owners
from katachi.rules.board import Board
from katachi.rules.color import BLACK, EMPTY, WHITE
from katachi.rules.point import CELLS, points_of
from katachi.rules.random_play import copy_board, play_random_moves, random_states
from katachi.rules.state import BLOCK, COLOR, SIZE, Words

PLAYOUTS = 256
SURE = 0.5
"""Mean owner, from -1 to 1, that decides an open point."""

Owners = npt.NDArray[np.uint8]
Counts = npt.NDArray[np.int32]
Chances = npt.NDArray[np.float64]
"""[size * size], -1 (White) to 1 (Black): the mean owner of each point."""


@kernel
def count_owned(
    start: Words, board: Words, scratch: Words, playouts: int, random: np.uint64, balance: Counts
) -> None:
    """Adds to balance [CELLS] +1 for each random continuation in which Black ends up owning the
    point and -1 for each in which White does."""
    size = start[SIZE]
    for playout in range(playouts):
        copy_board(start, board)
        _, random = play_random_moves(board, 1 + playout % 2, 3 * size * size, random)
        mark_area(board, scratch)
        for cell in range(CELLS):
            owner = scratch[cell] & 3
            balance[cell] += int(owner == BLACK) - int(owner == WHITE)


def playout_ownership(
    words: Words, playouts: int = PLAYOUTS, seed: int = 0
) -> npt.NDArray[np.float64]:
    """[CELLS], -1 (White) to 1 (Black): mean owner of each cell over random continuations."""
    balance = np.zeros(CELLS, np.int32)
    scratch = np.zeros(SCRATCH, np.uint16)
    random = random_states(seed, 0, 1)[0]
    count_owned(words, words.copy(), scratch, playouts, random, balance)
    return balance / max(playouts, 1)


class FinalStatus(NamedTuple):
    """A finished position, its dead stones told apart."""

    owners: Owners
    """[size * size], row by row: BLACK, WHITE, or EMPTY for a neutral point."""
    dead: list[int]
    """Points of the dead stones."""

    @property
    def balance(self) -> int:
        """Black's points minus White's."""
        return int((self.owners == BLACK).sum()) - int((self.owners == WHITE).sum())


def final_status(words: Words, playouts: int = PLAYOUTS, seed: int = 0) -> FinalStatus:
    """Who owns what at the end, by the rule of this module; `words` is not changed."""
    points = points_of(int(words[SIZE]))
    return status_by_chances(words, playout_ownership(words, playouts, seed)[points])


def status_by_chances(
    words: Words, chances: Chances, unsure: int = EMPTY, doubt: float = 0.0
) -> FinalStatus:
    """The same for any opinion of the mean owner of each point, chances [size * size].

    With a colour `unsure` of itself it is the worst reasonable reading for that colour: its blocks
    live, and the opponent's are dead, only where they are so by more than `doubt`; it owns no empty
    point that leans to the opponent, who needs to be half as sure of an open one.
    """
    size = int(words[SIZE])
    points = points_of(size).astype(np.int64)
    colors = words[COLOR + points].astype(np.uint8)
    limits = np.where(unsure == EMPTY, 0.0, np.where(colors == unsure, doubt, -doubt))
    dead = _find_dead(words, points, chances, limits)
    left = np.where(dead, EMPTY, colors).astype(np.uint8)
    owners = area_owners(Board.from_colors(left, size).words)
    _give_open_points(owners, chances, unsure)
    if unsure != EMPTY:
        sign = 1 if unsure == BLACK else -1
        owners[(left == EMPTY) & (owners == unsure) & (sign * chances < 0)] = EMPTY
    return FinalStatus(owners, [int(p) for p in points[dead]])


def _give_open_points(owners: Owners, chances: Chances, unsure: int) -> None:
    """Gives the points that touch both colours to whoever is sure enough of them."""
    needed = {color: SURE / 2 if unsure == 3 - color else SURE for color in (BLACK, WHITE)}
    is_open = owners == EMPTY
    owners[is_open & (chances >= needed[BLACK])] = BLACK
    owners[is_open & (chances <= -needed[WHITE])] = WHITE


def _find_dead(
    words: Words, points: npt.NDArray[np.int64], chances: Chances, limits: Chances
) -> npt.NDArray[np.bool_]:
    """Which of the points hold a dead stone: one of a block that keeps less of its points, from -1
    to 1, than its limit, or one that can never live."""
    colors = words[COLOR + points]
    settled = settled_owners(words)
    kept = chances * np.where(colors == BLACK, 1, -1)
    dead = (settled != EMPTY) & (settled != colors)
    roots = words[BLOCK + points]
    for root in np.unique(roots[(colors != EMPTY) & (settled == EMPTY)]):
        block = roots == root
        dead |= block & bool(kept[block].mean() < limits[block][0])
    return np.asarray(dead & (colors != EMPTY))


def dead_stones(words: Words, playouts: int = PLAYOUTS, seed: int = 0) -> list[int]:
    """The stones that are dead by the rule of this module, in board order."""
    return final_status(words, playouts, seed).dead
