"""The whole of Figure 4 (S1-F4) on a CUDA card, tests and compilation included: minutes.

    python benchmarks/figure4_cuda.py [--json] [--work FOLDER] [--games N] [--runs N]

The peer is one CPU core, by what twelve runs of each setting took by processors. The journal stays
in the work folder: `katachi experiment run S1-F4 --work FOLDER` makes the result of it.
"""

import argparse
import sys
import time
from pathlib import Path

from _report import Measurement, measured_versions, show

from katachi.experiments.runner import Progress
from katachi.experiments.running import Order, carry_out
from katachi.workers import CardPool

MINUTE = 60.0
PEER_SECONDS = 5388.8 / 12
"""Of one core for a run of every setting: 12 runs took so long in all."""


def main() -> None:
    """Does it, telling when each setting is there."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--commit")
    parser.add_argument("--work", type=Path, default=Path("figure4"))
    parser.add_argument("--games", type=int, default=100_000)
    parser.add_argument("--runs", type=int, default=50)
    options = parser.parse_args()
    changes = () if options.games == 100_000 else (f"games={options.games}",)
    begin = time.perf_counter()

    def tell(text: str) -> None:
        print(f"{time.perf_counter() - begin:7.1f} s  {text}", file=sys.stderr, flush=True)

    def observe(progress: Progress) -> None:
        if progress.task is None or progress.task.run == 1:
            setting = "begins" if progress.task is None else progress.task.setting
            tell(f"{setting}: {progress.done:,} of {progress.total:,} runs")

    work = options.work
    order = Order(
        "S1-F4", runs=options.runs, workers=CardPool(), work=work, out=work, changes=changes
    )
    carry_out(order, observe, tell)
    minutes = (time.perf_counter() - begin) / MINUTE
    peer = PEER_SECONDS * options.runs * options.games / 100_000 / MINUTE
    settings = {
        "settings": 36,
        "runs": options.runs,
        "games": options.games,
        "peer": "one CPU core",
    }
    title = f"Figure 4: 36 settings of {options.runs} runs of {options.games:,} games, tested"
    versions = measured_versions("numba-cuda")
    show(Measurement(title, minutes, peer, peer / minutes, settings, "min"), versions)


if __name__ == "__main__":
    main()
