"""Feature maps by tables of window codes."""

import numpy as np
import pytest

from katachi.errors import KatachiError
from katachi.features.window_map import WindowMap, WindowTable, add_to_codes, codes_of
from katachi.rules.color import BLACK, WHITE
from tests.checks import random_colors, states_from_colors
from tests.oracle.go import spots_of
from tests.oracle.window_codes import obvious_codes


@pytest.mark.kernel
@pytest.mark.parametrize(("size", "side"), [(2, 2), (5, 1), (5, 2), (5, 3), (9, 3)])
@pytest.mark.parametrize("viewer", [BLACK, WHITE])
def test_codes_are_the_oracles(size: int, side: int, viewer: int) -> None:
    boards = random_colors(size, 4, seed=size)
    viewers = np.full(len(boards), viewer, np.uint8)
    codes = codes_of(states_from_colors(boards, size), side, viewers)
    for colors, found in zip(boards, codes, strict=True):
        stones = {s: c for s, c in zip(spots_of(size), colors.tolist(), strict=True) if c}
        assert found.tolist() == obvious_codes(stones, size, side, viewer)


@pytest.mark.kernel
def test_changed_points_change_codes_as_reading_again_does() -> None:
    size = 5
    before, after = random_colors(size, 2, seed=3)
    codes = codes_of(states_from_colors(before[None], size), 3)[0]
    for cell, change in enumerate((after.astype(int) - before).tolist()):
        add_to_codes(codes, size, 3, cell, change)
    np.testing.assert_array_equal(codes, codes_of(states_from_colors(after[None], size), 3)[0])


def test_without_rows_exactly_one_feature_of_a_window_is_on() -> None:
    states = states_from_colors(random_colors(5, 3, seed=1), 5)
    templates = WindowMap("2x2", WindowTable(2, None))
    features = templates.transform(states).reshape(3, 16, 81)
    np.testing.assert_array_equal(features.argmax(2), codes_of(states, 2))
    np.testing.assert_array_equal(features.sum(2), 1)


def test_rows_are_looked_up_window_by_window() -> None:
    states = states_from_colors(random_colors(5, 3, seed=1), 5)
    rows = np.random.default_rng(0).random((81, 7), np.float32)
    features = WindowMap("learned", WindowTable(2, rows)).transform(states)
    assert features.shape == (3, 16 * 7)
    np.testing.assert_array_equal(features[1, 7:14], rows[codes_of(states, 2)[1, 1]])


def test_feature_counts_of_the_paper() -> None:
    assert WindowMap("2x2", WindowTable(2, None)).count(9) == 5184
    learned = WindowTable(3, np.zeros((19683, 105), np.float32))
    assert WindowMap("105 kernels", learned).count(9) == 5145


def test_what_does_not_fit_is_reported() -> None:
    with pytest.raises(KatachiError, match="3x3 do not fit on a 2x2 board"):
        WindowMap("3x3", WindowTable(3, None)).count(2)
    with pytest.raises(KatachiError, match="side 4"):
        WindowMap("4x4", WindowTable(4, None))
    with pytest.raises(KatachiError, match="5 rows where 81 are needed"):
        WindowMap("odd", WindowTable(2, np.zeros((5, 1), np.float32)))
