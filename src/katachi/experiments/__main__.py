"""`python -m katachi.experiments ID`: an experiment told in plain lines, for machines where only
NumPy, Numba, msgspec and platformdirs are installed."""

import argparse
import sys
import time
from pathlib import Path

from katachi.errors import KatachiError
from katachi.experiments.catalogue import CATALOGUE
from katachi.experiments.results import markdown_from_result
from katachi.experiments.running import Order, carry_out, result_name
from katachi.experiments.workbench import OutOfTime, Progress

INTERRUPTED = 130
SECONDS_BETWEEN_LINES = 2.0


class PlainLines:
    """Tells what happens in plain lines, not more often than can be read."""

    def __init__(self) -> None:
        self._told = 0.0

    def tell(self, text: str) -> None:
        """Writes a line now."""
        sys.stdout.write(text + "\n")
        sys.stdout.flush()

    def observe(self, progress: Progress) -> None:
        """Writes a line about the beginning or a finished run, if the last one is not too fresh."""
        now = time.monotonic()
        if now - self._told >= SECONDS_BETWEEN_LINES or progress.done == progress.total:
            self._told = now
            self.tell(line_from_progress(progress))


def line_from_progress(progress: Progress) -> str:
    """How far a study is, in words."""
    task, count = progress.task, f"{progress.done:,}/{progress.total:,}"
    if task is None or progress.left is None:
        return f"{count}  the first runs are under way"
    left = f"about {progress.left / 60:.1f} min left"
    return f"{count}  {task.setting} run {task.run}: {progress.took:.1f} s; {left}"


def read_order(arguments: list[str] | None = None) -> Order:
    """The order of a command line."""
    parser = argparse.ArgumentParser(prog="katachi.experiments", description=__doc__)
    parser.add_argument("id", help=f"one of {', '.join(CATALOGUE)}")
    parser.add_argument("--quick", action="store_true", help="the small settings of the tests")
    parser.add_argument("--runs", type=int, help="runs of each setting")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=1, help="processes")
    parser.add_argument("--minutes", type=float, help="stop after so many; call again to go on")
    parser.add_argument("--work", type=Path, help="where the journal of runs is kept")
    parser.add_argument("--out", type=Path, default=Path("results"), help="where the result goes")
    parser.add_argument("--data", type=Path, help="a folder of games and other files")
    given = parser.parse_args(arguments)
    return Order(
        id=given.id,
        is_quick=given.quick,
        runs=given.runs,
        seed=given.seed,
        workers=given.workers,
        minutes=given.minutes,
        work=given.work,
        out=given.out,
        data=given.data,
    )


def main() -> int:
    """Runs the command line; whatever is wrong with it is told in one line."""
    order = read_order()
    lines = PlainLines()
    try:
        result = carry_out(order, lines.observe, lines.tell)
    except OutOfTime as error:
        lines.tell(str(error))
        return 0
    except (KatachiError, OSError) as error:
        sys.stderr.write(f"katachi: {error}\n")
        return 1
    except KeyboardInterrupt:
        sys.stderr.write("katachi: interrupted; finished runs are kept: run it again to go on\n")
        return INTERRUPTED
    lines.tell(markdown_from_result(result))
    lines.tell(f"{order.out / result_name(order)}.json is written")
    return 0


if __name__ == "__main__":
    sys.exit(main())
