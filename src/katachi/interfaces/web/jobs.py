"""A fair queue of work: those who wait have one step done each, in turn.

However much one page asks for, the next page waits for one step of it and no more. A job is dropped
at once when nobody waits for it: a waiting one is closed, a running one is asked to stop.
"""

import contextlib
import logging
import threading
from collections import deque
from collections.abc import Callable, Hashable

from katachi.files.plain_text import one_line
from katachi.interfaces.web.operations import Answers, Part, Result
from katachi.search.stopping import Stopped, stoppable

Outcome = Part | Result | Exception
Deliver = Callable[[Outcome], None]
"""Takes what a step has made, in the thread that made it."""
_log = logging.getLogger("katachi.web")


class Job:
    """An answer in the making."""

    def __init__(self, deliver: Deliver) -> None:
        """A job without steps yet: `steps` is set before it is queued."""
        self.steps: Answers = iter(())
        self._deliver = deliver
        self._stop = threading.Event()

    def is_stopped(self) -> bool:
        """Whether nobody waits for the answer any more."""
        return self._stop.is_set()

    def stop(self) -> None:
        """Nothing is delivered from now on, and the work ends at its next look."""
        self._stop.set()

    def do_step(self) -> bool:
        """Does one step and delivers what it made; whether there is more to do."""
        outcome: Outcome | None
        try:
            with stoppable(self.is_stopped):
                outcome = next(self.steps)
        except StopIteration:
            outcome = AssertionError("an operation ended without a result")
        except Exception as error:
            outcome = error
        if self.is_stopped() or isinstance(outcome, Stopped):
            self.close()
            return False
        if outcome is not None:
            try:
                self._deliver(outcome)
            except Exception as error:  # a thread that works for all must not end
                _log.error("an answer cannot be sent: %s", one_line(error))
                outcome = error
        is_done = isinstance(outcome, Result | Exception)
        if is_done:
            self.close()
        return not is_done

    def close(self) -> None:
        """Ends the steps; not while one is being done."""
        close = getattr(self.steps, "close", None)
        with contextlib.suppress(Exception):
            if close is not None:
                close()


class FairQueue:
    """Threads that do one step of each client in turn, and one step of a client at a time."""

    def __init__(self, threads: int, is_free: Callable[[Hashable], bool] = lambda _: True) -> None:
        """`is_free` says whether a client takes what it is sent: one that does not is passed over
        until `wake`. No thread runs before `begin`."""
        self._threads = threads
        self._is_free = is_free
        self._changed = threading.Condition()
        self._turns: deque[Hashable] = deque()
        """Clients with something to do, whose turn comes in this order."""
        self._waiting: dict[Hashable, deque[Job]] = {}
        self._running: dict[Hashable, Job] = {}
        self._held: set[Hashable] = set()

    def begin(self) -> None:
        """Starts the threads, which end with the process."""
        for number in range(self._threads):
            threading.Thread(target=self._work, name=f"worker {number}", daemon=True).start()

    def add(self, client: Hashable, job: Job) -> None:
        """Puts a job behind the others of its client."""
        with self._changed:
            self._waiting.setdefault(client, deque()).append(job)
            if len(self._waiting[client]) == 1 and client not in self._running:
                self._give_turn(client)

    def wake(self, client: Hashable) -> None:
        """Goes on with a client that takes what it is sent again."""
        with self._changed:
            if client in self._held:
                self._held.discard(client)
                self._give_turn(client)

    def cancel(self, client: Hashable, job: Job) -> None:
        """Drops a job, wherever it is."""
        job.stop()
        with self._changed:
            jobs = self._waiting.get(client, deque())
            is_waiting = job in jobs
            if is_waiting:
                jobs.remove(job)
                if not jobs:
                    self._forget(client)
        if is_waiting:
            job.close()

    def drop(self, client: Hashable) -> None:
        """Drops everything that a client has asked for."""
        with self._changed:
            jobs = self._waiting.get(client, deque())
            self._forget(client)
            running = self._running.get(client)
        for job in (*jobs, *([running] if running else [])):
            job.stop()
        for job in jobs:
            job.close()

    def is_busy(self, client: Hashable) -> bool:
        """Whether a step of this client is being done."""
        with self._changed:
            return client in self._running

    def count_running(self) -> int:
        """How many steps are being done."""
        with self._changed:
            return len(self._running)

    def _forget(self, client: Hashable) -> None:
        self._waiting.pop(client, None)
        self._held.discard(client)
        with contextlib.suppress(ValueError):
            self._turns.remove(client)

    def _give_turn(self, client: Hashable) -> None:
        """Lets a client wait for its turn, or until it takes what it is sent."""
        if self._is_free(client):
            self._turns.append(client)
            self._changed.notify()
        else:
            self._held.add(client)

    def _work(self) -> None:
        while True:
            with self._changed:
                while not self._turns:
                    self._changed.wait()
                client = self._turns.popleft()
                job = self._waiting[client].popleft()
                self._running[client] = job
            has_more = job.do_step()
            with self._changed:
                del self._running[client]
                self._go_on(client, job, has_more=has_more)

    def _go_on(self, client: Hashable, job: Job, *, has_more: bool) -> None:
        """Queues what is left of a job and of its client."""
        if has_more and not job.is_stopped():
            self._waiting.setdefault(client, deque()).append(job)
        elif has_more:
            job.close()
        if self._waiting.get(client):
            self._give_turn(client)
        else:
            self._waiting.pop(client, None)
