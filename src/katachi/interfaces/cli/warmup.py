"""`katachi warmup`."""

import time
from typing import Annotated

from cyclopts import Parameter

from katachi.interfaces.cli.compiling import Forecast, count_cores, do_steps
from katachi.interfaces.cold_start import EVERYTHING, Step, check_cache, every_step
from katachi.interfaces.console import Console

EVERY_KERNEL = Forecast(files=494, seconds=150)
PLAYING = Forecast(files=150, seconds=30)
"""Of `playing_steps`."""


def compile_kernels(
    console: Console, steps: list[Step], forecast: Forecast, part: str = EVERYTHING
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
    seconds = compile_kernels(console, every_step(), EVERY_KERNEL)
    if seconds:
        console.print(f"kernels compiled and kept, {seconds:.0f} s")
    else:
        console.print("kernels are compiled already")
