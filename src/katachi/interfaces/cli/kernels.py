"""`katachi warmup`."""

import multiprocessing
import os
import time
from concurrent.futures import ProcessPoolExecutor, as_completed

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn

from katachi.interfaces.cold_start import Step, check_cache, every_step


def compile_kernels(console: Console, steps: list[Step]) -> float:
    """Compiles what is not compiled yet, with a progress line; returns the seconds it took."""
    begin = time.perf_counter()
    if check_cache():
        return 0.0
    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=console, transient=console.is_terminal) as progress:
        task = progress.add_task("compiling kernels", total=len(steps))
        for step in steps:
            progress.update(task, description=f"compiling kernels: {step.title}")
            step.work()
            progress.advance(task)
    return time.perf_counter() - begin


def compile_on_all_cores(console: Console, steps: list[Step], last: Step) -> float:
    """The same with a process for each core, the longest steps first; then the last step, here."""
    begin = time.perf_counter()
    if check_cache():
        return 0.0
    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    context = multiprocessing.get_context("spawn")
    with (
        ProcessPoolExecutor(min(os.cpu_count() or 1, len(steps)), context) as pool,
        Progress(*columns, console=console, transient=console.is_terminal) as progress,
    ):
        task = progress.add_task("compiling kernels", total=len(steps))
        for done in as_completed([pool.submit(step.work) for step in steps]):
            done.result()
            progress.advance(task)
    last.work()
    return time.perf_counter() - begin


def warmup() -> None:
    """Compile every kernel now, so that no later command waits for the compiler.

    The result is kept until katachi or Numba changes.
    """
    console = Console(stderr=True)
    *steps, last = every_step()
    seconds = compile_on_all_cores(console, steps[::-1], last)
    if seconds:
        console.print(f"kernels compiled and kept, {seconds:.0f} s")
    else:
        console.print("kernels are compiled already")
