"""One look ahead: what each move is worth, for players and for clients that draw candidates."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from katachi.evaluators.protocol import Evaluator
from katachi.rules.area import area_owners
from katachi.rules.color import BLACK, WHITE
from katachi.rules.game import Game
from katachi.rules.point import PASS, Points
from katachi.rules.state import BoardState
from katachi.search.afterstates import afterstates, sensible_moves

PRIOR_TEMPERATURE = 0.05
"""Win-rate difference at which a move's prior falls to 1/e of the best one's."""
PSEUDO_VISITS = 1000
FEWEST_VISITS = 10
"""Clients hide moves with fewer visits than this."""


class Candidate(NamedTuple):
    """A move and what it is worth to the player who makes it."""

    point: int
    win_rate: float
    lead: float
    """Points ahead after it."""
    prior: float
    visits: int
    """No search is made, so these are pseudo-visits: in proportion to the prior, at least 10."""


class Analysis(NamedTuple):
    """A position as the player to move sees it; the best candidate first."""

    candidates: list[Candidate]
    win_rate: float
    lead: float
    ownership: npt.NDArray[np.float64]
    """[size * size], row by row, -1 to 1: 1 is surely the mover's."""
    is_estimate: bool
    """False when ownership is only the area of the stones as they stand."""


def mover_values(
    evaluator: Evaluator, game: Game, color: int, points: Points
) -> npt.NDArray[np.float64]:
    """The mover's chance of winning after each of these moves, [M]."""
    value = evaluator.evaluate(afterstates(game, color, points).states).value
    return value if color == BLACK else 1.0 - value


def analyse(
    evaluator: Evaluator, game: Game, color: int, points: Points | None = None
) -> Analysis:
    """Judges the position and each move of `color` (by default the sensible ones, or pass)."""
    moves = sensible_moves(game, color) if points is None else points
    if len(moves) == 0:
        moves = np.array([PASS], np.uint16)
    after = afterstates(game, color, moves).states
    evaluation = evaluator.evaluate(after)
    sign = 1 if color == BLACK else -1
    rates = evaluation.value if color == BLACK else 1.0 - evaluation.value
    owned = _ownership(after, evaluation.ownership)
    leads = sign * (owned.sum(axis=1) - game.komi)
    now = _present(evaluator, game)
    return Analysis(
        _rank(moves, rates, leads),
        float(now.value if color == BLACK else 1.0 - now.value),
        float(sign * (now.owned.sum() - game.komi)),
        sign * now.owned,
        evaluation.ownership is not None,
    )


class _Present(NamedTuple):
    value: float
    owned: npt.NDArray[np.float64]


def _present(evaluator: Evaluator, game: Game) -> _Present:
    evaluation = evaluator.evaluate(game.states)
    owned = _ownership(game.states, evaluation.ownership)
    return _Present(float(evaluation.value[0]), owned[0])


def _ownership(
    states: BoardState, chances: npt.NDArray[np.float32] | None
) -> npt.NDArray[np.float64]:
    """[B, P] from -1 (White) to 1 (Black); the area as it stands when nothing better is known."""
    if chances is not None:
        return 2.0 * chances.astype(np.float64) - 1.0
    owners = np.stack([area_owners(words) for words in states.words])
    return (owners == BLACK).astype(np.float64) - (owners == WHITE)


def _rank(
    moves: Points, rates: npt.NDArray[np.float64], leads: npt.NDArray[np.float64]
) -> list[Candidate]:
    weights = np.exp((rates - rates.max()) / PRIOR_TEMPERATURE)
    priors = weights / weights.sum()
    visits = np.maximum(FEWEST_VISITS, np.ceil(PSEUDO_VISITS * priors)).astype(int)
    order = np.argsort(-rates, kind="stable")
    return [
        Candidate(int(moves[i]), float(rates[i]), float(leads[i]), float(priors[i]), int(visits[i]))
        for i in order
    ]
