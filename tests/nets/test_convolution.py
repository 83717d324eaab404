"""The plain net: any board, it learns what lies near, and is the same without torch."""

import numpy as np
import pytest

pytest.importorskip("torch")

import torch

from katachi.evaluators.convolution_kernel import ConvolutionKernel
from katachi.nets.convolution import Convolution
from katachi.nets.fitting import FitBatch, FitSettings, new_convolution_fitter


def test_one_net_takes_boards_of_any_size() -> None:
    net = Convolution(3, 4, 2, 2)
    for size in (3, 9):
        assert net(torch.zeros(5, 3, size, size)).shape == (5, 2, size, size)


def test_logits_without_torch_are_those_of_the_module() -> None:
    torch.manual_seed(1)
    net = Convolution(3, 8, 4, 3)
    kernel = ConvolutionKernel(net.arrays())
    for size in (2, 7):
        planes = torch.rand(5, 3, size, size)
        with torch.no_grad():
            expected = net(planes).numpy()
        found = kernel.logits(planes.numpy())
        np.testing.assert_allclose(found, expected, atol=1e-5)
        owned = 1 / (1 + np.exp(-expected[:, 0]))
        np.testing.assert_allclose(kernel.ownership(planes.numpy()), owned, atol=1e-5)
    with pytest.raises(ValueError, match=r"\[B, 3, N, N\]"):
        kernel.logits(np.zeros((1, 2, 5, 5), np.float32))


def test_logits_beyond_any_doubt_are_chances_without_a_warning() -> None:
    arrays = Convolution(1, 2, 1, 1).arrays()
    arrays = {name: np.zeros_like(array) for name, array in arrays.items()}
    arrays["output.bias"][:] = -200
    assert not ConvolutionKernel(arrays).ownership(np.zeros((1, 1, 3, 3), np.float32)).any()


@pytest.mark.slow
def test_it_learns_and_equal_seeds_begin_alike() -> None:
    planes = np.random.default_rng(1).uniform(-1, 1, (8, 1, 2, 5, 5)).astype(np.float32)
    targets = (planes[:, 0, 0] > 0).astype(np.float32)
    batch = FitBatch(planes, targets, np.ones(8, np.float32), np.zeros(8, np.int64))
    settings = FitSettings(rate=0.05, steps=60, choice_weight=0.0, cell_weight=1.0)
    one, other = (new_convolution_fitter((2, 6, 2, 1), 3, settings) for _ in range(2))
    first = one.step(batch)
    assert other.step(batch) == first
    last = first
    for _ in range(50):
        last = one.step(batch)
    assert last.cells < 0.5 * first.cells
