"""Compiling what is missing while the page is there already, and saying how far it is."""

import contextlib
import logging
import threading
from collections.abc import Sequence
from typing import Any

from katachi._jit import mark_warm
from katachi.errors import KatachiError
from katachi.files.plain_text import one_line
from katachi.interfaces.cli.warmup import (
    EVERY_KERNEL,
    PLAYING,
    Forecast,
    Step,
    count_cores,
    run_steps,
    time_left_text,
)
from katachi.interfaces.cold_start import EVERYTHING, check_cache

FIRST = Forecast(files=PLAYING.files + 60, seconds=PLAYING.seconds + 30)
"""Of what the page needs before anything can be asked."""
PART = "web"
FIRST_WHAT = "what the board needs"
_log = logging.getLogger("katachi.web")


class _Ended(Exception):
    """The server ends while something is compiled."""


class Warming:
    """Kernels that are compiled in processes of their own, unless they are there."""

    def __init__(self) -> None:
        self.compiling: dict[str, Any] | None = None
        """What is being compiled, and how far it is; None once all is there."""
        self._is_ending = threading.Event()
        with contextlib.suppress(KatachiError):  # `run` will say so
            if not check_cache(PART):
                self._note(FIRST_WHAT, 0.0, FIRST.seconds / count_cores())

    def end(self) -> None:
        """Stops compiling."""
        self._is_ending.set()

    def run(self, open_lanes: threading.Event) -> None:
        """Compiles what is missing; says when enough is there to answer. Raises nothing."""
        from katachi.interfaces import warm_steps  # it imports nearly everything

        try:
            self._compile(FIRST_WHAT, first_steps(), FIRST, PART)
            open_lanes.set()
            self._compile(
                "the rest, while you play", warm_steps.EVERY_STEP, EVERY_KERNEL, EVERYTHING
            )
        except _Ended:
            return
        except (KatachiError, OSError) as error:
            _log.warning("kernels are compiled as they are needed: %s", one_line(error))
        self.compiling = None
        open_lanes.set()

    def _compile(self, what: str, steps: Sequence[Step], forecast: Forecast, part: str) -> None:
        if check_cache(part):
            return
        self._note(what, 0.0, forecast.seconds / count_cores())
        run_steps(steps, forecast, count_cores(), lambda share, left: self._note(what, share, left))
        with contextlib.suppress(OSError):
            mark_warm(part)

    def _note(self, what: str, share: float, left: float) -> None:
        if self._is_ending.is_set():
            raise _Ended
        text = f"compiling {what}, this once: {time_left_text(left)}"
        self.compiling = {"what": text, "done": int(100 * share), "of": 100}


def first_steps() -> Sequence[Step]:
    """The steps that compile what the page's own players and evaluators need."""
    from katachi.interfaces import warm_steps

    return (warm_steps.use_territory, warm_steps.use_shape, *warm_steps.PLAYING_STEPS)
