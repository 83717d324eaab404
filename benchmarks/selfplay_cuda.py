"""Self-play on a CUDA card at 9x9: what a net, its planes and whole games cost there.

    python benchmarks/selfplay_cuda.py [--json] [--part net planes whole differences games]

| part | measures |
|---|---|
| `net` | positions a second by batch and precision; the peer is what the card does of them at the \
rate of a large bfloat16 matrix product, measured here |
| `planes` | positions a second whose planes are made on the GPU, and how many are the CPU's; the \
peer is one core |
| `whole` | boards sent, planes, net, logits back; the peer is one core |
| `differences` | the largest difference of a move's share and of a chance from the CPU's |
| `games` | games an hour at 100 visits a move by several processes that share the card |

A part that fails is told and does not stop the next.
"""

import argparse
import os
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from _report import Measurement, measured_versions, show
from _selfplay_processes import Window, play_windows

from katachi.batch.net_cuda import CardBoards
from katachi.batch.planes_cuda import divide_plan
from katachi.evaluators.shipped import load_territory
from katachi.evaluators.territory import Territory
from katachi.features.territory_planes import KINDS as PLANE_KINDS
from katachi.nets.search_fitting import TorchKernel
from katachi.rules.color import BLACK, WHITE
from katachi.rules.kernels import play_move
from katachi.rules.point import PASS
from katachi.rules.state import BoardState, Words, new_states
from katachi.search.tree import node_moves
from katachi.search.tree_leaves import lead_of_owners, value_of_owners

MODEL, SIZE, KOMI = "selfplay9", 9, 7.0
BATCHES = (256, 1024, 4096, 16_384)
KINDS = {
    "float32": (torch.float32, False),
    "tf32": (torch.float32, True),
    "bfloat16": (torch.bfloat16, True),
    "float16": (torch.float16, True),
}
"""What a card computes with: numbers, and whether its matrix units may round float32."""
TUNED = "float16, tuned"
"""The same, each convolution in the quickest way for its shape, as cuDNN measures it."""
SECONDS = 0.5
MATRIX = 8192
GAMES, MOVES = 64, 64
CPU_POSITIONS = 256
PROCESSES = (1, 4, 8, 12, 16, 24)
VISITS = 100
WINDOW = 12.0


def rate_of(do: Callable[[], object], count: int) -> float:
    """How many a second, where each call does so many."""
    do()
    torch.cuda.synchronize()
    begin, calls = time.perf_counter(), 0
    while time.perf_counter() - begin < SECONDS:
        do()
        torch.cuda.synchronize()
        calls += 1
    return calls * count / (time.perf_counter() - begin)


@cache
def model() -> Territory:
    """The net that all parts measure, on the CPU."""
    return load_territory(MODEL)


@cache
def boards() -> Words:
    """[4096, WORDS]: all positions of random games."""
    random, found = np.random.default_rng(1), []
    for _ in range(GAMES):
        fresh = new_states(1, SIZE, MOVES + 4)
        state = BoardState(fresh.words[0], fresh.hashes[0], fresh.keys)
        for ply in range(MOVES):
            color = (BLACK, WHITE)[ply % 2]
            points = node_moves(state, color)
            play_move(state, int(random.choice(points)) if len(points) else PASS, color)
            found.append(state.words.copy())
    return np.array(found)


def some_boards(count: int) -> Words:
    """So many of them, again from the first where there are more."""
    return np.resize(boards(), (count, boards().shape[1]))


def operations() -> float:
    """Floating-point operations of the net for one position."""
    weights = sum(each.size for name, each in model().arrays.items() if name.endswith("weight"))
    return 2.0 * SIZE * SIZE * weights


@cache
def matrix_rate() -> float:
    """Operations a second of a large bfloat16 product."""
    one, other = torch.randn((2, MATRIX, MATRIX), device="cuda", dtype=torch.bfloat16)
    return rate_of(lambda: one @ other, 1) * 2.0 * MATRIX**3


def kernel_of(kind: str) -> TorchKernel:
    """The net on the GPU with these numbers."""
    numbers, may_round = KINDS[kind]
    torch.backends.cudnn.allow_tf32 = torch.backends.cuda.matmul.allow_tf32 = may_round
    kernel = TorchKernel(model().arrays, "cuda")
    kernel.net.card_kind = numbers
    return kernel


def common() -> dict[str, Any]:
    """What every line says of its settings."""
    return {"card": torch.cuda.get_device_name(0), "model": MODEL, "size": SIZE}


def tell(name: str, ours: float, peer: float | None, unit: str, **settings: Any) -> None:
    """Prints one figure."""
    ratio = None if peer is None else ours / peer
    versions = measured_versions("numba-cuda", "torch")
    show(Measurement(name, ours, peer, ratio, common() | settings, unit), versions)


def measure_net() -> None:
    """The net alone, by planes that lie on the GPU."""
    limit = matrix_rate()
    tell(f"bfloat16 product of {MATRIX} x {MATRIX}", limit / 1e12, None, "TFLOP/s")
    for kind in (*KINDS, TUNED):
        kernel = kernel_of(kind.partition(",")[0])
        torch.backends.cudnn.benchmark = kind == TUNED
        for batch in BATCHES:
            planes = torch.rand((batch, kernel.planes, SIZE, SIZE), device="cuda")
            with torch.no_grad():
                rate = rate_of(partial(kernel.net, planes), batch)
            tera = round(rate * operations() / 1e12, 2)
            name = f"net, {kind}, batch {batch:,}"
            tell(name, rate, limit / operations(), "positions/s", batch=batch, tflops=tera)


def measure_planes() -> None:
    """Planes alone, of boards that lie on the GPU, and how many planes are the CPU's."""
    net, plan = model(), model()._plan(SIZE)
    card = CardBoards(kernel_of("float16"))
    begin = time.perf_counter()
    made = card.make(card.send(boards()), plan).permute(3, 0, 1, 2)[: len(boards())].cpu().numpy()
    more = {"planes": plan.planes, "first_call_s": round(time.perf_counter() - begin, 2)}
    off = np.abs(made - net.planes(boards())).max(axis=(0, 2, 3))
    more["largest_difference"] = float(off.max())
    equal = int((off == 0).sum())
    tell("planes that are the CPU's bit for bit", equal, plan.planes, "planes", **more)
    few = boards()[:CPU_POSITIONS]
    begin = time.perf_counter()
    net.planes(few)
    peer = len(few) / (time.perf_counter() - begin)
    for batch in BATCHES:
        rate = rate_of(partial(card.make, card.send(some_boards(batch)), plan), batch)
        tell(f"planes on the GPU, batch {batch:,}", rate, peer, "positions/s", batch=batch)
    for first in np.unique(divide_plan(plan).first, axis=0):
        kinds = [name for name, each in zip(PLANE_KINDS, first, strict=True) if each >= 0]
        alone = partial(CardBoards(kernel_of("float16")).make, plan=plan._replace(first=first))
        rate = rate_of(partial(alone, card.send(boards())), len(boards()))
        what = kinds[0] if len(kinds) == 1 else "the other inputs"
        name = f"planes on the GPU, {what} alone, batch {len(boards()):,}"
        tell(name, rate, None, "positions/s", kinds=", ".join(kinds))


def measure_whole() -> None:
    """Boards in, logits out, with the share of each step."""
    net = model()
    few = boards()[:CPU_POSITIONS]
    net._kernel.logits(net.planes(few[:8]))
    begin = time.perf_counter()
    net._kernel.logits(net.planes(few))
    peer = len(few) / (time.perf_counter() - begin)
    card = CardBoards(kernel_of("float16"))
    for batch in BATCHES:
        rate = rate_of(partial(card.logits, some_boards(batch), net._plan(SIZE)), batch)
        shares = step_shares(card, kernel_of("float16"), batch)
        tell(f"boards in, logits out, batch {batch:,}", rate, peer, "positions/s", **shares)


def step_shares(card: CardBoards, kernel: TorchKernel, batch: int) -> dict[str, float]:
    """The share of the time of each step, the card waited for after each."""
    plan, words = model()._plan(SIZE), some_boards(batch)
    sent = card.send(words)
    planes = card.make(sent, plan).permute(3, 0, 1, 2)
    with torch.no_grad():
        made = kernel.net(planes)
        steps: dict[str, Callable[[], object]] = {
            "sending": lambda: card.send(words),
            "planes": lambda: card.make(sent, plan),
            "net": lambda: kernel.net(planes),
            "returning": lambda: made.cpu().numpy(),
        }
        seconds = {name: 1.0 / rate_of(do, 1) for name, do in steps.items()}
    total = sum(seconds.values())
    return {f"share_{name}": round(each / total, 3) for name, each in seconds.items()}


def measure_differences() -> None:
    """How far the card is from the CPU, planes and net."""
    net, words = model(), boards()
    sides = np.resize(np.array([WHITE, BLACK]), len(words))
    own = judged(net._kernel.logits(net.planes(words)), sides)
    for kind in KINDS:
        found = judged(CardBoards(kernel_of(kind)).logits(words, net._plan(SIZE)), sides)
        priors, values = (np.abs(one - other) for one, other in zip(own, found, strict=True))
        same = float((own[0].argmax(1) == found[0].argmax(1)).mean())
        more = {"mean_value": float(values.mean()), "mean_prior": float(priors.mean())}
        more |= {"same_best_move": round(same, 4), "positions": len(words)}
        tell(f"{kind}: a move's share", 1e6 * priors.max(), None, "millionths", **more)
        tell(f"{kind}: a chance", 1e6 * values.max(), None, "millionths", **more)


def judged(
    logits: npt.NDArray[np.float32], sides: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Shares of the moves and chances, as a search sees them."""
    flat = logits.reshape(len(logits), 3, -1).astype(np.float64)
    ownership = (1.0 / (1.0 + np.exp(-flat[:, 0]))).astype(np.float32)
    scores = flat[np.arange(len(flat)), sides]
    shares = np.exp(scores - scores.max(axis=1, keepdims=True))
    value = value_of_owners(ownership, lead_of_owners(ownership, KOMI))
    return shares / shares.sum(axis=1, keepdims=True), value


def measure_games(at_once: int, processes: Sequence[int]) -> None:
    """Games an hour, several processes sharing the card."""
    windows = [Window(count, WINDOW) for count in processes]
    for window, found in play_windows(MODEL, at_once, VISITS, windows):
        hourly = 3600.0 * found.moves / found.seconds / found.game_moves
        more = {
            "processes": window.processes,
            "cores": len(os.sched_getaffinity(0)),
            "games_at_once": at_once * window.processes,
            "visits": VISITS,
            "mean_batch": round(found.leaves / found.calls, 1),
            "share_waiting_for_the_card": round(found.judging / found.busy, 3),
            "moves_a_game": round(found.game_moves, 1),
        }
        who = f"self-play by {window.processes} processes"
        tell(
            f"{who}, {at_once * window.processes:,} games at once", hourly, None, "games/h", **more
        )
        judged_there = found.leaves / found.seconds
        tell(f"{who}, positions judged", judged_there, None, "positions/s", **more)
        waiting = 100.0 * found.judging / found.busy
        tell(f"{who}, time that they wait for the GPU", waiting, None, "%", **more)


def main() -> None:
    """Each part that is asked for; one that fails does not stop the others."""
    parser = argparse.ArgumentParser(description="Self-play on a CUDA card, part by part.")
    parser.add_argument("--json", action="store_true", help="print one JSON object a line")
    parser.add_argument("--at-once", type=int, default=512, help="games of each process")
    parser.add_argument("--processes", type=int, nargs="+", default=PROCESSES)
    names = ("net", "planes", "whole", "differences", "games")
    parser.add_argument("--part", nargs="+", choices=names, default=names)
    given = parser.parse_args()
    if not torch.cuda.is_available():
        print("self-play on a CUDA card: skipped, there is none here", file=sys.stderr)
        return
    parts: dict[str, Callable[[], None]] = {
        "net": measure_net,
        "planes": measure_planes,
        "whole": measure_whole,
        "differences": measure_differences,
        "games": lambda: measure_games(given.at_once, given.processes),
    }
    for name in given.part:
        try:
            parts[name]()
        except Exception:
            traceback.print_exc()


if __name__ == "__main__":
    main()
