"""What an opening net sees: the points of the board, or knowledge about the stones on them.

`points` alone are the 362 inputs of Lee, Guesgen and Baltes: a constant, and +1, -1 or 0 for each
point. The other kinds are what they say their net lacks. Each of them counts for Black what it
counts against White, and is the same for the eight mirror images of a position.

| kind | inputs |
|---|---|
| points | a constant and every point: +1 black, -1 white |
| turn | a constant, and 1 where White is to move |
| map | stones by place, mirror images as one: 55 places at 19x19 |
| shapes | shapes of 3x3 points with the edge (`edge_shapes`), wherever they are |
| influence | influence on empty points, points mostly of one colour, and influence on stones, by line; plain and strict (`influence`) |
| blocks | stones by the liberties of their block, liberties of all orders by line, eyes, captured stones (`block_strength`) |
| pairs | two stones of a colour, or of both, by their distance and the line of the first: what is connected, and what is cut |
"""  # noqa: E501

from functools import cache
from typing import Annotated, NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt

from katachi.errors import KatachiError
from katachi.features.edge_shapes import edge_shapes
from katachi.features.opening_rows import (
    BLOCK_INPUTS,
    INFLUENCE_KINDS,
    KINDS,
    PAIR_LINES,
    Encoded,
    RowPlan,
    encode_boards,
    encode_lines,
    new_scratch,
    pair_steps,
    take_differences,
)
from katachi.records.lines import check_lines
from katachi.records.replay import new_scratch as new_replay
from katachi.rules.checking import check_states
from katachi.rules.point import CELLS, Points, points_of
from katachi.rules.size import MAX_SIZE
from katachi.rules.state import PLY, SIZE, BoardState
from katachi.rules.symmetry import SYMMETRIES, index_tables
from katachi.rules.zobrist import SIDE_BIT

SMALLEST = 5
"""Lines of the smallest board that these inputs are for."""
RAW = ("points",)
RICH = ("turn", "map", "shapes", "influence", "blocks", "pairs")

Scales = npt.NDArray[np.float32]


class OpeningInputs(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a net sees, on boards of one size."""

    kinds: tuple[str, ...] = RAW
    size: Annotated[int, msgspec.Meta(ge=SMALLEST, le=MAX_SIZE)] = 19


class InputParts(NamedTuple):
    """The parts of a net's inputs, a part a kind."""

    starts: tuple[int, ...]
    """[K + 1]: where each part begins among the inputs."""
    part_of: npt.NDArray[np.uint8]
    """[N]: the part of each input."""
    images: npt.NDArray[np.uint16]
    """[8, N]: images[s, i] is the input that input i becomes on a board moved by symmetry s."""


def _count(kind: str, size: int) -> int:
    lines = (size + 1) // 2
    counts = {
        "points": 1 + size * size,
        "turn": 2,
        "map": lines * (lines + 1) // 2,
        "shapes": edge_shapes().total,
        "influence": 2 * INFLUENCE_KINDS * lines,
        "blocks": BLOCK_INPUTS,
        "pairs": 2 * PAIR_LINES * len(pair_steps()),
    }
    return counts[kind]


def check_inputs(inputs: OpeningInputs) -> None:
    """Raises KatachiError, naming the kinds there are, for others, doubled ones or none."""
    unknown = [kind for kind in inputs.kinds if kind not in KINDS]
    if unknown or not inputs.kinds or len(set(inputs.kinds)) < len(inputs.kinds):
        given = ", ".join(inputs.kinds)[:80] or "nothing"
        raise KatachiError(f"no inputs {given!r}: choose some of {', '.join(KINDS)}, each once")


@cache
def parts_of(inputs: OpeningInputs) -> InputParts:
    """How the inputs lie in a row."""
    check_inputs(inputs)
    counts = [_count(kind, inputs.size) for kind in inputs.kinds]
    starts = (0, *np.cumsum(counts).tolist())
    part_of = np.repeat(np.arange(len(counts)), counts).astype(np.uint8)
    images = np.tile(np.arange(starts[-1], dtype=np.uint16), (SYMMETRIES, 1))
    if "points" in inputs.kinds:
        first = starts[inputs.kinds.index("points")] + 1
        for symmetry, sources in enumerate(index_tables(inputs.size)):
            # moved[i] = original[sources[i]]: what stood at sources[i] stands at i
            images[symmetry, first + sources] = first + np.arange(len(sources))
    return InputParts(starts, part_of, images)


@cache
def row_plan(inputs: OpeningInputs) -> RowPlan:
    """Everything that a kernel needs to fill a row."""
    parts = parts_of(inputs)
    first = np.full(len(KINDS), -1, np.int64)
    for kind, start in zip(inputs.kinds, parts.starts, strict=False):
        first[KINDS.index(kind)] = start
    shapes = edge_shapes()
    places, lines = _places(inputs.size)
    return RowPlan(first, parts.starts[-1], places, lines, shapes.number, shapes.sign, pair_steps())


def _places(size: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """[CELLS] the number of each point's place under the symmetries, and [CELLS] its line from
    0 at the edge."""
    near = np.minimum(np.arange(size), size - 1 - np.arange(size))
    low, high = np.minimum.outer(near, near), np.maximum.outer(near, near)
    _, numbers = np.unique(low * size + high, return_inverse=True)
    places, lines = np.zeros((2, CELLS), np.int64)
    places[points_of(size)] = numbers.reshape(-1)
    lines[points_of(size)] = low.reshape(-1)
    return places, lines


def encode_states(inputs: OpeningInputs, scales: Scales, states: BoardState) -> Encoded:
    """The inputs of B positions; raises KatachiError for another board size."""
    check_states(states)
    count = len(states.words)
    size = inputs.size if count == 0 else int(states.words.flat[SIZE])
    if size != inputs.size:
        ours = f"{inputs.size}x{inputs.size}"
        raise KatachiError(f"this opening net is for {ours} boards, not {size}x{size}")
    plies = states.words[:, PLY].astype(np.int64)
    turns = (states.hashes[np.arange(count), plies] & np.uint64(SIDE_BIT)).astype(np.uint8)
    plan, out = row_plan(inputs), _room(inputs, count)
    encode_boards(states.words, turns, plan, scales, new_scratch(plan), out)
    return _trimmed(out)


def encode_openings(
    inputs: OpeningInputs, scales: Scales, moves: Points, plies: npt.NDArray[np.int64]
) -> Encoded:
    """The inputs of openings, moves [G, N] from the empty board on, after each of the numbers of
    moves `plies` [T], rising: G * T positions, opening by opening. Raises KatachiError for a
    move that cannot be played."""
    check_lines(moves, inputs.size)
    plan, out = row_plan(inputs), _room(inputs, len(moves) * len(plies))
    line = np.ascontiguousarray(moves)
    encode_lines(line, plies, plan, scales, (new_scratch(plan), new_replay(), inputs.size), out)
    return _trimmed(out)


def _room(inputs: OpeningInputs, count: int) -> Encoded:
    """Memory for so many positions: each point is the middle of one shape at most."""
    points = inputs.size * inputs.size
    counts = {kind: _count(kind, inputs.size) for kind in inputs.kinds}
    most = sum(min(n, points) if kind == "shapes" else n for kind, n in counts.items())
    starts = np.zeros(count + 1, np.int64)
    return Encoded(starts, np.zeros(count * most, np.uint16), np.zeros(count * most, np.int16))


def differences_of(encoded: Encoded, positions: int) -> Encoded:
    """What changes from each position to the next in games of so many positions each."""
    # A difference may touch the inputs of both positions.
    room = 2 * len(encoded.place)
    starts = np.zeros(len(encoded.starts), np.int64)
    out = Encoded(starts, np.zeros(room, np.uint16), np.zeros(room, np.int16))
    take_differences(encoded, positions, out)
    return _trimmed(out)


def _trimmed(out: Encoded) -> Encoded:
    used = int(out.starts[-1])
    return Encoded(out.starts, out.place[:used].copy(), out.value[:used].copy())


def unit_scales(inputs: OpeningInputs) -> Scales:
    """[N]: every input as it is."""
    return np.ones(parts_of(inputs).starts[-1], np.float32)
