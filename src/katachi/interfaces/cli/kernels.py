"""`katachi warmup`."""

import time

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


def warmup() -> None:
    """Compile every kernel now, so that no later command waits for the compiler.

    The result is kept until katachi or Numba changes.
    """
    console = Console(stderr=True)
    seconds = compile_kernels(console, every_step())
    if seconds:
        console.print(f"kernels compiled and kept, {seconds:.0f} s")
    else:
        console.print("kernels are compiled already")
