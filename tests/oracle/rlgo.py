"""RLGO's weights, slow and plain: every shape in every window is compared with all its images."""

from collections.abc import Iterator
from functools import cache
from itertools import product

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.int64]

INVERTED = np.array([0, 2, 1])


def _index(row: Numbers, col: Numbers, grids: Numbers, side: int) -> Numbers:
    """[windows, shapes]: raw numbers of shapes [shapes, rows, columns] in windows [windows]."""
    points = grids.reshape(len(grids), -1)
    shape = sum(points[:, place] * 3**place for place in range(points.shape[1]))
    return np.asarray((row * side + col)[:, None] * len(grids) + np.asarray(shape)[None])


@cache
def number_shapes(template: int, size: int) -> tuple[Numbers, Numbers, int]:
    """(number of the weight, sign, weights in all) of each shape in each window of a board.

    The first two are [windows, shapes]; the sign is 0 where there is no weight.
    """
    side = size - template + 1
    row, col = np.divmod(np.arange(side * side), side)
    cells = template * template
    grids = np.array(list(product(range(3), repeat=cells)))[:, ::-1].reshape(-1, template, template)
    images: dict[bool, list[Numbers]] = {False: [], True: []}
    for flips_rows, flips_cols, swaps, inverts in product((False, True), repeat=4):
        r, c, g = row, col, grids
        if flips_rows:
            r, g = side - 1 - r, g[:, ::-1]
        if flips_cols:
            c, g = side - 1 - c, g[:, :, ::-1]
        if swaps:
            r, c, g = c, r, g.transpose(0, 2, 1)
        images[inverts].append(_index(r, c, INVERTED[g] if inverts else g, side))
    same, opposite = np.min(images[False], axis=0), np.min(images[True], axis=0)
    sign = np.sign(opposite - same)
    lowest = np.minimum(same, opposite)
    kept = np.unique(lowest[sign != 0])
    return np.searchsorted(kept, lowest) * abs(sign), sign, len(kept)


def set_sizes(size: int) -> list[int]:
    """How many weights each of the six sets of a board has."""
    pairs = [(number_shapes(t, t)[2], number_shapes(t, size)[2]) for t in (1, 2, 3)]
    return [total for pair in pairs for total in pair]


def logit(weights: npt.NDArray[np.float32], colors: npt.NDArray[np.uint8], size: int) -> float:
    """The sum of the weights of all shapes of a position, one by one."""
    return sum(float(weights[number]) * sign for number, sign in _features(colors, size))


def _features(colors: npt.NDArray[np.uint8], size: int) -> Iterator[tuple[int, int]]:
    """(number of the weight in the file, sign) of each shape of a position that has a weight."""
    grid = colors.reshape(size, size).astype(np.int64)
    first = 0
    for template in (1, 2, 3):
        for board in (template, size):
            number, sign, total = number_shapes(template, board)
            side = size - template + 1
            for row, col in product(range(side), repeat=2):
                points = grid[row : row + template, col : col + template].ravel().tolist()
                shape = sum(point * 3**place for place, point in enumerate(points))
                window = row * side + col if board == size else 0
                if sign[window, shape]:
                    yield first + int(number[window, shape]), int(sign[window, shape])
            first += total
