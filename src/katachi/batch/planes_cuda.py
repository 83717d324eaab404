# pyright: reportArgumentType=false, reportCallIssue=false, reportIndexIssue=false
# pyright: reportAttributeAccessIssue=false
"""What a net sees of many positions, made on a CUDA GPU by the kernels of the CPU.

A thread makes some of the inputs of one position: what costs much is made by threads of its own.
The number of the position is the last axis of every array, so that neighbouring threads, which do
the same at the same time, read neighbouring words.
"""

import warnings
from typing import Any, NamedTuple

import numpy as np
from numba import cuda

from katachi._jit import inlined
from katachi.errors import KatachiError
from katachi.features.block_strength import BlockStrength, new_strength
from katachi.features.influence import InfluenceScratch
from katachi.features.propensity import PropensityScratch
from katachi.features.territory_planes import (
    KINDS,
    InputPlan,
    InputScratch,
    fill_position,
    new_scratch,
)

THREADS_A_BLOCK = 64
_LARGE = "propensity:large"
_STRICT = "influence:strict"
_BOTH, _BLACK, _WHITE = (0, 2), (0, 1), (1, 2)
_APART: tuple[tuple[tuple[str, ...], tuple[int, int]], ...] = (
    ((_STRICT,), _BLACK),
    ((_STRICT,), _WHITE),
    (("influence",), _BLACK),
    (("influence",), _WHITE),
    (("placing",), _BLACK),
    (("placing",), _WHITE),
    (("propensity", "propensity:deviation", "propensity:weighted", "propensity:windows"), _BOTH),
    ((_LARGE,), _BOTH),
)
"""Kinds of inputs that are made by threads of their own, and for which colours; the first thread of
a position makes all others."""
STRENGTHS, INFLUENCES, BOARDS = 3, 4, 2
"""How many parts look at blocks, at influence, and at a board that they change. Each has memory of
its own for that; they follow one another, so that part modulo this number tells them apart."""


class Parts(NamedTuple):
    """An input plan divided among threads."""

    first: Any
    """[parts, kinds]: `InputPlan.first` of each."""
    views: Any
    """[parts, 2]: `InputPlan.views` of each."""


def divide_plan(plan: InputPlan) -> Parts:
    """Who makes which planes; a part that has nothing to make is left out if it comes last."""
    apart = {name for names, _ in _APART for name in names}
    groups = [(tuple(name for name in KINDS if name not in apart), _BOTH), *_APART]
    parts = [np.where([name in names for name in KINDS], plan.first, -1) for names, _ in groups]
    used = 1 + max(number for number, each in enumerate(parts) if each.max() >= 0)
    return Parts(np.stack(parts[:used]), np.array([views for _, views in groups[:used]]))


@inlined
def _plan_of(plan: InputPlan, parts: Parts, part: int) -> InputPlan:
    return InputPlan(
        parts.first[part],
        plan.planes,
        plan.recent,
        plan.influence_kernel,
        plan.caps,
        plan.windows,
        plan.table,
        plan.squares,
        plan.large,
        parts.views[part],
    )


@inlined
def _strength_of(all_threads: BlockStrength, thread: int) -> BlockStrength:
    return BlockStrength(
        all_threads.blocks[:, thread],
        all_threads.number[:, thread],
        all_threads.root[:, thread],
        all_threads.color[:, thread],
        all_threads.eyes[:, thread],
        all_threads.liberties[:, :, thread],
        all_threads.weakest[:, :, thread],
        all_threads.spans[:, :, thread],
        all_threads.stones[:, thread],
        all_threads.near[:, thread],
    )


@inlined
def _influence_of(all_threads: InfluenceScratch, thread: int) -> InfluenceScratch:
    return InfluenceScratch(
        all_threads.near[:, thread],
        all_threads.levels[:, thread],
        all_threads.sets[:, thread],
        all_threads.waves[:, thread],
        all_threads.sums[:, :, thread],
        all_threads.ways,
    )


@inlined
def _propensity_of(all_boards: PropensityScratch, position: int) -> PropensityScratch:
    return PropensityScratch(
        all_boards.value[:, position],
        all_boards.mean[:, position],
        all_boards.deviation[:, position],
        all_boards.weighted[:, position],
        all_boards.trust[:, position],
        all_boards.windows[:, :, position],
    )


@cuda.jit
def _fill_grid(
    words: Any, recent: Any, parts: Parts, plan: InputPlan, scratch: InputScratch, out: Any
) -> None:
    thread = cuda.grid(1)
    count = words.shape[1]
    if thread < parts.first.shape[0] * count:
        position = thread % count
        memory = InputScratch(
            _strength_of(scratch.strength, thread % (STRENGTHS * count)),
            _influence_of(scratch.influence, thread % (INFLUENCES * count)),
            _propensity_of(scratch.propensity, position),
            scratch.hashes[:, :, :, position],
            scratch.large[:, position],
            scratch.board[:, thread % (BOARDS * count)],
        )
        own = _plan_of(plan, parts, thread // count)
        fill_position(words[:, position], recent[:, position], own, memory, out[:, :, :, position])


def _on_card(value: Any) -> Any:
    """The same record on the GPU; numbers in it stay what they are."""
    if isinstance(value, np.ndarray):
        return cuda.to_device(np.ascontiguousarray(value))
    if isinstance(value, tuple):
        return type(value)(*[_on_card(each) for each in value])
    return value


def _for_each(value: Any, count: int) -> Any:
    """The same record on the GPU, zeros for each of so many."""
    if isinstance(value, np.ndarray):
        return cuda.to_device(np.zeros((*value.shape, count), value.dtype))
    return type(value)(*[_for_each(each, count) for each in value])


class CardPlanes:
    """Makes the planes of up to so many positions of one board size on a GPU."""

    def __init__(self, plan: InputPlan, size: int, most: int) -> None:
        """By a plan for that size. Raises KatachiError without a GPU."""
        if not cuda.is_available():
            raise KatachiError("no CUDA GPU that Numba can use: run `katachi doctor` for details")
        self.most = most
        self._parts, self._plan = _on_card(divide_plan(plan)), _on_card(plan)
        self._scratch = _new_memory(plan, size, most)

    def fill(self, words: Any, recent: Any, out: Any) -> None:
        """Writes the inputs of B positions into `out`, float32 [planes, size, size, B or more], as
        `fill_planes` does of `words` [WORDS, B] and `recent` [R, B]: arrays of the GPU. What
        follows on its default stream waits for them."""
        count = words.shape[1]
        if not 0 < count <= min(self.most, out.shape[3]):
            raise ValueError(f"{count} positions: there is memory for {self.most}")
        blocks = -(-count * self._parts.first.shape[0] // THREADS_A_BLOCK)
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", ".*Grid size")  # a few positions leave a GPU idle
            launch = _fill_grid[blocks, THREADS_A_BLOCK]
        launch(words, recent, self._parts, self._plan, self._scratch, out)


def _new_memory(plan: InputPlan, size: int, most: int) -> InputScratch:
    """Memory for so many positions; what no input needs has almost none."""
    scratch = new_scratch()._replace(strength=new_strength(size * size))
    if plan.first[KINDS.index(_LARGE)] < 0:
        scratch = scratch._replace(hashes=np.zeros((1, 1, 1), np.uint64))
    *own, ways = scratch.influence
    influence = [_for_each(each, INFLUENCES * most) for each in own]
    return InputScratch(
        _for_each(scratch.strength, STRENGTHS * most),
        InfluenceScratch._make([*influence, _on_card(ways)]),
        _for_each(scratch.propensity, most),
        _for_each(scratch.hashes, most),
        _for_each(scratch.large, most),
        _for_each(scratch.board, BOARDS * most),
    )
