"""What a move changes in a model's eyes: the played move and the model's best ones, in words."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from katachi.errors import KatachiError
from katachi.evaluators.local_shape import LocalShape
from katachi.evaluators.named_models import NamedModel
from katachi.evaluators.protocol import Evaluator, abilities_of
from katachi.evaluators.shape_reading import MoveReading, ShapeChange, ShapeReader, read_move
from katachi.features.shape_contents import SeenPosition, Shape
from katachi.features.units import UNIT
from katachi.features.windows import Window
from katachi.pictures import shape_text
from katachi.rules.color import COLOR_NAMES
from katachi.rules.game import Game
from katachi.rules.point import Points, row_col_from_point, vertex_from_point
from katachi.rules.ruleset import Rules
from katachi.search.afterstates import afterstates, sensible_moves
from katachi.search.analysis import MOVES_AT_ONCE

CHANGES_SHOWN = 8
"""How many of the largest changes a Go client is shown."""


class ExplainedMove(NamedTuple):
    """A move, what it changes, and its place among the others."""

    reading: MoveReading
    is_played: bool
    rank: int | None
    """1 is the best; None for a move that the model does not consider."""


class Explanation(NamedTuple):
    """Moves of one position as a model sees them; the played one first, then the best."""

    source: NamedModel
    game: Game
    """Before the moves."""
    candidates: int
    """How many moves the model considers: those that are legal and fill no own eye."""
    moves: list[ExplainedMove]
    best: tuple[int, int] | None
    """(point, units after it) of the best move; None where no move is considered."""

    def loss(self, move: ExplainedMove) -> float:
        """What a move loses of the mover's chance to win against the best one, never below 0."""
        if self.best is None:
            return 0.0
        return max(0.0, chance(self.best[1]) - chance(move.reading.after))

    @property
    def set_names(self) -> list[str]:
        """The model's sets, in the order of `MoveReading.by_set`."""
        return [each.name for each in self.source.model.sets]


def explain_position(
    source: NamedModel, game: Game, color: int, played: int, best: int
) -> Explanation:
    """The played move and the `best` best moves of `color` in the present position.

    Raises KatachiError for a board of another size than the model's.
    """
    reader = ShapeReader(source.model)
    reader.read(game.words, color)
    strict = game.copy()
    strict.rules = Rules()
    points = sensible_moves(strict, color)
    units = _units_after(source.model, strict, color, points)
    order = points[np.argsort(-units, kind="stable")].tolist()
    chosen = dict.fromkeys([played, *order[:best]])
    moves = []
    for point in chosen:
        reading = read_move(reader, game, color, point)
        rank = 1 + int((units > reading.after).sum()) if point in order else None
        moves.append(ExplainedMove(reading, point == played, rank))
    best_move = (order[0], int(units.max())) if order else None
    return Explanation(source, game, len(points), moves, best_move)


def _units_after(
    model: LocalShape, game: Game, color: int, points: Points
) -> npt.NDArray[np.int64]:
    """The mover's logit, in units, after each of these moves."""
    parts = [
        model.predict(afterstates(game, color, points[first : first + MOVES_AT_ONCE]).states)
        for first in range(0, len(points), MOVES_AT_ONCE)
    ]
    return np.concatenate([np.zeros(0, np.int64), *(part.sum(axis=1) for part in parts)])


def chance(units: int) -> float:
    """The chance to win that a logit stands for."""
    return float(1.0 / (1.0 + np.exp(-units * UNIT)))


def move_title(move: ExplainedMove, size: int, candidates: int) -> str:
    """A move's name, whether it was played, and its rank."""
    name = f"{COLOR_NAMES[move.reading.color].capitalize()} "
    name += vertex_from_point(move.reading.point, size)
    rank = "not considered" if move.rank is None else f"rank {move.rank} of {candidates}"
    return f"{name}, played, {rank}" if move.is_played else f"{name}, {rank}"


def loss_line(explanation: Explanation, move: ExplainedMove) -> str:
    """A move against the best one, in chances to win."""
    after, best = chance(move.reading.after), explanation.best
    if best is None or best[1] <= move.reading.after:
        return f"wins {after:.1%}: no move is better"
    name = vertex_from_point(best[0], explanation.game.size)
    loss = explanation.loss(move)
    return f"loses {loss:.1%} against {name}: wins {after:.1%} instead of {chance(best[1]):.1%}"


def value_line(reading: MoveReading) -> str:
    """The mover's log-odds and chance to win before and after a move."""
    logits = f"{shape_text.logit_text(reading.before)} to {shape_text.logit_text(reading.after)}"
    chances = f"{chance(reading.before):.1%} to {chance(reading.after):.1%}"
    return f"log-odds {logits}, chance {chances}"


def count_text(change: ShapeChange) -> str:
    """How many of a shape are new and how many removed."""
    sides = ((len(change.come), "new"), (len(change.gone), "removed"))
    return ", ".join(f"{count} {word}" for count, word in sides if count)


def sum_lines(reading: MoveReading, changes: Sequence[ShapeChange]) -> list[str]:
    """That the shown changes, and the rest, are exactly the difference in logit."""
    shown = sum(change.change for change in changes)
    rest = len(reading.changes) - len(changes)
    left = reading.difference - shown
    return [
        f"{shape_text.logit_text(shown)}  {len(changes)} largest changes ({shown:+,} units)",
        f"{shape_text.logit_text(left)}  {rest} smaller changes ({left:+,} units)",
        f"{shape_text.logit_text(reading.difference)}  together: log-odds after less those before "
        f"({reading.difference:+,} units)",
    ]


def change_line(change: ShapeChange, size: int) -> str:
    """A shape's change in one line of plain letters."""
    places = " ".join(shape_text.window_text(window, size) for window in change.windows)
    counts = f"{count_text(change)}, {shape_text.logit_text(change.units)} each"
    return f"{shape_text.logit_text(change.change)} {_shape_name(change.shape)} {counts}: {places}"


def share_of_chance(change: ShapeChange, reading: MoveReading) -> float:
    """What a shape's change adds to the mover's chance to win, all others left as they are."""
    return chance(reading.after) - chance(reading.after - change.change)


def change_text(change: ShapeChange, reading: MoveReading, size: int) -> str:
    """A shape's change in plain words: its part in the chance to win, what it is and where."""
    what = "new" if change.more > 0 else "removed"
    first, *others = list(change.windows)
    more = f" and {len(others)} more" if others else ""
    place = f"{shape_text.window_text(first, size)}{more}"
    share = share_of_chance(change, reading)
    code = shape_text.shape_code(change.shape, shape_text.symbols_for(reading.color, is_ascii=True))
    return f"{share:+.1%} {what} {code} at {place}"


def _shape_name(shape: Shape) -> str:
    words = (shape.shape_set.name, shape_text.place_text(shape), shape_text.shape_code(shape))
    return " ".join(word for word in words if word)


def model_for(evaluator: Evaluator, size: int) -> LocalShape | None:
    """The shape model behind an evaluator on boards of a size, if there is one."""
    shapes = abilities_of(evaluator).shapes
    try:
        return None if shapes is None else shapes(size)
    except KatachiError:
        return None


def explain_move(evaluator: Evaluator, game: Game, color: int, point: int) -> list[str]:
    """The shapes that a legal move of `color` changes, a line each, plain letters; nothing for an
    evaluator that knows no shapes, or not on this board."""
    model = model_for(evaluator, game.size)
    if model is None:
        return []
    reading = read_move(ShapeReader(model), game, color, point)
    changes = reading.changes[:CHANGES_SHOWN]
    sets = zip(model.sets, reading.by_set, strict=True)
    by_set = ", ".join(f"{each.name} {shape_text.logit_text(units)}" for each, units in sets)
    return [
        value_line(reading),
        f"by set: {by_set}",
        "# own stone, o opponent's, . empty",
        *(change_line(change, game.size) for change in changes),
        *sum_lines(reading, changes),
    ]


def explain_point(evaluator: Evaluator, game: Game, color: int, point: int) -> list[str]:
    """The shapes around a point as `color` sees the present position, those that weigh most, a line
    each; nothing for an evaluator that knows no shapes, or not on this board."""
    model = model_for(evaluator, game.size)
    if model is None:
        return []
    reader = ShapeReader(model)
    around = _shapes_around(reader, game, color, point)
    total = shape_text.logit_text(sum(units for units, *_ in around))
    heading = f"{total} in {len(around)} shapes around it, as {COLOR_NAMES[color]} sees it"
    lines = [
        f"{shape_text.logit_text(units)} {_shape_name(shape)}: "
        f"{shape_text.window_text(window, game.size)}"
        for units, shape, window in around[:CHANGES_SHOWN]
    ]
    return [heading, *lines]


def _shapes_around(
    reader: ShapeReader, game: Game, color: int, point: int
) -> list[tuple[int, Shape, Window]]:
    """(units, shape, window) of each window that holds a point, the weightiest first."""
    row, col = row_col_from_point(point)
    weights = reader.read(game.words, color).weights
    seen = SeenPosition(game.colors, game.size, color)
    around = [
        (int(reader.model.weights[weight]), reader.shape_in(slot, seen), slot.place.window)
        for weight, slot in zip(weights.tolist(), reader.slots, strict=True)
        if row * game.size + col in slot.place.window.cells
    ]
    return sorted(around, key=lambda each: -abs(each[0]))
