# pyright: reportCallIssue=false, reportIndexIssue=false, reportAttributeAccessIssue=false
# pyright: reportArgumentType=false, reportOperatorIssue=false, reportAssignmentType=false
# pyright: reportOptionalSubscript=false
"""Random games from many positions on a CUDA GPU: one thread a game, the kernels of the CPU.

A block is one warp. Its games lie packed in the memory that its processor has for itself; they are
of one position, and the block adds up how they ended before the rest of the GPU hears of it. A
thread plays one game: refilled, a warp would always have games near their end, which draw longest,
and would wait for them at every move.
"""

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from numba import config, cuda, types

from katachi.batch.packed import Packing, pack, packing_of, read_packed
from katachi.batch.playouts import Endings, finish_game, owner_at
from katachi.errors import KatachiError
from katachi.rules.random_play import mix, state_of_run
from katachi.rules.state import SIZE, Words

CARD = "cuda"
WARP = 32
LANES = {9: 32, 13: 16, 19: 2}
"""How many of a warp's threads play, on boards up to a size; the fastest on an H200. The memory of
a processor holds fewer large boards, and more warps of fewer games keep it busier."""
FEW_GAMES = 4096
"""So many are played one a warp: no game waits for its neighbours' longer loops."""
MOST_GAMES = 1 << 22
"""Of one launch, so that a long run can be stopped."""
WINS, MARGINS, MOVES, OWNED = 0, 1, 2, 3
"""Columns of what is found of each position, `Endings` side by side."""
_INLINED: dict[str, Any] = {"device": True, "forceinline": True}

Function = Callable[..., Any]


class Task(NamedTuple):
    """What is to be played."""

    starts: Any
    """[B, words + 1]: packed positions and who moves first, on the GPU."""
    games: int
    """From each position."""
    komi: float
    run: np.uint64
    """As `state_of_run` says."""


class Part(NamedTuple):
    """What one launch plays of a task."""

    begin: int
    """The first of each position's games."""
    end: int
    blocks: int
    """Of each position."""
    lanes: int


def on_card(function: Function) -> Function:
    """A function that is copied into the kernels that call it; the simulator takes it as it is."""
    if config.ENABLE_CUDASIM:
        return function
    made: Function = cuda.jit(**_INLINED)(function)
    return made


def card_packing(size: int) -> Packing:
    """How boards lie on the GPU. In the simulator a sum of bytes would be a byte."""
    return packing_of(size, np.uint16 if config.ENABLE_CUDASIM else None)


def kernel_of(packing: Packing) -> Function:
    """The kernel that plays games of a board size, not compiled yet."""
    words, size = packing.words, packing.size
    number = getattr(types, np.dtype(packing.number).name)
    finish = read_packed(finish_game, packing, on_card)
    owner = read_packed(owner_at, packing, on_card)
    mixed = on_card(mix)

    def play(task: Task, part: Part, found: Any) -> None:
        boards = cuda.shared.array(0, number)
        position = cuda.blockIdx.x // part.blocks
        first = part.begin + cuda.blockIdx.x % part.blocks * part.lanes
        games = min(part.lanes, part.end - first)
        lane = cuda.threadIdx.x
        if lane < games:
            board = boards[lane * words : (lane + 1) * words]
            for word in range(words):
                board[word] = task.starts[position, word]
            random = mixed(task.run + np.uint64(position * task.games + first + lane))
            random += np.uint64(random == 0)
            moves, margin = finish(board, task.starts[position, words], random)
            won = int(margin > task.komi) + int(margin >= task.komi)
            cuda.atomic.add(found, (position, WINS), won)
            cuda.atomic.add(found, (position, MARGINS), margin)
            cuda.atomic.add(found, (position, MOVES), moves)
        cuda.syncthreads()
        for index in range(lane, size * size, cuda.blockDim.x):
            total = 0
            for other in range(games):
                total += owner(boards[other * words : (other + 1) * words], index, size)
            cuda.atomic.add(found, (position, OWNED + index), total)

    return play


@cache
def compiled(size: int) -> Any:
    """The kernel as Numba launches it."""
    options: dict[str, Any] = {"shared_memory_carveout": "maxshared"}
    return cuda.jit(**({} if config.ENABLE_CUDASIM else options))(kernel_of(card_packing(size)))


def lanes_of(size: int, games: int) -> int:
    """How many threads of a warp play when so many games are played on boards of a size."""
    most = next(lanes for largest, lanes in LANES.items() if size <= largest)
    return min(most, max(1, games // FEW_GAMES))


def launch(task: Task, found: Any, size: int, lanes: int) -> None:
    """Plays all games of a task, `lanes` a warp, and adds how they ended to found [B, OWNED +
    size * size], on the GPU as the task is."""
    positions = len(task.starts)
    step = max(lanes, MOST_GAMES // positions)
    for begin in range(0, task.games, step):
        end = min(begin + step, task.games)
        part = Part(begin, end, -(-(end - begin) // lanes), lanes)
        grid = positions * part.blocks, WARP, 0, lanes * card_packing(size).bytes_a_game
        compiled(size)[grid](task, part, found)
        cuda.synchronize()


def check_card(device: str = CARD) -> None:
    """Raises KatachiError without a GPU, and for a device that is none of ours."""
    if device != CARD:
        raise KatachiError(f"no device {device!r} for random games: use cpu or {CARD}")
    if not cuda.is_available():
        raise KatachiError("no CUDA GPU that Numba can use: run `katachi doctor` for details")


def new_task(
    words: Words, sides: npt.NDArray[np.uint8], count: int, komi: float, seed: int
) -> tuple[Task, Any]:
    """(the task as `play_out` has it, room for what is found), on the GPU."""
    size = int(words[0, SIZE])
    starts = np.column_stack([pack(words, card_packing(size)), sides])
    found = np.zeros((len(words), OWNED + size * size), np.int64)
    task = Task(cuda.to_device(starts), count, float(komi), state_of_run(seed))
    return task, cuda.to_device(found)


def play_out(
    words: Words,
    sides: npt.NDArray[np.uint8],
    count: int,
    komi: float,
    seed: int,
    lanes: int | None = None,
) -> Endings:
    """As `katachi.batch.playouts.play_out`, game for game; `lanes`, if given, is how many threads
    of a warp play, which changes nothing but the speed. Raises KatachiError without a GPU."""
    check_card()
    size = int(words[0, SIZE])
    task, found = new_task(words, sides, count, komi, seed)
    launch(task, found, size, lanes or lanes_of(size, len(words) * count))
    return endings_of(found.copy_to_host())


def endings_of(found: npt.NDArray[np.int64]) -> Endings:
    """What was found, from its columns."""
    wins, margins, moves = found.T[:OWNED]
    return Endings(wins, margins, moves, found[:, OWNED:].astype(np.int32))
