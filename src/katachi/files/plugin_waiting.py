"""Waiting for code of others no longer than one must.

Code in this process cannot be ended from outside. It is called on a thread of its own: where no
answer comes in time, the caller goes on with a failure that names the line at which that thread
is, and the thread is left behind until the program ends. A plug-in that has hung once is not asked
again.
"""

import queue
import sys
import threading
import traceback
from collections.abc import Callable
from typing import Any

from katachi.files.plugins import Plugin, PluginFailure, place_of_frames

PATIENCE = 60.0
"""Seconds that any answer may take, as for programs; on top of the time of a move."""


class PluginHang(PluginFailure):
    """Code of others gave no answer in time."""


class _Worker:
    """A thread that does one call after another; it does not keep the program from ending."""

    def __init__(self) -> None:
        self._asked: queue.SimpleQueue[Callable[[], Any]] = queue.SimpleQueue()
        self._said: queue.SimpleQueue[tuple[Any, BaseException | None]] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    def _work(self) -> None:
        while True:
            call = self._asked.get()
            try:
                self._said.put((call(), None))
            except BaseException as error:  # it is the caller's
                self._said.put((None, error))

    def do(self, call: Callable[[], Any], seconds: float) -> Any:
        """What a call returns or raises; raises queue.Empty where that takes too long."""
        self._asked.put(call)
        found, error = self._said.get(timeout=min(seconds, threading.TIMEOUT_MAX))
        if error is not None:
            raise error
        return found

    @property
    def place(self) -> str:
        """Where it is, as ` (FILE, line N)`; empty where that is code of ours alone."""
        frame = sys._current_frames().get(self._thread.ident or 0)
        return "" if frame is None else place_of_frames(traceback.extract_stack(frame))


class PatientCalls:
    """Calls of one plug-in, each thread's on a thread beside it."""

    def __init__(self, plugin: Plugin, patience: float = PATIENCE) -> None:
        """Waits so many seconds for each answer."""
        self.patience = patience
        self._plugin = plugin
        self._own = threading.local()
        self._hang: PluginHang | None = None

    def call(self, function: Any, *given: Any, seconds: float = 0.0) -> Any:
        """What a function of the plug-in answers, which may take `seconds` and the patience; raises
        PluginFailure where it fails, and PluginHang where it takes longer, now or before."""
        if self._hang is not None:
            raise self._hang
        worker = getattr(self._own, "worker", None)
        if worker is None:
            worker = self._own.worker = _Worker()
        limit = seconds + self.patience
        try:
            return worker.do(lambda: self._plugin.call(function, "failed", *given), limit)
        except queue.Empty:
            text = f"{self._plugin.name} gave no answer in {limit:g} s"
            self._hang = PluginHang(text + worker.place)
            raise self._hang from None
