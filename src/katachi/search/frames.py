"""What an alpha-beta search keeps: a frame for each position on the way from the root.

A search must stop half-way, whenever it needs an evaluator or has to look at the clock, and go on
where it was. So it has no recursion: all it knows lies in the arrays of a `Search`, and one call of
`negamax.advance` takes it from one halt to the next.

Values are logits in fixed point, `UNIT` to the logit, of the player to move at their position.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from katachi.rules.area import SCRATCH
from katachi.rules.point import CELLS
from katachi.rules.state import PLY, SIZE, TRACE_WORDS, BoardState, Words
from katachi.search.transpositions import Table

Numbers = npt.NDArray[np.int64]

UNIT = 1 << 26
"""One logit."""
LARGEST = 1 << 50
"""A game won: more than the largest weights of any evaluator can add up to."""
LARGEST_JUDGED = LARGEST - 1
"""What is judged, not counted, is worth less than a game won; evaluators' values are clipped."""
BEYOND = LARGEST + 1
"""More than any value: the open window of the root reaches from -BEYOND to BEYOND."""

DEEPEST = 40
"""The most plies a search may look ahead."""
LEVELS = DEEPEST + 1
KILLERS = 3
"""Moves remembered at each level because they refuted something there."""

RUNNING, NEEDS_VALUES, DONE = 0, 1, 2
"""Why a search halted: to let the clock be looked at, for want of values, at an iteration's end."""

# Registers: the state of the whole search.
LEVEL = 0
"""The deepest frame in use; -1 when the iteration is over."""
VALUE = 1
"""What the last frame to be left found, for the one who moves there."""
NODES = 2
"""Positions reached, and moves judged without being played."""
NEXT_LOOK = 3
"""Number of nodes at which to halt as RUNNING."""
LEAVES = 4
"""Frontier positions of this iteration that were judged, not counted: 0 when every line was read
to the end of the game."""
MOVER = 5
"""Who moves at the frontier that needs values."""
MOVE_COUNT = 6
"""How many moves of his there are in `Search.frontier`."""
ROOT_DONE = 7
"""Moves at the root whose values are known: the first ones of `Search.moves[0]`."""
ROOT_MOVE = 8
"""The move to try first at the root, or PASS."""
REGISTERS = 9

# Options: what stays the same throughout.
KO_RULE = 0
SUICIDE = 1
BLACK_WINS_FROM = 2
"""Smallest area difference with which Black wins."""
WHITE_WINS_TO = 3
"""Largest area difference with which White wins."""
GENERATION = 4
"""Number of the search; table entries of any other are not believed."""
HAS_TABLE = 5
HAS_ORDER = 6
HAS_SCOUTS = 7
REDUCTIONS = 8
"""How many reduced searches may lie within each other."""
MARGIN = 9
SORTED_FROM = 10
OPTIONS = 11

# Columns of a frame.
SIDE = 0
"""Who moves."""
DEPTH = 1
"""Plies still to look ahead."""
ALPHA = 2
BETA = 3
BEST = 4
BEST_MOVE = 5
"""The move that gave BEST, where that is more than ALPHA; otherwise PASS."""
COUNT = 6
TRIED = 7
STAGE = 8
"""What is to be done when this frame is the deepest one."""
NESTED = 9
"""Reduced searches around this frame."""
IS_SCOUT = 10
"""Whether the child is searched only to see that it is no better than the best one."""
COLUMNS = 11

ENTER, TAKE_VALUES, JUDGE_REDUCED, PLAY_NEXT, TAKE_RESULT = 0, 1, 2, 3, 4


class Search(NamedTuple):
    """One search on a board of P points. Only `values` is for others to write."""

    state: BoardState
    """The position searched at present, with all that came before it, root and game included."""
    traces: Words
    """[LEVELS, TRACE_WORDS]: how to take back the move made at each level."""
    registers: Numbers
    options: Numbers
    frames: Numbers
    """[LEVELS, COLUMNS]."""
    moves: Words
    """[LEVELS, P + 1]: the moves of each frame, those tried already at the front."""
    ranks: Numbers
    """[LEVELS, P + 1]: the highest is to be tried next."""
    frontier: Words
    """[P + 1]: the moves that need values, MOVE_COUNT of them, or a lone PASS."""
    values: Numbers
    """[P + 1]: what each of those moves is worth to MOVER, the move being played."""
    lines: Words
    """[LEVELS + 1, LEVELS + 1]: length and moves of the best line from each level on."""
    root_values: Numbers
    """[P + 1]: value of each move of `moves[0]`: exact if it is the best, otherwise a bound."""
    root_lines: Words
    """[P + 1, LEVELS + 1]: the line that begins with it, as in `lines`."""
    killers: Words
    """[LEVELS + 1, KILLERS]."""
    history: Numbers
    """[3, CELLS], by colour and point: how often, and how far from the leaves, it refuted."""
    table: Table
    scratch: Words


def komi_of(options: Numbers) -> float:
    """The komi of a search, to the half point that decides who wins."""
    return float(options[BLACK_WINS_FROM] + options[WHITE_WINS_TO]) / 2.0


def new_search(state: BoardState, options: Numbers, table: Table) -> Search:
    """A search from a position of one game, which is copied with its history."""
    points = int(state.words[SIZE]) ** 2
    ply = int(state.words[PLY])
    hashes = np.zeros(ply + 1 + LEVELS, np.uint64)
    hashes[: ply + 1] = state.hashes[: ply + 1]
    return Search(
        state=BoardState(state.words.copy(), hashes, state.keys),
        traces=np.zeros((LEVELS, TRACE_WORDS), np.uint16),
        registers=np.zeros(REGISTERS, np.int64),
        options=options,
        frames=np.zeros((LEVELS, COLUMNS), np.int64),
        moves=np.zeros((LEVELS, points + 1), np.uint16),
        ranks=np.zeros((LEVELS, points + 1), np.int64),
        frontier=np.zeros(points + 1, np.uint16),
        values=np.zeros(points + 1, np.int64),
        lines=np.zeros((LEVELS + 1, LEVELS + 1), np.uint16),
        root_values=np.zeros(points + 1, np.int64),
        root_lines=np.zeros((points + 1, LEVELS + 1), np.uint16),
        killers=np.zeros((LEVELS + 1, KILLERS), np.uint16),
        history=np.zeros((3, CELLS), np.int64),
        table=table,
        scratch=np.zeros(SCRATCH, np.uint16),
    )
