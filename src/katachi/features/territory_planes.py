# pyright: reportArgumentType=false, reportReturnType=false, reportCallIssue=false
"""Filling the planes of `territory_inputs`: a kernel over many positions."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from katachi._jit import kernel
from katachi.features import influence, propensity
from katachi.features.block_strength import ORDERS, BlockStrength, measure_blocks, new_strength
from katachi.features.influence import (
    InfluenceScratch,
    spread_one_plainly,
    spread_one_strictly,
)
from katachi.features.large_propensity import (
    Hashes,
    LargeTable,
    SquareKeys,
    new_hashes,
    read_large,
)
from katachi.features.placing import fill_placing, new_board
from katachi.features.propensity import (
    PLACES,
    Floats,
    PropensityScratch,
    PropensityTable,
    WindowTables,
    read_mean_propensity,
    read_propensity,
)
from katachi.rules.color import BLACK, EMPTY, WHITE
from katachi.rules.point import CELLS, PASS, STRIDE, Points
from katachi.rules.state import COLOR, SIZE, Words

Planes = npt.NDArray[np.float32]

KINDS = (
    "stones",
    "influence",
    "influence:strict",
    "propensity",
    "propensity:deviation",
    "propensity:weighted",
    "propensity:windows",
    "eyes",
    "liberties",
    "weakest",
    "edge",
    "recent",
    "propensity:large",
    "nearness",
    "danger",
    "placing",
    "last",
    "nearness:last",
)
"""Every kind of input; its number is its place here."""
_STONES, _INFLUENCE, _STRICT, _PROPENSITY, _DEVIATION, _WEIGHTED, _WINDOWS = range(7)
_EYES, _LIBERTIES, _WEAKEST, _EDGE, _RECENT, _LARGE, _NEARNESS = range(7, 14)
_DANGER, _PLACING, _LAST, _LAST_NEARNESS = range(14, 18)
ENEMY_PLANES = 5
"""Of each of the two weakest enemies: black, white, none; liberties; eyes."""
_NONE_PLANE, _ENEMY_LIBERTIES, _ENEMY_EYES = 2, 3, 4
_EDGE_CAP = 1 + ORDERS


class InputPlan(NamedTuple):
    """Everything that filling the planes of one board size needs to know."""

    first: npt.NDArray[np.int64]
    """[kinds]: the first plane of each of KINDS, or -1 where it is no input."""
    planes: int
    recent: int
    """How many of the last moves have planes."""
    influence_kernel: int
    caps: Floats
    """[6]: eyes, liberties of order 1 to 4, edge."""
    windows: WindowTables
    table: PropensityTable
    squares: SquareKeys
    large: LargeTable
    views: npt.NDArray[np.int64]
    """[2]: the first colour whose influence and placing is filled in, and the one after the last:
    Black is 0. Others may fill in the rest."""


class InputScratch(NamedTuple):
    """Memory for one position."""

    strength: BlockStrength
    influence: InfluenceScratch
    propensity: PropensityScratch
    hashes: Hashes
    large: Floats
    """[CELLS]: propensity of large squares."""
    board: Words
    """[WORDS]: a copy of the position."""


def new_scratch() -> InputScratch:
    """Memory for any board size and inputs."""
    return InputScratch(
        new_strength(),
        influence.new_scratch(),
        propensity.new_scratch(),
        new_hashes(),
        np.zeros(CELLS, np.float32),
        new_board(),
    )


@kernel
def _fill_stones(board: Words, first: int, out: Planes) -> None:
    size = np.int64(board[SIZE])
    for row in range(size):
        for col in range(size):
            color = np.int64(board[COLOR + (row + 1) * STRIDE + col + 1])
            out[first, row, col] = np.float32(color == BLACK)
            out[first + 1, row, col] = np.float32(color == WHITE)
            out[first + 2, row, col] = np.float32(color == EMPTY)


@kernel
def _fill_influence(scratch: InfluenceScratch, plan: InputPlan, first: int, out: Planes) -> None:
    """Writes x / (1 + x) of the colours of a plan."""
    size = out.shape[1]
    for view in range(plan.views[0], plan.views[1]):
        for row in range(size):
            for col in range(size):
                value = scratch.sums[view, (row + 1) * STRIDE + col + 1]
                out[first + view, row, col] = value / (np.float32(1) + value)


@kernel
def _fill_from_cells(cells: Floats, plane: int, out: Planes) -> None:
    size = out.shape[1]
    for row in range(size):
        for col in range(size):
            out[plane, row, col] = cells[(row + 1) * STRIDE + col + 1]


@kernel
def _fill_propensity(
    board: Words, plan: InputPlan, scratch: PropensityScratch, out: Planes
) -> None:
    first = plan.first
    if max(max(first[_DEVIATION], first[_WEIGHTED]), first[_WINDOWS]) >= 0:
        read_propensity(board, plan.windows, plan.table, scratch)
    elif first[_PROPENSITY] >= 0:
        read_mean_propensity(board, plan.windows, plan.table, scratch)
    if first[_PROPENSITY] >= 0:
        _fill_from_cells(scratch.mean, first[_PROPENSITY], out)
    if first[_DEVIATION] >= 0:
        _fill_from_cells(scratch.deviation, first[_DEVIATION], out)
    if first[_WEIGHTED] >= 0:
        _fill_from_cells(scratch.weighted, first[_WEIGHTED], out)
    if first[_WINDOWS] >= 0:
        for place in range(PLACES):
            _fill_from_cells(scratch.windows[place], first[_WINDOWS] + place, out)


@kernel
def _fill_block_number(
    strength: BlockStrength, numbers: Words, caps: Floats, cap: int, plane: int, out: Planes
) -> None:
    """Writes a number of each stone's block, in parts of its cap."""
    size = out.shape[1]
    for row in range(size):
        for col in range(size):
            block = strength.number[(row + 1) * STRIDE + col + 1]
            value = np.float32(0)
            if block != 0:
                value = min(np.float32(numbers[block]), caps[cap]) / caps[cap]
            out[plane, row, col] = value


@kernel
def _fill_weakest(
    strength: BlockStrength, which: int, caps: Floats, first: int, out: Planes
) -> None:
    """Writes the weakest (0) or second weakest (1) enemy of each stone's block."""
    size = out.shape[1]
    for row in range(size):
        for col in range(size):
            for plane in range(ENEMY_PLANES):
                out[first + plane, row, col] = np.float32(0)
            block = strength.number[(row + 1) * STRIDE + col + 1]
            if block == 0:
                continue
            enemy = strength.weakest[block, which]
            if enemy == 0:
                out[first + _NONE_PLANE, row, col] = np.float32(1)
            else:
                color = np.int64(strength.color[enemy])
                out[first + color - BLACK, row, col] = np.float32(1)
                liberties = np.float32(strength.liberties[0, enemy])
                out[first + _ENEMY_LIBERTIES, row, col] = min(liberties, caps[1]) / caps[1]
                eyes = np.float32(strength.eyes[enemy])
                out[first + _ENEMY_EYES, row, col] = min(eyes, caps[0]) / caps[0]


@kernel
def _fill_danger(strength: BlockStrength, first: int, out: Planes) -> None:
    """Writes one part in the number of liberties, of black and of white stones."""
    size = out.shape[1]
    for row in range(size):
        for col in range(size):
            out[first, row, col] = np.float32(0)
            out[first + 1, row, col] = np.float32(0)
            block = strength.number[(row + 1) * STRIDE + col + 1]
            if block != 0:
                plane = first + np.int64(strength.color[block]) - BLACK
                liberties = max(np.int64(strength.liberties[0, block]), 1)
                out[plane, row, col] = np.float32(1) / np.float32(liberties)


@kernel
def _fill_strength(plan: InputPlan, strength: BlockStrength, out: Planes) -> None:
    first = plan.first
    if first[_EYES] >= 0:
        _fill_block_number(strength, strength.eyes, plan.caps, 0, first[_EYES], out)
    if first[_LIBERTIES] >= 0:
        for order in range(ORDERS):
            counts, plane = strength.liberties[order], first[_LIBERTIES] + order
            _fill_block_number(strength, counts, plan.caps, 1 + order, plane, out)
    if first[_DANGER] >= 0:
        _fill_danger(strength, first[_DANGER], out)
    if first[_WEAKEST] >= 0:
        for which in range(2):
            plane = first[_WEAKEST] + which * ENEMY_PLANES
            _fill_weakest(strength, which, plan.caps, plane, out)


@kernel
def _fill_edge(plan: InputPlan, out: Planes) -> None:
    size = out.shape[1]
    cap = plan.caps[_EDGE_CAP]
    for row in range(size):
        for col in range(size):
            line = min(min(row, col), min(size - 1 - row, size - 1 - col)) + 1
            out[plan.first[_EDGE], row, col] = min(np.float32(line), cap) / cap


@kernel
def _fill_recent(recent: Points, plan: InputPlan, out: Planes) -> None:
    first = plan.first[_RECENT]
    out[first : first + plan.recent] = np.float32(0)
    for age in range(min(plan.recent, len(recent))):
        point = np.int64(recent[age])
        if point != PASS:
            out[first + age, point // STRIDE - 1, point % STRIDE - 1] = np.float32(1)


@kernel
def _fill_last(recent: Points, plane: int, out: Planes) -> None:
    """Where the last move was."""
    point = np.int64(recent[0]) if len(recent) > 0 else np.int64(PASS)
    for row in range(out.shape[1]):
        for col in range(out.shape[2]):
            is_there = point != PASS and point == (row + 1) * STRIDE + col + 1
            out[plane, row, col] = np.float32(is_there)


@kernel
def _fill_nearness(recent: Points, age: int, near: Floats) -> None:
    """How near each point is to the move `age` moves before the last: 1 there, halved every two
    steps; a step aslant counts three halves of one along a line."""
    point = np.int64(recent[age]) if len(recent) > age else np.int64(PASS)
    for row in range(near.shape[0]):
        for col in range(near.shape[1]):
            down, across = abs(row - point // STRIDE + 1), abs(col - point % STRIDE + 1)
            distance = down + across + max(down, across)
            near[row, col] = np.float32(0) if point == PASS else np.float32(0.5 ** (distance / 4))


@kernel
def _fill_moves(recent: Points, plan: InputPlan, out: Planes) -> None:
    first = plan.first
    if first[_RECENT] >= 0:
        _fill_recent(recent, plan, out)
    if first[_NEARNESS] >= 0:
        _fill_nearness(recent, 1, out[first[_NEARNESS]])
    if first[_LAST_NEARNESS] >= 0:
        _fill_nearness(recent, 0, out[first[_LAST_NEARNESS]])
    if first[_LAST] >= 0:
        _fill_last(recent, first[_LAST], out)


@kernel
def fill_position(
    board: Words, recent: Points, plan: InputPlan, scratch: InputScratch, out: Planes
) -> None:
    """Writes the inputs of one position [WORDS] as `fill_planes` does."""
    first = plan.first
    if first[_STONES] >= 0:
        _fill_stones(board, first[_STONES], out)
    needed = max(max(first[_EYES], first[_LIBERTIES]), max(first[_WEAKEST], first[_STRICT]))
    if max(needed, first[_DANGER]) >= 0:
        measure_blocks(board, scratch.strength)
        _fill_strength(plan, scratch.strength, out)
    if first[_INFLUENCE] >= 0:
        for view in range(plan.views[0], plan.views[1]):
            spread_one_plainly(board, view, plan.influence_kernel, scratch.influence)
        _fill_influence(scratch.influence, plan, first[_INFLUENCE], out)
    if first[_STRICT] >= 0:
        for view in range(plan.views[0], plan.views[1]):
            spread_one_strictly(
                board, view, plan.influence_kernel, scratch.strength, scratch.influence
            )
        _fill_influence(scratch.influence, plan, first[_STRICT], out)
    _fill_propensity(board, plan, scratch.propensity, out)
    if first[_LARGE] >= 0:
        read_large(board, plan.squares, plan.large, scratch.hashes, scratch.large)
        _fill_from_cells(scratch.large, first[_LARGE], out)
    if first[_EDGE] >= 0:
        _fill_edge(plan, out)
    _fill_moves(recent, plan, out)
    if first[_PLACING] >= 0:
        fill_placing(board, scratch.board, plan.views, first[_PLACING], out)


@kernel
def fill_planes(
    words: Words, recent: Points, plan: InputPlan, scratch: InputScratch, out: Planes
) -> None:
    """Writes the inputs of B positions [B, WORDS] of the plan's board size into `out`, float32
    [B, planes, size, size]; every number of it is written.

    `recent` [B, R]: where the last moves of each position were, the newest first; PASS for a pass
    and for what came before the first move. R may be smaller than the plan asks for, or 0.
    """
    for index in range(len(words)):
        fill_position(words[index], recent[index], plan, scratch, out[index])
