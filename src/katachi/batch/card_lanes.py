# pyright: reportPrivateImportUsage=false
"""Lanes on a CUDA GPU: what `katachi._jit.lanes` is for a block that is one warp."""

import os
from functools import partial
from importlib import import_module
from typing import Any

import numba
import numba.cuda
import numpy as np
from numba import extending

from katachi._jit import lanes

cuda: Any = numba.cuda
"""What it has depends on whether a GPU is simulated."""
IS_SIMULATED = bool(getattr(numba.config, "ENABLE_CUDASIM", False))
LANES = lanes.SIMULATED if IS_SIMULATED else 32
"""Threads of a block."""
MOST_STREAMS = 1 if IS_SIMULATED else 32
"""Streams that a GPU does side by side, where it is told so before it is first used; further ones
would wait for some of them."""
REGISTERS = 128
"""Of a thread: so sixteen warps fit into a multiprocessor."""
_ALL = 0xFFFFFFFF


def _lane_number() -> Any:
    return lambda: np.int64(cuda.threadIdx.x)


def _lane_count() -> Any:
    return lambda: 32


def _on_cpu(condition: Any) -> Any:  # noqa: ARG001
    return lambda condition: False  # noqa: ARG005


def _meet() -> Any:
    def wait() -> None:
        cuda.syncwarp()

    return wait


def _sum_lanes(number: Any) -> Any:  # noqa: ARG001
    def add(number: Any) -> Any:
        cuda.syncwarp()  # shuffles alone say nothing of memory
        total = np.int64(number)
        for step in (16, 8, 4, 2, 1):
            total += cuda.shfl_xor_sync(_ALL, total, step)
        return total

    return add


def _place_among_lanes(count: Any) -> Any:  # noqa: ARG001
    def place(count: Any) -> Any:
        cuda.syncwarp()
        own = np.int32(count)
        total = own
        for step in (1, 2, 4, 8, 16):
            other = cuda.shfl_up_sync(_ALL, total, step)
            if cuda.threadIdx.x >= step:
                total = np.int32(total + other)
        whole = cuda.shfl_sync(_ALL, total, 31)
        return np.int64(total - own), np.int64(whole)

    return place


def _add_at(array: Any, index: Any, number: Any) -> Any:  # noqa: ARG001
    def add(array: Any, index: int, number: int) -> Any:
        return cuda.atomic.add(array, index, number)

    return add


def _teach_compiler() -> None:
    """Makes these what CUDA kernels call."""
    try:
        overload = import_module("numba.cuda.extending").overload
    except AttributeError:  # without numba-cuda, which has its own
        overload = partial(extending.overload, target="cuda")
    overload(lanes.lane_number, strict=False)(_lane_number)
    overload(lanes.lane_count, strict=False)(_lane_count)
    overload(lanes.on_cpu, strict=False)(_on_cpu)
    overload(lanes.meet, strict=False)(_meet)
    overload(lanes.sum_lanes, strict=False)(_sum_lanes)
    overload(lanes.place_among_lanes, strict=False)(_place_among_lanes)
    overload(lanes.add_at, strict=False)(_add_at)


def warp_kernel(function: Any) -> Any:
    """A CUDA kernel whose blocks are warps."""
    return cuda.jit(function) if IS_SIMULATED else _compiled(function)


os.environ.setdefault("CUDA_DEVICE_MAX_CONNECTIONS", str(MOST_STREAMS))
if not IS_SIMULATED:
    _teach_compiler()
    setattr(numba.config, "CUDA_LOW_OCCUPANCY_WARNINGS", 0)  # noqa: B010 (few runs are fine, too)
    _compiled = cuda.jit(max_registers=REGISTERS)
