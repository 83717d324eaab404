"""Reading a game to its end: every sensible move and the pass, superko along the way, the score."""

import math

from katachi.rules.color import BLACK, opponent
from katachi.rules.game import Game
from katachi.rules.point import PASS, STRIDE
from katachi.search.afterstates import sensible_moves


class TooLarge(Exception):
    """There is more to read than was allowed."""


class Minimax:
    """Plain alpha-beta on the score without komi, as many positions at most."""

    def __init__(self, positions: int) -> None:
        self.left = positions

    def best(self, game: Game) -> tuple[float, set[int]]:
        """(score of whoever moves, all moves that reach it); raises TooLarge."""
        found: dict[int, float] = {}
        best = -math.inf
        for move in moves_of(game, game.to_play):
            # Scores are whole numbers: one that equals the best so far is still told exactly.
            found[move] = self._after(game, move, best - 1.0, math.inf)
            best = max(best, found[move])
        return best, {move for move, score in found.items() if score == best}

    def reaches(self, game: Game, score: float) -> bool:
        """Whether who moves gets as many points; raises TooLarge."""
        return self._score(game, score - 1.0, score) >= score

    def _score(self, game: Game, low: float, high: float) -> float:
        """The score of who moves if it lies between, else a bound on that side of it."""
        best = -math.inf
        for move in moves_of(game, game.to_play):
            best = max(best, self._after(game, move, max(low, best), high))
            if best >= high:
                break
        return best

    def _after(self, game: Game, move: int, low: float, high: float) -> float:
        """The same of a move, for who makes it."""
        self.left -= 1
        if self.left < 0:
            raise TooLarge
        color, twin = game.to_play, game.copy()
        twin.play(color, move)
        if twin.is_over:
            score = twin.area_score() + twin.komi
            return score if color == BLACK else -score
        assert twin.to_play == opponent(color)
        return -self._score(twin, -high, -low)


def moves_of(game: Game, color: int) -> list[int]:
    """The sensible moves, those near the centre first, and the pass: first where it would end a
    game, last elsewhere."""
    middle = (game.size + 1) / 2

    def distance(point: int) -> float:
        return abs(point // STRIDE - middle) + abs(point % STRIDE - middle)

    moves = sorted(sensible_moves(game, color).tolist(), key=distance)
    has_passed = bool(game.moves) and game.moves[-1].point == PASS
    return [PASS, *moves] if has_passed else [*moves, PASS]
