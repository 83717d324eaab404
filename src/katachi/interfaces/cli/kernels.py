"""`katachi warmup`."""

import multiprocessing
import os
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from typing import Annotated

from cyclopts import Parameter
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn

from katachi.interfaces.cold_start import Step, check_cache, every_step
from katachi.interfaces.console import Console, TextColumn


def compile_kernels(console: Console, steps: list[Step], workers: int = 1) -> float:
    """Compiles what is not compiled yet, with a progress line, by so many processes; returns the
    seconds it took."""
    begin = time.perf_counter()
    if check_cache():
        return 0.0
    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=console, transient=console.is_terminal) as progress:
        task = progress.add_task("compiling kernels", total=len(steps))
        for _ in _finished(steps, workers):
            progress.advance(task)
    return time.perf_counter() - begin


def _finished(steps: list[Step], workers: int) -> Iterator[None]:
    """Does the steps, here or in processes of their own; yields after each."""
    if workers == 1:
        for step in steps:
            step.work()
            yield
        return
    with ProcessPoolExecutor(workers, multiprocessing.get_context("spawn")) as pool:
        for done in as_completed([pool.submit(step.work) for step in steps]):
            done.result()
            yield


def warmup(*, anew: Annotated[bool, Parameter(negative="")] = False) -> None:
    """Compile every kernel now, so that no later command waits for the compiler.

    The result is kept until katachi or Numba changes.

    Parameters
    ----------
    anew
        Forget what was kept, and compile it again.
    """
    if anew:
        from katachi import _jit

        _jit.forget_kernels()
    console = Console(stderr=True)
    *steps, last = every_step()
    seconds = compile_kernels(console, steps[::-1], os.cpu_count() or 1)
    if seconds:
        last.work()
        console.print(f"kernels compiled and kept, {seconds:.0f} s")
    else:
        console.print("kernels are compiled already")
