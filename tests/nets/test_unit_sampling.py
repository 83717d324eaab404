"""Units sampled by chance."""

import numpy as np
import pytest

from katachi.nets.unit_sampling import NUMBERS, fill_sampled_units

MASK = 2**32 - 1


def obvious_number(state: int) -> int:
    """The next number of Marsaglia's generator with 32 bits."""
    state ^= state << 13 & MASK
    state ^= state >> 17
    return state ^ (state << 5 & MASK)


@pytest.mark.kernel
def test_each_column_follows_its_own_stream() -> None:
    source = np.random.default_rng(1)
    chances = source.random((6, 5), np.float32)
    lanes = source.integers(1, 2**32, 5, dtype=np.uint32)
    states = lanes.tolist()
    units = np.zeros_like(chances)
    fill_sampled_units(chances, lanes, units)
    for row in range(6):
        states = [obvious_number(state) for state in states]
        numbers = [(state >> 8) / NUMBERS for state in states]
        assert units[row].tolist() == (np.array(numbers) < chances[row]).tolist()
    assert lanes.tolist() == states


def test_units_are_on_as_often_as_their_chances_say() -> None:
    shares = np.array([0.0, 0.001, 0.3, 0.75, 1.0], np.float32)
    chances = np.tile(shares[:, None], (1, 40_000))
    lanes = np.random.default_rng(1).integers(1, 2**32, 40_000, dtype=np.uint32)
    units = np.zeros_like(chances)
    fill_sampled_units(chances, lanes, units)
    np.testing.assert_allclose(units.mean(1), shares, atol=0.008)
    assert units[0].sum() == 0
    assert units[-1].all()
