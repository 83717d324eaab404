"""The whole of Figure 4 (S1-F4) on a CUDA card, tests and compilation included: minutes.

    python benchmarks/figure4_cuda.py [--json] [--work FOLDER] [--games N] [--runs N]
    python benchmarks/figure4_cuda.py [--json] [--work FOLDER] --compare

The peer is one CPU core, by what twelve runs of each setting took by processors. The journal stays
in the work folder: `katachi experiment run S1-F4 --work FOLDER` makes the result of it. With
--compare the first run of each setting is done again by the CPU, and counted where both agree.
"""

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path

from _report import Measurement, measured_versions, show

from katachi.experiments.journal import Journal
from katachi.experiments.runner import Progress
from katachi.experiments.running import Order, carry_out
from katachi.workers import CardPool

MINUTE = 60.0
FILE = "S1-F4.runs.jsonl"
PEER_SECONDS = 5388.8 / 12
"""Of one core for a run of every setting: 12 runs took so long in all."""


def main() -> None:
    """Does it, telling when each setting is there."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--work", type=Path, default=Path("figure4"))
    parser.add_argument("--games", type=int, default=100_000)
    parser.add_argument("--runs", type=int, default=50)
    parser.add_argument("--compare", action="store_true")
    options = parser.parse_args()
    changes = () if options.games == 100_000 else (f"games={options.games}",)
    begin, known = time.perf_counter(), 0

    def tell(text: str) -> None:
        print(f"{time.perf_counter() - begin:7.1f} s  {text}", file=sys.stderr, flush=True)

    def observe(progress: Progress) -> None:
        nonlocal known
        if progress.task is None:
            known = progress.done
        if progress.task is None or progress.task.run == 1:
            setting = "begins" if progress.task is None else progress.task.setting
            tell(f"{setting}: {progress.done:,} of {progress.total:,} runs")

    work = options.work
    if options.compare:
        compare(work, observe, tell)
        return
    order = Order(
        "S1-F4", runs=options.runs, workers=CardPool(), work=work, out=work, changes=changes
    )
    carry_out(order, observe, tell)
    versions = measured_versions("numba-cuda")
    minutes = (time.perf_counter() - begin) / MINUTE
    settings = {"settings": 36, "runs": options.runs, "games": options.games, "known": known}
    title = f"Figure 4: 36 settings of {options.runs} runs of {options.games:,} games, tested"
    if known:
        title += f"; without the {known:,} runs that were there"
        show(Measurement(title, minutes, None, None, settings, "min"), versions)
        return
    peer = PEER_SECONDS * options.runs * options.games / 100_000 / MINUTE
    settings["peer"] = "one CPU core"
    show(Measurement(title, minutes, peer, peer / minutes, settings, "min"), versions)


def compare(work: Path, observe: Callable[[Progress], None], tell: Callable[[str], None]) -> None:
    """Counts the first runs of the journal that a CPU makes the same."""
    here = work / "cpu"
    carry_out(Order("S1-F4", runs=1, work=here, out=here), observe, tell)
    ours, peers = (
        {(line.setting, line.run): bytes(line.measured) for line in Journal(folder / FILE).read()}
        for folder in (work, here)
    )
    equal = sum(ours.get(name) == data for name, data in peers.items())
    title = "Figure 4: first runs of each setting, their curves and tests the same on GPU and CPU"
    shown = Measurement(title, equal, len(peers), equal / len(peers), {"games": 100_000}, "runs")
    show(shown, measured_versions())


if __name__ == "__main__":
    main()
