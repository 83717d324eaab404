"""Batches that territory nets learn from: sampled positions as a net sees them."""

import math
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from katachi.evaluators.territory import BLACK_OUTPUT, WHITE_OUTPUT
from katachi.features.territory_inputs import planes_of
from katachi.features.territory_planes import InputPlan
from katachi.records.sampling import BoardSampler, MoveSampler, SampledMoves
from katachi.rules.color import BLACK
from katachi.rules.positions import positions_of_stones

if TYPE_CHECKING:
    from torch import Tensor

    from katachi.nets.fitting import FitBatch, MoveBatch

Floats = npt.NDArray[np.float32]


def make_batch(plan: InputPlan, sampler: BoardSampler, number: int, count: int) -> "FitBatch":
    """The boards of one batch as a net sees them."""
    from katachi.nets.fitting import FitBatch

    sampled = sampler.sample(number, count)
    boards, size = sampled.words.shape[1], sampler.size
    words = sampled.words.reshape(count * boards, -1)
    states = positions_of_stones(words)
    planes = planes_of(states, plan, sampled.recent.reshape(len(words), -1))
    return FitBatch(
        planes.reshape(count, boards, -1, size, size),
        sampled.targets.reshape(count, size, size),
        np.where(sampled.movers == BLACK, 1.0, -1.0).astype(np.float32),
        sampled.legal,
    )


def make_move_batch(plan: InputPlan, sampler: MoveSampler, number: int, count: int) -> "MoveBatch":
    """The positions of one batch of moves as a net sees them."""
    sampled = sampler.sample(number, count)
    states = positions_of_stones(sampled.words)
    return move_batch_of(sampled, planes_of(states, plan, sampled.recent))


def move_batch_of(sampled: SampledMoves, planes: "Floats | Tensor") -> "MoveBatch":
    """A batch of moves, with planes [B, C, N, N] of their positions."""
    from katachi.nets.fitting import MoveBatch

    size = math.isqrt(sampled.targets.shape[1])
    return MoveBatch(
        planes,
        sampled.targets.reshape(-1, size, size),
        sampled.known,
        np.where(sampled.movers == BLACK, BLACK_OUTPUT, WHITE_OUTPUT),
        sampled.legal,
        sampled.played,
        sampled.komi,
        sampled.results,
    )
