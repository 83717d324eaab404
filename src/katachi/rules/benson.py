# pyright: reportArgumentType=false, reportReturnType=false, reportCallIssue=false
"""Unconditional life: blocks that cannot be captured even if their owner always passes.

After D. B. Benson, "Life in the game of Go" (1976). A region of a colour is a connected set of
points without that colour's stones. It is vital to a block when all its empty points are liberties
of the block. A block lives when it has two vital regions whose surrounding blocks all live.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from katachi._jit import inlined, kernel
from katachi.rules.color import EDGE, EMPTY
from katachi.rules.point import CELLS, STRIDE, points_of
from katachi.rules.state import BLOCK, COLOR, SIZE, Words

_NO_REGION = 0


class BensonScratch(NamedTuple):
    """Memory for one search of one colour; after it, `alive` and `kept` hold the answer."""

    region: Words
    """[CELLS]: number of the region a cell belongs to, from 1; 0 for none."""
    members: Words
    """[CELLS]: points of all regions, region after region."""
    first: Words
    """[CELLS]: where each region starts in `members`; region r ends where r + 1 starts."""
    vital: Words
    """[CELLS, 4]: roots of the blocks a region is vital to, 0 for none."""
    eyes: Words
    """[CELLS]: vital regions of the block with this root."""
    alive: Words
    """[CELLS]: 1 at the root of a living block."""
    kept: Words
    """[CELLS]: 1 for a region surrounded by living blocks only."""


def new_scratch() -> BensonScratch:
    """Memory for any board size."""
    region, members, first, eyes, alive, kept = np.zeros((6, CELLS), np.uint16)
    vital = np.zeros((CELLS, 4), np.uint16)
    return BensonScratch(region, members, first, vital, eyes, alive, kept)


@inlined
def _joins_region(board: Words, color: int, memory: BensonScratch, cell: int) -> bool:
    content = board[COLOR + cell]
    return content != color and content != EDGE and memory.region[cell] == _NO_REGION


@kernel
def _flood(board: Words, color: int, memory: BensonScratch, start: int, number: int) -> None:
    """Gathers region `number` from `start` into `members`."""
    done = memory.first[number]
    end = done + 1
    memory.members[done] = start
    memory.region[start] = number
    while done < end:
        point = np.int64(memory.members[done])
        done += 1
        for step in (-STRIDE, -1, 1, STRIDE):
            cell = point + step
            if _joins_region(board, color, memory, cell):
                memory.region[cell] = number
                memory.members[end] = cell
                end += 1
    memory.first[number + 1] = end


@kernel
def _find_regions(board: Words, color: int, memory: BensonScratch) -> int:
    """Fills region, members and first; returns the number of regions."""
    for cell in range(CELLS):
        memory.region[cell] = _NO_REGION
    count = 0
    memory.first[1] = 0
    size = board[SIZE]
    for row in range(1, size + 1):
        for point in range(row * STRIDE + 1, row * STRIDE + size + 1):
            if _joins_region(board, color, memory, point):
                count += 1
                _flood(board, color, memory, point, count)
    return count


@inlined
def _touches_block(board: Words, point: int, root: int) -> bool:
    return (
        board[BLOCK + point - STRIDE] == root
        or board[BLOCK + point - 1] == root
        or board[BLOCK + point + 1] == root
        or board[BLOCK + point + STRIDE] == root
    )


@kernel
def _is_vital(board: Words, memory: BensonScratch, number: int, root: int) -> bool:
    for index in range(memory.first[number], memory.first[number + 1]):
        point = np.int64(memory.members[index])
        if board[COLOR + point] == EMPTY and not _touches_block(board, point, root):
            return False
    return True


@kernel
def _first_empty(board: Words, memory: BensonScratch, number: int) -> int:
    for index in range(memory.first[number], memory.first[number + 1]):
        if board[COLOR + memory.members[index]] == EMPTY:
            return np.int64(memory.members[index])
    return np.int64(0)


@kernel
def _find_vital_blocks(board: Words, color: int, memory: BensonScratch, number: int) -> None:
    """Only blocks beside the region's first empty point can have all of it as liberties."""
    point = _first_empty(board, memory, number)
    for slot in range(4):
        memory.vital[number, slot] = 0
    if point == 0:
        return
    slot = 0
    for step in (-STRIDE, -1, 1, STRIDE):
        root = board[BLOCK + point + step]
        known = board[COLOR + point + step] != color
        for other in range(slot):
            known = known or memory.vital[number, other] == root
        if not known and _is_vital(board, memory, number, root):
            memory.vital[number, slot] = root
            slot += 1


@kernel
def _is_surrounded(board: Words, color: int, memory: BensonScratch, number: int) -> bool:
    """Whether every block of `color` around the region is still called alive."""
    for index in range(memory.first[number], memory.first[number + 1]):
        point = np.int64(memory.members[index])
        for step in (-STRIDE, -1, 1, STRIDE):
            cell = point + step
            if board[COLOR + cell] == color and memory.alive[board[BLOCK + cell]] == 0:
                return False
    return True


@kernel
def _count_eyes(memory: BensonScratch, regions: int) -> None:
    for cell in range(CELLS):
        memory.eyes[cell] = 0
    for number in range(1, regions + 1):
        if memory.kept[number]:
            for slot in range(4):
                memory.eyes[memory.vital[number, slot]] += 1


@kernel
def _drop_blocks(memory: BensonScratch) -> bool:
    """Calls every block with fewer than two eyes not alive; whether there was one."""
    dropped = False
    for cell in range(CELLS):
        if memory.alive[cell] and memory.eyes[cell] < 2:
            memory.alive[cell] = 0
            dropped = True
    return dropped


@kernel
def find_living_blocks(board: Words, color: int, memory: BensonScratch) -> int:
    """Writes `alive` and `kept` for one colour; returns the number of regions."""
    regions = _find_regions(board, color, memory)
    for number in range(1, regions + 1):
        memory.kept[number] = 1
        _find_vital_blocks(board, color, memory, number)
    for cell in range(CELLS):
        root = board[COLOR + cell] == color and board[BLOCK + cell] == cell
        memory.alive[cell] = int(root)
    _count_eyes(memory, regions)
    while _drop_blocks(memory):
        for number in range(1, regions + 1):
            if memory.kept[number] and not _is_surrounded(board, color, memory, number):
                memory.kept[number] = 0
        _count_eyes(memory, regions)
    return regions


@kernel
def mark_settled(board: Words, color: int, memory: BensonScratch, owners: Words) -> None:
    """Writes `color` into owners [CELLS] wherever that colour's ownership is beyond doubt.

    That is on its living blocks and on the regions they surround in which every empty point is a
    liberty of one living block: a stone of the other colour there can never live.
    """
    regions = find_living_blocks(board, color, memory)
    for cell in range(CELLS):
        if board[COLOR + cell] == color and memory.alive[board[BLOCK + cell]]:
            owners[cell] = color
    for number in range(1, regions + 1):
        if not memory.kept[number] or memory.alive[memory.vital[number, 0]] == 0:
            continue
        for index in range(memory.first[number], memory.first[number + 1]):
            owners[memory.members[index]] = color


def settled_owners(board: Words) -> npt.NDArray[np.uint8]:
    """Owner of each point that is settled beyond doubt, else EMPTY, row by row [size * size]."""
    owners = np.zeros(CELLS, np.uint16)
    memory = new_scratch()
    for color in (1, 2):
        mark_settled(board, color, memory, owners)
    return owners[points_of(int(board[SIZE]))].astype(np.uint8)
