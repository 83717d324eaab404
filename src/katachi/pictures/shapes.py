"""Shape diagrams: local shapes drawn as small boards, and pages of the best and worst of them."""

from typing import NamedTuple

from katachi.evaluators.named_models import NamedModel
from katachi.evaluators.shape_ranking import BY_WEIGHT, Order, RankedShape, SetRanking
from katachi.features.shape_contents import OWN, Shape, Stone
from katachi.features.shape_sets import Family, Location, ShapeSet
from katachi.features.units import UNIT
from katachi.pictures import drawing as marks
from katachi.pictures.boards import draw_piece, draw_stone
from katachi.pictures.drawing import (
    BLACK_STONE,
    EDGE,
    FAINT_INK,
    GOOD,
    INK,
    WHITE_STONE,
    Box,
    Disc,
    Drawing,
    Label,
    Line,
)
from katachi.pictures.shape_text import UNICODE, Symbols, logit_text, place_text
from katachi.rules.color import BLACK, EMPTY

PITCH = 17.0
"""From one point of a diagram to the next."""
MARGIN, GUTTER = 22.0, 12.0
NARROWEST = 68.0
"""Room for the text over a diagram."""
LINE = 14.0
DIAGRAMS_A_ROW = 10
LOCATOR = 20.0
LONGEST_NAME = 40
ORDER_LEGENDS = {
    Order.GAIN: "first number: what the stone just played adds to the value (log-odds of winning), "
    "all sets together, on an otherwise empty board",
    Order.WEIGHT: "first number: the weight of the shape in this set alone, in log-odds for the "
    "player who has just moved; smaller sets speak, too",
    Order.SUM: "first number: what all stones of the shape add to an empty board (log-odds), all "
    "sets together",
    Order.WINS: "first number: share of games won by the player who made the shape by this move",
    Order.IMPACT: "ordered by weight times how often seen; first number: the weight in log-odds",
}
"""What the first number at a shape means."""


class ModelRankings(NamedTuple):
    """What a page shows of one model."""

    source: NamedModel
    rankings: dict[str, SetRanking]
    """By the set's name."""
    other: NamedModel | None = None
    """The model beside it, if its weights can be compared one by one."""


def draw_shape(
    drawing: Drawing,
    shape: Shape,
    size: int,
    corner: tuple[float, float],
    mark: int | None = None,
    own: int = BLACK,
) -> None:
    """Draws a shape, its top left corner at (x, y), own stones in the colour `own`; the board's
    edges are thick lines, and the stone at place `mark` carries a ring: it was played last."""
    x, y = corner
    rows = shape.rows
    width, height = PITCH * len(rows[0]), PITCH * len(rows)
    edges = shape.edges(size)
    draw_piece(drawing, corner, (len(rows), len(rows[0])), PITCH, edges)
    for row, stones in enumerate(rows):
        for col, stone in enumerate(stones):
            spot = x + PITCH * (col + 0.5), y + PITCH * (row + 0.5)
            _draw_stone(drawing, stone, spot, own)
    if mark is not None:
        row, col = divmod(mark, len(rows[0]))
        spot = x + PITCH * (col + 0.5), y + PITCH * (row + 0.5)
        drawing.add(Disc(*spot, 0.22 * PITCH, BLACK_STONE, WHITE_STONE, 1.6))
    sides = (
        Line(x, y, x + width, y, EDGE, 3),
        Line(x, y, x, y + height, EDGE, 3),
        Line(x, y + height, x + width, y + height, EDGE, 3),
        Line(x + width, y, x + width, y + height, EDGE, 3),
    )
    drawing.add(*(side for side, is_edge in zip(sides, edges, strict=True) if is_edge))


def _draw_stone(drawing: Drawing, stone: Stone, place: tuple[float, float], own: int) -> None:
    if stone.owner == EMPTY:
        return
    x, y = place
    is_black = (stone.owner == OWN) == (own == BLACK)
    draw_stone(drawing, place, 0.44 * PITCH, is_black=is_black)
    if stone.liberties is not None:
        ink = WHITE_STONE if is_black else BLACK_STONE
        drawing.add(Label(x, y + 4, str(stone.liberties), 11, ink, "middle"))


def draw_locator(drawing: Drawing, shape: Shape, size: int, x: float, y: float) -> None:
    """Draws where on the board a shape stands: the board as a small square with its window."""
    template, window = shape.shape_set.template, shape.window
    point = LOCATOR / size
    drawing.add(
        Box(x, y, LOCATOR, LOCATOR, marks.WOOD, marks.WOOD_LINES, 0.8),
        Box(
            x + point * window.col,
            y + point * window.row,
            point * template.length,
            point * template.width,
            GOOD,
        ),
    )


def has_liberties(models: list[ModelRankings]) -> bool:
    """Whether stones with numbers are among the shapes."""
    sets = [ranking.shape_set for model in models for ranking in model.rankings.values()]
    return any(each.family is Family.LIBERTY for each in sets)


def text_legend(models: list[ModelRankings], symbols: Symbols) -> list[str]:
    """What the letters of shapes mean, of those that are used."""
    rankings = [ranking for model in models for ranking in model.rankings.values()]
    lines = [symbols.legend]
    if any(ranking.order not in BY_WEIGHT for ranking in rankings):
        lines.append(symbols.played_legend)
    if any(each.shape_set.location is Location.DEPENDENT for each in rankings):
        lines.append(symbols.edge_legend)
    return [*lines, symbols.liberty_legend] if has_liberties(models) else lines


def page_of_rankings(title: str, models: list[ModelRankings]) -> Drawing:
    """The best and worst shapes of each set, a column for each model."""
    drawing = Drawing(title)
    drawing.add_heading(MARGIN, 34)
    names = list(dict.fromkeys(name for model in models for name in model.rankings))
    numbers = [UNICODE.liberty_legend] if has_liberties(models) else []
    y = _draw_legend(drawing, 44.0, [*legend_lines(models), *numbers])
    per_row = DIAGRAMS_A_ROW // len(models)
    widths = [_column_width(model, per_row) for model in models]
    starts = [MARGIN + sum(widths[:number]) for number in range(len(models))]
    for model, x in zip(models, starts, strict=True):
        drawing.add(Label(x, y + 16, _clipped(model.source.name), 13, INK, weight="600"))
        drawing.add(Label(x, y + 32, model.source.summary, 12, FAINT_INK))
    y += 46
    for name in names:
        ends = [
            _draw_ranking(drawing, model, name, (x, y, width), per_row)
            for model, x, width in zip(models, starts, widths, strict=True)
        ]
        y = max(ends)
    drawing.width, drawing.height = drawing.width + MARGIN, y + MARGIN / 2
    return drawing


def _clipped(name: str) -> str:
    """The end of a long name."""
    return name if len(name) <= LONGEST_NAME else f"…{name[-LONGEST_NAME:]}"


def _column_width(model: ModelRankings, per_row: int) -> float:
    widths = [diagram_width(ranking.shape_set) for ranking in model.rankings.values()]
    return per_row * max([NARROWEST, *widths]) + GUTTER


def diagram_width(shape_set: ShapeSet) -> float:
    """The width of a diagram with its text."""
    words = NARROWEST
    if shape_set.location is Location.DEPENDENT:
        words += LOCATOR
    return max(words, PITCH * shape_set.template.length) + GUTTER


def legend_lines(models: list[ModelRankings]) -> list[str]:
    """What the words and numbers at a shape mean."""
    sets = [ranking.shape_set for model in models for ranking in model.rankings.values()]
    orders = {ranking.order for model in models for ranking in model.rankings.values()}
    lines = [ORDER_LEGENDS[order] for order in Order if order in orders]
    if Order.GAIN in orders or Order.SUM in orders:
        lines.append("+1.1 turns an even chance into 75 %   w: weight of this set alone")
    lines.append("5x: learned from 5 times")
    if any(each.location is Location.DEPENDENT for each in sets):
        lines.append("at 1-2: the lines, from the nearest corner, of the shape's first point")
    if any(each.is_hashed for each in sets):
        lines.append(
            "9% of bin: the shape's part of all that share its weight in the games looked at"
        )
    if any(model.other for model in models):
        lines.append("in brackets: the shape's weight in the other model")
    return lines


def _draw_legend(drawing: Drawing, y: float, lines: list[str]) -> float:
    """Draws what the marks mean; returns where it ends."""
    drawing.add(
        Disc(MARGIN + 8, y + 12, 7, BLACK_STONE),
        Label(MARGIN + 20, y + 16, "own stone", 12, FAINT_INK),
        Disc(MARGIN + 102, y + 12, 7, WHITE_STONE, BLACK_STONE, 1.2),
        Label(MARGIN + 114, y + 16, "opponent's", 12, FAINT_INK),
        Line(MARGIN + 196, y + 12, MARGIN + 220, y + 12, EDGE, 3),
        Label(MARGIN + 228, y + 16, "edge of the board", 12, FAINT_INK),
    )
    return drawing.add_lines(MARGIN, y + 36, lines)


def _draw_ranking(
    drawing: Drawing,
    model: ModelRankings,
    name: str,
    place: tuple[float, float, float],
    per_row: int,
) -> float:
    """Draws a set's shapes at (x, y, width); returns where they end."""
    x, y, width = place
    ranking = model.rankings.get(name)
    drawing.add(Box(x, y, width - GUTTER, 22, marks.BAND, marks.GRID))
    drawing.add(Label(x + 8, y + 15.5, ranking_heading(name, ranking), 13, INK, weight="600"))
    y += 34
    if ranking is None:
        return y
    for word, shapes, color in (("best", ranking.best, GOOD), ("worst", ranking.worst, marks.BAD)):
        if shapes:
            drawing.add(Label(x, y + 8, word, 12, color, weight="600"))
            y += 16
        for first in range(0, len(shapes), per_row):
            y = _draw_row(drawing, model, shapes[first : first + per_row], x, y)
    return y + 4


def ranking_heading(name: str, ranking: SetRanking | None) -> str:
    """A set's name and of how many weights its best and worst were chosen."""
    if ranking is None:
        return f"{name}   not in this model"
    often = f"seen {ranking.least_seen:,} times or more"
    met = f", {ranking.games:,} games looked at" if ranking.games else ""
    if ranking.order in BY_WEIGHT:
        return f"{name}   {ranking.considered:,} of {ranking.weights:,} weights {often}{met}"
    return f"{name}   {ranking.considered:,} moves, of shapes {often}{met}"


def _draw_row(
    drawing: Drawing, model: ModelRankings, shapes: list[RankedShape], x: float, y: float
) -> float:
    size = model.source.model.size
    shape_set = shapes[0].shape.shape_set
    breadth = diagram_width(shape_set)
    captions = [shape_caption(shape, model) for shape in shapes]
    lines = max(map(len, captions))
    for number, (shape, caption) in enumerate(zip(shapes, captions, strict=True)):
        left = x + breadth * number
        for at, words in enumerate(caption):
            color = INK if at == 0 else FAINT_INK
            drawing.add(Label(left, y + LINE * (at + 0.8), words, 12 if at == 0 else 11, color))
        if shape.shape.has_location:
            draw_locator(drawing, shape.shape, size, left + breadth - GUTTER - LOCATOR, y)
        draw_shape(drawing, shape.shape, size, (left, y + LINE * lines + 4), shape.mark)
    return y + LINE * lines + PITCH * shape_set.template.width + 18


def score_text(ranked: RankedShape, order: Order) -> str:
    """What a shape is ordered by, as text."""
    if order in BY_WEIGHT:
        return logit_text(ranked.units)
    return f"{ranked.score:.0%}" if order is Order.WINS else f"{ranked.score * UNIT:+.2f}"


def shape_caption(ranked: RankedShape, model: ModelRankings) -> list[str]:
    """The text over a diagram: what it is ordered by, times seen, place, share of bin, weight in
    the other model."""
    order = model.rankings[ranked.shape.shape_set.name].order
    lines = [score_text(ranked, order)]
    if order not in BY_WEIGHT:
        lines.append(f"w {ranked.units * UNIT:+.2f}")
    lines.append(f"of {ranked.games:,}" if order is Order.WINS else f"{ranked.seen:,}x")
    if ranked.shape.has_location:
        lines.append(place_text(ranked.shape))
    if ranked.share is not None:
        lines.append(f"{ranked.share:.0%} of bin")
    if model.other is not None:
        lines.append(f"({logit_text(int(model.other.model.weights[ranked.weight]))})")
    return lines
