"""Options of commands that have many tasks: how many at once, and where they are done."""

from dataclasses import dataclass
from enum import Enum

from cyclopts import Parameter

from katachi.errors import KatachiError
from katachi.workers import Pool, ProcessPool


class On(Enum):
    """Where tasks are done."""

    HERE = "here"
    RAY = "ray"


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class PoolOptions:
    """Who does the tasks; it changes no result."""

    workers: int | None = None
    """Games or runs at once, each in a process of its own; by default 1 (a net that
    plays itself: 2), on Ray as many as there are cores."""
    on: On = On.HERE
    """here: processes of this machine; ray: a Ray cluster."""
    address: str | None = None
    """Of the Ray cluster, such as ray-head:6379, or auto; by default one on this machine that ends
    with the command."""

    def pool(self, default: int = 1) -> Pool:
        """The pool that is asked for; raises KatachiError."""
        if self.on is On.RAY:
            from katachi.ray_pool import RayPool

            return RayPool(self.workers, self.address)
        if self.address is not None:
            raise KatachiError(f"--address {self.address} is of a Ray cluster: add --on ray")
        return ProcessPool(default if self.workers is None else self.workers)


PROCESSES = PoolOptions()
