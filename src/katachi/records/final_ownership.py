"""Who owned what at the end of a recorded game.

Marks of the record say it best. Without them a game that was counted is settled by counting its
last position: as it stands, or without the dead stones that unconditional life and random
continuations find (`katachi.rules.scoring`). Either is believed only where it agrees with the
recorded result; where both agree, but not with each other, the latter. A position in which many
points are nobody's is not finished as it stands, even if it counts to the right result. A game that
was resigned, lost on time or broken off has no final ownership.
"""

import dataclasses
from collections.abc import Callable
from enum import Enum
from typing import NamedTuple

import numpy as np

from katachi.records.conversion import game_from_record
from katachi.records.dataset import GameSet
from katachi.records.record import GameRecord, Ownership
from katachi.records.result import Ending, result_from_score
from katachi.records.stones import ragged_from_parts
from katachi.rules.area import area_owners
from katachi.rules.color import BLACK, EMPTY, WHITE
from katachi.rules.scoring import Owners, final_status

TOLERANCE = 1.0
"""Points by which area may differ from the recorded margin: territory rules count a point more or
less."""


MOST_NEUTRAL = 0.05
"""The share of neutral points up to which a position as it stands may be finished."""


class Settlement(Enum):
    """How the owners of a game's points are known."""

    MARKED = "marked"
    """The record marks them."""
    COUNTED = "counted"
    """All stones alive, the last position counts to the recorded result."""
    PLAYOUTS = "playouts"
    """It does so when dead stones are lifted."""
    UNSETTLED = "unsettled"
    """They are not known."""


class FinalOwnership(NamedTuple):
    """Who owned what at the end, and how that is known."""

    settlement: Settlement
    owners: Ownership | None
    """[size * size], row by row: +1 Black, -1 White, 0 nobody; None where not settled."""


class SettledGames(NamedTuple):
    """Games with the owners of all points, and what became of the others."""

    games: GameSet
    """Those that could be settled, in the order they had."""
    counts: dict[Settlement, int]
    """Games of each kind, those that were dropped included."""


def final_ownership(record: GameRecord) -> FinalOwnership:
    """The owners of a game's points at its end, by the rule of this module."""
    if record.ownership is not None:
        return FinalOwnership(Settlement.MARKED, record.ownership)
    if record.result.ending not in (Ending.COUNT, Ending.WON):
        return FinalOwnership(Settlement.UNSETTLED, None)
    game = game_from_record(record)
    if record.result.margin is None and not game.is_over:
        return FinalOwnership(Settlement.UNSETTLED, None)
    as_it_is, lifted = area_owners(game.words), final_status(game.words).owners
    is_counted = _agrees(record, as_it_is) and (as_it_is == EMPTY).mean() <= MOST_NEUTRAL
    if _agrees(record, lifted) and not (is_counted and np.array_equal(as_it_is, lifted)):
        return FinalOwnership(Settlement.PLAYOUTS, _signed(lifted))
    if is_counted:
        return FinalOwnership(Settlement.COUNTED, _signed(as_it_is))
    return FinalOwnership(Settlement.UNSETTLED, None)


def _agrees(record: GameRecord, owners: Owners) -> bool:
    """Whether these owners give the recorded winner, and about the margin where it is recorded.

    White may have been paid for handicap stones, and may not.
    """
    if record.komi is None:
        return False
    balance = int((owners == BLACK).sum()) - int((owners == WHITE).sum()) - record.komi
    scores = {balance, balance - record.handicap}
    return any(_is_result(record, score) for score in scores)


def _is_result(record: GameRecord, score: float) -> bool:
    result = record.result
    sign = {BLACK: 1, WHITE: -1}.get(result.winner, 0)
    if result.margin is None:
        return result_from_score(score).winner == result.winner
    return abs(score - sign * result.margin) <= TOLERANCE


def _signed(owners: Owners) -> Ownership:
    return np.asarray((owners == BLACK).astype(np.int8) - (owners == WHITE), np.int8)


def settle_ownership(games: GameSet, tell: Callable[[], object] | None = None) -> SettledGames:
    """The games whose final ownership is known, marked with it, as `positions` and filters want it.

    `tell` is called after each game: thousands of games take minutes.
    """
    counts = dict.fromkeys(Settlement, 0)
    rows, owners = [], []
    for row, record in zip(games.rows.tolist(), games, strict=True):
        settled = final_ownership(record)
        counts[settled.settlement] += 1
        if settled.owners is not None:
            rows.append(row)
            owners.append(settled.owners)
        if tell is not None:
            tell()
    columns = games.columns.take(np.array(rows, np.int64))
    columns = dataclasses.replace(columns, owners=ragged_from_parts(owners, np.int8))
    return SettledGames(GameSet(columns, None, games.rejections), counts)
