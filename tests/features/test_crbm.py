"""Features of convolutional RBMs without torch: what the machine itself says."""

from pathlib import Path

import numpy as np
import pytest

from katachi.errors import KatachiError
from katachi.features.board_channels import GROUPS, channels_of
from katachi.features.crbm import CrbmFeatures, CrbmLayer
from katachi.files.shipped_folders import find_model
from katachi.nets.crbm_form import CrbmForm, VisibleKind, array_forms
from katachi.rules.color import BLACK, WHITE
from katachi.rules.state import BoardState
from katachi.rules.symmetry import INVERTED_COLORS
from tests.checks import random_colors, states_from_colors
from tests.oracle.go import liberties_of, region_of, spots_of

STONES = ("stones",)
EVERYTHING = ("stones", "liberties", "edge")


def random_layer(form: CrbmForm, seed: int = 1) -> CrbmLayer:
    source = np.random.default_rng(seed)
    shapes = {name: shape for name, (_, shape) in array_forms(form).items()}
    arrays = {name: source.normal(0, 0.5, shape) for name, shape in shapes.items()}
    return CrbmLayer(form, {name: array.astype(np.float32) for name, array in arrays.items()})


def features_of(form: CrbmForm, inputs: tuple[str, ...] = STONES) -> CrbmFeatures:
    return CrbmFeatures(inputs, (random_layer(form),))


def two_layers() -> CrbmFeatures:
    above = CrbmForm(groups=(5,), kernels=4, side=2, visible=VisibleKind.BINARY)
    return CrbmFeatures(STONES, (random_layer(CrbmForm(kernels=5)), random_layer(above, 2)))


def some_states(size: int = 5, count: int = 4) -> BoardState:
    return states_from_colors(random_colors(size, count, seed=7), size)


@pytest.mark.kernel
def test_channels_say_what_is_on_the_board() -> None:
    size = 6
    colors = random_colors(size, 4, seed=2)[-1]
    states = states_from_colors([colors, colors], size)
    found = channels_of(states, EVERYTHING, np.array([BLACK, WHITE], np.uint8))
    stones = {s: c for s, c in zip(spots_of(size), colors.tolist(), strict=True) if c}
    for row, col in spots_of(size):
        color = stones.get((row, col), 0)
        black, white = found[:, :3, row, col].argmax(1)
        assert (black, white) == {0: (2, 2), 1: (0, 1), 2: (1, 0)}[color]
        channel = found[0, 3:8, row, col].argmax()
        block = region_of(stones, size, (row, col))
        assert channel == (min(len(liberties_of(stones, size, block)), 4) if color else 0)
        assert found[0, 8:, row, col].argmax() == min(row, col, 5 - row, 5 - col, 3)
    np.testing.assert_array_equal(found.sum(1), 3)


FORMS = {
    "table": (CrbmForm(kernels=6), STONES),
    "small": (CrbmForm(kernels=6, side=2, visible=VisibleKind.REAL), STONES),
    "tied": (CrbmForm(kernels=3, is_tied=True), STONES),
    "without null": (CrbmForm(kernels=3, is_tied=True, has_null=False), STONES),
    "large": (CrbmForm(kernels=3, side=4), STONES),
    "liberties": (CrbmForm(groups=tuple(GROUPS.values()), kernels=4), EVERYTHING),
}


@pytest.mark.parametrize(("form", "inputs"), FORMS.values(), ids=FORMS)
def test_hidden_maps_are_those_of_the_rbm(form: CrbmForm, inputs: tuple[str, ...]) -> None:
    torch = pytest.importorskip("torch")
    from katachi.nets.crbm import Crbm

    features, states = features_of(form, inputs), some_states()
    machine = Crbm(form, features.layers[0].arrays)
    expected = machine.hidden(torch.from_numpy(channels_of(states, inputs))).numpy()
    np.testing.assert_allclose(features.hidden_maps(states), expected, atol=1e-6)
    flat = features.transform(states)
    assert flat.shape == (4, features.count(5))
    np.testing.assert_allclose(flat, np.moveaxis(expected, 1, 3).reshape(4, -1), atol=1e-6)
    assert (features.table is None) == (inputs != STONES or form.side > 3)


def test_a_second_layer_stands_on_the_hidden_maps_of_the_first() -> None:
    torch = pytest.importorskip("torch")
    from katachi.nets.crbm import Crbm

    features, states = two_layers(), some_states()
    below = features.hidden_maps(states, layers=1)
    above = Crbm(features.layers[1].form, features.layers[1].arrays)
    expected = above.hidden(torch.from_numpy(np.ascontiguousarray(below))).numpy()
    np.testing.assert_allclose(features.hidden_maps(states), expected, atol=1e-6)
    assert features.side == 4
    assert features.table is None


def test_a_viewer_sees_own_stones_as_black() -> None:
    colors = random_colors(5, 3, seed=7)
    for features in (features_of(CrbmForm(kernels=4)), features_of(*FORMS["liberties"])):
        states = states_from_colors(colors, 5)
        swapped = states_from_colors([INVERTED_COLORS[each] for each in colors], 5)
        white = np.full(3, WHITE, np.uint8)
        np.testing.assert_array_equal(
            features.transform(states, white), features.transform(swapped)
        )


def test_pooled_orientations_are_one_feature() -> None:
    layer = random_layer(CrbmForm(kernels=3, is_tied=True))
    pooled = CrbmFeatures(STONES, (layer,), is_pooled=True)
    apart = CrbmFeatures(STONES, (layer,)).transform(some_states()).reshape(4, 9, 3, 8)
    np.testing.assert_allclose(
        pooled.transform(some_states()).reshape(4, 9, 3), apart.sum(3), atol=1e-6
    )
    assert pooled.count(5) == 27


@pytest.mark.parametrize("features", [features_of(CrbmForm(kernels=4)), two_layers()])
def test_a_saved_map_comes_back(features: CrbmFeatures, tmp_path: Path) -> None:
    features.training = {"games": 3}
    features.save(tmp_path, "# features")
    found = CrbmFeatures.load(tmp_path)
    assert found.training == {"games": 3}
    states = some_states()
    np.testing.assert_array_equal(found.transform(states), features.transform(states))


def test_what_does_not_fit_together_is_reported() -> None:
    with pytest.raises(KatachiError, match=r"windows of 3x3 do not fit on a 2x2 board"):
        features_of(CrbmForm(kernels=2)).count(2)
    with pytest.raises(KatachiError, match="no inputs edge"):
        features_of(CrbmForm(kernels=2), ("edge",))
    with pytest.raises(KatachiError, match="does not stand on"):
        CrbmFeatures(STONES, (random_layer(CrbmForm()), random_layer(CrbmForm())))
    with pytest.raises(KatachiError, match="pooled"):
        CrbmFeatures(STONES, (random_layer(CrbmForm(kernels=2)),), is_pooled=True)


def test_the_shipped_model_is_the_papers_in_size() -> None:
    features = CrbmFeatures.load(find_model("crbm9"))
    assert features.count(9) == 5145
    assert features.table is not None
    assert features.table.rows is not None
    assert features.table.rows.shape == (19683, 105)
    assert features.training["last"]["guess"] > -0.5
