"""Operations that show what an evaluator sees: candidates, territory, reasons, whole games."""

from collections.abc import Callable, Generator, Iterator
from typing import Annotated, Any, TypeVar

from msgspec import Meta

from katachi.errors import KatachiError
from katachi.evaluators.protocol import Evaluator
from katachi.evaluators.shape_reading import MoveReading, ShapeChange, ShapeReader, read_move
from katachi.features.shape_sets import Family
from katachi.features.units import UNIT
from katachi.features.windows import Window
from katachi.interfaces.web.messages import (
    GameRequest,
    Name,
    Vertex,
    game_from_message,
    matrix,
    point_to_play,
    vertices_of,
)
from katachi.interfaces.web.offers import evaluator_named
from katachi.interfaces.web.operations import (
    Answers,
    Context,
    Part,
    RequestError,
    Result,
    operation,
)
from katachi.interfaces.web.records import Players
from katachi.pictures.move_shapes import chance, model_for, share_of_chance
from katachi.pictures.review import Mistake, mean_loss, reason_for
from katachi.pictures.review_notes import annotated_review, judgement_entry, move_entry
from katachi.records.conversion import record_from_game
from katachi.records.record import GameTexts
from katachi.rules.color import BLACK, COLOR_NAMES, WHITE
from katachi.rules.game import Game
from katachi.rules.point import PASS, points_of, vertex_from_point
from katachi.search.analysis import Analysis, Candidate, analyse
from katachi.search.review import (
    GameReview,
    judge_start,
    review_move,
    review_moves,
)
from katachi.search.territory_views import (
    TerritoryReading,
    TerritoryView,
    read_territory,
    source_line,
)

CONTINUATIONS = 512
"""Random continuations for an evaluator that knows no owners: a page should not wait for more."""
MISTAKES = 10
"""Of each side, for which a reason is given."""


Judged = TypeVar("Judged")


class EvaluatorRequest(GameRequest):
    """A game, and who judges it."""

    evaluator: Name


def _asked(request: EvaluatorRequest, context: Context) -> tuple[Game, Evaluator]:
    """The game and the evaluator of a request; raises RequestError."""
    game = game_from_message(request.game)
    return game, evaluator_named(request.evaluator, context)


class AnalyseRequest(EvaluatorRequest):
    """How many candidates of a position."""

    count: Annotated[int, Meta(ge=1, le=50)] = 10


@operation("analyse", AnalyseRequest)
def analyse_position(request: AnalyseRequest, context: Context) -> Answers:
    """The best moves of a position, and who will own what."""
    game, evaluator = _asked(request, context)
    yield None
    present = _judged(lambda: evaluator.evaluate(game.states))
    if present.ownership is not None:  # the candidates take ten times as long
        yield Part({"ownership": matrix(present.ownership[0], game.size), "is_estimate": True})
    color = game.to_play
    found = _judged(lambda: analyse(evaluator, game, color))
    sign = 1.0 if color == BLACK else -1.0
    yield Result(
        {
            "evaluator": request.evaluator,
            "to_play": COLOR_NAMES[color],
            "win_rate": _blacks_rate(found.win_rate, color),
            "lead": None if found.lead is None else sign * found.lead,
            "ownership": matrix((sign * found.ownership + 1.0) / 2.0, game.size),
            "is_estimate": found.is_estimate,
            "candidates": _candidates(found, game.size, color, request.count),
            "unit": "chance" if found.lead is None else "points",
        }
    )


def _judged(work: Callable[[], Judged]) -> Judged:
    """What an evaluator says; raises RequestError where it is not for such a board."""
    try:
        return work()
    except KatachiError as error:
        raise RequestError("evaluator", error) from None


def _blacks_rate(rate: float, color: int) -> float:
    return rate if color == BLACK else 1.0 - rate


def _candidates(found: Analysis, size: int, color: int, count: int) -> list[dict[str, Any]]:
    best = found.candidates[0]
    return [_candidate(each, best, size, color) for each in found.candidates[:count]]


def _candidate(each: Candidate, best: Candidate, size: int, color: int) -> dict[str, Any]:
    lead, sign = each.lead, 1.0 if color == BLACK else -1.0
    loss = best.win_rate - each.win_rate
    if lead is not None and best.lead is not None:
        loss = best.lead - lead
    return {
        "vertex": vertex_from_point(each.point, size),
        "win_rate": _blacks_rate(each.win_rate, color),
        "lead": None if lead is None else sign * lead,
        "share": each.prior,
        "rank": each.rank,
        "loss": max(0.0, loss),
        "line": vertices_of((each.point, *each.line), size),
    }


class PointRequest(EvaluatorRequest):
    """A move of the side to move."""

    vertex: Vertex


@operation("territory", PointRequest)
def territory(request: PointRequest, context: Context) -> Answers:
    """Who will own what: now, after a move, after a pass instead, and the difference."""
    game, evaluator = _asked(request, context)
    point = point_to_play(game, request.vertex)
    yield None
    reading = _judged(lambda: read_territory(evaluator, game, game.to_play, point, CONTINUATIONS))
    names = ("now", "after_move", "after_pass", "difference")
    views = {name: _view(view) for name, view in zip(names, reading.views, strict=True)}
    source = source_line(request.evaluator, reading, CONTINUATIONS)
    yield Result({**views, "source": source})


def _view(view: TerritoryView) -> dict[str, Any]:
    return {"points": view.points, "ownership": matrix(view.chances, view.game.size)}


class ExplainRequest(PointRequest):
    """A move, and how many changes of shapes."""

    count: Annotated[int, Meta(ge=1, le=100)] = 12


@operation("explain", ExplainRequest)
def explain(request: ExplainRequest, context: Context) -> Answers:
    """Why a move is good or bad: shapes that come and go, points that change hands."""
    game, evaluator = _asked(request, context)
    point, color = point_to_play(game, request.vertex), game.to_play
    number = len(game.moves) + 1
    yield None
    move = _judged(lambda: review_move(evaluator, game, number, color, point))
    yield None
    shapes = _shapes(evaluator, game, point, request.count)
    yield None
    has_owners = move.played.lead is not None
    reading = read_territory(evaluator, game, color, point) if has_owners else None
    yield None
    yield Result(
        {
            "vertex": vertex_from_point(point, game.size),
            "color": COLOR_NAMES[color],
            "rank": move.rank,
            "candidates": move.candidates,
            "loss": move.loss,
            "unit": "points" if has_owners else "chance",
            "shapes": shapes,
            "territory": None if reading is None else _changed_hands(reading, color),
            "reply": _reply(evaluator, game, point),
            "best": judgement_entry(move.best, game.size),
        }
    )


def _reply(evaluator: Evaluator, game: Game, point: int) -> dict[str, Any] | None:
    """The opponent's best answer to a move; None where the game is over then."""
    after = game.copy()
    after.play(game.to_play, point)
    if after.is_over:
        return None
    found = review_move(evaluator, after, len(after.moves) + 1, after.to_play, PASS)
    return judgement_entry(found.best, game.size)


def _changed_hands(reading: TerritoryReading, color: int) -> dict[str, Any]:
    """The points that the mover gains and loses by its move."""
    now, after = reading.now, reading.after_move
    size, points = now.game.size, points_of(now.game.size)
    before, later = (_owns(view, color) for view in (now, after))
    return {
        "gained": vertices_of(points[later & ~before], size),
        "lost": vertices_of(points[before & ~later], size),
        "points_before": now.points,
        "points_after": after.points,
        "ownership_before": matrix(now.chances, size),
        "ownership_after": matrix(after.chances, size),
    }


def _owns(view: TerritoryView, color: int) -> Any:
    return view.chances > 0.5 if color == BLACK else view.chances < 0.5


def _shapes(evaluator: Evaluator, game: Game, point: int, count: int) -> dict[str, Any] | None:
    """The shapes that a move changes; None for an evaluator that knows none."""
    model = model_for(evaluator, game.size)
    if model is None:
        return None
    reading = read_move(ShapeReader(model), game, game.to_play, point)
    shown = reading.changes[:count]
    sets = zip(model.sets, reading.by_set, strict=True)
    return {
        "chance_before": chance(reading.before),
        "chance_after": chance(reading.after),
        "logit_before": reading.before * UNIT,
        "logit_after": reading.after * UNIT,
        "sets": [{"name": each.name, "change": units * UNIT} for each, units in sets],
        "total": reading.difference * UNIT,
        "rest": (reading.difference - sum(each.change for each in shown)) * UNIT,
        "changes": [_change(each, reading) for each in shown],
    }


def _change(change: ShapeChange, reading: MoveReading) -> dict[str, Any]:
    shape = change.shape
    has_liberties = shape.shape_set.family is Family.LIBERTY
    return {
        "set": shape.shape_set.name,
        "change": change.change * UNIT,
        "each": change.units * UNIT,
        "more": change.more,
        "gain_in_chance": share_of_chance(change, reading),
        "cells": [[stone.owner for stone in row] for row in shape.rows],
        "liberties": [[stone.liberties for stone in row] for row in shape.rows]
        if has_liberties
        else None,
        "windows": [
            _window(window, change, came=came)
            for came, windows in ((True, change.come), (False, change.gone))
            for window in windows
        ],
    }


def _window(window: Window, change: ShapeChange, *, came: bool) -> dict[str, Any]:
    template = change.shape.shape_set.template
    height, width = template.width, template.length
    if window.is_tall:
        height, width = width, height
    return {"row": window.row, "col": window.col, "height": height, "width": width, "came": came}


@operation("review", EvaluatorRequest)
def review(request: EvaluatorRequest, context: Context) -> Answers:
    """Every move of a game beside the best one, and why the largest mistakes are mistakes."""
    game, evaluator = _asked(request, context)
    found = yield from _review(evaluator, game)
    mistakes: list[dict[str, Any]] = []
    for mistake in _mistakes(evaluator, game, found):
        move = mistake.move
        why = mistake.reason.lines
        mistakes.insert(0, {"number": move.number, "loss": move.loss, "why": why})
        yield None
    means = {COLOR_NAMES[color]: mean_loss(found.by(color)) for color in (BLACK, WHITE)}
    unit = "points" if found.is_in_points else "chance"
    yield Result({"unit": unit, "mistakes": mistakes, "mean_loss": means})


def _review(evaluator: Evaluator, game: Game) -> Generator[Part, None, GameReview]:
    """Sends each move as it is judged; the whole review comes back at the end."""
    if not game.moves:
        raise RequestError("game.moves", "the game has no moves to review")
    first = game.copy()
    for _ in game.moves:
        first.undo()
    start = _judged(lambda: judge_start(evaluator, first))
    yield Part({"number": 0, "win_rate": start.win_rate, "lead": start.lead})
    moves = []
    for move in review_moves(evaluator, game):
        moves.append(move)
        yield Part(move_entry(move, game.size))
    return GameReview(start, moves)


def _mistakes(evaluator: Evaluator, game: Game, found: GameReview) -> Iterator[Mistake]:
    """The largest mistakes of both sides, the last of the game first."""
    before = game.copy()
    for move in reversed(found.all_mistakes(MISTAKES)):
        while len(before.moves) >= move.number:
            before.undo()
        yield Mistake(move, before.copy(), reason_for(evaluator, before, move))


class AnnotateRequest(EvaluatorRequest):
    """A game to annotate, and who played."""

    players: Players | None = None


@operation("annotate", AnnotateRequest)
def annotate(request: AnnotateRequest, context: Context) -> Answers:
    """A game as an SGF file with what an evaluator says of every move."""
    game, evaluator = _asked(request, context)
    found = yield from _review(evaluator, game)
    mistakes = []
    for mistake in _mistakes(evaluator, game, found):
        mistakes.append(mistake)
        yield None
    players = request.players or Players()
    texts = GameTexts(black=players.black, white=players.white)
    record = record_from_game(game, texts, handicap=request.game.handicap)
    source = f"as {request.evaluator} sees it"
    yield Result({"text": annotated_review(record, source, found, mistakes).decode()})
