"""The one interface behind which every way of judging a position stands.

What every evaluator does is `Evaluator`; what only some can do is one record, `Abilities`.
"""

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from katachi.rules.point import Points
from katachi.rules.state import BoardState, Words

Floats = npt.NDArray[np.float64]
Colors = npt.NDArray[np.int64]
MoveScores = Callable[[BoardState, Colors], Floats]


class Evaluation(NamedTuple):
    """What an evaluator says of B positions, always from Black's side."""

    value: Floats
    """[B]: Black's chance of winning, 0 to 1. An evaluator does not know the game's komi: one that
    knows no owners means the komi that it has learned with, if any (`chances.with_komi`)."""
    ownership: npt.NDArray[np.float32] | None = None
    """[B, size * size], row by row from the top left: chance that Black will own the point; None
    from an evaluator that does not know."""
    logit: Floats | None = None
    """[B]: the logit of `value`, which separates positions as good as won, or as lost; None from
    an evaluator that has no more than the chance."""


class Evaluator(Protocol):
    """Judges positions. A position is its stones, its last moves and who made the last one
    (`rules.positions`): some evaluators see it as that player does, and all answer for Black.

    Exchanging the colours, the mover's too, exchanges the answer, and turning the board leaves it
    as it is; where places or colours have weights of their own (linear models, opening nets), the
    weights have to be turned or exchanged with the board.

    Any number of threads may share an evaluator: judging changes nothing but scratch of the call's
    or the thread's own (`scratch.py`). One that learns belongs to one thread meanwhile.
    """

    name: str

    def evaluate(self, states: BoardState) -> Evaluation:
        """The value of each of B positions of one board size; `states` is not changed."""
        ...


class Abilities(NamedTuple):
    """What an evaluator can do besides: its attribute `abilities`, if it has one."""

    values: bool = True
    """Whether it judges positions; one that has learned moves alone calls all of them even."""
    moves: MoveScores | None = None
    """(B positions of one size, [B] who moves next) -> [B, size * size]: how likely the next move
    is on each point, as a logit. It then chooses moves, not the value of what they lead to."""
    look: Callable[[BoardState, Colors], tuple[npt.NDArray[np.float32], Floats]] | None = None
    """(B positions of one size, [B] who moves next) -> owners and `moves` of them at one look;
    quick, and it need not know the board's symmetries: for leaves of a tree."""
    fast_moves: Callable[[Words, int, Points], Floats | None] | None = None
    """(board, colour, its legal moves [M]) -> [M]: the logit of that colour's chance to win after
    each move, as `evaluate` has it; None where the positions must be set up all the same."""
    temperature: Callable[[int], float | None] | None = None
    """(board size) -> the temperature of the Gibbs policy that fits it, if one was fitted."""
    shapes: Callable[[int], Any] | None = None
    """(board size) -> the `LocalShape` that judges such boards: it can explain its moves, learn
    before a move, and be searched without leaving compiled code. Raises KatachiError on a board
    it is not for."""


NO_ABILITIES = Abilities()


def abilities_of(evaluator: object) -> Abilities:
    """What an evaluator can do besides judging positions; nothing where it does not say."""
    found: Abilities = getattr(evaluator, "abilities", NO_ABILITIES)
    return found


def predicts_moves(evaluator: Evaluator) -> bool:
    """Whether an evaluator itself says where the next move will be."""
    return abilities_of(evaluator).moves is not None
