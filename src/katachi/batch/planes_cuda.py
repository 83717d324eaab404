# pyright: reportArgumentType=false, reportCallIssue=false, reportIndexIssue=false
# pyright: reportAttributeAccessIssue=false
"""What a net sees of many positions, made on a CUDA card by the kernels of the CPU.

A thread makes some of the inputs of one position: what costs much is made by threads of its own.
The number of the position is the last axis of every array, so that neighbouring threads, which do
the same at the same time, read neighbouring words.
"""

from typing import Any

import numpy as np
import numpy.typing as npt
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
_APART = (
    ("influence",),
    ("propensity", "propensity:deviation", "propensity:weighted", "propensity:windows"),
    (_LARGE,),
    ("placing",),
)
"""Kinds of inputs that are made by threads of their own; one more makes all others, which have in
common what is known of blocks."""


def divided_kinds(first: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """[parts, kinds]: `InputPlan.first`, divided by who makes the planes."""
    apart = {name for group in _APART for name in group}
    groups = [tuple(name for name in KINDS if name not in apart), *_APART]
    parts = [np.where([name in group for name in KINDS], first, -1) for group in groups]
    return np.stack([each for each in parts if each.max() >= 0])


@inlined
def _plan_of(plan: InputPlan, parts: Any, part: int) -> InputPlan:
    return InputPlan(
        parts[part],
        plan.planes,
        plan.recent,
        plan.influence_kernel,
        plan.caps,
        plan.windows,
        plan.table,
        plan.squares,
        plan.large,
    )


@inlined
def _strength_of(all_boards: BlockStrength, position: int) -> BlockStrength:
    return BlockStrength(
        all_boards.blocks[:, position],
        all_boards.number[:, position],
        all_boards.root[:, position],
        all_boards.color[:, position],
        all_boards.eyes[:, position],
        all_boards.liberties[:, :, position],
        all_boards.weakest[:, :, position],
        all_boards.spans[:, :, position],
        all_boards.stones[:, position],
        all_boards.near[:, position],
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
    words: Any, recent: Any, parts: Any, plan: InputPlan, scratch: InputScratch, out: Any
) -> None:
    thread = cuda.grid(1)
    count = out.shape[3]
    if thread < parts.shape[0] * count:
        position = thread % count
        memory = InputScratch(
            _strength_of(scratch.strength, position),
            # Only influence is used by two parts, and these are the first two.
            _influence_of(scratch.influence, thread % (2 * count)),
            _propensity_of(scratch.propensity, position),
            scratch.hashes[:, :, :, position],
            scratch.large[:, position],
            scratch.board[:, position],
        )
        own = _plan_of(plan, parts, thread // count)
        fill_position(words[:, position], recent[:, position], own, memory, out[:, :, :, position])


def _on_card(value: Any) -> Any:
    """The same record on the card; numbers in it stay what they are."""
    if isinstance(value, np.ndarray):
        return cuda.to_device(np.ascontiguousarray(value))
    if isinstance(value, tuple):
        return type(value)(*[_on_card(each) for each in value])
    return value


def _for_each(value: Any, count: int) -> Any:
    """The same record on the card, zeros for each of so many."""
    if isinstance(value, np.ndarray):
        return cuda.to_device(np.zeros((*value.shape, count), value.dtype))
    return type(value)(*[_for_each(each, count) for each in value])


class CardPlanes:
    """Makes the planes of up to so many positions of one board size on a card."""

    def __init__(self, plan: InputPlan, size: int, most: int) -> None:
        """By a plan for that size. Raises KatachiError without a card."""
        if not cuda.is_available():
            raise KatachiError("no CUDA card that Numba can use: run `katachi doctor` for details")
        self.most = most
        parts = divided_kinds(plan.first)
        self._parts, self._plan = _on_card(parts), _on_card(plan)
        self._scratch = _new_memory(plan, size, most)

    def fill(self, words: Any, recent: Any, out: Any) -> None:
        """Writes the inputs of B positions into `out`, float32 [planes, size, size, B], as
        `fill_planes` does of `words` [WORDS, B] and `recent` [R, B]: arrays of the card. What
        follows on its default stream waits for them."""
        count = out.shape[3]
        if not 0 < count <= self.most:
            raise ValueError(f"{count} positions: there is memory for {self.most}")
        blocks = -(-count * self._parts.shape[0] // THREADS_A_BLOCK)
        _fill_grid[blocks, THREADS_A_BLOCK](
            words, recent, self._parts, self._plan, self._scratch, out
        )


def _new_memory(plan: InputPlan, size: int, most: int) -> InputScratch:
    """Memory for so many positions; what no input needs has almost none."""
    scratch = new_scratch()._replace(strength=new_strength(size * size))
    if plan.first[KINDS.index(_LARGE)] < 0:
        scratch = scratch._replace(hashes=np.zeros((1, 1, 1), np.uint64))
    ways = _on_card(scratch.influence.ways)
    influence: InfluenceScratch = _for_each(scratch.influence._replace(ways=()), 2 * most)
    made: InputScratch = _for_each(scratch._replace(influence=()), most)
    return made._replace(influence=influence._replace(ways=ways))
