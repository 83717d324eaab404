"""Tasks on the machines of a Ray cluster, or on the cores of this one by Ray.

Ray schedules, begins a task anew whose process or machine died, and has the store. Here is only
what a `Pool` promises beyond that: so many tasks under way and no more, results as they come, and
nothing left behind. Who waits for results keeps them: there is no other state, so the process that
asks can be killed and run again.
"""

import logging
import os
import platform
import secrets
import uuid
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any, TypeVar

from katachi import __version__
from katachi.errors import KatachiError
from katachi.workers import Shared, Terms, Worker, check_workers, work_far_away

T = TypeVar("T")
R = TypeVar("R")

ATTEMPTS = 6
"""How often a task is begun at least whose process or machine died under it: on a cluster this
need not be the task's fault."""
MOST_TASKS = 65_536
"""Under way at once."""
_MISSING = "No module named"
LOCAL = "local"
"""The address of a cluster of this machine that ends with this process."""
LOCAL_STORE = 500_000_000
"""Bytes that the store of such a cluster holds in memory; what is more goes to its disk."""


class RayPool:
    """The machines of a Ray cluster, a core for each task."""

    def __init__(self, count: int | None = None, address: str | None = None) -> None:
        """Joins the cluster at an address, or else the one that this process has joined before, or
        begins one on this machine that ends with the process. `count` tasks are under way at once;
        where it is not given, as many as there are cores.

        Raises KatachiError where Ray is not installed, or no cluster answers.
        """
        self._count = None if count is None else check_workers(count, MOST_TASKS)
        self._ray = _import_ray()
        if address is not None or not self._ray.is_initialized():
            self._join(address)

    def _join(self, address: str | None) -> None:
        # Nothing is told about this use, unless somebody has asked for it.
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}
        if address is None:
            quiet |= {"num_cpus": self._count, "object_store_memory": LOCAL_STORE}
            quiet["include_dashboard"] = False
            # Ray would make a token, leave it in the user's folder, and from then on ask for it
            # wherever it is used: on clusters, too, whose other machines have none.
            os.environ.setdefault("RAY_AUTH_TOKEN", secrets.token_hex(32))
        try:
            self._ray.init(address or LOCAL, **quiet)
        except Exception as error:  # Ray has no class of its own for this
            line = str(error).strip().partition("\n")[0]
            where = f"at {address}" if address else "on this machine"
            raise KatachiError(f"no Ray cluster {where}: {line}") from None
        # Ray writes to the standard output of whom it works for when a process or a machine dies,
        # which has its own use for it; what comes of it is told by `_result`.
        printing = self._ray._private.worker
        if hasattr(printing, "print_to_stdstream"):
            printing.print_to_stdstream = lambda *_, **__: None

    @property
    def count(self) -> int:
        """Tasks at once."""
        return self._count or max(1, int(self._ray.cluster_resources().get("CPU", 1)))

    @property
    def sees_files(self) -> bool:
        """Whether all machines of the cluster are this one."""
        nodes = {node["NodeManagerHostname"] for node in self._ray.nodes() if node["Alive"]}
        return nodes <= {platform.node()}

    def share(self, data: R) -> Shared[R]:
        """Puts data into the cluster's store: each machine fetches it once."""
        return _Stored(self._ray.put(data))

    def work(
        self, take: Callable[[], T | None], make_worker: Callable[[], Worker[T, R]], terms: Terms[T]
    ) -> Generator[tuple[T, R], None, None]:
        """What comes of each task, as soon as it is there; see `Pool`."""
        made = _Made(uuid.uuid4().hex, __version__, self.share(make_worker))
        retries = max(terms.attempts, ATTEMPTS) - 1
        begin = self._ray.remote(num_cpus=1, max_retries=retries)(_work).remote
        under_way: dict[Any, T] = {}
        try:
            while True:
                for _ in range(self.count - len(under_way)):
                    if (task := take()) is None:
                        break
                    under_way[begin(made, task)] = task
                ready = self._ready(list(under_way), terms.time_left())
                if not ready:
                    return
                for answer in ready:
                    task = under_way.pop(answer)
                    yield task, self._result(answer, terms.name(task))
        finally:
            for answer in under_way:
                self._ray.cancel(answer, force=True)

    def _ready(self, answers: list[Any], seconds: float | None) -> list[Any]:
        """The answers that are there; waits for the first, until the time is up."""
        if not answers or not self._ray.wait(answers, timeout=seconds)[0]:
            return []
        found: list[Any] = self._ray.wait(answers, num_returns=len(answers), timeout=0)[0]
        return found

    def _result(self, answer: Any, name: str) -> Any:
        """What came of a task; raises KatachiError."""
        errors = self._ray.exceptions
        try:
            found = self._ray.get(answer)
        except errors.RayError as error:
            text = str(error).strip()
            if _MISSING in text:
                module = text.partition(_MISSING)[2].partition("\n")[0].strip()
                text = f"a machine of the cluster has no module {module} for {name}"
                raise KatachiError(f"{text}: install there what is here") from None
            if isinstance(error, errors.RayTaskError):
                raise  # a fault of the task itself, with where it was
            line = text.partition("\n")[0]
            raise KatachiError(f"{name} could not be done: {line}") from None
        if isinstance(found, _Failure):
            raise KatachiError(found.text)
        return found


def _import_ray() -> Any:
    try:
        import ray  # pyright: ignore[reportMissingImports]
        import ray.exceptions  # pyright: ignore[reportMissingImports]
    except ImportError:
        raise KatachiError("a cluster needs Ray: pip install 'katachi[ray]'") from None
    return ray


class _Stored(Shared[R]):
    """Data in the cluster's store."""

    def get(self) -> R:
        """The data; each machine fetches it once."""
        found: R = _import_ray().get(self._data)
        return found


@dataclass(frozen=True)
class _Failure:
    """Why a task cannot be done."""

    text: str


@dataclass(frozen=True)
class _Made:
    """How workers of the same tasks are made."""

    key: str
    version: str
    make: Shared[Callable[[], Worker[Any, Any]]]


class _Here:
    """The worker of this process of the cluster: it is kept from one task to the next, and closed
    when tasks of others come."""

    key = ""
    worker: Worker[Any, Any] | None = None

    @classmethod
    def take(cls, made: _Made) -> Worker[Any, Any]:
        if cls.worker is None or cls.key != made.key:
            if cls.worker is not None:
                cls.worker.close()
            cls.worker, cls.key = made.make.get()(), made.key
        return cls.worker


def _work(made: _Made, task: Any) -> Any:
    """What comes of one task, in a process of the cluster."""
    work_far_away()
    try:
        if made.version != __version__:
            raise KatachiError(f"katachi is {__version__} there, {made.version} here")
        return _Here.take(made).work(task)
    except KatachiError as error:
        return _Failure(f"on {platform.node()}: {error}")
