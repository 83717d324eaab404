"""A review of a game as words, as a curve in the terminal and as a picture."""

from collections.abc import Sequence
from textwrap import wrap
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from katachi.evaluators.protocol import Evaluator
from katachi.evaluators.shape_reading import ShapeReader, read_move
from katachi.pictures import drawing as marks
from katachi.pictures.boards import BOARD, draw_position, draw_squares
from katachi.pictures.drawing import (
    BLACK_STONE,
    FAINT_INK,
    INK,
    WHITE_STONE,
    Axis,
    Disc,
    Drawing,
    Label,
    Plot,
    axis_of,
)
from katachi.pictures.move_shapes import change_text, model_for
from katachi.rules.color import BLACK, COLOR_NAMES
from katachi.rules.game import Game
from katachi.rules.point import PASS, Points, points_of, row_col_from_point, vertex_from_point
from katachi.search.analysis import evaluate_moves
from katachi.search.review import GameReview, Judgement, ReviewedMove

POINTS_NAMED = 8
SHAPES_NAMED = 2
MOVES_NAMED = 6
SMALLEST_SWING = 0.05
SMALLEST_SWING_OF_SEARCHES = 0.1
"""Of a point's chance that counts as a change; two searches never agree on what is open."""


class Reason(NamedTuple):
    """Why a move lost something."""

    lines: list[str]
    swing: npt.NDArray[np.float64] | None
    """[size * size] how much likelier the mover owns each point after the better move; None from
    an evaluator that knows no owners."""


def color_name(color: int) -> str:
    """`Black` or `White`."""
    return COLOR_NAMES[color].capitalize()


def value_text(judgement: Judgement) -> str:
    """Who is ahead: `B+3.5, Black wins 61%`."""
    rate = f"Black wins {judgement.win_rate:.0%}"
    if judgement.lead is None:
        return rate
    return f"{'B' if judgement.lead >= 0 else 'W'}+{abs(judgement.lead):.1f}, {rate}"


def loss_text(loss: float, *, is_in_points: bool) -> str:
    """What was lost, with its unit."""
    return f"{loss:.1f} points" if is_in_points else f"{loss:.1%} of winning"


def mistake_title(review: GameReview, move: ReviewedMove, size: int) -> str:
    """A mistake in a line."""
    played = vertex_from_point(move.played.point, size)
    better = vertex_from_point(move.best.point, size)
    loss = loss_text(move.loss, is_in_points=review.is_in_points)
    return f"Move {move.number}, {color_name(move.color)} {played}: loses {loss}; better {better}"


def reason_for(evaluator: Evaluator, game: Game, move: ReviewedMove) -> Reason:
    """Why the best move is better, in the position before the move."""
    searched = [
        search_line(each, game.size) for each in (move.best, move.played) if each.visits is not None
    ]
    owners = _owners_after(evaluator, game, move)
    if owners is None:
        return Reason([*_shape_lines(evaluator, game, move), *searched], None)
    better, worse = owners
    swing = better - worse if move.color == BLACK else worse - better
    lost = _mover_owns(better, move.color) & ~_mover_owns(worse, move.color)
    if searched:
        swing = np.where(np.abs(swing) < SMALLEST_SWING_OF_SEARCHES, 0.0, swing)
    return Reason([*_territory_lines(swing, lost, game.size, move), *searched], swing)


def search_line(judgement: Judgement, size: int) -> str:
    """What a tree search found of a move: `D4: 120 visits, expects C3 E5`."""
    named = [vertex_from_point(point, size) for point in judgement.line[:MOVES_NAMED]]
    expected = f", expects {' '.join(named)}" if named else ""
    vertex, visits = vertex_from_point(judgement.point, size), judgement.visits or 0
    return f"{vertex}: {visits:,} visit{'s' * (visits != 1)}{expected}"


def _owners_after(
    evaluator: Evaluator, game: Game, move: ReviewedMove
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]] | None:
    """Black's chance of each point after the best and after the played move, by the search that
    judged them if there was one; None from an evaluator that knows no owners."""
    if move.best.ownership is not None and move.played.ownership is not None:
        return move.best.ownership, move.played.ownership
    points = np.array([move.best.point, move.played.point], np.uint16)
    ownership = evaluate_moves(evaluator, game, move.color, points).ownership
    if ownership is None:
        return None
    better, worse = ownership.astype(np.float64)
    return better, worse


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
    listed = ", ".join(f"{vertex_from_point(int(names[i]), size)} {swing[i]:+.0%}" for i in largest)
    return [f"after {better} these are likelier {color_name(move.color)}'s: {listed}"]


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
        listed = [each for each in reading.changes if (each.change > 0) == is_good][:SHAPES_NAMED]
        name = vertex_from_point(point, game.size)
        lines += [f"{name}: {change_text(each, reading, game.size)}" for each in listed]
    return lines


def mean_loss(moves: Sequence[ReviewedMove]) -> float:
    """What a move of these lost on average; 0 of none."""
    return float(np.mean([move.loss for move in moves])) if moves else 0.0


HEIGHT = 4
"""Lines above and below the middle."""
LABEL = 6


def score_curve(
    values: Sequence[float], labels: tuple[str, str, str], width: int, *, is_ascii: bool
) -> list[str]:
    """Bars from the middle, up for values above 0; the largest is as high as the curve.

    `labels` stand at the top, in the middle and at the bottom; there are at most `width` columns of
    text, and where there are more values each column shows the last of several.
    """
    room = max(1, width - LABEL - 2)
    shown = _thinned(values, room)
    largest = max((abs(value) for value in shown), default=0.0) or 1.0
    levels = [round(2 * HEIGHT * value / largest) for value in shown]
    full, half_up, half_down = "###" if is_ascii else "█▄▀"
    side, middle = "|-" if is_ascii else "│─"
    top = [
        "".join(_cell(level - 2 * row, full, half_up) for level in levels)
        for row in reversed(range(HEIGHT))
    ]
    bottom = [
        "".join(_cell(-level - 2 * row, full, half_down) for level in levels)
        for row in range(HEIGHT)
    ]
    names = [labels[0], *[""] * (HEIGHT - 1), labels[1], *[""] * (HEIGHT - 1), labels[2]]
    rows = [*top, middle * len(shown), *bottom]
    return [f"{name:>{LABEL}} {side}{row}".rstrip() for name, row in zip(names, rows, strict=True)]


def _cell(level: int, full: str, half: str) -> str:
    return " " if level <= 0 else half if level == 1 else full


def _thinned(values: Sequence[float], most: int) -> list[float]:
    count = min(len(values), most)
    return [values[(at + 1) * len(values) // count - 1] for at in range(count)]


MARGIN, LINE = 24.0, 15.0
COLUMNS = 2
PANEL = BOARD + 2 * MARGIN
GRAPH_WIDTH, GRAPH_HEIGHT = COLUMNS * PANEL - 2 * MARGIN, 190.0
LABEL_WIDTH = 44.0
TEXT_COLUMNS = 58


class Mistake(NamedTuple):
    """A mistake, the position before it, and why another move was better."""

    move: ReviewedMove
    game: Game
    reason: Reason


def picture_of_review(
    title: str, source: str, review: GameReview, mistakes: list[Mistake]
) -> Drawing:
    """The whole page; `source` says whose opinion it is."""
    drawing = Drawing(title)
    drawing.add_heading(MARGIN, 34, source)
    _draw_graph(drawing, review, mistakes)
    top = drawing.add_lines(MARGIN, 84.0 + GRAPH_HEIGHT + 56.0, _legend(review))
    for at in range(0, len(mistakes), COLUMNS):
        row = mistakes[at : at + COLUMNS]
        ends = [
            _draw_mistake(drawing, review, mistake, (MARGIN + PANEL * col, top + 8))
            for col, mistake in enumerate(row)
        ]
        top = max(ends)
    drawing.width = max(drawing.width + MARGIN, COLUMNS * PANEL)
    drawing.height = top + MARGIN
    return drawing


def _legend(review: GameReview) -> list[str]:
    lines = ["Ring: the move that was played.  A: the better move."]
    if review.is_in_points:
        lines.append(
            "Squares: points that the better move makes more likely the mover's (blue) or less "
            "likely (orange)."
        )
    return lines


def _values(review: GameReview) -> list[float]:
    """Black's lead, or chance to win in percent, before the first and after each move."""
    judged = [review.start, *(move.played for move in review.moves)]
    return [100 * each.win_rate if each.lead is None else each.lead for each in judged]


def _scale(review: GameReview, values: list[float]) -> Axis:
    if not review.is_in_points:
        return axis_of(0.0, 100.0, 5)
    largest = max(5.0, *(abs(value) for value in values))
    return axis_of(-largest, largest, 6)


def _draw_graph(drawing: Drawing, review: GameReview, mistakes: list[Mistake]) -> None:
    values = _values(review)
    across = axis_of(0.0, max(1.0, len(values) - 1.0))
    frame = (MARGIN + LABEL_WIDTH, 84.0, GRAPH_WIDTH - LABEL_WIDTH, GRAPH_HEIGHT)
    plot = Plot(*frame, across, _scale(review, values))
    unit = review.is_in_points
    middle = 0.0 if unit else 50.0
    drawing.add(*plot.frame(lambda tick: _tick_text(tick, is_in_points=unit), middle))
    drawing.add(*plot.feet(marks.number_text))
    spots = [(plot.x(at), plot.y(value)) for at, value in enumerate(values)]
    drawing.add(marks.Curve(spots, INK))
    for move, _, _ in mistakes:
        _draw_mark(drawing, move, spots[move.number])
    text = "Black's lead in points" if unit else "Black's chance to win in percent"
    drawing.add(
        Label(MARGIN, plot.top - 8, f"{text}, after each move", 12, INK, weight="600"),
        Label(plot.left, plot.bottom + 34, "discs: the mistakes below", 12, FAINT_INK),
    )


def _tick_text(tick: float, *, is_in_points: bool) -> str:
    if not is_in_points:
        return f"{tick:g} %"
    return f"{tick:+g}" if tick else "0"


def _draw_mark(drawing: Drawing, move: ReviewedMove, spot: tuple[float, float]) -> None:
    fill = BLACK_STONE if move.color == BLACK else WHITE_STONE
    drawing.add(Disc(*spot, 5, fill, marks.BAD, 2.0))
    drawing.add(Label(spot[0], spot[1] - 9, str(move.number), 11, INK, "middle"))


def _draw_mistake(
    drawing: Drawing, review: GameReview, mistake: Mistake, place: tuple[float, float]
) -> float:
    """Draws a board with its words; returns where they end."""
    left, top = place
    move, game, reason = mistake
    title = wrap(mistake_title(review, move, game.size), 46)
    for at, line in enumerate(title):
        drawing.add(Label(left, top + 16 + LINE * at, line, 13, INK, weight="600"))
    corner = left, top + 8 + LINE * len(title) + 6
    _draw_board(drawing, mistake, corner)
    y = corner[1] + BOARD + 16
    for text in reason.lines:
        for line in wrap(text, TEXT_COLUMNS):
            drawing.add(Label(left, y, line, 11, INK))
            y += LINE
    return y + 10


def _draw_board(drawing: Drawing, mistake: Mistake, corner: tuple[float, float]) -> None:
    move, game, reason = mistake
    after = game.copy()
    after.play(move.color, move.played.point)
    place = draw_position(drawing, after, corner)
    if reason.swing is not None:
        draw_squares(drawing, place, reason.swing.tolist(), 0.5, least=2.0)
    if move.best.point != PASS:
        x, y = place.spot(*row_col_from_point(move.best.point))
        fill, ink = (BLACK_STONE, WHITE_STONE)[:: 1 if move.color == BLACK else -1]
        size = max(8, round(0.45 * place.pitch))
        drawing.add(
            Disc(x, y, 0.4 * place.pitch, fill, marks.GOOD, 2.5),
            Label(x, y + 0.16 * place.pitch, "A", size, ink, "middle", "600"),
        )
