"""The batches that a territory net learns from, one after another, the next ones made meanwhile."""

import itertools
from collections import deque
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from katachi.features.territory_planes import InputPlan
from katachi.learning.territory_batches import make_batch, make_move_batch, move_batch_of
from katachi.records.sampling import BoardSampler, MoveSampler, SampledMoves
from katachi.rules.random_play import random_states

if TYPE_CHECKING:
    from torch import Tensor

    from katachi.batch.net_cuda import CardPlaneMaker
    from katachi.nets.fitting import FitBatch, MoveBatch

Sampler = BoardSampler | MoveSampler


class SizeSamplers(NamedTuple):
    """What is needed for boards of one size."""

    plan: InputPlan
    sampler: Sampler
    validation: Sampler | None


class SampledBatch(NamedTuple):
    """A batch of moves whose planes a GPU is still to make."""

    moves: SampledMoves
    plan: InputPlan
    """How planes are made."""


class BatchFeed:
    """Makes batches, by several threads; how many there are changes nothing else."""

    def __init__(
        self,
        makers: Sequence[Sequence[SizeSamplers]],
        shares: Sequence[float],
        seed: int,
        count: int,
        plane_maker: "CardPlaneMaker | None" = None,
    ) -> None:
        """Batches of `count` positions of one board size; each thread has samplers of its own, for
        all sizes, and each size its share of the batches. A plane maker makes the planes of
        batches of moves on a GPU."""
        self._makers = makers
        self._seed, self._count = seed, count
        self._plane_maker = plane_maker
        self.share(shares)

    def share(self, shares: Sequence[float]) -> None:
        """Lets each board size have this share of the batches, which make 1, from the next call of
        `batches` on."""
        self._bounds = np.cumsum(shares)

    def batches(self, step: int) -> "Generator[FitBatch | MoveBatch, None, None]":
        """The batches from a step on, without end; closing it ends the threads that make them."""
        makers, at_once = len(self._makers), self._at_once
        groups = (range(first, first + at_once) for first in itertools.count(step, at_once))
        with ThreadPoolExecutor(makers) as pool:
            coming = deque(
                pool.submit(self._sample, next(groups), maker) for maker in range(makers)
            )
            for maker in itertools.cycle(range(makers)):
                sampled = coming.popleft().result()
                coming.append(pool.submit(self._sample, next(groups), maker))
                yield from self._finish(sampled)

    @property
    def _at_once(self) -> int:
        """Batches that are made together: a GPU wants many positions a launch, of one size."""
        if self._plane_maker is None or len(self._makers[0]) > 1:
            return 1
        return max(1, self._plane_maker.most // self._count)

    def _sample(self, steps: range, maker: int) -> "list[FitBatch | MoveBatch | SampledBatch]":
        """The batches of these steps."""
        return [self.sample_batch(step, maker) for step in steps]

    def sample_batch(self, step: int, maker: int = 0) -> "FitBatch | MoveBatch | SampledBatch":
        """The batch of a step, by the samplers of one of the threads."""
        chance, sizes = int(random_states(self._seed, step, 1)[0]) / 2.0**64, self._makers[maker]
        size = sizes[min(int(np.searchsorted(self._bounds, chance)), len(sizes) - 1)]
        if not isinstance(size.sampler, MoveSampler):
            return make_batch(size.plan, size.sampler, step, self._count)
        if self._plane_maker is None:
            return make_move_batch(size.plan, size.sampler, step, self._count)
        return SampledBatch(size.sampler.sample(step, self._count), size.plan)

    def _finish(
        self, sampled: "list[FitBatch | MoveBatch | SampledBatch]"
    ) -> "Iterator[FitBatch | MoveBatch]":
        """The same batches, all with planes."""
        planes = self._planes_of([each for each in sampled if isinstance(each, SampledBatch)])
        for each in sampled:
            if isinstance(each, SampledBatch):
                yield move_batch_of(each.moves, next(planes))
            else:
                yield each

    def _planes_of(self, sampled: list[SampledBatch]) -> "Iterator[Tensor]":
        """Those of batches of one board size, made on the GPU all at once."""
        if self._plane_maker is None or not sampled:
            return
        words = np.concatenate([each.moves.words for each in sampled])
        planes = self._plane_maker.planes_of(words, sampled[0].plan)
        for first in range(0, len(words), self._count):
            yield planes[first : first + self._count]
