"""Moves that may be played in a game: of those that are named, and in place of an illegal answer.

Nothing is imported before it is needed, as in `session`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from katachi.rules.game import Game
    from katachi.rules.point import Points


def legal_points(game: Game, color: int, points: Sequence[int] | None) -> Points | None:
    """Those of these points where `color` may play; None where none are named."""
    import numpy as np

    if points is None:
        return None
    return np.array([point for point in points if game.is_legal(color, point)], np.uint16)


def fallback_move(game: Game, color: int) -> int:
    """A legal move that fills no own eye, or PASS: what is played for an illegal answer."""
    from katachi.rules.point import PASS
    from katachi.search.afterstates import sensible_moves

    moves = sensible_moves(game, color)
    return int(moves[0]) if len(moves) else PASS
