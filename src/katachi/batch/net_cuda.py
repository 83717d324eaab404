"""A net on a CUDA card: boards are sent, planes made there, and logits come back."""

from typing import TYPE_CHECKING

import numpy as np
from numba import cuda

from katachi.batch.planes_cuda import CardPlanes
from katachi.features.territory_planes import InputPlan, Planes
from katachi.rules.state import SIZE, Words, recent_moves

if TYPE_CHECKING:
    from katachi.nets.search_fitting import TorchKernel

MOST_AT_ONCE = 8192
"""Positions of one launch: memory of the card is taken for as many, at most."""
ROUNDED = 1024
"""There is memory for a multiple of so many."""


def can_use_card() -> bool:
    """Whether Numba finds a card."""
    return bool(cuda.is_available())


class CardBoards:
    """The logits of boards: planes by Numba and the net by torch, in the same memory."""

    def __init__(self, kernel: "TorchKernel") -> None:
        """By a net that lies on a card, which becomes Numba's."""
        cuda.select_device(kernel.card)
        self._kernel = kernel
        self._makers: dict[int, CardPlanes] = {}

    def logits(self, words: Words, plan: InputPlan) -> Planes:
        """[B, outputs, N, N] of boards [B, WORDS] of the plan's size; raises KatachiError where
        Numba finds no card."""
        count = len(words)
        parts = [
            self._some_logits(words[first : first + MOST_AT_ONCE], plan)
            for first in range(0, count, MOST_AT_ONCE)
        ]
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    def _some_logits(self, words: Words, plan: InputPlan) -> Planes:
        count, size = len(words), int(words[0, SIZE])
        planes = self._kernel.room(plan.planes, size, size, count)
        sent = [self._kernel.send(each) for each in (words, recent_moves(words))]
        boards, recent = (cuda.as_cuda_array(each).view(np.uint16) for each in sent)
        self._maker(count, size, plan).fill(boards, recent, cuda.as_cuda_array(planes))
        return self._kernel.logits_beside(planes)

    def _maker(self, count: int, size: int, plan: InputPlan) -> CardPlanes:
        """Who makes so many planes of a size; a larger one takes the place of a smaller."""
        maker = self._makers.get(size)
        if maker is None or maker.most < count:
            most = -(-count // ROUNDED) * ROUNDED
            maker = self._makers[size] = CardPlanes(plan, size, most)
        return maker
