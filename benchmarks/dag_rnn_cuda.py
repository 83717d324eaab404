"""Learning a DAG-RNN on a CUDA card: boards a second by batch and width, and what limits it.

    python benchmarks/dag_rnn_cuda.py [--json]

Forward, backward and update of `DagRnn` on random planes, which are sent to the card each time, as
a training run does. The peer is the card itself: the boards a second that its plain float32 units
could do if they did nothing but this arithmetic.
"""

import sys
import time

import numpy as np
import torch
from _report import Measurement, measured_versions, read_options, show

from katachi.nets.fitting import FitBatch, FitSettings, new_fitter

WINDOWED, LOCAL = 6, 15
SIZES = (9, 19)
BATCHES = (64, 512, 4096)
WIDTHS = ((16, 8), (64, 32), (256, 128))
SECONDS = 1.5
FIT = FitSettings(rate=0.001, steps=1_000_000, choice_weight=0.0, cell_weight=1.0)


def multiplications(size: int, hidden: int, states: int) -> float:
    """Of one board forwards, and twice as many backwards."""
    inputs = 9 * WINDOWED + LOCAL
    sweep = hidden * (inputs + 2 * states) + states * hidden
    output = hidden * (inputs + 4 * states) + hidden
    return 3.0 * size * size * (4 * sweep + output)


def peak() -> float:
    """Multiply-adds a second of the GPU's float32 units."""
    card = torch.cuda.get_device_properties(0)
    clock = getattr(card, "clock_rate", 1_980_000)
    return card.multi_processor_count * 128 * clock * 1e3


def measure(size: int, batch: int, hidden: int, states: int) -> float:
    """Boards a second."""
    fitter = new_fitter((WINDOWED, LOCAL, hidden, states, 1), False, 1, FIT, "cuda")
    random = np.random.default_rng(1)
    planes = random.random((batch, 1, WINDOWED + LOCAL, size, size), np.float32)
    targets = random.random((batch, size, size), np.float32)
    given = FitBatch(planes, targets, np.ones(batch, np.float32), np.zeros(batch, np.int64))

    def step() -> None:
        fitter.step(given)

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
    read_options()
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
                limit = peak() / multiplications(size, hidden, states)
                name = f"{size}x{size}, {hidden} hidden, {states} states, batch {batch:,}"
                settings = {"card": card, "windowed": WINDOWED, "local": LOCAL, "seconds": SECONDS}
                found = Measurement(name, boards, limit, boards / limit, settings, "boards/s")
                show(found, measured_versions("torch"))


if __name__ == "__main__":
    main()
