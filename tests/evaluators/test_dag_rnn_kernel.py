"""The kernel gives the numbers of the torch module, and needs no torch."""

import subprocess
import sys

import numpy as np
import pytest

from katachi.evaluators.dag_rnn_kernel import DagRnnKernel


def random_arrays(windowed: int, local: int) -> dict[str, np.ndarray]:
    """Weights of a net with 16 hidden units and 8 states, in the form of a model."""
    random = np.random.default_rng(0)
    inputs = 9 * windowed + local
    shapes = {"layers.0.corner": (inputs, 8), "layers.0.side": (inputs + 8, 8)}
    shapes |= {"layers.0.lateral": (inputs + 16, 8), "output": (inputs + 32, 1)}
    found = {}
    for name, (width, outputs) in shapes.items():
        found[f"{name}.hidden.weight"] = random.normal(0, 0.3, (16, width))
        found[f"{name}.hidden.bias"] = random.normal(0, 0.3, 16)
        found[f"{name}.out.weight"] = random.normal(0, 0.3, (outputs, 16))
        found[f"{name}.out.bias"] = random.normal(0, 0.3, outputs)
    return {name: array.astype(np.float32) for name, array in found.items()}


def random_planes(*shape: int) -> np.ndarray:
    return np.random.default_rng(1).uniform(-1, 1, shape).astype(np.float32)


@pytest.mark.parametrize(("size", "boards"), [(5, 1), (6, 16), (7, 17), (9, 40), (19, 20)])
@pytest.mark.parametrize(("layers", "is_tied"), [(1, False), (2, False), (2, True)])
def test_logits_are_those_of_the_torch_module(
    size: int, boards: int, layers: int, is_tied: bool
) -> None:
    torch = pytest.importorskip("torch")
    from katachi.nets.dag_rnn import DagRnn

    torch.manual_seed(size)
    net = DagRnn(6, 15, layers=layers, is_tied=is_tied)
    planes = random_planes(boards, 21, size, size)
    with torch.no_grad():
        expected = net(torch.from_numpy(planes))
    found = DagRnnKernel(net.arrays(), 6)
    assert np.abs(found.logits(planes) - expected.numpy()).max() <= 1e-5
    owned = torch.sigmoid(expected[:, 0]).numpy()
    assert np.abs(found.ownership(planes) - owned).max() <= 1e-6


@pytest.mark.parametrize(("hidden", "states"), [(5, 3), (24, 12)])
def test_other_widths_agree_too(hidden: int, states: int) -> None:
    torch = pytest.importorskip("torch")
    from katachi.nets.dag_rnn import DagRnn
    from katachi.nets.waves import wave_logits

    net = DagRnn(2, 3, hidden, states, layers=2, outputs=3)
    planes = random_planes(3, 5, 7, 7)
    with torch.no_grad():
        expected = wave_logits(
            torch.from_numpy(planes), 2, net.layer_weights(), net.output_weights()
        )
    assert np.abs(DagRnnKernel(net.arrays(), 2).logits(planes) - expected.numpy()).max() <= 1e-5


def test_one_object_takes_sizes_in_any_order() -> None:
    net = DagRnnKernel(random_arrays(2, 1), 2)
    small, large = random_planes(3, 3, 5, 5), random_planes(3, 3, 9, 9)
    first = net.logits(small)
    net.logits(large)
    np.testing.assert_array_equal(net.logits(small), first)


def test_boards_do_not_see_each_other() -> None:
    net = DagRnnKernel(random_arrays(2, 1), 2)
    planes = random_planes(18, 3, 6, 6)
    np.testing.assert_array_equal(net.logits(planes)[17:], net.logits(planes[17:]))


def test_other_planes_are_refused() -> None:
    net = DagRnnKernel(random_arrays(2, 1), 2)
    with pytest.raises(ValueError, match=r"\[B, 3, N, N\]"):
        net.logits(random_planes(1, 4, 5, 5))


def test_nothing_of_torch_is_imported() -> None:
    code = "import sys, katachi.evaluators.dag_rnn_kernel; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
