"""What each cell of a board sees, in tiles of boards: the inputs of the sweeps."""

import numpy as np

from katachi._jit import inlined, kernel
from katachi.nets.lanes import PLANES, Floats, copy_boards


@kernel
def fill_inputs(planes: Floats, windowed: int, out: Floats) -> None:
    """Fills inputs [tiles, inputs + 1, size, size, boards] from planes [B, C, size, size].

    Nine rows for each of the `windowed` first planes (its 3x3 neighbourhood, row by row, zeros off
    the board), one for each other plane, and a last row of ones. Missing boards are all zeros.
    """
    size, room = planes.shape[2], out.shape[4]
    for tile in range(out.shape[0]):
        boards = min(room, planes.shape[0] - tile * room)
        for plane in range(planes.shape[1]):
            at = 9 * plane + 4 if plane < windowed else 8 * windowed + plane
            for row in range(size):
                for column in range(size):
                    for i in range(boards):
                        board = tile * room + i
                        out[tile, at, row, column, i] = planes[board, plane, row, column]
                    for i in range(boards, room):
                        out[tile, at, row, column, i] = 0
            if plane < windowed:
                _fill_windows(out[tile], at)
        out[tile, -1] = 1


@kernel
def _fill_windows(inputs: Floats, centre: int) -> None:
    """Copies row `centre` of inputs [rows, size, size, boards] to its eight shifted neighbours."""
    _, size, _, boards = inputs.shape
    flat = inputs.reshape(inputs.size)
    line = size * boards
    for part in range(9):
        if part == 4:
            continue
        down, right = part // 3 - 1, part % 3 - 1
        for row in range(size):
            to = ((centre - 4 + part) * size + row) * line
            if 0 <= row + down < size:
                _shift(flat, (centre * size + row + down) * line, to, (line, right * boards))
            else:
                for i in range(line):
                    flat[np.uint64(to) + np.uint64(i)] = 0


@inlined
def _shift(flat: Floats, first: int, to: int, line: tuple[int, int]) -> None:
    """Copies a line of so many numbers, and from so many later on; zeros where there are none."""
    many, by = line
    for i in range(max(0, -by)):
        flat[np.uint64(to) + np.uint64(i)] = 0
    for i in range(max(0, -by), many - max(0, by)):
        flat[np.uint64(to) + np.uint64(i)] = flat[np.uint64(first + by) + np.uint64(i)]
    for i in range(many - max(0, by), many):
        flat[np.uint64(to) + np.uint64(i)] = 0


@kernel
def fill_rims(inputs: Floats, corners: Floats, edges: Floats) -> None:
    """Copies what the rim of a board sees, from inputs [tiles, inputs, size, size, boards].

    Corners [tiles, 4, inputs, boards] are in the order of the sweeps that begin there, edges
    [tiles, 4, inputs, size, boards] top, bottom, left, right.
    """
    tiles, rows, size, _, boards = inputs.shape
    source, out, ends = (
        inputs.reshape(inputs.size),
        edges.reshape(edges.size),
        corners.reshape(corners.size),
    )
    last = size - 1
    for tile in range(tiles):
        for row in range(rows):
            here = (tile * rows + row) * size * size
            for slot in range(size):
                cells = (slot, last * size + slot, slot * size, slot * size + last)
                for edge in range(4):
                    at = (((tile * 4 + edge) * rows + row) * size + slot) * boards
                    copy_boards(source, (here + cells[edge]) * boards, out, at, boards)
            for sweep in range(PLANES):
                cell = here + last * size * (sweep // 2) + last * (sweep % 2)
                at = ((tile * 4 + sweep) * rows + row) * boards
                copy_boards(source, cell * boards, ends, at, boards)
