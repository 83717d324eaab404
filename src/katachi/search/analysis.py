"""One look ahead: what each move is worth, for players and for clients that draw candidates.

Chance and lead come from one source, the owners after each move, so they never contradict each
other; who knows no owners has no lead. A position is worth what its best move is worth. When a
player has passed it is counted as far as it is finished (`search.counting`).
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from katachi.errors import KatachiError
from katachi.evaluators.chances import (
    Values,
    black_logits,
    chances_of,
    judged,
    winning_logits,
    with_komi,
)
from katachi.evaluators.protocol import Evaluation, Evaluator, abilities_of
from katachi.rules.checking import check_moves
from katachi.rules.color import BLACK
from katachi.rules.game import Game
from katachi.rules.point import PASS, Points, index_of_points, points_of
from katachi.rules.scoring import playout_ownership
from katachi.rules.state import SIZE, BoardState
from katachi.search.afterstates import afterstates, sensible_moves
from katachi.search.counting import count_position, counted_difference

PRIOR_TEMPERATURE = 0.05
"""Win-rate difference at which a move's prior falls to 1/e of the best one's."""
PSEUDO_VISITS = 1000
FEWEST_VISITS = 10
"""Clients hide moves with fewer visits than this."""
MOVES_AT_ONCE = 100
CONTINUATIONS = 64
"""Random continuations behind the ownership of an evaluator that knows none."""
LIKELY_MOVES = 20
"""Moves that are looked at where the evaluator itself says which are likely."""
LEAST_GAIN = 0.5
"""Points; where no move gains more over a pass, the pass comes first."""

REPLY_SHARE = 0.4
"""Of what the best move gains, how much its answer takes back before owners are settled: a half if
moves did not get smaller. With this people lose half a point a move on 9x9, with none of it 3."""


class Candidate(NamedTuple):
    """A move and what it is worth to the player who makes it."""

    point: int
    win_rate: float
    lead: float | None
    """Points ahead after it, when the opponent has had its move; None where owners are unknown."""
    prior: float
    visits: int
    """No search is made, so these are pseudo-visits: in proportion to the prior, at least 10."""
    rank: int
    """1 for the best one; equals share a rank. Where all is won or lost, chances are the same to
    the last digit and ranks still differ."""
    line: tuple[int, ...] = ()
    """Moves that are expected to follow; empty where nothing was searched."""


class Analysis(NamedTuple):
    """A position as the player to move sees it; the best candidate first."""

    candidates: list[Candidate]
    win_rate: float
    lead: float | None
    """Of the best candidate, as the win rate is; None where owners are unknown."""
    ownership: npt.NDArray[np.float64]
    """[size * size], row by row, -1 to 1: 1 is surely the mover's; as it stands, before a move, and
    counted as far as it is finished."""
    is_estimate: bool
    """Whether the evaluator itself knows ownership; otherwise it is the mean owner over random
    continuations."""
    policy: dict[int, float]
    """How likely each move is: of the candidates and of all that were left out as unlikely."""
    owned_after: dict[int, npt.NDArray[np.float64]]
    """Ownership after each candidate, by its point; empty where the evaluator knows none."""


class _Added(NamedTuple):
    """What counting adds to what an evaluator says."""

    owned: Values | float
    """[size * size] or one of these a position: to Black's ownership, -1 to 1."""
    share: float
    """How far it was counted."""


_NOTHING_ADDED = _Added(0.0, 0.0)


class _Judged(NamedTuple):
    """What the evaluator says of M moves of a player, all numbers the mover's."""

    keys: Values
    """[M]: what moves are compared by."""
    logits: Values
    """[M]: of the chance to win."""
    leads: Values | None
    """[M]: points ahead, komi counted."""
    owned: Values | None
    """[M, size * size]: ownership after each move, -1 to 1."""
    point_logits: Values | float = 1.0
    """[M]: the logit of the chance to win that a lead of a point makes."""


def mover_logits(evaluator: Evaluator, game: Game, color: int, points: Points) -> Values:
    """[M] what these moves of `color` are compared by: `black_logits`, from the mover's side."""
    return mover_keys(evaluate_moves(evaluator, game, color, points), color)


def mover_keys(evaluation: Evaluation, color: int) -> Values:
    """[M] what positions that `color` has moved to are compared by."""
    logits = black_logits(evaluation)
    return logits if color == BLACK else -logits


def mover_values(evaluator: Evaluator, game: Game, color: int, points: Points) -> Values:
    """The mover's chance of winning after each of these moves, [M]."""
    return mover_chances(evaluate_moves(evaluator, game, color, points), game.komi, color)


def mover_chances(evaluation: Evaluation, komi: float, color: int) -> Values:
    """[M] the chance of `color` to win in positions that it has moved to, by their owners at this
    komi where the evaluator knows them."""
    return chances_of(_judge(evaluation, komi, color).logits)


def _judge(
    evaluation: Evaluation, komi: float, color: int, counted: _Added = _NOTHING_ADDED
) -> _Judged:
    """The mover's side of what was said, with what counting adds."""
    sign = 1 if color == BLACK else -1
    keys = mover_keys(evaluation, color)
    if evaluation.ownership is None:
        return _Judged(keys, keys, None, None)
    owned = 2.0 * evaluation.ownership.astype(np.float64) - 1.0 + counted.owned
    leads = sign * (owned.sum(axis=1) - komi)
    point = winning_logits(evaluation.ownership, np.ones(len(keys)), counted.share)
    return _Judged(keys, leads * point, leads, sign * owned, point)


def evaluate_moves(evaluator: Evaluator, game: Game, color: int, points: Points) -> Evaluation:
    """What the evaluator says of the positions after each of these moves, at least one, at the
    game's komi.

    They are set up and judged `MOVES_AT_ONCE` at a time, for a large board has hundreds of them,
    unless the evaluator has a faster way.
    """
    fast_moves = abilities_of(evaluator).fast_moves
    known = None if fast_moves is None else fast_moves(game.words, color, points)
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


def predicted_scores(
    evaluator: Evaluator, game: Game, color: int, points: Points
) -> npt.NDArray[np.float64] | None:
    """[M] how likely `color` plays each of these moves next, as a logit, where the evaluator itself
    says so; else None."""
    scores = abilities_of(evaluator).moves
    if scores is None:
        return None
    check_moves(game.words, color, points)
    if (points == PASS).any():
        raise KatachiError("passes have no score among the points of the board")
    found = scores(game.states, np.array([color]))[0]
    return np.asarray(found[index_of_points(points, game.size)])


def analyse(evaluator: Evaluator, game: Game, color: int, points: Points | None = None) -> Analysis:
    """Judges the position and each move of `color`: these, or by default the sensible ones, or of
    them the likeliest where the evaluator itself says which they are. A pass is judged with them
    where owners are known, and where there is no other move.

    Lead and chance are those of the game's komi where the evaluator knows owners; else it has no
    lead, and cannot tell what komi is worth.
    """
    present = with_komi(evaluator.evaluate(game.states), game.komi)
    knows_owners = present.ownership is not None
    policy = _policy(evaluator, game, color)
    moves = _moves_to_judge(game, color, policy, points)
    if len(moves) == 0 or (knows_owners and points is None):
        moves = np.append(moves, np.uint16(PASS))
    evaluation = evaluate_moves(evaluator, game, color, moves)
    counted, counted_later = _count(game, color, moves, (present, evaluation))
    found = _judge(evaluation, game.komi, color, counted_later)
    priors, keys = _order(moves, found, policy)
    if _should_pass(game, moves, found, keys):
        is_pass = moves == PASS
        priors = np.where(is_pass, 0.5, 0.5 * priors)
        keys = np.where(is_pass, np.inf, keys)
    now = _judge(present, game.komi, color, counted)
    found = _settle(found, now, keys)
    candidates = _rank(moves, found, priors, keys)
    owned = 2.0 * black_ownership(game.states, present)[0] - 1.0
    owned += counted.owned
    return Analysis(
        candidates,
        candidates[0].win_rate,
        candidates[0].lead,
        owned if color == BLACK else -owned,
        knows_owners,
        _with_pass(policy, candidates),
        {} if found.owned is None else dict(zip(moves.tolist(), found.owned, strict=True)),
    )


def _count(
    game: Game, color: int, moves: Points, said: tuple[Evaluation, Evaluation]
) -> tuple[_Added, _Added]:
    """What counting adds to the present position and to those after the moves, of which this was
    said."""
    now, later = (evaluation.ownership for evaluation in said)
    counting = None if now is None else count_position(game, now)
    if counting is None or now is None or later is None:
        return _NOTHING_ADDED, _NOTHING_ADDED
    words = afterstates(game, color, moves).states.words
    owned = counted_difference(counting, game.words[None], now)[0]
    owned_later = counted_difference(counting, words, later)
    return _Added(owned, counting.share), _Added(owned_later, counting.share)


def _policy(evaluator: Evaluator, game: Game, color: int) -> dict[int, float] | None:
    """How likely each sensible move is, where the evaluator itself says so and there are any."""
    points = sensible_moves(game, color)
    scores = predicted_scores(evaluator, game, color, points) if len(points) else None
    if scores is None:
        return None
    return dict(zip(points.tolist(), _softmax(scores).tolist(), strict=True))


def _with_pass(policy: dict[int, float] | None, candidates: list[Candidate]) -> dict[int, float]:
    """How likely every move is, and the pass."""
    shown = {each.point: each.prior for each in candidates}
    if policy is None:
        return shown
    passing = shown.get(PASS, 0.0)
    return {point: (1.0 - passing) * chance for point, chance in policy.items()} | {PASS: passing}


def _moves_to_judge(
    game: Game, color: int, policy: dict[int, float] | None, points: Points | None
) -> Points:
    if points is not None:
        return points
    if policy is None:
        return sensible_moves(game, color)
    likeliest = sorted(policy, key=lambda point: -policy[point])[:LIKELY_MOVES]
    return np.array(likeliest, np.uint16)


def _settle(found: _Judged, present: _Judged, keys: Values) -> _Judged:
    """The same with the opponent's next move counted in, which will gain nearly as much as the best
    of these gains over the position as it stands. Judged without it every move would seem to gain,
    and no move to lose."""
    if found.leads is None or present.leads is None:
        return found
    gain = float(found.leads[keys.argmax()] - present.leads[0])
    leads = found.leads - REPLY_SHARE * gain
    return found._replace(leads=leads, logits=leads * found.point_logits)


def _order(moves: Points, found: _Judged, policy: dict[int, float] | None) -> tuple[Values, Values]:
    """([M] how likely each move is, [M] what they are ordered by), a pass as any other move."""
    if policy is None:
        return _softmax(chances_of(found.logits) / PRIOR_TEMPERATURE), found.keys
    priors = np.array([policy.get(point, 0.0) for point in moves.tolist()])
    return priors, priors


def _should_pass(game: Game, moves: Points, found: _Judged, keys: Values) -> bool:
    """Whether nothing is left to gain: by any of the moves, or by the first of them where the
    opponent has just passed; after two passes, which end a game, nothing is."""
    is_pass = moves == PASS
    if found.leads is None or not is_pass.any() or is_pass.all():
        return False
    if game.is_over:
        return True
    leads, passed = found.leads[~is_pass], float(found.leads[is_pass][0])
    has_passed = bool(game.moves) and game.moves[-1].point == PASS
    best = leads[keys[~is_pass].argmax()] if has_passed else leads.max()
    return bool(best - passed < LEAST_GAIN)


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


def _softmax(scores: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    weights = np.exp(scores - scores.max())
    return np.asarray(weights / weights.sum())


def _rank(moves: Points, found: _Judged, priors: Values, keys: Values) -> list[Candidate]:
    """The candidates, best first."""
    visits = np.maximum(FEWEST_VISITS, np.ceil(PSEUDO_VISITS * priors)).astype(int)
    ranks = 1 + len(keys) - np.searchsorted(np.sort(keys), keys, side="right")
    leads = [None] * len(moves) if found.leads is None else found.leads.tolist()
    columns = (moves, chances_of(found.logits), leads, priors, visits, ranks)
    rows = zip(*(np.asarray(each, object).tolist() for each in columns), strict=True)
    candidates = [Candidate(*row) for row in rows]
    return [candidates[index] for index in np.argsort(-keys, kind="stable")]
