"""What evaluators see, as it is sent: candidates, owners, shapes. Numbers are Black's."""

from typing import Any

import numpy as np
import numpy.typing as npt

from katachi.evaluators.protocol import Evaluator
from katachi.evaluators.shape_reading import MoveReading, ShapeChange, ShapeReader, read_move
from katachi.features.shape_sets import Family
from katachi.features.units import UNIT
from katachi.features.windows import Window
from katachi.interfaces.web.messages import matrix, vertices_of
from katachi.pictures.move_shapes import chance, model_for, share_of_chance
from katachi.rules.color import BLACK, COLOR_NAMES
from katachi.rules.game import Game
from katachi.rules.point import points_of, vertex_from_point
from katachi.search.analysis import Analysis, Candidate
from katachi.search.territory_views import TerritoryReading, TerritoryView


def analysis_fields(
    found: Analysis, game: Game, count: int, most_visits: int | None = None
) -> dict[str, Any]:
    """The analysis of a position with so many candidates. `most_visits` is how far a tree grows;
    without it nobody has searched, and there are no visits."""
    color, is_searched = game.to_play, most_visits is not None
    sign = 1.0 if color == BLACK else -1.0
    best = found.candidates[0]
    shown = [_candidate(each, best, game.size, color) for each in found.candidates[:count]]
    for entry, each in zip(shown, found.candidates, strict=False):
        entry["visits"] = each.visits if is_searched else None
    return {
        "to_play": COLOR_NAMES[color],
        "win_rate": blacks_rate(found.win_rate, color),
        "lead": None if found.lead is None else sign * found.lead,
        "ownership": matrix(blacks_owners(found, color), game.size),
        "is_estimate": found.is_estimate,
        "candidates": shown,
        "unit": "chance" if found.lead is None else "points",
        "visits": visits_of(found) if is_searched else None,
        "most_visits": most_visits,
    }


def visits_of(found: Analysis) -> int:
    """The visits of a searched position: its own, and those of its moves."""
    return 1 + sum(each.visits for each in found.candidates)


def blacks_rate(rate: float, color: int) -> float:
    """Black's chance of a chance of `color`."""
    return rate if color == BLACK else 1.0 - rate


def blacks_owners(found: Analysis, color: int) -> npt.NDArray[np.float64]:
    """[size * size] Black's chance of each point in an analysis of `color`."""
    sign = 1.0 if color == BLACK else -1.0
    return (sign * found.ownership + 1.0) / 2.0


def _candidate(each: Candidate, best: Candidate, size: int, color: int) -> dict[str, Any]:
    lead, sign = each.lead, 1.0 if color == BLACK else -1.0
    return {
        "vertex": vertex_from_point(each.point, size),
        "win_rate": blacks_rate(each.win_rate, color),
        "lead": None if lead is None else sign * lead,
        "share": each.prior,
        "rank": each.rank,
        "loss": loss_of(each, best),
        "line": vertices_of((each.point, *each.line), size),
    }


def loss_of(each: Candidate, best: Candidate) -> float:
    """What a move loses against the best one: points where they are known, else chance to win."""
    loss = best.win_rate - each.win_rate
    if each.lead is not None and best.lead is not None:
        loss = best.lead - each.lead
    return max(0.0, loss)


def view_fields(view: TerritoryView) -> dict[str, Any]:
    """Who owns what in a position, or the difference of two."""
    return {"points": view.points, "ownership": matrix(view.chances, view.game.size)}


def territory_fields(reading: TerritoryReading, source: str) -> dict[str, Any]:
    """What a move does to the territory; `source` says whose opinion it is."""
    names = ("now", "after_move", "after_pass", "difference")
    views = zip(names, reading.views, strict=True)
    return {name: view_fields(view) for name, view in views} | {"source": source}


def hands_fields(reading: TerritoryReading, color: int, least: float = 0.0) -> dict[str, Any]:
    """The points that the mover gains and loses by its move; those whose chance changes by less
    than `least` do not count."""
    now, after = reading.now, reading.after_move
    size, points = now.game.size, points_of(now.game.size)
    before, later = (_owns(view, color) for view in (now, after))
    changed = np.abs(after.chances - now.chances) >= least
    return {
        "gained": vertices_of(points[changed & later & ~before], size),
        "lost": vertices_of(points[changed & before & ~later], size),
        "points_before": now.points,
        "points_after": after.points,
        "ownership_before": matrix(now.chances, size),
        "ownership_after": matrix(after.chances, size),
    }


def _owns(view: TerritoryView, color: int) -> Any:
    return view.chances > 0.5 if color == BLACK else view.chances < 0.5


def shape_fields(evaluator: Evaluator, game: Game, point: int, count: int) -> dict[str, Any] | None:
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
