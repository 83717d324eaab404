"""Lines of moves from the empty board, Black first: checked before kernels play them."""

import numpy as np

from katachi._jit import kernel
from katachi.errors import KatachiError
from katachi.records.replay import Scratch, new_scratch
from katachi.rules.color import BLACK
from katachi.rules.kernels import play_move
from katachi.rules.legality import LEGAL, judge_move
from katachi.rules.limits import LONGEST_GAME
from katachi.rules.point import CELLS, PASS, Points
from katachi.rules.ruleset import KoRule
from katachi.rules.state import WORDS


@kernel
def _first_broken(moves: Points, size: int, ko_rule: int, scratch: Scratch) -> int:
    """Which of the lines [G, N] is the first with a move that no rules allow; -1 for none."""
    state = scratch.state
    for line in range(len(moves)):
        for word in range(WORDS):  # all of them: another size leaves other points empty
            state.words[word] = scratch.blank[size, word]
        state.hashes[0] = np.uint64(0)
        for ply in range(moves.shape[1]):
            point = int(moves[line, ply])
            if point != PASS and not 0 < point < CELLS:
                return line
            if judge_move(state, point, BLACK + ply % 2, ko_rule, True) != LEGAL:
                return line
            play_move(state, point, BLACK + ply % 2)
    return -1


def check_lines(moves: Points, size: int, scratch: Scratch | None = None) -> None:
    """Raises KatachiError, naming the first, unless all lines [G, N] of points can be played."""
    if moves.ndim != 2 or moves.shape[1] > LONGEST_GAME:
        raise KatachiError(f"lines of moves must be a table with at most {LONGEST_GAME:,} columns")
    points = np.ascontiguousarray(moves, np.uint16)
    broken = int(_first_broken(points, size, KoRule.SIMPLE.value, scratch or new_scratch()))
    if broken >= 0:
        raise KatachiError(f"line {broken + 1} has a move that cannot be played on {size}x{size}")
