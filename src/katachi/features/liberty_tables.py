"""Liberty templates of one board size as arrays that kernels read.

A *cell* is one point of one window.
"""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from katachi.features.masks import WORD, Masks, words_of
from katachi.features.shape_sets import LIBERTY_STATES
from katachi.rules.point import CELLS, points_of

if TYPE_CHECKING:
    from katachi.features.shape_tables import HashedTables

Indices = npt.NDArray[np.uint32]
Keys = npt.NDArray[np.uint64]

_ORIENTATIONS = 8


class LibertyTables(NamedTuple):
    """W windows, their C cells, and their slots (numbered after all others)."""

    start: Indices
    """[CELLS + 1]: the touches of point p are start[p] .. start[p + 1]."""
    touch: Indices
    """[C, 2]: (window, cell)."""
    cell: Indices
    """[C, 3]: (bit, row of its first state in the keys, window)."""
    first_cell: Indices
    """[W + 1]: the cells of window w are first_cell[w] .. first_cell[w + 1]."""
    keys: Keys
    """[2 * K, ORIENTATIONS]: the keys of (template, place, state) as Black sees the state; then
    the same as White sees it. States of one place follow each other."""
    window: Indices
    """As in `HashedTables`, like the next three."""
    salt: Keys
    base: Indices
    group: npt.NDArray[np.uint8]
    mask: Masks
    """[W, words]: the points of each window."""
    points: npt.NDArray[np.uint16]
    """[size * size]: the point of each bit."""
    bit: npt.NDArray[np.uint16]
    """[CELLS]: the bit of each point."""


def liberty_tables(hashed: "HashedTables", size: int) -> LibertyTables:
    """The tables of the liberty family whose windows and keys these are."""
    points = points_of(size)
    bit = np.zeros(CELLS, np.uint16)
    bit[points] = np.arange(size * size)
    counts = hashed.cells[:, 0].astype(np.int64)
    first_cell = np.concatenate([[0], np.cumsum(counts)]).astype(np.uint32)
    cell = np.concatenate(
        [np.zeros((0, 2), np.uint32)]
        + [row[1 : 1 + 2 * row[0]].reshape(-1, 2) for row in hashed.cells]
    )
    window_of = np.repeat(np.arange(len(counts)), counts)
    order = np.argsort(cell[:, 0], kind="stable")
    bits = bit[cell[:, 0]]
    return LibertyTables(
        hashed.start,
        np.stack([window_of[order], order], axis=1).astype(np.uint32),
        np.stack([bits, cell[:, 1] // _ORIENTATIONS, window_of], axis=1).astype(np.uint32),
        first_cell,
        _keys_of_both(hashed.keys),
        hashed.window,
        hashed.salt,
        hashed.base,
        hashed.group,
        _masks(bits, window_of, (len(counts), words_of(size))),
        points,
        bit,
    )


def _keys_of_both(keys: Keys) -> Keys:
    own_and_enemy = [0, 4, 5, 6, 1, 2, 3]
    places = keys.reshape(-1, LIBERTY_STATES, _ORIENTATIONS)
    return np.concatenate([places, places[:, own_and_enemy]]).reshape(-1, _ORIENTATIONS)


def _masks(
    bits: npt.NDArray[np.uint16], rows: npt.NDArray[np.int64], shape: tuple[int, int]
) -> Masks:
    masks = np.zeros(shape, np.uint64)
    ones = np.uint64(1) << (bits % WORD).astype(np.uint64)
    np.bitwise_or.at(masks, (rows, bits // WORD), ones)
    return masks
