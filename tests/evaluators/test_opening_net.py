"""The opening net is an evaluator, and a model that comes back as it was or not at all."""

from pathlib import Path

import numpy as np
import pytest

from katachi.evaluators.opening_net import LOGITS_A_WEIGHT, OpeningNet
from katachi.features.opening_inputs import RAW, RICH, OpeningInputs
from katachi.features.units import UNIT
from katachi.rules.game import Game
from tests.checks import random_colors, states_from_colors


def random_net(kinds: tuple[str, ...], size: int = 5) -> OpeningNet:
    net = OpeningNet(OpeningInputs(kinds, size))
    source = np.random.default_rng(11)
    net.weights[:] = source.normal(0.0, 0.05 / UNIT, len(net.weights)).astype(np.int64)
    return net


def test_the_papers_net_is_a_hyperbolic_tangent_of_its_weights() -> None:
    net = random_net(RAW)
    colors = random_colors(5, 4, 1)
    signs = np.array([0, 1, -1])[np.stack(colors)]
    weights = net.weights * UNIT / LOGITS_A_WEIGHT
    expected = np.tanh(weights[0] + signs @ weights[1:])
    found = 2.0 * net.evaluate(states_from_colors(colors, 5)).value - 1.0
    assert np.allclose(found, expected, atol=1e-6)
    assert 2.0 * net.evaluate(Game(5).states).value[0] - 1.0 == pytest.approx(np.tanh(weights[0]))


def test_a_model_comes_back_as_it_was(tmp_path: Path) -> None:
    net = random_net(RICH)
    net.moves, net.training = 30, {"seed": 3}
    net.save(tmp_path / "model", "# A model")
    again = OpeningNet.load(tmp_path / "model")
    assert np.array_equal(again.weights, net.weights)
    assert np.array_equal(again.scales, net.scales)
    assert (again.inputs, again.moves, again.training) == (net.inputs, 30, {"seed": 3})
