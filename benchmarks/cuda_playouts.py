# pyright: reportAttributeAccessIssue=false, reportPossiblyUnboundVariable=false
"""Random games from positions on a CUDA card: equal to the CPU's, how fast, and what limits them.

    python benchmarks/cuda_playouts.py [--json]

Games are played under simple ko and ended by area. First every game of a few thousand is compared
with the CPU's, then the ways to lay games over threads are timed, then the fastest is held against
what the card could do at most. `results/cuda_playouts.jsonl` is one such run.
"""

import sys
import time
import traceback
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

if not hasattr(np, "row_stack"):  # numba-cuda asks NumPy for a name that NumPy 2.5 dropped
    setattr(np, "row_stack", np.vstack)  # noqa: B010 (NumPy knows no such name)

from _report import Measurement, measured_versions, read_options, show
from numba import cuda

from katachi.batch import cpu, playouts
from katachi.batch import cuda_playouts as card
from katachi.batch.cuda_playouts import Layout, Memory
from katachi.batch.packed import pack, packing_of, read_packed
from katachi.batch.playouts import Endings, finish_game, new_endings
from katachi.rules.color import BLACK
from katachi.rules.random_play import play_random_moves, random_states, state_of_run
from katachi.rules.state import Words, empty_words

SEED = 2007
EQUAL_GAMES = 4096
GAMES = {9: 1 << 22, 13: 1 << 20, 19: 1 << 18}
SHAPES = {
    9: (
        *((64, 32), (32, 32), (24, 24), (20, 20), (64, 16), (48, 16), (16, 16), (12, 12)),
        *((60, 10), (10, 10), (64, 8), (32, 8), (16, 8), (8, 8), (64, 4)),
    ),
    13: ((32, 32), (32, 16), (16, 16), (32, 8), (16, 8), (8, 8), (32, 4)),
    19: ((8, 8), (4, 4), (8, 4), (8, 2), (8, 1)),
}
"""(games of a block, games of a warp)"""
GLOBAL_SHAPES = {9: ((64, 32), (64, 16), (64, 8)), 13: (), 19: ((64, 32), (64, 16), (64, 8))}
CALLS = ((64, 4), (64, 64), (1, 1000), (361, 100), (1, 1_000_000))
"""(positions, games from each) of what a program asks for at once"""
BANKS = 32
"""Numbers that a processor's memory gives or takes in a cycle."""


def positions_of(size: int, count: int) -> Words:
    """Positions of random games, ever later ones."""
    words = np.stack([empty_words(size) for _ in range(count)])
    for number, (board, random) in enumerate(
        zip(words, random_states(SEED, 0, count), strict=True)
    ):
        play_random_moves(board, BLACK, number * size * size // count, random)
    return words


def check(size: int, versions: dict[str, str]) -> None:
    """Compares moves, margin, winner and owners of each game, one from each of many positions."""
    words = positions_of(size, EQUAL_GAMES)
    sides = (1 + np.arange(EQUAL_GAMES) % 2).astype(np.uint8)
    found = card.play_out(words, sides, 1, 0.0, SEED)
    theirs = playouts.play_out(words, sides, 1, 0.0, SEED)
    differs = (found.owned != theirs.owned).any(axis=1)
    for ours, other in zip(found[:3], theirs[:3], strict=True):
        differs |= ours != other
    equal = int((~differs).sum())
    settings = {
        "size": size,
        "seed": SEED,
        "positions": EQUAL_GAMES,
        "moves": int(theirs.moves.sum()),
    }
    title = f"equal games {size}x{size}, each from a position of its own"
    share = equal / EQUAL_GAMES
    measured = Measurement(title, equal, EQUAL_GAMES, share, settings, "games")
    show(measured, versions)


class Timed:
    """Games from the empty board of a size, timed in many layouts."""

    def __init__(self, size: int, versions: dict[str, str]) -> None:
        self.size, self.versions, self.count = size, versions, GAMES[size]
        self.packing = card.card_packing(size)
        starts = cuda.to_device(pack(empty_words(size)[None], self.packing))
        sides = cuda.to_device(np.full(1, BLACK, np.uint8))
        self.task = card.Task(starts, sides, self.count, 7.5, state_of_run(SEED))
        self.peer = self.on_cpu()
        self.rates: dict[Layout, tuple[float, float]] = {}
        """(games, moves) a second"""

    def on_cpu(self) -> float:
        """Games a second on one core."""
        count = 40_000 if self.size == 9 else 8_000
        cpu.play_unrecorded(self.size, 10, SEED)
        begin = time.perf_counter()
        cpu.play_unrecorded(self.size, count, SEED)
        return count / (time.perf_counter() - begin)

    def play(self, layout: Layout) -> tuple[float, Endings]:
        """(seconds, how the games ended)."""
        found = Endings(*map(cuda.to_device, new_endings(1, self.size)))
        cuda.synchronize()
        begin = time.perf_counter()
        card.launch(self.task, found, self.size, layout)
        return time.perf_counter() - begin, Endings(*(each.copy_to_host() for each in found))

    def time(self, layout: Layout) -> None:
        """The best of three."""
        self.play(layout)
        runs = [self.play(layout) for _ in range(3)]
        seconds, found = min(runs, key=lambda run: run[0])
        rate, moves = self.count / seconds, int(found.moves[0]) / seconds
        self.rates[layout] = rate, moves
        settings = self.settings(layout) | {"moves/s": round(moves), "wins": int(found.wins[0])}
        title = f"{self.size}x{self.size}, {layout.games} games a block, {layout.lanes} a warp"
        title += "" if layout.memory is Memory.SHARED else ", global memory"
        show(Measurement(title, rate, self.peer, rate / self.peer, settings), self.versions)

    def settings(self, layout: Layout) -> dict[str, Any]:
        """What the figures of a layout depend on."""
        blocks = card.plan_blocks(1, self.count, self.packing, layout)
        return {
            "size": self.size,
            "games": self.count,
            "memory": layout.memory.value,
            "games of a block": blocks.games,
            "games of a warp": blocks.lanes,
            "bytes of a game": self.packing.bytes_a_game,
            "registers": registers_of(self.size, layout.memory),
            "peer": "one CPU core of that machine",
        }

    def limits(self) -> None:
        """The fastest layout beside what the card could do."""
        layout = max(self.rates, key=lambda each: self.rates[each][0])
        rate, moves = self.rates[layout]
        for title, ours, peer, unit in self.shares(layout, moves):
            settings = self.settings(layout) | {"games/s": round(rate), "moves/s": round(moves)}
            name = f"{self.size}x{self.size}, fastest: {title}"
            share = None if peer is None else ours / peer
            show(Measurement(name, ours, peer, share, settings, unit), self.versions)

    def shares(
        self, layout: Layout, moves: float
    ) -> Iterator[tuple[str, float, float | None, str]]:
        """(what, ours, the card's most, unit)."""
        device = cuda.get_current_device()
        processors = attribute(device, "MULTIPROCESSOR_COUNT", 132)
        clock = 1000.0 * attribute(device, "CLOCK_RATE", 1_980_000)
        blocks = card.plan_blocks(1, self.count, self.packing, layout)
        live = self.live_blocks(layout, device)
        games = live * blocks.games
        warps = live * -(-blocks.threads // card.WARP)
        most = attribute(device, "MAX_THREADS_PER_MULTI_PROCESSOR", 2048)
        loads, stores = accesses_a_move(self.size)
        yield "games at once on a processor, of its threads", games, most, "games"
        yield "warps at once on a processor", warps, most // card.WARP, "warps"
        a_game = clock * processors * games / moves
        yield "cycles from move to move of a game", a_game, None, "cycles"
        each = clock * processors / moves
        yield "cycles of a processor for a move", each, None, "cycles"
        yield "loads of a move", loads, None, "loads"
        yield "stores of a move", stores, None, "stores"
        banks = processors * clock * BANKS
        title = "loads and stores a second, of what the processors' memory can do"
        yield title, moves * (loads + stores), banks, "numbers/s"

    def live_blocks(self, layout: Layout, device: Any) -> int:
        """Blocks that a processor holds at once, by its memory, registers and threads."""
        blocks = card.plan_blocks(1, self.count, self.packing, layout)
        warps = -(-blocks.threads // card.WARP)
        room = attribute(device, "MAX_SHARED_MEMORY_PER_MULTIPROCESSOR", 228 * 1024)
        kept = attribute(device, "RESERVED_SHARED_MEMORY_PER_BLOCK", 1024)
        most = attribute(device, "MAX_THREADS_PER_MULTI_PROCESSOR", 2048)
        registers = attribute(device, "MAX_REGISTERS_PER_MULTIPROCESSOR", 65_536)
        a_warp = -(-(registers_of(self.size, layout.memory) or 64) // 8) * 8 * card.WARP
        limits = [
            attribute(device, "MAX_BLOCKS_PER_MULTIPROCESSOR", 32),
            most // card.WARP // warps,
            registers // (a_warp * warps),
        ]
        if layout.memory is Memory.SHARED:
            limits.append(room // (kept + blocks.games * self.packing.bytes_a_game))
        return int(min(limits))


def attribute(device: Any, name: str, otherwise: int) -> int:
    """What the driver says of a card, or what an H200 has."""
    try:
        return int(getattr(device, name))
    except Exception:
        return otherwise


def registers_of(size: int, memory: Memory) -> int | None:
    """Of a thread."""
    try:
        return int(max(card.compiled(size, memory).get_regs_per_thread().values()))
    except Exception:
        return None


class Counted:
    """Words that count how often they are read and written."""

    def __init__(self, words: Any, counts: list[int]) -> None:
        self.words, self.counts = words, counts

    def __getitem__(self, at: Any) -> Any:
        if isinstance(at, slice):
            return Counted(self.words[at], self.counts)
        self.counts[0] += 1
        return self.words[at]

    def __setitem__(self, at: Any, value: Any) -> None:
        self.counts[1] += 1
        self.words[at] = value


def accesses_a_move(size: int, games: int = 3) -> tuple[float, float]:
    """(loads, stores) of boards a move, the count at the end among them, by the same kernels."""
    packing = packing_of(size, np.uint16)
    finish = read_packed(finish_game, packing, lambda function: function)
    start = pack(empty_words(size)[None], packing)[0]
    counts = [0, packing.words * games]
    moves = 0
    with np.errstate(over="ignore"):
        for random in random_states(SEED, 0, games):
            moves += finish(Counted(start.copy(), counts), BLACK, random)[0]
    return counts[0] / moves, counts[1] / moves


def call(positions: int, count: int, versions: dict[str, str]) -> None:
    """Milliseconds of one call from Python, copies and all, beside one CPU core."""
    words = positions_of(9, positions)
    sides = np.full(positions, BLACK, np.uint8)
    seconds = []
    for seed in range(6):
        begin = time.perf_counter()
        found = card.play_out(words, sides, count, 7.5, seed)
        seconds.append(time.perf_counter() - begin)
    played = min(positions * count, 20_000) // positions * positions
    begin = time.perf_counter()
    playouts.play_out(words, sides, played // positions, 7.5, SEED)
    on_cpu = (time.perf_counter() - begin) * positions * count / played
    settings = {"size": 9, "positions": positions, "games": count, "moves": int(found.moves.sum())}
    title = f"9x9, a call: {positions:,} positions, {count:,} games from each"
    ours = 1000 * min(seconds[1:])
    show(Measurement(title, ours, 1000 * on_cpu, 1000 * on_cpu / ours, settings, "ms"), versions)


def tried(part: Callable[..., None], *arguments: Any) -> None:
    """Runs a part; where it fails the others still run."""
    try:
        part(*arguments)
    except Exception:
        traceback.print_exc()
        sys.stderr.flush()


def speed(size: int, versions: dict[str, str]) -> None:
    """All layouts of a size, and the limits of the fastest."""
    timed = Timed(size, versions)
    for games, lanes in SHAPES[size]:
        tried(timed.time, Layout(Memory.SHARED, games, lanes))
    for games, lanes in GLOBAL_SHAPES[size]:
        tried(timed.time, Layout(Memory.GLOBAL, games, lanes))
    tried(timed.limits)


def main() -> None:
    """The speed on 9x9 first, for it takes longest to say."""
    read_options()
    if not cuda.is_available():
        print("random games on a CUDA card: skipped, there is none here", file=sys.stderr)
        return
    versions = measured_versions("numba-cuda")
    tried(check, 9, versions)
    tried(speed, 9, versions)
    for positions, count in CALLS:
        tried(call, positions, count, versions)
    for size in (13, 19):
        tried(check, size, versions)
        tried(speed, size, versions)
    tried(check, 5, versions)


if __name__ == "__main__":
    main()
