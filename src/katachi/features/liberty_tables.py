"""Liberty templates of one board size as arrays that kernels read.

A *cell* is one point of one window. The hash of what a window holds is looked up where the window
is small, and computed where it is not: the weights are the same.
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
_LARGEST_LISTED = 4
"""Cells of a window of which every content is listed."""
STATE_BITS = 3
COMPUTED = 0xFFFFFFFF
"""The place in `LibertyTables.listed` of a slot whose contents are not listed."""


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
    the same as White sees it. States of one place follow each other. Of a small template only
    the first column counts: its keys are the state itself, at the place's own bits."""
    window: Indices
    """As in `HashedTables`, like the next three."""
    salt: Keys
    base: Indices
    group: npt.NDArray[np.uint8]
    listed: Indices
    """The weights of all contents of a small window, for each kind of slot."""
    first_listed: Indices
    """[S]: where a slot's list begins, or COMPUTED."""
    mask: Masks
    """[W, words]: the points of each window."""
    points: npt.NDArray[np.uint16]
    """[size * size]: the point of each bit."""
    bit: npt.NDArray[np.uint16]
    """[CELLS]: the bit of each point."""


def liberty_tables(hashed: "HashedTables", size: int, bins: int) -> LibertyTables:
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
    rows = cell[:, 1] // _ORIENTATIONS
    keys = hashed.keys.reshape(-1, _ORIENTATIONS)
    return LibertyTables(
        hashed.start,
        np.stack([window_of[order], order], axis=1).astype(np.uint32),
        np.stack([bits, rows, window_of], axis=1).astype(np.uint32),
        first_cell,
        _keys_of_both(_listed_keys(keys, rows, counts)),
        hashed.window,
        hashed.salt,
        hashed.base,
        hashed.group,
        *_lists(hashed, rows, counts, bins),
        _masks(bits, window_of, (len(counts), words_of(size))),
        points,
        bit,
    )


def _first_rows(rows: Indices, counts: npt.NDArray[np.int64]) -> dict[int, int]:
    """The first row of keys of each small template, by its number of cells."""
    firsts: dict[int, int] = {}
    at = 0
    for count in counts.tolist():
        if count <= _LARGEST_LISTED:
            firsts.setdefault(count, int(rows[at : at + count].min()))
        at += count
    return firsts


def _listed_keys(keys: Keys, rows: Indices, counts: npt.NDArray[np.int64]) -> Keys:
    """The keys [K, ORIENTATIONS] with those of small templates replaced by the states."""
    replaced = keys.copy()
    for count, first in _first_rows(rows, counts).items():
        for place in range(count):
            states = np.arange(LIBERTY_STATES, dtype=np.uint64)
            at = first + LIBERTY_STATES * place
            replaced[at : at + LIBERTY_STATES] = 0
            replaced[at : at + LIBERTY_STATES, 0] = states << np.uint64(STATE_BITS * place)
    return replaced


def _lists(
    hashed: "HashedTables", rows: Indices, counts: npt.NDArray[np.int64], bins: int
) -> tuple[Indices, Indices]:
    """(listed, first_listed) of the slots."""
    firsts = _first_rows(rows, counts)
    lists: list[Indices] = [np.zeros(0, np.uint32)]
    known: dict[object, int] = {}
    places = np.full(len(hashed.salt), COMPUTED, np.uint32)
    for window, count in enumerate(counts.tolist()):
        for slot in range(*hashed.window[window].tolist()) if count in firsts else ():
            kind = (count, hashed.group[slot].tobytes(), int(hashed.salt[slot]))
            if kind not in known:
                known[kind] = sum(len(part) for part in lists)
                lists.append(_list_of(hashed, slot, firsts[count], count, bins))
            places[slot] = known[kind]
    return np.concatenate(lists), places


def _list_of(hashed: "HashedTables", slot: int, first: int, count: int, bins: int) -> Indices:
    """The weight of each content, [8 ** count]; those that no window can hold mean nothing."""
    codes = np.arange(1 << (STATE_BITS * count))
    keys = np.zeros((len(codes), _ORIENTATIONS), np.uint64)
    for place in range(count):
        states = np.minimum(codes >> (STATE_BITS * place) & 7, LIBERTY_STATES - 1)
        keys ^= hashed.keys.reshape(-1, _ORIENTATIONS)[first + LIBERTY_STATES * place + states]
    size, *group = hashed.group[slot].tolist()
    smallest = keys[:, group[:size]].min(axis=1) ^ hashed.salt[slot]
    low = smallest & np.uint64(0xFFFFFFFF)
    return (hashed.base[slot] + (low * np.uint64(bins) >> np.uint64(32))).astype(np.uint32)


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
