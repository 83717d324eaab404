"""Learning a DAG-RNN on a CUDA card: boards a second by batch and width, and what limits it.

    python benchmarks/dag_rnn_cuda.py [--json]

Forward, backward and update of `DagRnn` on random planes; the arithmetic is counted, and given as a
share of what the card's plain float32 units could do.
"""

import argparse
import json
import sys
import time

import torch
from torch.nn import functional

from katachi.arena.provenance import commit_of_tree, versions
from katachi.nets.dag_rnn import DagRnn

WINDOWED, LOCAL = 6, 15
SIZES = (9, 19)
BATCHES = (64, 512, 4096)
WIDTHS = ((16, 8), (64, 32), (256, 128))
SECONDS = 1.5


def multiplications(size: int, hidden: int, states: int) -> float:
    """Of one board forwards, and twice as many backwards."""
    inputs = 9 * WINDOWED + LOCAL
    sweep = hidden * (inputs + 2 * states) + states * hidden
    output = hidden * (inputs + 4 * states) + hidden
    return 3.0 * size * size * (4 * sweep + output)


def peak() -> float:
    """Multiply-adds a second of the card's float32 units."""
    card = torch.cuda.get_device_properties(0)
    clock = getattr(card, "clock_rate", 1_980_000)
    return card.multi_processor_count * 128 * clock * 1e3


def measure(size: int, batch: int, hidden: int, states: int) -> float:
    """Boards a second."""
    net = DagRnn(WINDOWED, LOCAL, hidden, states).cuda()
    optimiser = torch.optim.Adam(net.parameters(), foreach=True)
    planes = torch.rand(batch, WINDOWED + LOCAL, size, size, device="cuda")
    targets = torch.rand(batch, size, size, device="cuda")

    def step() -> None:
        loss = functional.binary_cross_entropy_with_logits(net(planes), targets)
        optimiser.zero_grad(set_to_none=True)
        torch.autograd.backward(loss)
        optimiser.step()

    for _ in range(3):
        step()
    torch.cuda.synchronize()
    begin, count = time.perf_counter(), 0
    while time.perf_counter() - begin < SECONDS:
        step()
        torch.cuda.synchronize()
        count += 1
    return count * batch / (time.perf_counter() - begin)


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="a line of JSON for each measurement")
    given = parser.parse_args()
    if not torch.cuda.is_available():
        sys.exit("no CUDA card here")
    card = torch.cuda.get_device_name(0)
    for size in SIZES:
        for hidden, states in WIDTHS:
            for batch in BATCHES:
                try:
                    boards = measure(size, batch, hidden, states)
                except torch.cuda.OutOfMemoryError:
                    continue
                share = boards * multiplications(size, hidden, states) / peak()
                row = {
                    "work": f"{size}x{size}, {hidden} hidden, {states} states, batch {batch:,}",
                    "boards_per_second": round(boards),
                    "share_of_peak": round(share, 5),
                    "card": card,
                    "torch": torch.__version__,
                    **versions(),
                    "commit": commit_of_tree(),
                }
                words = f"{row['work']}: {boards:,.0f} {share:.2%}"
                text = json.dumps(row) if given.json else words
                sys.stdout.write(text + "\n")
                sys.stdout.flush()


if __name__ == "__main__":
    main()
