"""Options of commands that have many tasks: how many at once, and where they are done."""

from dataclasses import dataclass
from enum import Enum

from cyclopts import Parameter

from katachi.errors import KatachiError
from katachi.workers import CardPool, Pool, ProcessPool


class On(Enum):
    """Where tasks are done."""

    HERE = "here"
    RAY = "ray"


class Device(Enum):
    """What learns."""

    CPU = "cpu"
    CUDA = "cuda"


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class Cluster:
    """Where tasks are done; it changes no result."""

    on: On = On.HERE
    """here: processes of this machine; ray: a Ray cluster."""
    address: str | None = None
    """Of the Ray cluster, such as ray-head:6379, or auto; by default one on this machine that ends
    with the command."""

    def pool_of(self, count: int | None, default: int = 1) -> Pool:
        """The pool that is asked for, so many tasks at once; raises KatachiError."""
        if self.on is On.RAY:
            from katachi.ray_pool import RayPool

            return RayPool(count, self.address)
        if self.address is not None:
            raise KatachiError(f"--address {self.address} is of a Ray cluster: add --on ray")
        return ProcessPool(default if count is None else count)


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class PoolOptions(Cluster):
    """Who does the tasks of a command that always has many."""

    workers: int | None = None
    """Games or runs at once, each in a process of its own; by default 1 (a net that plays itself:
    2), on Ray as many as there are cores."""

    def pool(self, default: int = 1) -> Pool:
        """The pool that is asked for; raises KatachiError."""
        return self.pool_of(self.workers, default)


@Parameter(name="*")
@dataclass(frozen=True, kw_only=True)
class RunsOptions(Cluster):
    """How often a run is done, and who does it."""

    runs: int = 1
    """Runs with seeds from --seed on, each in a folder of its own in --out; the same command goes
    on with those that are missing."""
    at_once: int | None = None
    """Runs at once, each in a process of its own; by default 1, on Ray as many as there are
    cores."""

    def pool(self) -> Pool:
        """The pool that is asked for; raises KatachiError."""
        return self.pool_of(self.at_once)


def pool_on(device: Device, options: PoolOptions | RunsOptions) -> Pool:
    """The pool that is asked for: a GPU, or processors; raises KatachiError where there is no
    such thing."""
    if device is Device.CPU:
        return options.pool()
    if options.on is not On.HERE:
        raise KatachiError("--device cuda is the GPU of this machine: leave out --on")
    from katachi.batch.shape_cuda import check_card

    check_card()
    return CardPool()


PROCESSES = PoolOptions()
ONE_RUN = RunsOptions()
