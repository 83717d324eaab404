"""How a tree search is set: the room it has, how it is grown, and when it ends."""

from dataclasses import dataclass
from typing import NamedTuple

from katachi.errors import KatachiError

DEFAULT_SECONDS = 1.0
"""How long a search lasts that is given neither a time nor visits."""
MOST_VISITS = 10_000_000
CPU, GPU = "cpu", "cuda"
BATCH_OF_CARD = 32
"""Leaves that are judged together where a GPU computes the net, which takes as long for a few."""
VISITS_A_LEAF = 8
"""Of a search with few visits, for each leaf that is judged together: leaves found together know
nothing of each other and go to as many moves, so that 6 visits with 5 leaves at once tried the five
likeliest moves once each, played the one that looked best and lost to the likeliest move alone."""
MOST_THREADS = 64
MOST_MEMORY = 64 << 30
"""Bytes: nodes and edges are numbered by 32 bits."""
MOST_MEMORY_OF_PROCESS = 16 << 30
"""Bytes that what one process has at once may take, such as the trees of many games."""


def check_room(what: str, needed: int) -> None:
    """Raises KatachiError where something takes more memory than a process may."""
    if needed > MOST_MEMORY_OF_PROCESS:
        gigabytes, most = needed / (1 << 30), MOST_MEMORY_OF_PROCESS >> 30
        raise KatachiError(f"{what} take {gigabytes:,.0f} GB of memory: use at most {most} GB")


@dataclass(frozen=True)
class TreeLimits:
    """How a tree is grown."""

    batch: int = 8
    """Leaves that are judged together; fewer where a search has few visits."""
    threads: int = 1
    memory: int = 256 << 20
    """Bytes of the tree; a search ends when it is full."""
    device: str = CPU
    """Where nets are computed: here, or on a GPU by PyTorch."""
    exploration: float = 0.55
    """How much priors weigh against values."""
    reduction: float = 0.1
    """How much worse than its position a move is taken to be that nobody has tried."""

    def __post_init__(self) -> None:
        if self.batch < 1:
            raise KatachiError(f"leaves are judged {self.batch} at a time: use 1 or more")
        if not 1 <= self.threads <= MOST_THREADS:
            raise KatachiError(f"cannot search by {self.threads} threads: use 1 to {MOST_THREADS}")
        if self.memory > MOST_MEMORY:
            raise KatachiError(
                f"{self.memory >> 20} MiB are too much for a tree: use {MOST_MEMORY >> 20} MiB or "
                "less"
            )

    def batch_of(self, visits: int | None, visits_a_leaf: int = VISITS_A_LEAF) -> int:
        """Leaves that are judged together in a search of so many visits, or of any number."""
        return self.batch if visits is None else min(self.batch, max(1, visits // visits_a_leaf))


class Goal(NamedTuple):
    """When a search ends: when the first of these is reached."""

    seconds: float | None = None
    visits: int | None = None
    """Of the root, with those that earlier searches left."""
    is_for_move: bool = True
    """Whether it also ends when no other move can get as many visits as the best one."""

    def checked(self) -> "Goal":
        """The same, with the default time where it sets none; raises KatachiError for one that
        makes no sense."""
        if self.visits is not None:
            check_visits(self.visits)
        if self.seconds is None and self.visits is None:
            return self._replace(seconds=DEFAULT_SECONDS)
        return self


def check_visits(visits: int) -> int:
    """The visits of a search; raises KatachiError for a number that makes no sense."""
    if not 1 <= visits <= MOST_VISITS:
        raise KatachiError(f"cannot search {visits} visits: use 1 to {MOST_VISITS}")
    return visits
