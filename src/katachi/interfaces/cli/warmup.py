"""`katachi warmup`: compiling kernels, with a line that moves."""

import gc
import multiprocessing
import os
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from typing import Annotated, NamedTuple

from cyclopts import Parameter
from rich.progress import BarColumn, Progress, SpinnerColumn, TaskProgressColumn

from katachi.errors import KatachiError
from katachi.interfaces.cold_start import EVERYTHING, check_cache
from katachi.interfaces.console import Console, TextColumn

LOOK_SECONDS = 0.25
LINE_SECONDS = 3.0
"""Plain lines come no faster than this, where there is no terminal."""
TOO_EARLY = 0.1
"""Before this share is done, the pace is not known."""
OVERRUN = 0.1

Step = Callable[[], object]
"""Uses some kernels, which compiles them."""
Show = Callable[[float, float], None]
"""Receives the share that is done and the seconds that are left."""


class Forecast(NamedTuple):
    """What compiling something takes."""

    files: int
    """How many kernels there will be."""
    seconds: float
    """With one core of a common machine."""
    tail: float = 0.1
    """Share of the time that passes after the last small one: the large ones come last."""


class Pace:
    """How far compiling is, from the number of kernels that are there."""

    def __init__(self, forecast: Forecast, there: int, cores: int) -> None:
        """`there`: how many there were at the beginning."""
        self._forecast = forecast
        self._begin = there
        self._guess = forecast.seconds / cores
        self._files = 0
        self._seconds = self._last = self._counted = self.share = 0.0

    def look(self, files: int, seconds: float) -> None:
        """Notes how many kernels there are after so many seconds."""
        files, self._seconds = files - self._begin, seconds
        expected = max(self._forecast.files - self._begin, 1)
        if files > self._files:
            self._files, self._last = files, seconds
            self._counted = min(files / expected, 1.0) * (1 - self._forecast.tail)
        share = self._counted + self._rate() * (seconds - self._last)
        self.share = max(self.share, min(share, 0.99))

    def _rate(self) -> float:
        """Share a second: as seen, or as guessed where little has been seen."""
        if self._counted < TOO_EARLY:
            return 1 / self._guess
        return self._counted / self._last

    def seconds_left(self) -> float:
        """How long it will take from now on. Before it is done it is never nothing: the last and
        largest kernel may take a tenth of the time longer."""
        return max(1.0, OVERRUN * self._seconds, (1 - self.share) / self._rate())


def count_cores() -> int:
    """The processor's cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def do_steps(console: Console, steps: Sequence[Step], forecast: Forecast, cores: int) -> None:
    """Does the steps, each in a process when there are several cores, with a line that moves."""
    with _shown(console) as show:
        if cores == 1:
            for number, step in enumerate(steps):
                show(number / len(steps), forecast.seconds * (1 - number / len(steps)))
                step()
            return
        run_steps(steps, forecast, cores, show)


def run_steps(steps: Sequence[Step], forecast: Forecast, cores: int, show: Show) -> None:
    """Does each step in a process of its own, and says again and again how far they are. What
    `show` raises ends them all."""
    with _workers(min(cores, len(steps))) as pool:
        _watch([pool.submit(step) for step in steps], forecast, cores, show)


@contextmanager
def _workers(count: int) -> Iterator[ProcessPoolExecutor]:
    """Processes that are ended at once when something goes wrong or somebody loses patience."""
    # The compiler makes very many objects, and looking for garbage among them takes a tenth of the
    # time.
    hurry = partial(gc.set_threshold, 100_000)
    pool = ProcessPoolExecutor(count, multiprocessing.get_context("spawn"), hurry)
    try:
        yield pool
    except BaseException:
        for process in list(pool._processes.values()):
            process.terminate()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def _watch(work: list[Future[object]], forecast: Forecast, cores: int, show: Show) -> None:
    """Shows how far the work is until it is done; raises what any of it raises."""
    from katachi import _jit

    begin = time.monotonic()
    pace = Pace(forecast, _jit.count_kept(), cores)
    left = set(work)
    while left:
        pace.look(_jit.count_kept(), time.monotonic() - begin)
        show(pace.share, pace.seconds_left())
        done, left = wait(left, LOOK_SECONDS)
        for each in done:
            _check(each)


def _check(done: Future[object]) -> None:
    try:
        done.result()
    except BrokenProcessPool:
        raise KatachiError(
            "a process that compiled kernels was ended from outside: is there enough memory?"
        ) from None


def _shown(console: Console) -> AbstractContextManager[Show]:
    return _moving_line(console) if console.is_terminal else _plain_lines(console)


def time_left_text(seconds: float) -> str:
    """Such as `about 20 s left`; nobody knows it to the second."""
    rounded = round(seconds) if seconds < 10 else 5 * round(seconds / 5)
    return f"about {rounded} s left"


@contextmanager
def _moving_line(console: Console) -> Iterator[Show]:
    words, left = TextColumn("{task.description}"), TextColumn("{task.fields[left]}")
    columns = (SpinnerColumn(), words, BarColumn(24), TaskProgressColumn(), left)
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("compiling, this once", total=1.0, left="")
        yield lambda share, left: progress.update(task, completed=share, left=time_left_text(left))


@contextmanager
def _plain_lines(console: Console) -> Iterator[Show]:
    due = time.monotonic()

    def show(share: float, left: float) -> None:
        nonlocal due
        if time.monotonic() >= due:
            due = time.monotonic() + LINE_SECONDS
            console.print(f"compiling, this once: {share:.0%}, {time_left_text(left)}")

    yield show


EVERY_KERNEL = Forecast(files=510, seconds=155)
PLAYING = Forecast(files=150, seconds=30)
"""Of `PLAYING_STEPS`."""


def compile_kernels(
    console: Console, steps: Sequence[Step], forecast: Forecast, part: str = EVERYTHING
) -> float:
    """Does the steps unless what they compile, a `part` of all, is known to be there; returns the
    seconds it took, or 0."""
    from katachi import _jit

    begin = time.perf_counter()
    if check_cache(part):
        return 0.0
    do_steps(console, steps, forecast, count_cores())
    _jit.mark_warm(part)
    return time.perf_counter() - begin


def warmup(
    *, force: Annotated[bool, Parameter(name=("--force", "--anew"), negative="")] = False
) -> None:
    """Compile every kernel now, so that no later command waits for the compiler.

    The result is kept until katachi or Numba changes.

    Parameters
    ----------
    force
        Forget what was kept, and compile it again.
    """
    if force:
        from katachi import _jit

        _jit.forget_kernels()
    from katachi.interfaces.warm_steps import EVERY_STEP

    console = Console(stderr=True)
    seconds = compile_kernels(console, EVERY_STEP, EVERY_KERNEL)
    if seconds:
        console.print(f"kernels compiled and kept, {seconds:.0f} s")
    else:
        console.print("kernels are compiled already")
