"""Three verdicts from one chance."""

import numpy as np
import pytest

from katachi.measure.verdicts import VERDICTS, class_shares, fit_readout


def test_a_readout_finds_the_cuts_that_made_the_verdicts() -> None:
    source = np.random.default_rng(1)
    logits = source.normal(0.3, 1.0, 20_000)
    noise = source.logistic(0.0, 1.0, len(logits))
    latent = 1.5 * logits + noise
    z = np.where(latent > 1.0, 1.0, np.where(latent < -0.5, -1.0, 0.0))
    readout = fit_readout(1.0 / (1.0 + np.exp(-logits)), z)
    assert readout.lower == pytest.approx(-0.5, abs=0.06)
    assert readout.lower + np.exp(readout.gap) == pytest.approx(1.0, abs=0.06)
    assert readout.slope == pytest.approx(1.5, abs=0.06)


def test_without_anything_to_say_the_shares_are_reported() -> None:
    z = np.array([-1.0] * 10 + [0.0] * 50 + [1.0] * 40)
    found = fit_readout(np.full(100, 0.5), z).probabilities(np.array([0.5]))
    assert found[0] == pytest.approx(class_shares(z), abs=0.01)
    assert found.sum() == pytest.approx(1.0)


def test_verdicts_are_probabilities_however_sure_a_net_is() -> None:
    chances = np.array([0.0, 1e-12, 0.3, 1.0])
    found = fit_readout(chances, np.array([-1.0, -1.0, 0.0, 1.0])).probabilities(chances)
    assert found.shape == (4, len(VERDICTS))
    assert np.all(found > 0)
    assert found.sum(axis=1) == pytest.approx(np.ones(4), abs=1e-6)
    assert found[0].argmax() <= found[3].argmax()
