"""Boards a second that a DAG-RNN learns from, against a loop over points, in one process.

    python benchmarks/dag_rnn.py [--json]

One core, the paper's net (69 inputs, 16 hidden units, 8 states), 9x9: forward, backward and an
update by stochastic gradient descent. The peer is the obvious PyTorch implementation, the oracle of
the tests. Ours and the peer take turns by CPU time, and the best round of each counts. Each figure
comes with the share of the arithmetic limit that it reaches: multiplications and additions that
cannot be avoided, over what one core does in a large matrix product. Then: what the kernel without
torch takes for all moves of a 19x19 position.
"""

import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch
from _report import Measurement, measured_versions, read_options, show
from torch import Tensor

from katachi.evaluators.dag_rnn_kernel import DagRnnKernel
from katachi.nets.dag_rnn import DagRnn

sys.path.insert(0, str(Path(__file__).parents[1]))
from tests.oracle.dag_rnn import obvious_logits

ROUNDS = 5
SIZE = 9
STEPS = {10: (40, 2), 256: (4, 1)}
"""By batch: how many updates a round of ours and of the peer's."""
AFTERSTATES = 280

Forward = Callable[[Tensor], Tensor]


def multiplications(net: DagRnn, size: int) -> tuple[int, int]:
    """Of one board, forward: those with inputs, and those with states and hidden units."""
    windowed, local, hidden, states, *_ = net.shape
    inputs, cells, sides = 9 * windowed + local + 1, size * size, 2 * (size - 1)
    with_inputs = 5 * cells * hidden * inputs
    lateral = (cells - sides - 1) * 3 * hidden * states
    edges = (sides * 2 + 1) * hidden * states
    return with_inputs, 4 * (lateral + edges) + cells * hidden * (4 * states + 1)


def learning_operations(net: DagRnn, size: int) -> int:
    """Additions and multiplications of forward, backward and weight gradients of one board.

    Nothing goes back to the inputs, so their part counts twice and the rest three times.
    """
    with_inputs, others = multiplications(net, size)
    return 2 * (2 * with_inputs + 3 * others)


def peak_operations() -> float:
    """What this core does a second in a large matrix product of single precision."""
    matrix = torch.rand(1024, 1024)
    best = 0.0
    for _ in range(ROUNDS):
        begin = time.process_time()
        torch.mm(matrix, matrix)
        best = max(best, 2 * 1024**3 / (time.process_time() - begin))
    return best


def learning_rate(net: DagRnn, forward: Forward, boards: int, steps: int) -> float:
    """Boards a second of CPU time."""
    optimiser = torch.optim.SGD(net.parameters(), 0.01)
    planes = torch.rand(boards, net.shape.windowed + net.shape.local, SIZE, SIZE)
    targets = torch.rand(boards, 1, SIZE, SIZE)
    loss = torch.nn.BCEWithLogitsLoss()
    begin = time.process_time()
    for _ in range(steps):
        optimiser.zero_grad()
        loss(forward(planes), targets).backward()
        optimiser.step()
    return boards * steps / (time.process_time() - begin)


def compare(boards: int, versions: dict[str, str]) -> None:
    """Prints ours beside the loop over points."""
    net = DagRnn(6, 15)
    mine, peers = STEPS[boards]
    learning_rate(net, net, boards, 1)
    ours, others, peaks = [], [], []
    for _ in range(ROUNDS):
        peaks.append(peak_operations())
        others.append(learning_rate(net, lambda p: obvious_logits(net, p), boards, peers))
        ours.append(learning_rate(net, net, boards, mine))
    ratios = [one / other for one, other in zip(ours, others, strict=True)]
    limit = max(peaks) / learning_operations(net, SIZE)
    settings = {"size": SIZE, "batch": boards, "rounds": ROUNDS, "clock": "CPU", "threads": 1}
    settings |= {"limit": limit, "share of limit": max(ours) / limit}
    ratio = max(ours) / max(others)
    interval = (min(ratios), max(ratios))
    title = f"DAG-RNN learning, batch {boards}, {max(ours) / limit:.0%} of the limit"
    show(
        Measurement(title, max(ours), max(others), ratio, settings, "boards/s", interval), versions
    )


def evaluate(versions: dict[str, str]) -> None:
    """Prints how long the kernel takes for as many 19x19 boards as a position has moves."""
    net = DagRnnKernel(DagRnn(6, 15).arrays(), 6)
    planes = np.random.default_rng(0).random((AFTERSTATES, net.planes, 19, 19), np.float32)
    net.logits(planes)
    best = float("inf")
    for _ in range(ROUNDS):
        begin = time.process_time()
        net.logits(planes)
        best = min(best, time.process_time() - begin)
    settings = {"size": 19, "boards": AFTERSTATES, "clock": "CPU", "features": "not counted"}
    title = f"DAG-RNN kernel, {AFTERSTATES} boards 19x19"
    show(Measurement(title, best * 1000, None, None, settings, "ms"), versions)


def main() -> None:
    """Runs both batches and the kernel."""
    read_options()
    torch.set_num_threads(1)
    torch.manual_seed(0)
    versions = measured_versions("torch")
    for boards in STEPS:
        compare(boards, versions)
    evaluate(versions)


if __name__ == "__main__":
    main()
