# pyright: reportCallIssue=false, reportIndexIssue=false, reportAttributeAccessIssue=false
# pyright: reportArgumentType=false, reportOperatorIssue=false, reportAssignmentType=false
"""Random games from many positions on a CUDA card: one thread a game, the kernels of the CPU.

The games of a block lie packed in the memory that its processor has for itself. A block plays games
of one position, and adds up how they ended before the rest of the card hears of it.
"""

from collections.abc import Callable
from enum import Enum
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from numba import config, cuda, types

from katachi.batch.packed import Packing, pack, packing_of, read_packed
from katachi.batch.playouts import Endings, finish_game, new_endings, owner_at
from katachi.errors import KatachiError
from katachi.rules.random_play import mix, state_of_run
from katachi.rules.state import SIZE, Words

CARD = "cuda"
WARP = 32
MOST_BYTES = 48 * 1024
"""Of a block's boards: what every card has."""
MOST_GAMES = 1 << 22
"""Of one launch, so that a long run can be stopped."""
FEW_GAMES = 4096
"""So many are played one a warp: no game waits for its neighbours' longer loops."""

_INLINED: dict[str, Any] = {"device": True, "forceinline": True}

Function = Callable[..., Any]


class Memory(Enum):
    """Where the boards of a block lie while they are played on."""

    SHARED = "shared"
    GLOBAL = "global"


class Layout(NamedTuple):
    """How games are laid over threads."""

    memory: Memory
    games: int
    """Of a block, at most."""
    lanes: int
    """Of a warp's 32 that play a game, at most. The memory of a processor holds fewer games than it
    can have threads, and a warp of fewer games waits less for the longest loop among them."""


LAYOUT = Layout(Memory.SHARED, 64, 16)
"""The fastest."""


class Task(NamedTuple):
    """What is to be played."""

    starts: Any
    """[B, words]: packed positions, on the card."""
    sides: Any
    """[B]: who moves first, on the card."""
    games: int
    """From each position."""
    komi: float
    run: np.uint64
    """As `state_of_run` says."""


class Blocks(NamedTuple):
    """One launch."""

    begin: int
    """The first of each position's games."""
    end: int
    each: int
    """Blocks of each position."""
    games: int
    """Of a block."""
    lanes: int

    @property
    def threads(self) -> int:
        """Of a block."""
        return (self.games // self.lanes - 1) * WARP + self.lanes


def on_card(function: Function) -> Function:
    """A function that is copied into the kernels that call it; the simulator takes it as it is."""
    if config.ENABLE_CUDASIM:
        return function
    made: Function = cuda.jit(**_INLINED)(function)
    return made


def card_packing(size: int) -> Packing:
    """How boards lie on the card. In the simulator a sum of bytes would be a byte."""
    return packing_of(size, np.uint16 if config.ENABLE_CUDASIM else None)


def _block_of(packing: Packing) -> Function:
    """What a block does on its boards [games * words], all of one board size."""
    words, size = packing.words, packing.size
    finish = read_packed(finish_game, packing, on_card)
    owner = read_packed(owner_at, packing, on_card)
    mixed = on_card(mix)

    def play(task: Task, blocks: Blocks, found: Endings, boards: Any) -> None:
        position = cuda.blockIdx.x // blocks.each
        first = blocks.begin + cuda.blockIdx.x % blocks.each * blocks.games
        games = min(blocks.games, blocks.end - first)
        thread, lane = cuda.threadIdx.x, cuda.threadIdx.x % WARP
        game = thread // WARP * blocks.lanes + lane
        if lane < blocks.lanes and game < games:
            board = boards[game * words : (game + 1) * words]
            for word in range(words):
                board[word] = task.starts[position, word]
            random = mixed(task.run + np.uint64(position * task.games + first + game))
            random += np.uint64(random == 0)
            moves, margin = finish(board, task.sides[position], random)
            won = int(margin > task.komi) + int(margin >= task.komi)
            cuda.atomic.add(found.wins, position, won)
            cuda.atomic.add(found.margins, position, margin)
            cuda.atomic.add(found.moves, position, moves)
        cuda.syncthreads()
        for index in range(thread, size * size, cuda.blockDim.x):
            total = 0
            for other in range(games):
                total += owner(boards[other * words : (other + 1) * words], index, size)
            cuda.atomic.add(found.owned, (position, index), total)

    return on_card(play)


def kernel_of(size: int, memory: Memory) -> Function:
    """The kernel that plays games of a board size, not compiled yet."""
    packing = card_packing(size)
    number = getattr(types, np.dtype(packing.number).name)
    play = _block_of(packing)

    def in_shared(task: Task, blocks: Blocks, found: Endings, _: Any) -> None:
        play(task, blocks, found, cuda.shared.array(0, number))

    def in_global(task: Task, blocks: Blocks, found: Endings, room: Any) -> None:
        play(task, blocks, found, room[cuda.blockIdx.x])

    return in_shared if memory is Memory.SHARED else in_global


@cache
def compiled(size: int, memory: Memory) -> Any:
    """The kernel as Numba launches it."""
    options: dict[str, Any] = (
        {} if config.ENABLE_CUDASIM else {"shared_memory_carveout": "maxshared"}
    )
    return cuda.jit(**options)(kernel_of(size, memory))


def plan_blocks(positions: int, count: int, packing: Packing, layout: Layout) -> Blocks:
    """The first launch of so many games from each position."""
    fitting = min(layout.games, count)
    if layout.memory is Memory.SHARED:
        fitting = min(fitting, MOST_BYTES // packing.bytes_a_game)
    lanes = min(layout.lanes, fitting, max(1, positions * count // FEW_GAMES))
    games = fitting // lanes * lanes
    end = min(count, max(games, MOST_GAMES // positions))
    return Blocks(0, end, -(-end // games), games, lanes)


def launch(task: Task, found: Endings, size: int, layout: Layout) -> None:
    """Plays all games of a task and adds how they ended to what was `found`, both on the card."""
    positions = len(task.sides)
    packing = card_packing(size)
    kernel = compiled(size, layout.memory)
    blocks = plan_blocks(positions, task.games, packing, layout)
    step = blocks.end
    shared, rows = blocks.games * packing.bytes_a_game, 1
    if layout.memory is Memory.GLOBAL:
        shared, rows = 0, positions * blocks.each
    room = cuda.device_array((rows, blocks.games * packing.words), packing.number)
    for begin in range(0, task.games, step):
        part = blocks._replace(begin=begin, end=min(begin + step, task.games))
        grid = positions * blocks.each, part.threads, 0, shared
        kernel[grid](task, part, found, room)
        cuda.synchronize()


def check_card(device: str = CARD) -> None:
    """Raises KatachiError without a card, and for a device that is none of ours."""
    if device != CARD:
        raise KatachiError(f"no device {device!r} for random games: use cpu or {CARD}")
    if not cuda.is_available():
        raise KatachiError("no CUDA card that Numba can use: run `katachi doctor` for details")


def play_out(
    words: Words,
    sides: npt.NDArray[np.uint8],
    count: int,
    komi: float,
    seed: int,
    layout: Layout = LAYOUT,
) -> Endings:
    """Plays `count` random games from each of B positions [B, WORDS] of one size, sides[b] first.

    The layout changes nothing but the speed. Raises KatachiError without a card.
    """
    check_card()
    size = int(words[0, SIZE])
    starts = cuda.to_device(pack(words, card_packing(size)))
    task = Task(starts, cuda.to_device(sides), count, float(komi), state_of_run(seed))
    found = Endings(*map(cuda.to_device, new_endings(len(words), size)))
    launch(task, found, size, layout)
    return Endings(*(array.copy_to_host() for array in found))
