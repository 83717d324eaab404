"""A whole game, move by move: what each move cost against the best one."""

from collections.abc import Iterator
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from katachi.errors import KatachiError
from katachi.evaluators.chances import black_logits, chances_of, with_komi
from katachi.evaluators.protocol import Evaluation, Evaluator, predicts_moves
from katachi.rules.color import BLACK, WHITE
from katachi.rules.game import Game
from katachi.rules.point import PASS, Points
from katachi.rules.ruleset import Rules
from katachi.search.afterstates import sensible_moves
from katachi.search.analysis import evaluate_moves, predicted_scores

LIKELIEST = 16
"""Of an evaluator that says itself where the next move will be, so many moves are judged; of any
other, all."""
SMALLEST_MISTAKE = {True: 1.0, False: 0.03}
"""What a move loses before it is called a mistake, in points and in chance to win."""
LARGE_MISTAKE = {True: 5.0, False: 0.15}


class Judgement(NamedTuple):
    """A move and the position after it, seen from Black's side."""

    point: int
    win_rate: float
    lead: float | None
    """Points, komi counted; None from an evaluator that knows no owners."""
    visits: int | None = None
    """How often the tree search of the position before tried the move; None where nobody
    searched."""
    line: tuple[int, ...] = ()
    """Moves that a tree search expects to follow."""
    ownership: npt.NDArray[np.float64] | None = None
    """[size * size] Black's chance of each point, the mean over the positions that a tree search
    saw after the move; None where nobody searched, or knows owners."""


class ReviewedMove(NamedTuple):
    """A played move beside the best one, both judged by the position after them."""

    number: int
    """Counted from 1."""
    color: int
    played: Judgement
    best: Judgement
    loss: float
    """What the mover lost against the best move, never below 0: points where the evaluator knows
    owners, else chance to win."""
    rank: int
    """1 for the best move; equals share a rank."""
    candidates: int
    """How many moves were judged."""


class GameReview(NamedTuple):
    """All moves of a game."""

    start: Judgement
    """The position before the first move; its point is PASS."""
    moves: list[ReviewedMove]

    @property
    def is_in_points(self) -> bool:
        """Whether losses are points; else they are chances to win."""
        return self.start.lead is not None

    def by(self, color: int) -> list[ReviewedMove]:
        """The moves of one side."""
        return [move for move in self.moves if move.color == color]

    def mistakes(self, color: int, most: int) -> list[ReviewedMove]:
        """The moves of one side that lost most, the worst first."""
        least = SMALLEST_MISTAKE[self.is_in_points]
        found = [move for move in self.by(color) if move.loss >= least]
        return sorted(found, key=lambda move: -move.loss)[:most]

    def all_mistakes(self, most: int) -> list[ReviewedMove]:
        """`mistakes` of both sides, in the order of the game."""
        found = self.mistakes(BLACK, most) + self.mistakes(WHITE, most)
        return sorted(found, key=lambda move: move.number)


class Reviewer(Protocol):
    """Who judges the moves of games."""

    @property
    def evaluator(self) -> Evaluator:
        """Whose opinion it rests on."""
        ...

    def judge_start(self, game: Game) -> Judgement:
        """The position of a game."""
        ...

    def review_moves(self, game: Game) -> Iterator[ReviewedMove]:
        """Each move of a game, one after another."""
        ...


class EvaluatorReviewer:
    """Reviews games by an evaluator, one move ahead."""

    def __init__(self, evaluator: Evaluator) -> None:
        self.evaluator = evaluator

    def judge_start(self, game: Game) -> Judgement:
        """The position of a game; raises KatachiError as `judge_start` does."""
        return judge_start(self.evaluator, game)

    def review_moves(self, game: Game) -> Iterator[ReviewedMove]:
        """Each move of a game, one after another."""
        return review_moves(self.evaluator, game)


def before_first_move(game: Game) -> Game:
    """A game with its moves taken back, all of them."""
    start = game.copy()
    for _ in game.moves:
        start.undo()
    return start


def judge_start(evaluator: Evaluator, game: Game) -> Judgement:
    """The position of a game; raises KatachiError for an evaluator that judges no positions."""
    evaluation, name = with_komi(evaluator.evaluate(game.states), game.komi), evaluator.name
    if evaluation.ownership is None and predicts_moves(evaluator):
        raise KatachiError(
            f"{name} predicts moves and judges no positions: review with another player"
        )
    return _judgements(np.array([PASS], np.uint16), evaluation, game.komi)[0]


def review_moves(evaluator: Evaluator, game: Game) -> Iterator[ReviewedMove]:
    """Each move of a game, one after another."""
    replayed = before_first_move(game)
    for number, move in enumerate(game.moves, 1):
        yield review_move(evaluator, replayed, number, move.color, move.point)
        replayed.play(move.color, move.point)


def review_move(
    evaluator: Evaluator, game: Game, number: int, color: int, played: int
) -> ReviewedMove:
    """A legal move in the present position beside the best of the moves that make sense."""
    points = _candidates(evaluator, game, color, played)
    evaluation = evaluate_moves(evaluator, game, color, points)
    judged = _judgements(points, evaluation, game.komi)
    sign = 1.0 if color == BLACK else -1.0
    if evaluation.ownership is not None:
        keys = sign * np.array([each.lead for each in judged])
        losses = keys.max() - keys
    else:
        keys = sign * black_logits(evaluation)
        chances = chances_of(keys)
        losses = chances.max() - chances
    at = points.tolist().index(played)
    best = at if keys[at] == keys.max() else int(keys.argmax())
    rank = 1 + int((keys > keys[at]).sum())
    return ReviewedMove(
        number, color, judged[at], judged[best], float(losses[at]), rank, len(points)
    )


def _candidates(evaluator: Evaluator, game: Game, color: int, played: int) -> Points:
    """The moves that are judged: what was played, the pass, and those that make sense."""
    strict = game.copy()
    strict.rules = Rules()
    points = sensible_moves(strict, color)
    if len(points) > LIKELIEST:
        scores = predicted_scores(evaluator, strict, color, points)
        if scores is not None:
            points = points[np.argsort(-scores, kind="stable")[:LIKELIEST]]
    return np.array(list(dict.fromkeys([*points.tolist(), PASS, played])), np.uint16)


def _judgements(points: Points, evaluation: Evaluation, komi: float) -> list[Judgement]:
    rates = chances_of(black_logits(evaluation)).tolist()
    leads: list[float | None] = [None] * len(points)
    if evaluation.ownership is not None:
        owned = 2.0 * evaluation.ownership.astype(np.float64) - 1.0
        leads = (owned.sum(axis=1) - komi).tolist()
    return [Judgement(*row) for row in zip(points.tolist(), rates, leads, strict=True)]
