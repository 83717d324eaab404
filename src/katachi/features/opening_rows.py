# pyright: reportArgumentType=false, reportReturnType=false, reportCallIssue=false
"""Filling the inputs of `opening_inputs`: kernels over many positions.

Rows are kept sparse: of each position only the inputs that are not zero, in whole numbers of
1 / `ONE`, so that sums over them are exact.
"""

from functools import cache
from itertools import product
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from katachi._jit import inlined, kernel
from katachi.features import influence
from katachi.features.block_strength import ORDERS, BlockStrength, measure_blocks, new_strength
from katachi.features.edge_shapes import OFFSETS
from katachi.features.influence import InfluenceScratch, spread_plainly, spread_strictly
from katachi.records.replay import Scratch
from katachi.rules.color import BLACK, EMPTY, WHITE
from katachi.rules.kernels import play_move
from katachi.rules.point import STRIDE, Points
from katachi.rules.state import CAPTURED, COLOR, SIZE, WORDS, Words

KINDS = ("points", "turn", "map", "shapes", "influence", "blocks", "pairs")
"""Every kind of input; its number is its place here."""
_POINTS, _TURN, _MAP, _SHAPES, _INFLUENCE, _BLOCKS, _PAIRS = range(7)
SHIFT = 8
ONE = 1 << SHIFT
"""An input of 1."""
_LARGEST = 16383
"""So that the difference of two inputs still has 16 bits."""

INFLUENCE_KINDS = 3
"""Influence on empty points, empty points mostly of one colour, influence on stones."""
_MOSTLY = np.float32(0.3)
LIBERTY_BINS = 9
"""Stones are distinguished by 1 to 8 liberties of their block, and more."""
_BLOCK_LINES = 4
BLOCK_INPUTS = LIBERTY_BINS + ORDERS * _BLOCK_LINES + 2
_CAPS = (10.0, 15.0, 20.0, 20.0)
PAIR_LINES = 5
PAIR_REACH = 4

Row = npt.NDArray[np.float32]


class RowPlan(NamedTuple):
    """Everything that filling a row of one board size needs to know."""

    first: npt.NDArray[np.int64]
    """[kinds]: the first input of each of KINDS, or -1 where it is none."""
    inputs: int
    """Inputs of a row."""
    places: npt.NDArray[np.int64]
    """[CELLS]: the number of a point's place under the symmetries."""
    lines: npt.NDArray[np.int64]
    """[CELLS]: a point's line, 0 at the edge."""
    shape_index: npt.NDArray[np.int16]
    shape_sign: npt.NDArray[np.int8]
    pairs: npt.NDArray[np.int64]
    """[P, 8, 2]: the steps, down and right, of each kind of pair; zeros after the last."""


class InputScratch(NamedTuple):
    """Memory for one position."""

    row: Row
    """[inputs]"""
    strength: BlockStrength
    influence: InfluenceScratch


class Encoded(NamedTuple):
    """B positions by their inputs that are not zero."""

    starts: npt.NDArray[np.int64]
    """[B + 1]: where the inputs of each position begin."""
    place: npt.NDArray[np.uint16]
    """[E]: which input."""
    value: npt.NDArray[np.int16]
    """[E]: its value, in units of 1 / ONE."""


def new_scratch(plan: RowPlan) -> InputScratch:
    """Memory for one position."""
    return InputScratch(np.zeros(plan.inputs, np.float32), new_strength(), influence.new_scratch())


@cache
def pair_steps() -> npt.NDArray[np.int64]:
    """[P, 8, 2]: every way from a stone to another one near by, one entry for mirror images."""
    kinds = [(far, near) for far in range(1, PAIR_REACH + 1) for near in range(far + 1)]
    steps = np.zeros((len(kinds), 8, 2), np.int64)
    for number, (far, near) in enumerate(kinds):
        ends = [(far, near), (near, far)]
        found = {(a * y, b * x) for y, x in ends for a, b in product((1, -1), repeat=2)}
        steps[number, : len(found)] = sorted(found)
    return steps


@inlined
def _sign_of(color: int) -> int:
    return int(color == BLACK) - int(color == WHITE)


@kernel
def _fill_stones(board: Words, turn: int, plan: RowPlan, row: Row) -> None:
    """The constant, the turn, and stones by point and by place."""
    size = np.int64(board[SIZE])
    points, turns, places = plan.first[_POINTS], plan.first[_TURN], plan.first[_MAP]
    if points >= 0:
        row[points] = np.float32(1)
    if turns >= 0:
        row[turns] = np.float32(1)
        row[turns + 1] = np.float32(turn)
    for line in range(size):
        for col in range(size):
            cell = (line + 1) * STRIDE + col + 1
            sign = np.float32(_sign_of(board[COLOR + cell]))
            if points >= 0:
                row[points + 1 + line * size + col] = sign
            if places >= 0:
                row[places + plan.places[cell]] += sign


@kernel
def _fill_shapes(board: Words, plan: RowPlan, row: Row) -> None:
    size = np.int64(board[SIZE])
    for line in range(1, size + 1):
        for cell in range(line * STRIDE + 1, line * STRIDE + size + 1):
            code, factor = np.int64(0), 1
            for offset in OFFSETS:
                code += factor * np.int64(board[COLOR + cell + offset])
                factor *= 4
            shape = np.int64(plan.shape_index[code])
            if shape >= 0:
                row[plan.first[_SHAPES] + shape] += np.float32(plan.shape_sign[code])


@kernel
def _add_influence(
    board: Words, first: int, plan: RowPlan, scratch: InfluenceScratch, row: Row
) -> None:
    """Adds what the spread influence says, by line, from input `first` on."""
    size = np.int64(board[SIZE])
    lines = (size + 1) // 2
    for line in range(1, size + 1):
        for cell in range(line * STRIDE + 1, line * STRIDE + size + 1):
            black, white = scratch.sums[0, cell], scratch.sums[1, cell]
            balance = black / (np.float32(1) + black) - white / (np.float32(1) + white)
            at = first + plan.lines[cell]
            if board[COLOR + cell] == EMPTY:
                row[at] += balance
                if balance > _MOSTLY:
                    row[at + lines] += np.float32(1)
                elif balance < -_MOSTLY:
                    row[at + lines] -= np.float32(1)
            else:
                row[at + 2 * lines] += balance


@kernel
def _fill_influence(board: Words, plan: RowPlan, scratch: InputScratch) -> None:
    """`strength` must hold this position's blocks."""
    first = plan.first[_INFLUENCE]
    lines = (np.int64(board[SIZE]) + 1) // 2
    spread_plainly(board, 0, scratch.influence)
    _add_influence(board, first, plan, scratch.influence, scratch.row)
    spread_strictly(board, 0, scratch.strength, scratch.influence)
    first += INFLUENCE_KINDS * lines
    _add_influence(board, first, plan, scratch.influence, scratch.row)


@kernel
def _fill_blocks(board: Words, plan: RowPlan, strength: BlockStrength, row: Row) -> None:
    """`strength` must hold this position's blocks."""
    size, first = np.int64(board[SIZE]), plan.first[_BLOCKS]
    by_line = first + LIBERTY_BINS
    eyes = by_line + ORDERS * _BLOCK_LINES
    for line in range(1, size + 1):
        for cell in range(line * STRIDE + 1, line * STRIDE + size + 1):
            number = np.int64(strength.number[cell])
            if number == 0:
                continue
            sign = np.float32(_sign_of(strength.color[number]))
            liberties = np.int64(strength.liberties[0, number])
            row[first + min(max(liberties, 1), LIBERTY_BINS) - 1] += sign
            near = min(plan.lines[cell], _BLOCK_LINES - 1)
            for order in range(ORDERS):
                share = min(np.float32(strength.liberties[order, number]) / _CAPS[order], 1.0)
                row[by_line + order * _BLOCK_LINES + near] += sign * np.float32(share)
            row[eyes] += sign * np.float32(min(strength.eyes[number], 2))
    taken = np.float32(board[CAPTURED + WHITE]) - np.float32(board[CAPTURED + BLACK])
    row[eyes + 1] = taken


@kernel
def _fill_pairs(board: Words, plan: RowPlan, row: Row) -> None:
    size = np.int64(board[SIZE])
    for line in range(1, size + 1):
        for col in range(1, size + 1):
            cell = line * STRIDE + col
            sign = _sign_of(board[COLOR + cell])
            if sign == 0:
                continue
            at = plan.first[_PAIRS] + 2 * min(plan.lines[cell], PAIR_LINES - 1)
            for pair in range(len(plan.pairs)):
                for way in range(8):
                    down, right = plan.pairs[pair, way, 0], plan.pairs[pair, way, 1]
                    if down == 0 and right == 0:
                        break
                    if 1 <= line + down <= size and 1 <= col + right <= size:
                        other = _sign_of(board[COLOR + cell + down * STRIDE + right])
                        if other != 0:
                            place = at + 2 * PAIR_LINES * pair + int(other != sign)
                            row[place] += np.float32(sign)


@kernel
def fill_row(board: Words, turn: int, plan: RowPlan, scratch: InputScratch) -> None:
    """Writes the inputs of one position into `row`; turn is 1 where White is to move."""
    for place in range(plan.inputs):
        scratch.row[place] = np.float32(0)
    _fill_stones(board, turn, plan, scratch.row)
    if plan.first[_SHAPES] >= 0:
        _fill_shapes(board, plan, scratch.row)
    if plan.first[_INFLUENCE] >= 0 or plan.first[_BLOCKS] >= 0:
        measure_blocks(board, scratch.strength)
    if plan.first[_INFLUENCE] >= 0:
        _fill_influence(board, plan, scratch)
    if plan.first[_BLOCKS] >= 0:
        _fill_blocks(board, plan, scratch.strength, scratch.row)
    if plan.first[_PAIRS] >= 0:
        _fill_pairs(board, plan, scratch.row)


@kernel
def _keep_row(row: Row, scales: Row, number: int, out: Encoded) -> None:
    """Appends what is not zero as position `number`."""
    at = out.starts[number]
    for place in range(len(row)):
        value = np.rint(row[place] * scales[place] * np.float32(ONE))
        if value != 0:
            out.place[at] = place
            out.value[at] = np.int16(min(max(value, np.float32(-_LARGEST)), np.float32(_LARGEST)))
            at += 1
    out.starts[number + 1] = at


@kernel
def take_differences(encoded: Encoded, positions: int, out: Encoded) -> None:
    """Writes what changes from each position to the next, into as much room; every so many
    `positions`, where a game begins, the position itself."""
    at = 0
    for number in range(len(encoded.starts) - 1):
        one, end = encoded.starts[number], encoded.starts[number + 1]
        before = encoded.starts[number - 1] if number % positions else one
        while one < end or before < encoded.starts[number]:
            own = np.int64(encoded.place[one]) if one < end else np.int64(1 << 20)
            old = np.int64(1 << 20)
            if before < encoded.starts[number]:
                old = np.int64(encoded.place[before])
            change = np.int64(0)
            if own <= old:
                change += np.int64(encoded.value[one])
                one += 1
            if old <= own:
                change -= np.int64(encoded.value[before])
                before += 1
            if change != 0:
                out.place[at] = min(own, old)
                out.value[at] = change
                at += 1
        out.starts[number + 1] = at


@kernel
def encode_boards(
    boards: Words,
    turns: npt.NDArray[np.uint8],
    plan: RowPlan,
    scales: Row,
    scratch: InputScratch,
    out: Encoded,
) -> None:
    """Encodes boards [B, WORDS]; `out` has room for all of them."""
    for number in range(len(boards)):
        fill_row(boards[number], turns[number], plan, scratch)
        _keep_row(scratch.row, scales, number, out)


@kernel
def encode_lines(
    moves: Points,
    plies: npt.NDArray[np.int64],
    plan: RowPlan,
    scales: Row,
    memory: tuple[InputScratch, Scratch, int],
    out: Encoded,
) -> None:
    """Plays the lines of moves [G, N], Black first, and encodes them after each of `plies`;
    `memory` is scratch of both kinds and the board size."""
    scratch, replay, size = memory
    words = replay.state.words
    number = 0
    for line in range(len(moves)):
        for word in range(WORDS):
            words[word] = replay.blank[size, word]
        replay.state.hashes[0] = 0
        ply = 0
        for wanted in plies:
            while ply < wanted:
                play_move(replay.state, int(moves[line, ply]), WHITE if ply % 2 else BLACK)
                ply += 1
            fill_row(words, ply % 2, plan, scratch)
            _keep_row(scratch.row, scales, number, out)
            number += 1
