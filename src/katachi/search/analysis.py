"""One look ahead: what each move is worth, for players and for clients that draw candidates."""

from typing import NamedTuple, TypeGuard

import numpy as np
import numpy.typing as npt

from katachi.evaluators.chances import Values, black_logits, chances_of, judged, with_komi
from katachi.evaluators.protocol import Evaluation, Evaluator, Foretelling, MoveEvaluator
from katachi.rules.checking import check_moves
from katachi.rules.color import BLACK
from katachi.rules.errors import KatachiError
from katachi.rules.game import Game
from katachi.rules.point import PASS, Points, index_of_points, points_of
from katachi.rules.scoring import playout_ownership
from katachi.rules.state import SIZE, BoardState
from katachi.search.afterstates import afterstates, sensible_moves

PRIOR_TEMPERATURE = 0.05
"""Win-rate difference at which a move's prior falls to 1/e of the best one's."""
PSEUDO_VISITS = 1000
FEWEST_VISITS = 10
"""Clients hide moves with fewer visits than this."""
MOVES_AT_ONCE = 100
CONTINUATIONS = 64
"""Random continuations behind the ownership of an evaluator that knows none."""


class Candidate(NamedTuple):
    """A move and what it is worth to the player who makes it."""

    point: int
    win_rate: float
    lead: float
    """Points ahead after it."""
    prior: float
    visits: int
    """No search is made, so these are pseudo-visits: in proportion to the prior, at least 10."""
    rank: int
    """1 for the best one; equals share a rank. Where all is won or lost, chances are the same to
    the last digit and ranks still differ."""


class Analysis(NamedTuple):
    """A position as the player to move sees it; the best candidate first."""

    candidates: list[Candidate]
    win_rate: float
    lead: float
    ownership: npt.NDArray[np.float64]
    """[size * size], row by row, -1 to 1: 1 is surely the mover's."""
    is_estimate: bool
    """Whether the evaluator itself knows ownership; otherwise it is the mean owner over random
    continuations, and every candidate has the position's own lead."""


def mover_logits(evaluator: Evaluator, game: Game, color: int, points: Points) -> Values:
    """The logit of the mover's chance of winning after each of these moves, [M]: what moves are
    compared by."""
    logits = black_logits(evaluate_moves(evaluator, game, color, points))
    return logits if color == BLACK else -logits


def mover_values(evaluator: Evaluator, game: Game, color: int, points: Points) -> Values:
    """The mover's chance of winning after each of these moves, [M]."""
    return chances_of(mover_logits(evaluator, game, color, points))


def evaluate_moves(evaluator: Evaluator, game: Game, color: int, points: Points) -> Evaluation:
    """What the evaluator says of the positions after each of these moves, at least one, at the
    game's komi.

    They are set up and judged `MOVES_AT_ONCE` at a time, for a large board has hundreds of them,
    unless the evaluator has a faster way.
    """
    if isinstance(evaluator, MoveEvaluator):
        known = evaluator.logit_moves(game.words, color, points)
        if known is not None:
            return judged(known if color == BLACK else -known)
    parts = [
        evaluator.evaluate(afterstates(game, color, points[first : first + MOVES_AT_ONCE]).states)
        for first in range(0, len(points), MOVES_AT_ONCE)
    ]
    owned = [part.ownership for part in parts if part.ownership is not None]
    values = np.concatenate([part.value for part in parts])
    logits = np.concatenate([black_logits(part) for part in parts])
    together = Evaluation(values, np.concatenate(owned) if owned else None, logits)
    return with_komi(together, game.komi)


def says_moves(evaluator: Evaluator) -> TypeGuard[Foretelling]:
    """Whether an evaluator itself says where the next move will be."""
    return isinstance(evaluator, Foretelling) and evaluator.foretells


def foretold_scores(
    evaluator: Evaluator, game: Game, color: int, points: Points
) -> npt.NDArray[np.float64] | None:
    """[M] how likely `color` plays each of these moves next, as a logit, where the evaluator itself
    says so; else None."""
    if not says_moves(evaluator):
        return None
    check_moves(game.words, color, points)
    if (points == PASS).any():
        raise KatachiError("passes have no score among the points of the board")
    found = evaluator.move_scores(game.states, np.array([color]))[0]
    return np.asarray(found[index_of_points(points, game.size)])


def analyse(evaluator: Evaluator, game: Game, color: int, points: Points | None = None) -> Analysis:
    """Judges the position and each move of `color` (by default the sensible ones, or pass).

    The lead is always that of the game's komi. So is the chance to win where the evaluator knows
    owners; else it cannot tell what komi is worth (`with_komi`).
    """
    moves = sensible_moves(game, color) if points is None else points
    if len(moves) == 0:
        moves = np.array([PASS], np.uint16)
    sign = 1 if color == BLACK else -1
    evaluation = evaluate_moves(evaluator, game, color, moves)
    present = with_komi(evaluator.evaluate(game.states), game.komi)
    owned = 2.0 * black_ownership(game.states, present)[0] - 1.0
    lead = owned.sum() - game.komi
    leads = np.full(len(moves), lead)
    if evaluation.ownership is not None:
        leads = (2.0 * evaluation.ownership - 1.0).sum(axis=1) - game.komi
    return Analysis(
        _rank(
            moves,
            sign * black_logits(evaluation),
            sign * leads,
            _priors(evaluator, game, color, moves),
        ),
        float(chances_of(sign * black_logits(present))[0]),
        float(sign * lead),
        sign * owned,
        present.ownership is not None,
    )


def black_ownership(
    states: BoardState, evaluation: Evaluation, continuations: int = CONTINUATIONS
) -> npt.NDArray[np.float64]:
    """[B, size * size] the chance that Black will own each point: the evaluator's, or where it
    knows none the share of random continuations, a neutral point as half."""
    if evaluation.ownership is not None:
        return np.asarray(evaluation.ownership, np.float64)
    points = points_of(int(states.words.flat[SIZE]))
    owned = [playout_ownership(words, continuations)[points] for words in states.words]
    return np.asarray((np.stack(owned) + 1.0) / 2.0)


def _priors(
    evaluator: Evaluator, game: Game, color: int, moves: Points
) -> npt.NDArray[np.float64] | None:
    """How likely each move is, where the evaluator itself says so."""
    if (moves == PASS).any():
        return None
    scores = foretold_scores(evaluator, game, color, moves)
    return None if scores is None else _softmax(scores)


def _softmax(scores: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    weights = np.exp(scores - scores.max())
    return np.asarray(weights / weights.sum())


def _rank(
    moves: Points,
    logits: Values,
    leads: Values,
    told: Values | None,
) -> list[Candidate]:
    """The likeliest move first where the evaluator says how likely each is, else the best one."""
    rates = chances_of(logits)
    priors = _softmax(rates / PRIOR_TEMPERATURE) if told is None else told
    visits = np.maximum(FEWEST_VISITS, np.ceil(PSEUDO_VISITS * priors)).astype(int)
    keys = logits if told is None else told
    ranks = 1 + len(keys) - np.searchsorted(np.sort(keys), keys, side="right")
    columns = (moves, rates, leads, priors, visits, ranks)
    rows = zip(*(column.tolist() for column in columns), strict=True)
    candidates = [Candidate(*row) for row in rows]
    return [candidates[index] for index in np.argsort(-keys, kind="stable")]
