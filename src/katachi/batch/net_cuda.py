"""A net on a CUDA GPU: boards are sent, planes made there, and logits come back."""

import logging
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
from numba import cuda

from katachi.batch.planes_cuda import CardPlanes
from katachi.features.territory_planes import InputPlan, Planes
from katachi.rules.point import CELLS, STRIDE
from katachi.rules.state import COLOR, SIZE, WORDS, Words, recent_moves

if TYPE_CHECKING:
    from torch import Tensor

    from katachi.nets.card_memory import CardMemory
    from katachi.nets.search_fitting import TorchKernel

_log = logging.getLogger(__name__)

ROUNDED = 1024
"""There is memory for a multiple of so many."""
FEW = 256
"""The net is computed for a multiple of so many: torch plans anew for each number that it meets."""


def can_make_planes() -> bool:
    """Whether Numba finds a GPU to make planes on; where it does not, a warning says who makes
    them."""
    if cuda.is_available():
        return True
    _log.warning("Numba cannot use the GPU: planes are made by the CPU, which is slower")
    return False


class SentBoards(NamedTuple):
    """B boards that lie side by side on a GPU."""

    boards: Any
    """[WORDS, B]."""
    recent: Any
    """[R, B]: the last moves."""
    size: int


def words_in_use(size: int) -> list[slice]:
    """The words of a board of this size that anybody reads."""
    cells = (size + 2) * STRIDE
    firsts = range(COLOR, WORDS, CELLS)
    return [slice(0, COLOR), *(slice(first, first + cells) for first in firsts)]


def _seen_by_numba(tensor: "Tensor") -> Any:
    """The memory of a tensor on the GPU."""
    return cuda.as_cuda_array(tensor)


class CardPlaneMaker:
    """Makes the planes of boards that are sent to a GPU."""

    most: ClassVar[int] = 8192
    """Positions that `in_parts` gives one launch, for which memory of the GPU is taken and kept."""

    def __init__(self, memory: "CardMemory") -> None:
        """In memory of a GPU, which becomes Numba's."""
        cuda.select_device(memory.card)
        self._memory = memory
        self._makers: dict[int, CardPlanes] = {}

    def send(self, words: Words) -> SentBoards:
        """Boards [B, WORDS] of one size, on the GPU."""
        size, recent = int(words[0, SIZE]), recent_moves(words)
        sent = (
            self._memory.send(words, words_in_use(size)),
            self._memory.send(recent, [slice(0, recent.shape[1])]),
        )
        boards, moves = (_seen_by_numba(each).view(np.uint16) for each in sent)
        return SentBoards(boards, moves, size)

    def planes_of(self, words: Words, plan: InputPlan) -> "Tensor":
        """[B, planes, size, size]: what the net sees of boards [B, WORDS] of the plan's size, on
        the GPU; raises as `make`."""
        parts = [planes.permute(3, 0, 1, 2)[:count] for planes, count in self.in_parts(words, plan)]
        return self._memory.joined(parts)

    def in_parts(self, words: Words, plan: InputPlan) -> "Iterator[tuple[Tensor, int]]":
        """The same in parts of at most so many boards as one launch may have: what `make` makes,
        and of how many."""
        for first in range(0, len(words), self.most):
            some = words[first : first + self.most]
            yield self.make(self.send(some), plan), len(some)

    def make(self, sent: SentBoards, plan: InputPlan) -> "Tensor":
        """[planes, size, size, B or more]: what the net sees of boards, on the GPU, made by one
        launch however many they are; what follows these is not set. Raises KatachiError where
        Numba finds no GPU."""
        count = sent.boards.shape[1]
        rounded = -(-count // FEW) * FEW
        planes = self._memory.room(plan.planes, sent.size, sent.size, rounded)
        maker = self._maker(count, sent.size, plan)
        maker.fill(sent.boards, sent.recent, _seen_by_numba(planes))
        return planes

    def _maker(self, count: int, size: int, plan: InputPlan) -> CardPlanes:
        """Who makes so many planes of a size; a larger one takes the place of a smaller."""
        maker = self._makers.get(size)
        if maker is None or maker.most < count:
            most = -(-count // ROUNDED) * ROUNDED
            maker = self._makers[size] = CardPlanes(plan, size, most)
        return maker


class CardBoards(CardPlaneMaker):
    """The logits of boards: planes by Numba and the net by torch, in the same memory."""

    def __init__(self, kernel: "TorchKernel") -> None:
        """By a net that lies on a GPU, which becomes Numba's."""
        super().__init__(kernel.memory)
        self._kernel = kernel

    def logits(self, words: Words, plan: InputPlan) -> Planes:
        """[B, outputs, N, N] of boards [B, WORDS] of the plan's size; raises KatachiError where
        Numba finds no GPU."""
        parts = [self._kernel.logits_beside(*part) for part in self.in_parts(words, plan)]
        return parts[0] if len(parts) == 1 else np.concatenate(parts)
