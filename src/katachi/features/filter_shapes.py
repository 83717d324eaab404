"""What a kernel looks like as a shape, and which shapes that players know are in it.

A plot shows at each point of a kernel what it wants most to stand there: the channel of stones
with the largest weight. A known shape is in a plot where all its points agree, in any of the eight
orientations, anywhere within the kernel, with either colour for the first player. The outlines of
shapes are ours: players know them by name, not by every point.
"""

from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from katachi.features.board_channels import EMPTY_CHANNEL, GROUPS, STONES
from katachi.rules.symmetry import SYMMETRIES, apply_to_grid

FilterPlot = npt.NDArray[np.int64]
"""[side, side]: the channel at each point: 0 own stone, 1 the other's, 2 empty."""
ANY = -1
_LETTERS = {"#": 0, "o": 1, ".": EMPTY_CHANNEL, "?": ANY}
SHUFFLES = 100
"""How often the points of plots are mixed to see what chance would show."""

KNOWN_SHAPES = {
    "eye": ("?#?", "#.#", "?#?"),
    "partial eye": ("?#?", "#.#", "?.?"),
    "ponnuki": (".#.", "#.#", ".#."),
    "tiger's mouth": ("#.#", "?#?"),
    "peek": ("#.#", "?o?"),
    "pinwheel": ("##o", "o?o", "o##"),
    "hane": ("#o", ".#"),
    "cut": ("#o", "o#"),
    "bamboo joint": ("##", "..", "##"),
    "empty triangle": ("##", "#."),
    "one-point jump": ("#.#",),
    "solid line": ("###",),
}
"""`#` one player's stones, `o` the other's, `.` empty, `?` anything."""


def filter_plots(weight: npt.NDArray[np.float32]) -> npt.NDArray[np.int64]:
    """[K, side, side]: the plots of kernels [K, C, side, side] whose first channels are stones."""
    return weight[:, : GROUPS[STONES]].argmax(axis=1)


@cache
def images_of(name: str) -> tuple[FilterPlot, ...]:
    """A known shape in every orientation and with either colour first, each once."""
    outline = np.array([[_LETTERS[letter] for letter in row] for row in KNOWN_SHAPES[name]])
    swapped = np.where(outline == 0, 1, np.where(outline == 1, 0, outline))
    images = {}
    for grid in (outline, swapped):
        for symmetry in range(SYMMETRIES):
            image = np.asarray(apply_to_grid(grid, symmetry))
            images[image.shape, image.tobytes()] = image
    return tuple(images.values())


def find_shape(plots: npt.NDArray[np.int64], name: str) -> npt.NDArray[np.bool_]:
    """[K]: whether a known shape is somewhere in each of the plots [K, side, side]."""
    found = np.zeros(len(plots), bool)
    for image in images_of(name):
        if max(image.shape) <= plots.shape[1]:
            views = np.lib.stride_tricks.sliding_window_view(plots, image.shape, axis=(1, 2))
            agrees = ((views == image) | (image == ANY)).all(axis=(3, 4))
            found |= agrees.any(axis=(1, 2))
    return found


def shapes_in(plot: FilterPlot) -> list[str]:
    """The names of the known shapes that are in a plot."""
    return [name for name in KNOWN_SHAPES if find_shape(plot[None], name)[0]]


class ShapeCount(NamedTuple):
    """In how many kernels a known shape is."""

    name: str
    found: int
    by_chance: float
    """In how many it would be, on average, if the points of each plot were mixed."""


def count_shapes(plots: npt.NDArray[np.int64], seed: int = 1) -> list[ShapeCount]:
    """Known shapes in plots [K, side, side], and in the same plots with mixed points."""
    source = np.random.default_rng(seed)
    flat = plots.reshape(len(plots), -1)
    mixed = source.permuted(np.tile(flat, (SHUFFLES, 1)), axis=1).reshape(-1, *plots.shape[1:])
    return [
        ShapeCount(
            name,
            int(find_shape(plots, name).sum()),
            float(find_shape(mixed, name).sum()) / SHUFFLES,
        )
        for name in KNOWN_SHAPES
    ]


def empty_share(plots: npt.NDArray[np.int64]) -> float:
    """The share of points that show empty space."""
    return float((plots == EMPTY_CHANNEL).mean())
