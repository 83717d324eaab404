# pyright: reportArgumentType=false, reportReturnType=false, reportCallIssue=false
"""How far the stones of each colour make themselves felt.

Each stone spreads over the board through its own stones and empty points; what it adds to a point
depends on the way there. Wu and Baldi (2006) use two rules for the enemy's stones. **Plain**: each
of them blocks. **Strict**: one blocks only if its block is stronger than the sender's (more eyes,
then more liberties). The kernel they name (Chen 2002) is not in the public sources we have;
`InfluenceKernel` lists what stands in for it.
"""

from enum import StrEnum
from functools import cache
from itertools import product
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from katachi._jit import inlined, kernel
from katachi.features.block_strength import BlockStrength
from katachi.features.point_rows import MARGIN, ROWS, PointRows, read_color
from katachi.rules.color import BLACK, EMPTY
from katachi.rules.point import CELLS, STRIDE
from katachi.rules.state import SIZE, Words

REACH = 6
"""Steps a stone's influence goes."""


class InfluenceKernel(StrEnum):
    """What a stone adds to a point."""

    DISTANCE = "distance"
    """2^-d, where the shortest open way has d steps."""
    PATHS = "paths"
    """2^-d summed over all open walks of d steps, in units of what a lone stone so gives its own
    point: Fuego's, which starts from 64 and halves in whole numbers."""
    EIGHT = "eight"
    """A spread in eight directions, away from the stone only, to a third at each step and a sixth
    at a diagonal one, less where the way bends: after GNU Go's."""


KERNEL_NUMBERS = {each: number for number, each in enumerate(InfluenceKernel)}
_DISTANCE, _PATHS = 0, 1
# The ways back to the start in 0, 2, 4 and 6 steps are 1, 4, 36 and 400.
_LONE_STONE = 1 + 4 / 4 + 36 / 16 + 400 / 64

# A stone is worth 64: together those within reach are worth at most 544, which has ten bits.
_UNIT = 1 / 64
_LEVELS = 10
# Words of a set of points around a stone: its own row is number _CENTER.
_AROUND = 16
_CENTER = MARGIN + 1
# Where the points not reached so far and the carries of the sums begin, behind the waves.
_LEFT = (REACH + 1) * _AROUND
_CARRY = _LEFT + _AROUND
_SIDE = 2 * REACH + 1
_DIRECTIONS = ((-1, 0), (0, -1), (0, 1), (1, 0), (-1, -1), (-1, 1), (1, -1), (1, 1))
_ATTENUATION = 3
_DIAGONAL_DAMPING = 2


class EightWays(NamedTuple):
    """How the spread in eight directions goes, for a stone at the origin."""

    steps: npt.NDArray[np.int64]
    """[points within reach, 2]: row and column from the stone, the nearest first, itself left
    out."""
    givers: npt.NDArray[np.float32]
    """[points within reach, 8]: share of what the point one step back has, by direction."""


class InfluenceScratch(NamedTuple):
    """Memory for one position; `sums` holds the answer."""

    near: PointRows
    """[(REACH + 3) * 16]: points at each distance from one stone, those not reached, carries."""
    levels: PointRows
    """[10 * ROWS]: the sums in binary, one set of points a digit."""
    sets: PointRows
    """[2 * ROWS]: senders and open points."""
    waves: npt.NDArray[np.float32]
    """[2 * CELLS]"""
    sums: npt.NDArray[np.float32]
    """[2, CELLS]: Black's influence and White's."""
    ways: EightWays


def new_scratch() -> InfluenceScratch:
    """Memory for any board size."""
    return InfluenceScratch(
        np.zeros((REACH + 3) * _AROUND, np.uint32),
        np.zeros(_LEVELS * ROWS, np.uint32),
        np.zeros(2 * ROWS, np.uint32),
        np.zeros(2 * CELLS, np.float32),
        np.zeros((2, CELLS), np.float32),
        _eight_ways(),
    )


@cache
def _eight_ways() -> EightWays:
    """Made once: it takes longer than the planes of a position."""
    reach = range(-REACH, REACH + 1)
    offsets = [(row, col) for row, col in product(reach, reach) if (row, col) != (0, 0)]
    offsets.sort(key=lambda each: (each[0] ** 2 + each[1] ** 2, each))
    shares = [[_share(row, col, *step) for step in _DIRECTIONS] for row, col in offsets]
    return EightWays(np.array(offsets, np.int64), np.array(shares, np.float32))


def _share(row: int, col: int, down: int, right: int) -> float:
    """What of the influence at the point one step back a step brings to (row, col)."""
    from_row, from_col = row - down, col - right
    before, length = from_row**2 + from_col**2, down**2 + right**2
    if row**2 + col**2 <= before or max(abs(from_row), abs(from_col)) > REACH:
        return 0.0
    share = 1 / (_ATTENUATION * (_DIAGONAL_DAMPING if length == 2 else 1))
    if before == 0:
        return share
    return share * float(max(from_row * down + from_col * right, 0)) ** 2 / (before * length)


@inlined
def _has_point(rows: PointRows, start: int, row: int, col: int) -> bool:
    return (np.int64(rows[start + MARGIN + row]) >> col) & 1 != 0


@inlined
def _reach_around(near: PointRows, sets: PointRows, above: int, stone: int) -> None:
    """Writes the points at each distance up to REACH from a stone, by waves; `above` is the
    number of board rows above it, `stone` the bit of its column."""
    for word in range(_AROUND):
        near[word] = np.uint32(0)
        near[_LEFT + word] = sets[ROWS + above + word]
    near[_CENTER] = np.uint32(stone)
    near[_LEFT + _CENTER] &= ~np.uint32(stone)
    for wave in range(REACH):
        for word in range(_AROUND - 2):
            at = wave * _AROUND + word
            found = near[at + 1] << 1 | near[at + 1] >> 1 | near[at] | near[at + 2]
            found = np.uint32(found & near[_LEFT + 1 + word])
            near[_AROUND + 1 + at] = found
            near[_LEFT + 1 + word] ^= found


@inlined
def _add_waves(near: PointRows, levels: PointRows, above: int) -> None:
    """Adds 64 at distance 0, 32 at distance 1 and so on to the binary sums, by full adders."""
    for word in range(_AROUND):
        near[_CARRY + word] = np.uint32(0)
    for level in range(REACH + 1):
        for word in range(_AROUND):
            at = level * ROWS + above + word
            have, more = levels[at], near[(REACH - level) * _AROUND + word]
            carry = near[_CARRY + word]
            levels[at] = np.uint32(have ^ more ^ carry)
            near[_CARRY + word] = np.uint32(have & more | carry & (have ^ more))
    for level in range(REACH + 1, _LEVELS):
        for word in range(_AROUND):
            at = level * ROWS + above + word
            have, carry = levels[at], near[_CARRY + word]
            levels[at] = np.uint32(have ^ carry)
            near[_CARRY + word] = np.uint32(have & carry)


@kernel
def _spread_by_distance(size: int, scratch: InfluenceScratch) -> None:
    """Stone by stone: neighbouring threads of a GPU then do the same at the same time."""
    near, sets, levels = scratch.near, scratch.sets, scratch.levels
    row, left = np.int64(0), np.int64(0)
    while True:
        while left == 0:
            if row == size:
                return
            row += 1
            left = np.int64(sets[MARGIN + row])
        stone = left & -left
        left ^= stone
        _reach_around(near, sets, row - 1, stone)
        _add_waves(near, levels, row - 1)


@inlined
def _next_block(strength: BlockStrength, number: int, color: int) -> int:
    """The block of a colour that follows a block, or 0 after the last."""
    for other in range(number + 1, strength.blocks[0] + 1):
        if strength.color[other] == color:
            return other
    return 0


@kernel
def _spread_blocks_by_distance(
    size: int, color: int, strength: BlockStrength, scratch: InfluenceScratch
) -> None:
    """The same from one block after another, each through the points that are open to it."""
    near, sets, levels = scratch.near, scratch.sets, scratch.levels
    number, row, last, left = np.int64(0), np.int64(0), np.int64(0), np.int64(0)
    while True:
        while left == 0:
            if row < last:
                row += 1
            else:
                number = np.int64(_next_block(strength, number, color))
                if number == 0:
                    return
                _open_to_block(size, number, strength, scratch)
                row, last = strength.spans[number, 0], strength.spans[number, 1]
            left = np.int64(sets[MARGIN + row])
        stone = left & -left
        left ^= stone
        _reach_around(near, sets, row - 1, stone)
        _add_waves(near, levels, row - 1)


@kernel
def _add_levels(size: int, view: int, scratch: InfluenceScratch) -> None:
    """Turns the binary sums into numbers and clears them."""
    for row in range(1, size + 1):
        for level in range(_LEVELS):
            bits = np.int32(scratch.levels[level * ROWS + MARGIN + row])
            factor = np.float32(_UNIT * (1 << level))
            for col in range(1, size + 1):
                bit = (bits >> np.int32(col)) & np.int32(1)
                scratch.sums[view, row * STRIDE + col] += np.float32(bit) * factor
    for word in range(_LEVELS * ROWS):
        scratch.levels[word] = np.uint32(0)


@kernel
def _step_waves(size: int, source: int, target: int, scratch: InfluenceScratch) -> None:
    """Half of what each point has goes to each open point beside it."""
    waves, sets = scratch.waves, scratch.sets
    for row in range(1, size + 1):
        for col in range(1, size + 1):
            at = source + row * STRIDE + col
            total = np.float32(0)
            if _has_point(sets, ROWS, row, col):
                total = waves[at - STRIDE] + waves[at - 1] + waves[at + 1] + waves[at + STRIDE]
            waves[target + row * STRIDE + col] = total * np.float32(0.5)


@kernel
def _spread_by_paths(size: int, view: int, scratch: InfluenceScratch) -> None:
    waves = scratch.waves
    for cell in range(2 * CELLS):
        waves[cell] = np.float32(0)
    for row in range(1, size + 1):
        for col in range(1, size + 1):
            if _has_point(scratch.sets, 0, row, col):
                waves[row * STRIDE + col] = np.float32(1 / _LONE_STONE)
    source, target = 0, CELLS
    for _ in range(REACH + 1):
        for cell in range((size + 1) * STRIDE):
            scratch.sums[view, cell] += waves[source + cell]
        _step_waves(size, source, target, scratch)
        source, target = target, source


@inlined
def _is_open_step(sets: PointRows, row: int, col: int, down: int, right: int) -> bool:
    """Whether a step that ends on (row, col) is not squeezed between two closed points."""
    return _has_point(sets, ROWS, row - down, col) or _has_point(sets, ROWS, row, col - right)


@inlined
def _gather_eight(
    scratch: InfluenceScratch, row: int, col: int, origin: int, index: int
) -> np.float32:
    """What the points one step nearer to the stone give to (row, col)."""
    ways, waves = scratch.ways, scratch.waves
    total = np.float32(0)
    for way in range(8):
        share = ways.givers[index, way]
        if share > 0:
            down, right = _DIRECTIONS[way]
            at = origin + (ways.steps[index, 0] - down) * _SIDE + ways.steps[index, 1] - right
            if way < 4 or _is_open_step(scratch.sets, row, col, down, right):
                total += share * waves[at]
    return total


@kernel
def _spread_eight_from(size: int, view: int, row: int, col: int, scratch: InfluenceScratch) -> None:
    origin = REACH * _SIDE + REACH
    scratch.waves[origin] = np.float32(1)
    scratch.sums[view, row * STRIDE + col] += np.float32(1)
    for index in range(len(scratch.ways.steps)):
        down, right = scratch.ways.steps[index, 0], scratch.ways.steps[index, 1]
        total = np.float32(0)
        if 1 <= row + down <= size and 1 <= col + right <= size:
            if _has_point(scratch.sets, ROWS, row + down, col + right):
                total = _gather_eight(scratch, row + down, col + right, origin, index)
                scratch.sums[view, (row + down) * STRIDE + col + right] += total
        scratch.waves[origin + down * _SIDE + right] = total


@kernel
def _spread_eight(size: int, view: int, scratch: InfluenceScratch) -> None:
    for row in range(1, size + 1):
        for col in range(1, size + 1):
            if _has_point(scratch.sets, 0, row, col):
                _spread_eight_from(size, view, row, col, scratch)


@kernel
def _spread(size: int, view: int, number: int, scratch: InfluenceScratch) -> None:
    """Spreads from all senders through the open points by one of the kernels."""
    if number == _DISTANCE:
        _spread_by_distance(size, scratch)
    elif number == _PATHS:
        _spread_by_paths(size, view, scratch)
    else:
        _spread_eight(size, view, scratch)


@kernel
def _open_to_color(board: Words, color: int, scratch: InfluenceScratch) -> None:
    """Senders are a colour's stones; open are these and the empty points."""
    read_color(board, color, scratch.sets, 0)
    read_color(board, EMPTY, scratch.sets, ROWS)
    for word in range(ROWS):
        scratch.sets[ROWS + word] |= scratch.sets[word]


@inlined
def _is_stronger(strength: BlockStrength, one: int, other: int) -> bool:
    eyes, others = strength.eyes[one], strength.eyes[other]
    more = strength.liberties[0, one] > strength.liberties[0, other]
    return eyes > others or (eyes == others and more)


@kernel
def _open_to_block(
    size: int, number: int, strength: BlockStrength, scratch: InfluenceScratch
) -> None:
    """Sender is one block; open is the board without the enemy blocks that are stronger."""
    sets, stones = scratch.sets, strength.stones
    for word in range(ROWS):
        sets[word] = stones[number * ROWS + word]
        sets[ROWS + word] = np.uint32(0)
    for row in range(1, size + 1):
        sets[ROWS + MARGIN + row] = np.uint32((2 << size) - 2)
    for enemy in range(1, strength.blocks[0] + 1):
        if strength.color[enemy] != strength.color[number]:
            if _is_stronger(strength, enemy, number):
                for row in range(strength.spans[enemy, 0], strength.spans[enemy, 1] + 1):
                    sets[ROWS + MARGIN + row] &= ~stones[enemy * ROWS + MARGIN + row]


@kernel
def spread_one_plainly(board: Words, view: int, number: int, scratch: InfluenceScratch) -> None:
    """Writes the influence of one colour, Black's in view 0, into `sums`; any enemy stone blocks.
    `number` is the kernel's."""
    size = np.int64(board[SIZE])
    scratch.sums[view, :] = np.float32(0)
    _open_to_color(board, BLACK + view, scratch)
    _spread(size, view, number, scratch)
    _add_levels(size, view, scratch)


@kernel
def spread_plainly(board: Words, number: int, scratch: InfluenceScratch) -> None:
    """The same of both colours."""
    for view in range(2):
        spread_one_plainly(board, view, number, scratch)


@kernel
def spread_one_strictly(
    board: Words, view: int, number: int, strength: BlockStrength, scratch: InfluenceScratch
) -> None:
    """As `spread_one_plainly`, but an enemy stone blocks only a block that is weaker than its own.

    `strength` must hold this position's blocks.
    """
    size = np.int64(board[SIZE])
    scratch.sums[view, :] = np.float32(0)
    if number == _DISTANCE:
        _spread_blocks_by_distance(size, BLACK + view, strength, scratch)
    else:
        block = np.int64(_next_block(strength, 0, BLACK + view))
        while block != 0:
            _open_to_block(size, block, strength, scratch)
            _spread(size, view, number, scratch)
            block = np.int64(_next_block(strength, block, BLACK + view))
    _add_levels(size, view, scratch)


@kernel
def spread_strictly(
    board: Words, number: int, strength: BlockStrength, scratch: InfluenceScratch
) -> None:
    """The same of both colours."""
    for view in range(2):
        spread_one_strictly(board, view, number, strength, scratch)
