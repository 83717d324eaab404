"""Products and logistic units on lanes are NumPy's."""

import numpy as np
import pytest

from katachi.nets.lanes import (
    BOARDS,
    FEWEST,
    LANES,
    PLANES,
    Floats,
    add_lanes,
    add_outer,
    add_product,
    apply_logistic,
    logistic_table,
    padded,
    sum_boards,
)

pytestmark = pytest.mark.kernel


def numbers(*shape: int) -> Floats:
    return np.random.default_rng(sum(shape)).standard_normal(shape).astype(np.float32)


@pytest.mark.parametrize("lanes", [32, 40, LANES])
@pytest.mark.parametrize(("rows", "columns"), [(8, 8), (8, 16), (16, 8)])
def test_a_product_is_added_in_the_lanes_that_are_used(rows: int, columns: int, lanes: int) -> None:
    weights, inputs, out = numbers(rows, columns), numbers(columns, LANES), numbers(rows, LANES)
    room = np.concatenate([np.zeros(LANES, np.float32), out.ravel()])
    add_product(room, LANES, weights, inputs.ravel(), 0, lanes)
    found = room[LANES:].reshape(rows, LANES)
    np.testing.assert_allclose(found[:, :lanes], (out + weights @ inputs)[:, :lanes], atol=1e-5)
    np.testing.assert_array_equal(found[:, lanes:], out[:, lanes:])


@pytest.mark.parametrize("boards", [FEWEST, 10, BOARDS])
def test_an_outer_product_is_added_apart_for_each_board(boards: int) -> None:
    gradient, values, sums = numbers(4, LANES), numbers(8, LANES), numbers(4, 8, BOARDS)
    used = slice(PLANES * boards)
    expected = sums[..., :boards].sum(2) + gradient[:, used] @ values[:, used].T
    add_outer(sums, gradient.ravel(), values.ravel(), boards)
    np.testing.assert_allclose(sums[..., :boards].sum(2), expected, atol=1e-4)


@pytest.mark.parametrize("boards", [FEWEST, 10, BOARDS])
def test_lanes_are_added_apart_for_each_board(boards: int) -> None:
    gradient, sums = numbers(3, LANES), np.zeros((3, BOARDS), np.float32)
    add_lanes(sums, gradient.ravel(), boards)
    expected = gradient[:, : PLANES * boards].reshape(3, -1, boards).sum(1)
    np.testing.assert_allclose(sums[:, :boards], expected, atol=1e-6)


def test_boards_are_added_as_numpy_adds_them() -> None:
    sums, found = numbers(50, BOARDS), np.empty(50, np.float32)
    sum_boards(sums, found)
    np.testing.assert_array_equal(found, sums.sum(1))


def test_the_logistic_function_is_within_2e_7_everywhere() -> None:
    values = np.linspace(-60, 60, 64 * LANES).astype(np.float32)
    expected = 1 / (1 + np.exp(-values.astype(np.float64)))
    apply_logistic(values, 0, 64, logistic_table(np.float32), LANES)
    assert np.abs(values - expected).max() < 2e-7
    assert values.min() >= 0
    assert values.max() <= 1


def test_padding_keeps_what_was_there_and_adds_zeros() -> None:
    matrix = numbers(3, 11)
    found = padded(matrix)
    assert found.shape == (8, 16)
    np.testing.assert_array_equal(found[:3, :11], matrix)
    assert np.count_nonzero(found) == 33
