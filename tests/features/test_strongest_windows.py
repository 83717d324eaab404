"""Windows that make hidden units fire."""

import numpy as np

from katachi.features.crbm import CrbmFeatures, CrbmLayer
from katachi.features.strongest_windows import find_strongest
from katachi.nets.crbm_form import CrbmForm
from tests.checks import random_colors, states_from_colors


def test_the_strongest_windows_hold_what_a_kernel_wants() -> None:
    weight = np.zeros((2, 3, 2, 2), np.float32)
    weight[0, 0] = 1.0  # black stones
    weight[1, 1, 0, 0], weight[1, 2, 1, 1] = 2.0, 1.0  # white, and empty across
    arrays = {
        "weight": weight,
        "hidden_bias": np.zeros(2, np.float32),
        "visible_bias": np.zeros(3, np.float32),
    }
    features = CrbmFeatures(("stones",), (CrbmLayer(CrbmForm(kernels=2, side=2), arrays),))
    colors = random_colors(5, 12, seed=3)
    batches = [states_from_colors(colors[:6], 5), states_from_colors(colors[6:], 5)]
    found = find_strongest(features, batches, 3)
    assert [len(firings) for firings in found] == [3, 3]
    best = found[1][0]
    assert (best.colors[0, 0], best.colors[1, 1]) == (2, 0)
    board = colors[best.position].reshape(5, 5)
    window = board[best.row : best.row + 2, best.col : best.col + 2]
    np.testing.assert_array_equal(window, best.colors)
    for firings in found:
        chances = [firing.chance for firing in firings]
        assert chances == sorted(chances, reverse=True)
        assert len({firing.colors.tobytes() for firing in firings}) == 3
    whole = find_strongest(features, [states_from_colors(colors, 5)], 1)
    assert [f[0].chance for f in whole] == [f[0].chance for f in found]
