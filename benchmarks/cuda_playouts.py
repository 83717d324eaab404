# pyright: reportAttributeAccessIssue=false, reportPossiblyUnboundVariable=false
"""Random games from positions on a CUDA card: equal to the CPU's, how fast, and what limits them.

    python benchmarks/cuda_playouts.py [--json]

Games are played under simple ko and ended by area. Every game of a few thousand is compared with
the CPU's; then many are played from the empty board, and held against what the card could do at
most. `results/cuda_playouts.jsonl` is one such run.
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
from katachi.batch.packed import pack, packing_of, read_packed
from katachi.batch.playouts import finish_game
from katachi.rules.color import BLACK
from katachi.rules.random_play import play_random_moves, random_states
from katachi.rules.state import Words, empty_words

SEED = 2007
EQUAL_GAMES = 4096
GAMES = {5: 1 << 22, 9: 1 << 22, 13: 1 << 20, 19: 1 << 18}
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


def speed(size: int, versions: dict[str, str]) -> None:
    """Games a second from the empty board, the best of three, beside one CPU core."""
    count = GAMES[size]
    start = empty_words(size)[None], np.full(1, BLACK, np.uint8)
    lanes = card.lanes_of(size, count)
    rates = []
    for _ in range(4):
        task, found = card.new_task(*start, count, 7.5, SEED)
        cuda.synchronize()
        begin = time.perf_counter()
        card.launch(task, found, size, lanes)
        rates.append(count / (time.perf_counter() - begin))
    moves = int(card.endings_of(found.copy_to_host()).moves[0]) / count
    rate, peer = max(rates), on_cpu(size)
    settings = settings_of(size, lanes) | {"games": count, "moves of a game": round(moves, 2)}
    title = f"random games {size}x{size} on the GPU"
    show(Measurement(title, rate, peer, rate / peer, settings), versions)
    if size != 5:
        limits(size, lanes, rate * moves, versions)


def on_cpu(size: int) -> float:
    """Games a second on one core."""
    count = 8_000 if size > 9 else 40_000
    cpu.play_unrecorded(size, 10, SEED)
    begin = time.perf_counter()
    cpu.play_unrecorded(size, count, SEED)
    return count / (time.perf_counter() - begin)


def settings_of(size: int, lanes: int) -> dict[str, Any]:
    """What the figures of a size depend on."""
    return {
        "size": size,
        "games of a warp": lanes,
        "bytes of a game": card.card_packing(size).bytes_a_game,
        "registers": registers_of(size),
        "device": str(cuda.get_current_device().name),
        "peer": "one CPU core of that machine",
    }


def limits(size: int, lanes: int, moves: float, versions: dict[str, str]) -> None:
    """What so many moves a second are of the GPU's most."""
    for title, ours, peer, unit in shares(size, lanes, moves):
        share = None if peer is None else ours / peer
        settings = settings_of(size, lanes) | {"moves/s": round(moves)}
        show(Measurement(f"{size}x{size}: {title}", ours, peer, share, settings, unit), versions)


def shares(size: int, lanes: int, moves: float) -> Iterator[tuple[str, float, float | None, str]]:
    """(what, ours, the card's most, unit)."""
    device = cuda.get_current_device()
    processors = attribute(device, "MULTIPROCESSOR_COUNT", 132)
    clock = 1000.0 * attribute(device, "CLOCK_RATE", 1_980_000)
    threads = attribute(device, "MAX_THREADS_PER_MULTI_PROCESSOR", 2048)
    warps = live_warps(size, lanes, device)
    yield "warps at once on a processor", warps, threads // card.WARP, "warps"
    yield "games at once on a processor, beside its threads", warps * lanes, threads, "games"
    waiting = clock * processors * warps * lanes / moves
    yield "cycles from move to move of a game", waiting, None, "cycles"
    a_move = clock * processors / moves
    yield "cycles of a processor for each move", a_move, None, "cycles"
    numbers = moves * sum(accesses_a_move(size))
    most = processors * clock * BANKS
    title = "loads and stores, beside what the processors' memory can do"
    yield title, numbers / 1e9, most / 1e9, "billion/s"


def live_warps(size: int, lanes: int, device: Any) -> int:
    """Blocks, each a warp, that a processor holds at once by its memory, registers and threads."""
    room = attribute(device, "MAX_SHARED_MEMORY_PER_MULTIPROCESSOR", 228 * 1024)
    kept = attribute(device, "RESERVED_SHARED_MEMORY_PER_BLOCK", 1024)
    registers = attribute(device, "MAX_REGISTERS_PER_MULTIPROCESSOR", 65_536)
    of_warp = -(-(registers_of(size) or 64) // 8) * 8 * card.WARP
    return min(
        attribute(device, "MAX_BLOCKS_PER_MULTIPROCESSOR", 32),
        registers // of_warp,
        room // (kept + lanes * card.card_packing(size).bytes_a_game),
    )


def attribute(device: Any, name: str, otherwise: int) -> int:
    """What the driver says of a card, or what an H200 has."""
    try:
        return int(getattr(device, name))
    except Exception:
        return otherwise


def registers_of(size: int) -> int | None:
    """Of a thread."""
    try:
        return int(max(card.compiled(size).get_regs_per_thread().values()))
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


def main() -> None:
    """9x9 first."""
    read_options()
    if not cuda.is_available():
        print("random games on a CUDA card: skipped, there is none here", file=sys.stderr)
        return
    versions = measured_versions("numba-cuda")
    for size in (9, 5, 13, 19):
        tried(check, size, versions)
        tried(speed, size, versions)
    for positions, count in CALLS:
        tried(call, positions, count, versions)


if __name__ == "__main__":
    main()
