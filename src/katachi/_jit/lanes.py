# pyright: reportPrivateImportUsage=false
"""Lanes: threads that share the work of one kernel and take the same way through it.

The CPU has one lane, and the compiler leaves nothing of this there. On a GPU a warp is 32 lanes
(`katachi.batch.card_lanes` says how). A kernel with lanes keeps three rules:

- a loop over independent things is `range(lane_number(), count, lane_count())`;
- words that all lanes read are written by one lane, or alike by all;
- between writing and reading such a word, or reading and writing it again, lanes `meet`.

The functions below are what plain Python does, the CUDA simulator among it.
"""

import threading
from typing import Any

import numpy as np
from numba.core.extending import overload

SIMULATED = 3
"""Lanes in the CUDA simulator, where a meeting takes long."""
_LOCK = threading.Lock()


def _simulated() -> Any:
    """This thread of the CUDA simulator, or None anywhere else."""
    thread = threading.current_thread()
    return thread if hasattr(thread, "threadIdx") else None


def _gather(number: int) -> list[int]:
    """The numbers of all lanes."""
    thread = _simulated()
    if thread is None:
        return [number]
    numbers: list[int] = thread._manager.__dict__.setdefault("numbers", [0] * SIMULATED)
    numbers[thread.threadIdx.x] = number
    thread.syncthreads()
    found = list(numbers)
    thread.syncthreads()
    return found


def lane_number() -> int:
    """Which lane this is, from 0."""
    thread = _simulated()
    return 0 if thread is None else int(thread.threadIdx.x)


def lane_count() -> int:
    """How many lanes there are."""
    return 1 if _simulated() is None else SIMULATED


def on_cpu(condition: bool) -> bool:  # noqa: FBT001
    """The condition; on a GPU False, so that what is never done there is not compiled for it."""
    return condition


def meet() -> None:
    """Waits for all lanes: each then sees what the others have written."""
    _gather(0)


def sum_lanes(number: int) -> int:
    """The sum of the numbers of all lanes, which meet."""
    return sum(_gather(number))


def place_among_lanes(count: int) -> tuple[int, int]:
    """(sum of the counts of earlier lanes, of all lanes): the place of what each lane adds to a
    list, in the order of lanes. They meet."""
    counts = _gather(count)
    return sum(counts[: lane_number()]), sum(counts)


def add_at(array: Any, index: int, number: int) -> int:
    """array[index] += number, though other lanes may do so at the same time; returns what was there
    before."""
    with _LOCK:
        before: int = array[index]
        array[index] += array.dtype.type(number)
    return before


@overload(lane_number, strict=False)
def _lane_number() -> Any:
    return lambda: 0


@overload(lane_count, strict=False)
def _lane_count() -> Any:
    return lambda: 1


@overload(on_cpu, strict=False)
def _on_cpu(condition: Any) -> Any:  # noqa: ARG001
    return lambda condition: condition


@overload(meet, strict=False)
def _meet() -> Any:
    return lambda: None


@overload(sum_lanes, strict=False)
def _sum_lanes(number: Any) -> Any:  # noqa: ARG001
    return lambda number: number


@overload(place_among_lanes, strict=False)
def _place_among_lanes(count: Any) -> Any:  # noqa: ARG001
    return lambda count: (0, np.int64(count))


@overload(add_at, strict=False)
def _add_at(array: Any, index: Any, number: Any) -> Any:  # noqa: ARG001
    def add(array: Any, index: int, number: int) -> Any:
        before = array[index]
        array[index] += number
        return before

    return add
