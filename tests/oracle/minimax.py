"""Looking ahead without a single short cut: every move of every line is played out."""

import copy
from collections.abc import Callable

from tests.oracle.go import BLACK, OracleGame, Spot, Stones, area_difference, is_eye, spots_of

Judge = Callable[[Stones, int], int]
"""Black's value of a position (stones, size)."""
LINES_END = 1 << 50
"""What a won game is worth."""


def sensible_spots(game: OracleGame, color: int) -> list[Spot | None]:
    """The legal moves that fill no own eye, row by row; without any, the pass."""
    stones, size = game.stones, game.size
    legal = [s for s in spots_of(size) if s not in stones and game.verdict(color, s) == "legal"]
    return [s for s in legal if not is_eye(stones, size, s, color)] or [None]


def after(game: OracleGame, color: int, spot: Spot | None) -> OracleGame:
    """Another game in which the move has been played."""
    twin = copy.copy(game)
    twin.moves, twin.history = list(game.moves), list(game.history)
    twin.positions, twin.situations = set(game.positions), set(game.situations)
    twin.lost = dict(game.lost)
    twin.play(color, spot)
    return twin


def final_value(game: OracleGame, color: int, komi: float) -> int:
    """What a finished game is worth to a player."""
    score = area_difference(game.stones, game.size) - komi
    if score == 0:
        return 0
    return LINES_END if (score > 0) == (color == BLACK) else -LINES_END


def move_values(
    game: OracleGame, color: int, depth: int, komi: float, judge: Judge
) -> dict[Spot | None, int]:
    """What each sensible move is worth to `color`, looking `depth` plies ahead, itself included."""
    values: dict[Spot | None, int] = {}
    for spot in sensible_spots(game, color):
        child = after(game, color, spot)
        if child.is_over:
            values[spot] = final_value(child, color, komi)
        elif depth == 1:
            value = judge(child.stones, child.size)
            values[spot] = value if color == BLACK else -value
        else:
            values[spot] = -max(move_values(child, 3 - color, depth - 1, komi, judge).values())
    return values
