"""The reference net: any board, and it learns what lies near."""

import numpy as np
import pytest

pytest.importorskip("torch")

import torch

from katachi.nets.convolution import Convolution, convolution_fitter
from katachi.nets.fitting import FitBatch, FitSettings


def test_one_net_takes_boards_of_any_size() -> None:
    net = Convolution(3, 4, 2, 2)
    for size in (3, 9):
        assert net(torch.zeros(5, 3, size, size)).shape == (5, 2, size, size)


def test_it_learns_and_equal_seeds_begin_alike_but_it_makes_no_model() -> None:
    planes = np.random.default_rng(1).uniform(-1, 1, (8, 1, 2, 5, 5)).astype(np.float32)
    targets = (planes[:, 0, 0] > 0).astype(np.float32)
    batch = FitBatch(planes, targets, np.ones(8, np.float32), np.zeros(8, np.int64))
    settings = FitSettings(rate=0.05, steps=60, choice_weight=0.0, cell_weight=1.0)
    one, other = (convolution_fitter((2, 6, 1, 1), 3, settings) for _ in range(2))
    first = one.step(batch)
    assert other.step(batch) == first
    for _ in range(50):
        last = one.step(batch)
    assert last.cells < 0.5 * first.cells
    with pytest.raises(TypeError, match="not of Convolution"):
        one.arrays()
