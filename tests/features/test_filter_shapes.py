"""Kernels as shapes that players know."""

import numpy as np
import pytest

from katachi.features.filter_shapes import (
    KNOWN_SHAPES,
    count_shapes,
    empty_share,
    filter_plots,
    images_of,
    shapes_in,
)

CHANNELS = {"#": 0, "o": 1, ".": 2}


def plot(*rows: str) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    return np.array([[CHANNELS[letter] for letter in row] for row in rows])


def test_a_filter_plot_shows_the_channel_with_the_largest_weight() -> None:
    weight = np.zeros((1, 5, 2, 2), np.float32)
    weight[0, 0, 0, 0] = 0.5
    weight[0, 1, 0, 1] = 0.2
    weight[0, 2, 1] = 0.1
    weight[0, 4] = 9.0
    assert filter_plots(weight)[0].tolist() == plot("#o", "..").tolist()
    assert empty_share(filter_plots(weight)) == 0.5


@pytest.mark.parametrize(
    ("rows", "shapes"),
    [
        (("o#o", "#.#", "o#o"), {"eye", "hane", "tiger's mouth", "one-point jump"}),
        ((".o.", "o.o", ".o."), {"eye", "ponnuki", "tiger's mouth", "one-point jump"}),
        ((".o.", "o.o", "..."), {"one-point jump", "tiger's mouth", "partial eye"}),
        (("o.o", ".#.", "..."), {"one-point jump", "peek"}),
        (("##o", "o.o", "o##"), {"pinwheel", "peek", "one-point jump"}),
        (("#o.", ".#.", "..."), {"hane"}),
        (("#o.", "o#.", "..."), {"cut"}),
        (("##.", "...", "##."), {"bamboo joint", "one-point jump"}),
        (("###", "...", "..."), {"solid line"}),
        (("##.", "#..", "..."), {"empty triangle"}),
        (("...", "...", "..."), set()),
    ],
)
def test_known_shapes_are_found(rows: tuple[str, ...], shapes: set[str]) -> None:
    assert set(shapes_in(plot(*rows))) >= shapes
    turned = np.rot90(plot(*rows))
    assert set(shapes_in(turned)) == set(shapes_in(plot(*rows)))
    if not shapes:
        assert shapes_in(plot(*rows)) == []


def test_images_of_a_shape_are_all_different() -> None:
    assert len(images_of("ponnuki")) == 2
    assert len(images_of("cut")) == 2
    assert len(images_of("hane")) == 8


def test_counts_stand_beside_those_of_mixed_points() -> None:
    plots = np.stack([plot(".#.", "#.#", ".#.")] * 5)
    counts = {count.name: count for count in count_shapes(plots)}
    assert counts.keys() == KNOWN_SHAPES.keys()
    assert counts["ponnuki"].found == 5
    assert counts["ponnuki"].by_chance < 1
    assert counts["cut"].found == 0
