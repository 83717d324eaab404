# pyright: reportArgumentType=false, reportReturnType=false, reportCallIssue=false
"""The views of a position that make any net know the board's symmetries, for little.

Each position is turned to one orientation that all its eight turns share, and looked at twice, the
second time with the colours exchanged; `fold_views` turns the answers back. A position that some
turn leaves as it is has several ways back: their mean is taken, so that its answer has its
symmetry. Then turned positions have turned answers, and exchanged colours exchanged ones, for what
the net is shown is the same, bit for bit.

The orientation is that in which the stones lie furthest down, then furthest right. Where the last
move is part of a position the stones are those before it, so that all moves of a position are seen
from one side: a net's opinions differ more between sides than between moves.
"""

from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from katachi._jit import inlined, kernel
from katachi.errors import KatachiError
from katachi.rules.checking import check_boards
from katachi.rules.color import BLACK, EMPTY, WHITE
from katachi.rules.point import CELLS, PASS, STRIDE, Points, points_of
from katachi.rules.random_play import copy_board
from katachi.rules.state import (
    BLOCK,
    COLOR,
    EMPTIES,
    EMPTY_COUNT,
    INDEX,
    KO,
    LIBERTIES,
    NEWEST,
    NEXT,
    RECENT,
    RECENT_MOVES,
    SIZE,
    STONES,
    TRACE_CAPTURES,
    TRACE_LENGTHS,
    TRACE_POINT,
    Words,
)
from katachi.rules.symmetry import SYMMETRIES, index_tables, point_tables

COLOR_VIEWS = 2
Masks = npt.NDArray[np.uint8]


class TurnTables(NamedTuple):
    """The eight turns of boards of one size."""

    sources: Points
    """[8, size * size]: the point that a turn brings to each place, row by row."""
    targets: Points
    """[8, CELLS]: where a turn brings each point."""


class BoardViews(NamedTuple):
    """What is shown to a net of B positions."""

    words: Words
    """[2 * B, WORDS]: all positions and then all with colours exchanged, in their orientation. Only
    what inputs are made of is right in them."""
    masks: Masks
    """[2 * B]: the bits of the turns that bring a position to its orientation."""


@cache
def turn_tables(size: int) -> TurnTables:
    """The turns of boards of a size."""
    return TurnTables(points_of(size)[index_tables(size)], point_tables(size))


@inlined
def _color_at(board: Words, point: int, is_swapped: bool) -> int:
    color = np.int64(board[COLOR + point])
    return BLACK + WHITE - color if is_swapped and color != EMPTY else color


@inlined
def _count_taken(board: Words, left_out: int) -> int:
    """How many stones the last move took, where it is the one that is left out."""
    taken = 0
    if left_out != PASS and left_out == board[TRACE_POINT]:
        for capture in range(min(int(board[TRACE_CAPTURES]), 4)):
            taken += int(board[TRACE_LENGTHS + capture])
    return taken


@kernel
def _lean(board: Words, left_out: int) -> tuple[int, int]:
    """How far down and right of the middle the stones lie, summed: all of them, or those before
    the last move, where its stone is to be left out."""
    size = np.int64(board[SIZE])
    down, right = np.int64(0), np.int64(0)
    for row in range(size):
        for col in range(size):
            point = (row + 1) * STRIDE + col + 1
            if board[COLOR + point] != EMPTY and point != left_out:
                down += 2 * row - size + 1
                right += 2 * col - size + 1
    count = int(board[EMPTY_COUNT])
    for place in range(max(count - _count_taken(board, left_out), 0), count):
        stone = np.int64(board[EMPTIES + place])
        down += 2 * (stone // STRIDE) - size - 1
        right += 2 * (stone % STRIDE) - size - 1
    return down, right


@kernel
def _leaning_turns(down: int, right: int) -> int:
    """The bits of the turns after which stones lie furthest down, then furthest right."""
    best_down, best_right, mask = -1, -1, 0
    for turn in range(SYMMETRIES):
        one, other = (right, down) if turn & 4 else (down, right)
        one, other = -one if turn & 1 else one, -other if turn & 2 else other
        if one > best_down or (one == best_down and other > best_right):
            best_down, best_right, mask = one, other, 0
        if one == best_down and other == best_right:
            mask |= 1 << turn
    return mask


@kernel
def _compare_turns(
    board: Words,
    looks: tuple[int, int, bool],
    tables: TurnTables,
    one: int,
    other: int,
) -> int:
    """Above 0 if a turn is preferred to another, 0 if both give the same position.

    `looks`: the point left out at first, how many of the last moves count, whether colours are
    exchanged. Where stones stand comes first, so that exchanged colours seldom change the turn.
    """
    left_out, moves, is_swapped = looks
    sources = tables.sources
    for place in range(sources.shape[1]):
        mine, its = np.int64(sources[one, place]), np.int64(sources[other, place])
        is_mine = board[COLOR + mine] != EMPTY and mine != left_out
        is_its = board[COLOR + its] != EMPTY and its != left_out
        if is_mine != is_its:
            return 1 if is_mine else -1
    for place in range(sources.shape[1]):
        color = _color_at(board, sources[one, place], is_swapped)
        its_color = _color_at(board, sources[other, place], is_swapped)
        if color != its_color:
            return color - its_color
    for age in range(moves):
        point = board[RECENT + (np.int64(board[NEWEST]) - age) % RECENT_MOVES]
        mine, its = np.int64(tables.targets[one, point]), np.int64(tables.targets[other, point])
        if mine != its:
            return mine - its
    return 0


@kernel
def _find_turns(board: Words, moves: int, is_swapped: bool, tables: TurnTables) -> int:
    """The bits of all turns that bring a position to its orientation."""
    left_out = np.int64(PASS)
    if moves > 0:
        left_out = np.int64(board[RECENT + np.int64(board[NEWEST]) % RECENT_MOVES])
    down, right = _lean(board, left_out)
    open_turns = _leaning_turns(down, right)
    best, found = -1, np.int64(0)
    for turn in range(SYMMETRIES):
        if not open_turns >> turn & 1:
            continue
        order = 1
        if best >= 0:
            order = _compare_turns(board, (left_out, moves, is_swapped), tables, turn, best)
        if order > 0:
            best, found = turn, np.int64(1) << turn
        elif order == 0:
            found |= np.int64(1) << turn
    return found


@inlined
def _first_turn(mask: int) -> int:
    turn = 0
    while not mask >> turn & 1:
        turn += 1
    return turn


@kernel
def _turn_board(board: Words, turn: int, is_swapped: bool, tables: TurnTables, out: Words) -> None:
    """Writes a turned position, as far as inputs are made of it."""
    targets = tables.targets[turn]
    copy_board(board, out)
    for place in range(tables.sources.shape[1]):
        point = np.int64(tables.sources[0, place])
        to = np.int64(targets[point])
        out[COLOR + to] = _color_at(board, point, is_swapped)
        out[BLOCK + to] = targets[board[BLOCK + point]]
        out[NEXT + to] = targets[board[NEXT + point]]
        out[LIBERTIES + to] = board[LIBERTIES + point]
        out[STONES + to] = board[STONES + point]
        out[INDEX + to] = board[INDEX + point]
    for place in range(board[EMPTY_COUNT]):
        out[EMPTIES + place] = targets[board[EMPTIES + place]]
    for age in range(RECENT_MOVES):
        out[RECENT + age] = targets[board[RECENT + age]]
    out[KO] = targets[board[KO]]


@kernel
def _show_boards(words: Words, moves: int, tables: TurnTables, views: BoardViews) -> None:
    for index in range(len(views.masks)):
        board, is_swapped = words[index % len(words)], index >= len(words)
        mask = _find_turns(board, moves, is_swapped, tables)
        views.masks[index] = mask
        _turn_board(board, _first_turn(mask), is_swapped, tables, views.words[index])


@kernel
def _fold(
    values: npt.NDArray[np.float32],
    views: BoardViews,
    tables: TurnTables,
    out: npt.NDArray[np.float64],
) -> None:
    """Writes the mean of each answer turned back in all ways that there are."""
    size = np.int64(views.words[0, SIZE])
    for index in range(len(views.masks)):
        ways = 0
        for place in range(out.shape[1]):
            out[index, place] = 0.0
        for turn in range(SYMMETRIES):
            if not np.int64(views.masks[index]) >> turn & 1:
                continue
            ways += 1
            for place in range(out.shape[1]):
                to = _place_of(tables.sources[turn, place], size)
                out[index, to] += np.float64(values[index, place])
        for place in range(out.shape[1]):
            out[index, place] /= ways


@inlined
def _place_of(point: int, size: int) -> int:
    """The place of a point among those of the board, row by row."""
    return (np.int64(point) // STRIDE - 1) * size + np.int64(point) % STRIDE - 1


def show_views(words: Words, moves: int) -> BoardViews:
    """The views of B positions [B, WORDS] of one board size, for inputs that look at so many of the
    last moves; raises KatachiError for what are no such positions."""
    check_boards(words)
    if words[:, RECENT : RECENT + RECENT_MOVES].max(initial=0) >= CELLS:
        raise KatachiError("the last moves of a position must be points of its board")
    count = COLOR_VIEWS * len(words)
    views = BoardViews(
        np.zeros((count, words.shape[1]), np.uint16),
        np.zeros(count, np.uint8),
    )
    if count:
        _show_boards(words, moves, turn_tables(int(words[0, SIZE])), views)
    return views


def fold_views(values: npt.NDArray[np.float32], views: BoardViews) -> npt.NDArray[np.float64]:
    """[2, B, size * size]: what was said [2 * B, size * size] of the views, turned back: of each
    position, and of each with the colours exchanged."""
    out = np.zeros((len(views.masks), values.shape[1]), np.float64)
    if len(values):
        flat = np.ascontiguousarray(values, np.float32)
        _fold(flat, views, turn_tables(int(views.words[0, SIZE])), out)
    return out.reshape(COLOR_VIEWS, -1, values.shape[1])
