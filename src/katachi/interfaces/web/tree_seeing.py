"""What a tree sees: candidates with visits, territory, reasons; it grows while it is asked."""

from collections.abc import Generator
from typing import Any

import numpy as np

from katachi.interfaces.web.operations import Answers, Part, Result
from katachi.interfaces.web.seen_fields import (
    analysis_fields,
    blacks_owners,
    blacks_rate,
    hands_fields,
    loss_of,
    shape_fields,
    territory_fields,
)
from katachi.interfaces.web.trees import PageTree
from katachi.pictures.review import SMALLEST_SWING_OF_SEARCHES
from katachi.pictures.review_notes import judgement_entry
from katachi.rules.color import BLACK, COLOR_NAMES, opponent
from katachi.rules.game import Game
from katachi.rules.point import PASS, vertex_from_point
from katachi.search.analysis import Analysis, Candidate
from katachi.search.review import Judgement
from katachi.search.territory_views import reading_of
from katachi.search.tree_review import ENOUGH_SHARE


def analyse_by_tree(tree: PageTree, name: str, game: Game, count: int) -> Answers:
    """The best moves of a position and who will own what; parts say what is known so far."""

    def fields(found: Analysis) -> dict[str, Any]:
        return {"evaluator": name} | analysis_fields(found, game, count, tree.visits)

    found = yield from tree.grow(game, lambda found: Part(fields(found)))
    yield Result(fields(found))


def territory_by_tree(tree: PageTree, name: str, game: Game, point: int) -> Answers:
    """Who will own what: now, after a move, after a pass instead, and the difference."""
    now, color = (yield from tree.grow(game)), game.to_play
    moved = yield from _grow_after(tree, game, point)
    passed = moved if point == PASS else (yield from _grow_after(tree, game, PASS))
    later = (blacks_owners(each, opponent(color)) for each in (moved, passed))
    chances = np.stack([blacks_owners(now, color), *later])
    source = f"as {name} sees it: the mean over all positions that it looked at"
    yield Result(territory_fields(reading_of(game, color, point, chances), source))


def _grow_after(tree: PageTree, game: Game, point: int) -> Generator[Part | None, None, Analysis]:
    """What is found after a move."""
    after = game.copy()
    after.play(game.to_play, point)
    return (yield from tree.grow(after))


def explain_by_tree(tree: PageTree, game: Game, point: int, count: int) -> Answers:
    """Why a move is good or bad: what the search found of it, of the best move and of the answer;
    `count` is of shapes."""
    color = game.to_play
    found = yield from tree.grow(game)
    after = yield from _grow_after(tree, game, point)
    yield None
    best, played = found.candidates[0], _played(found, after, point)
    tried = [each.point for each in found.candidates]
    rank = 1 + tried.index(point) if point in tried else 1 + len(tried)
    owners = blacks_owners(found, color), blacks_owners(after, opponent(color))
    has_owners = found.lead is not None
    reading = reading_of(game, color, point, np.stack([*owners, owners[1]]))
    answer = None if _ends(game, point) else after.candidates[0]
    yield Result(
        {
            "vertex": vertex_from_point(point, game.size),
            "color": COLOR_NAMES[color],
            "rank": rank,
            "candidates": max(rank, len(tried)),
            "loss": loss_of(played, best),
            "unit": "points" if has_owners else "chance",
            "shapes": shape_fields(tree.evaluator, game, point, count),
            "territory": hands_fields(reading, color, SMALLEST_SWING_OF_SEARCHES)
            if has_owners
            else None,
            "reply": None if answer is None else _entry(answer, game, opponent(color)),
            "best": _entry(best, game, color),
        }
    )


def _ends(game: Game, point: int) -> bool:
    """Whether a move is the second pass."""
    return point == PASS and bool(game.moves) and game.moves[-1].point == PASS


def _played(found: Analysis, after: Analysis, point: int) -> Candidate:
    """A move as the search saw it, or where that has hardly tried it, as the one after it did."""
    best = found.candidates[0]
    for each in found.candidates:
        if each.point == point and each.visits >= ENOUGH_SHARE * best.visits:
            return each
    lead = None if after.lead is None else -after.lead
    return best._replace(point=point, win_rate=1.0 - after.win_rate, lead=lead)


def _entry(move: Candidate, game: Game, color: int) -> dict[str, Any]:
    """A move of `color` with its value for Black."""
    lead = move.lead if move.lead is None or color == BLACK else -move.lead
    rate = blacks_rate(move.win_rate, color)
    judged = Judgement(move.point, rate, lead, move.visits, tuple(move.line))
    return judgement_entry(judged, game.size)
