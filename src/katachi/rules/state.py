"""The layout of a position: one flat vector of 16-bit words a game.

A few counters, then seven fields of `CELLS` words each. Offsets are constants, the same for every
board size, so a kernel reaches any word by one addition. What the fields hold:

| field | stone at p | empty point p |
|---|---|---|
| COLOR | BLACK or WHITE | EMPTY (edge cells hold EDGE) |
| BLOCK | the root, one chosen stone of its block | p |
| NEXT | the next stone of its block, in a ring | p |
| LIBERTIES | (root only) empty neighbours summed over the block's stones | empty neighbours of p |
| STONES | (root only) number of stones | 1 |
| INDEX | - | place of p in the EMPTIES list |
| PAST | bit mask of the colours of stones that have stood here | the same |

So an empty point is already the one-stone block that playing there would make. EMPTIES lists the
empty points in no meaningful order, but the stones a move captured are its last entries until the
next move: hashing, undo and incremental features all read them there.

LIBERTIES counts an empty point once for each stone it touches ("pseudo-liberties"): zero exactly
when the block has none, which is all that legality and capture need. `count_liberties` gives the
exact number.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from katachi.rules.color import EDGE, EMPTY
from katachi.rules.point import CELLS, STRIDE, points_of
from katachi.rules.size import check_size
from katachi.rules.zobrist import HASH_KEYS

EMPTY_COUNT = 0
KO = 1
"""Point where a single stone was just taken by a single stone, or PASS."""
PASSES = 2
"""Passes in a row just before this position."""
PLY = 3
"""Moves and passes so far: the present position's place in `BoardState.hashes`."""
CAPTURED = 4
"""CAPTURED + color: stones of that colour taken off the board so far (words 5 and 6)."""
SIZE = 7
NEWEST = 8
"""Which word of RECENT holds the last move."""
TRACE = 16
"""What taking back the last move needs, words TRACE .. TRACE + TRACE_WORDS: to take back several
moves, keep a copy of these words after each."""
TRACE_WORDS = 32
TRACE_POINT = TRACE
TRACE_COLOR = TRACE + 1
TRACE_KO = TRACE + 2
TRACE_PASSES = TRACE + 3
TRACE_INDEX = TRACE + 4
TRACE_PAST = TRACE + 5
TRACE_JOINS = TRACE + 6
TRACE_CAPTURES = TRACE + 7
TRACE_LENGTHS = TRACE + 8
"""Sizes of the captured blocks, in the order they stand at the end of EMPTIES (up to four)."""
TRACE_JOINED = TRACE + 12
"""Root, stones and liberties of each block that was joined to another, in order (up to four)."""
TRACE_OLDEST = TRACE + 24
"""The move that had to leave RECENT."""
RECENT = 48
"""Where the last moves were, words RECENT .. RECENT + RECENT_MOVES in a ring; PASS for passes and
for moves before the first. Setup stones are no moves. `recent_moves` reads them."""
RECENT_MOVES = 8
COLOR = 64
BLOCK = COLOR + CELLS
NEXT = COLOR + 2 * CELLS
LIBERTIES = COLOR + 3 * CELLS
STONES = COLOR + 4 * CELLS
EMPTIES = COLOR + 5 * CELLS
INDEX = COLOR + 6 * CELLS
PAST = COLOR + 7 * CELLS
FIELDS = 8
WORDS = COLOR + FIELDS * CELLS

Words = npt.NDArray[np.uint16]
Hashes = npt.NDArray[np.uint64]


class BoardState(NamedTuple):
    """B positions with the hashes of all positions before them; the batch axis comes first.

    A kernel that plays one game takes the same record with the batch axis removed.
    """

    words: Words
    """[B, WORDS], laid out as this module says."""
    hashes: Hashes
    """[B, H]: hash of the position after each ply, the present one at PLY."""
    keys: Hashes
    """[3, CELLS]: the Zobrist key of a stone, by colour and point; shared by all games."""


def new_states(count: int, size: int, history: int) -> BoardState:
    """`count` empty boards, each with room for `history` - 1 moves."""
    words = np.tile(empty_words(size), (count, 1))
    return BoardState(words, np.zeros((count, history), np.uint64), HASH_KEYS)


def state_of_game(states: BoardState, index: int) -> BoardState:
    """Game `index` of a batch as a view without the batch axis."""
    return BoardState(states.words[index], states.hashes[index], states.keys)


def empty_words(size: int) -> Words:
    """The words of an empty board, [WORDS]."""
    points = points_of(check_size(size)).astype(np.int64)
    words = np.zeros(WORDS, np.uint16)
    words[COLOR : COLOR + CELLS] = EDGE
    words[COLOR + points] = EMPTY
    for field in (BLOCK, NEXT):
        words[field : field + CELLS] = np.arange(CELLS)
    words[STONES : STONES + CELLS] = 1
    words[LIBERTIES : LIBERTIES + CELLS] = 4
    steps = np.array([-STRIDE, -1, 1, STRIDE])
    neighbors = words[COLOR + points[:, None] + steps]
    words[LIBERTIES + points] = (neighbors == EMPTY).sum(axis=1)
    words[EMPTIES : EMPTIES + len(points)] = points
    words[INDEX + points] = np.arange(len(points))
    words[EMPTY_COUNT] = len(points)
    words[SIZE] = size
    return words


def colors_of(words: Words) -> npt.NDArray[np.uint8]:
    """Colours row by row from the top left, [..., size * size], of one board or a batch."""
    size = int(words.flat[SIZE])
    return words[..., COLOR + points_of(size).astype(np.int64)].astype(np.uint8)


def recent_moves(words: Words) -> Words:
    """[B, RECENT_MOVES]: where the last moves of B positions were, the newest first."""
    ages = np.arange(RECENT_MOVES, dtype=np.int64)
    places = (words[:, NEWEST].astype(np.int64)[:, None] - ages) % RECENT_MOVES
    return np.take_along_axis(words, RECENT + places, axis=1)
