"""Which windows of positions make each hidden unit fire most."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from katachi.features.crbm import CrbmFeatures
from katachi.rules.diagram import Colors
from katachi.rules.state import SIZE, BoardState, colors_of


class Firing(NamedTuple):
    """A window in which a hidden unit is likely on."""

    chance: float
    colors: Colors
    """[side, side]: what stands there."""
    position: int
    """The number of the position, in the order they were looked at."""
    row: int
    col: int
    """Of the window's top left point, from the board's."""


def find_strongest(
    features: CrbmFeatures, positions: Iterable[BoardState], count: int
) -> list[list[Firing]]:
    """For each map of the last layer the `count` windows with the largest chances, the largest
    first; of windows that hold the same stones the first that was met."""
    found: list[dict[bytes, Firing]] = [{} for _ in range(features.layers[-1].form.maps)]
    seen = 0
    for states in positions:
        size = int(states.words.flat[SIZE])
        colors = colors_of(states.words).reshape(-1, size, size)
        maps = features.hidden_maps(states)
        for firings, chances in zip(found, np.moveaxis(maps, 1, 0), strict=True):
            _add_firings(firings, chances, colors, (features.side, seen, count))
        seen += len(colors)
    return [_strongest(firings, count) for firings in found]


def _strongest(firings: dict[bytes, Firing], count: int) -> list[Firing]:
    return sorted(firings.values(), key=lambda each: (-each.chance, each.position))[:count]


def _add_firings(
    firings: dict[bytes, Firing],
    chances: npt.NDArray[np.float32],
    colors: Colors,
    terms: tuple[int, int, int],
) -> None:
    """Adds the strongest windows of boards [B, N, N] to those of one map; `terms` are the side of a
    window, the positions before these, and how many windows are wanted."""
    side, seen, count = terms
    order = np.argsort(-chances, axis=None, kind="stable")
    added = 0
    for place in order.tolist():
        board, row, col = (int(at) for at in np.unravel_index(place, chances.shape))
        window = colors[board, row : row + side, col : col + side]
        if window.tobytes() not in firings:
            chance = float(chances[board, row, col])
            firings[window.tobytes()] = Firing(chance, window.copy(), seen + board, row, col)
            added += 1
        if added == count:
            return
