"""Evaluators for searches, each with an oracle that judges as it does."""

import zlib
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from katachi._jit import kernel
from katachi.evaluators.protocol import Evaluation, Evaluator
from katachi.evaluators.simple import AverageLiberties, InfluenceEvaluator, score_average_liberties
from katachi.rules.color import BLACK
from katachi.rules.kernels import lift_stone, place_stone
from katachi.rules.point import PASS
from katachi.rules.state import BoardState, Words, colors_of
from katachi.search.alphabeta import units_of
from katachi.search.frames import MOVE_COUNT, MOVER, NEEDS_VALUES, UNIT, Numbers, Search
from katachi.search.negamax import advance
from tests.oracle.games import colors_of_stones
from tests.oracle.go import Stones
from tests.oracle.minimax import Judge
from tests.oracle.players import average_liberties_score, influence_score


class Scrambler:
    """Values without rhyme or reason, of so many kinds: few kinds make many ties."""

    def __init__(self, kinds: int) -> None:
        self.name = f"scrambler of {kinds}"
        self.kinds = kinds

    def chance(self, colors: bytes) -> float:
        return (1 + zlib.crc32(colors) % self.kinds) / (self.kinds + 1)

    def evaluate(self, states: BoardState) -> Evaluation:
        rows = colors_of(states.words)
        return Evaluation(np.array([self.chance(row.tobytes()) for row in rows]))

    def judge(self, stones: Stones, size: int) -> int:
        chance = self.chance(bytes(colors_of_stones(stones, size)))
        return int(units_of(Evaluation(np.array([chance])))[0])


def judge_by_score(score: Callable[[Stones, int], int], scale: float) -> Judge:
    """The judge for an evaluator that puts a score through a logistic curve."""

    def judge(stones: Stones, size: int) -> int:
        return round(score(stones, size) / scale * UNIT)

    return judge


class Pair(NamedTuple):
    """An evaluator, and how the oracle judges."""

    evaluator: Evaluator
    judge: Judge


SCRAMBLERS = [Pair(s, s.judge) for s in (Scrambler(5), Scrambler(10**6))]
LIBERTIES = Pair(
    AverageLiberties(), judge_by_score(average_liberties_score, AverageLiberties.scale)
)
INFLUENCE = Pair(InfluenceEvaluator(), judge_by_score(influence_score, InfluenceEvaluator.scale))
PAIRS = [*SCRAMBLERS, LIBERTIES, INFLUENCE]


@kernel
def judge_moves(board: Words, color: int, moves: Words, count: int, values: Numbers) -> None:
    """Writes what the average liberties say of each move, for the mover, into values [count]."""
    boards = board.reshape(1, len(board))
    for index in range(count):
        if moves[index] != PASS:
            place_stone(board, moves[index], color)
        score_average_liberties(boards, values[index : index + 1])
        if moves[index] != PASS:
            lift_stone(board)
        score = values[index] if color == BLACK else -values[index]
        values[index] = score * UNIT // 200


@kernel
def drive_by_liberties(search: Search) -> int:
    """Searches with the average liberties at the leaves, without leaving compiled code."""
    registers = search.registers
    status = advance(search)
    while status == NEEDS_VALUES:
        count = registers[MOVE_COUNT]
        judge_moves(search.state.words, registers[MOVER], search.frontier, count, search.values)
        status = advance(search)
    return status
