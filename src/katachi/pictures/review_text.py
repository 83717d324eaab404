"""A review in words: values, losses, and why another move was better."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from katachi.evaluators.protocol import Evaluator
from katachi.evaluators.shape_reading import ShapeReader, read_move
from katachi.pictures.move_shapes import change_words, model_for
from katachi.rules.color import BLACK, COLOR_NAMES
from katachi.rules.game import Game
from katachi.rules.point import Points, points_of, vertex_from_point
from katachi.search.analysis import evaluate_moves
from katachi.search.review import GameReview, Judgement, ReviewedMove

POINTS_NAMED = 8
SHAPES_NAMED = 2
SMALLEST_SWING = 0.05


class Reason(NamedTuple):
    """Why a move lost something."""

    lines: list[str]
    swing: npt.NDArray[np.float64] | None
    """[size * size] how much likelier the mover owns each point after the better move; None from
    an evaluator that knows no owners."""


def color_name(color: int) -> str:
    """`Black` or `White`."""
    return COLOR_NAMES[color].capitalize()


def value_words(judgement: Judgement) -> str:
    """Who is ahead: `B+3.5, Black wins 61%`."""
    rate = f"Black wins {judgement.win_rate:.0%}"
    if judgement.lead is None:
        return rate
    return f"{'B' if judgement.lead >= 0 else 'W'}+{abs(judgement.lead):.1f}, {rate}"


def loss_words(loss: float, *, is_in_points: bool) -> str:
    """What was lost, with its unit."""
    return f"{loss:.1f} points" if is_in_points else f"{loss:.1%} of winning"


def mistake_title(review: GameReview, move: ReviewedMove, size: int) -> str:
    """A mistake in a line."""
    played = vertex_from_point(move.played.point, size)
    better = vertex_from_point(move.best.point, size)
    loss = loss_words(move.loss, is_in_points=review.is_in_points)
    return f"Move {move.number}, {color_name(move.color)} {played}: loses {loss}; better {better}"


def reason_for(evaluator: Evaluator, game: Game, move: ReviewedMove) -> Reason:
    """Why the best move is better, in the position before the move."""
    points = np.array([move.best.point, move.played.point], np.uint16)
    evaluation = evaluate_moves(evaluator, game, move.color, points)
    if evaluation.ownership is None:
        return Reason(_shape_lines(evaluator, game, move), None)
    better, worse = evaluation.ownership.astype(np.float64)
    swing = better - worse if move.color == BLACK else worse - better
    lost = _mover_owns(better, move.color) & ~_mover_owns(worse, move.color)
    return Reason(_territory_lines(swing, lost, game.size, move), swing)


def _mover_owns(chances: npt.NDArray[np.float64], color: int) -> npt.NDArray[np.bool_]:
    return np.asarray(chances > 0.5 if color == BLACK else chances < 0.5)


def _territory_lines(
    swing: npt.NDArray[np.float64], lost: npt.NDArray[np.bool_], size: int, move: ReviewedMove
) -> list[str]:
    """Points that change hands; where none do, those that lean most."""
    names = points_of(size)
    order = np.argsort(-swing, kind="stable")
    changed = [index for index in order.tolist() if lost[index] and swing[index] > 0]
    better = vertex_from_point(move.best.point, size)
    if changed:
        mover = color_name(move.color)
        return [f"after {better} these would be {mover}'s: {_named(names[changed], size)}"]
    largest = [index for index in order[:3].tolist() if swing[index] >= SMALLEST_SWING]
    if not largest:
        return ["the difference is spread over the board"]
    told = ", ".join(f"{vertex_from_point(int(names[i]), size)} {swing[i]:+.0%}" for i in largest)
    return [f"after {better} these are likelier {color_name(move.color)}'s: {told}"]


def _named(points: Points, size: int) -> str:
    names = [vertex_from_point(point, size) for point in points.tolist()]
    more = f" and {len(names) - POINTS_NAMED} more" if len(names) > POINTS_NAMED else ""
    return " ".join(names[:POINTS_NAMED]) + more


def _shape_lines(evaluator: Evaluator, game: Game, move: ReviewedMove) -> list[str]:
    """The shapes that weigh most, of the better move and of the played one."""
    model = model_for(evaluator, game.size)
    if model is None:
        return []
    reader = ShapeReader(model)
    lines = []
    for point, is_good in ((move.best.point, True), (move.played.point, False)):
        reading = read_move(reader, game, move.color, point)
        told = [each for each in reading.changes if (each.change > 0) == is_good][:SHAPES_NAMED]
        name = vertex_from_point(point, game.size)
        lines += [f"{name}: {change_words(each, reading, game.size)}" for each in told]
    return lines


def mean_loss(moves: Sequence[ReviewedMove]) -> float:
    """What a move of these lost on average; 0 of none."""
    return float(np.mean([move.loss for move in moves])) if moves else 0.0
