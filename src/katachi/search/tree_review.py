"""A whole game, move by move, by tree search: what each move cost against the best one found."""

from collections.abc import Iterator

from katachi.rules.color import BLACK, opponent
from katachi.rules.game import Game
from katachi.rules.point import PASS
from katachi.search.review import Judgement, ReviewedMove, before_first_move
from katachi.search.tree_limits import Goal
from katachi.search.tree_reading import TreeMove
from katachi.search.tree_search import TreeResult, TreeSearch

REVIEW_VISITS = 200
"""A move, unless the player's name says how many."""
ENOUGH_SHARE = 0.25
"""Of the visits of the best move: a played move with fewer is searched on its own."""


class TreeReviewer:
    """Reviews games by a search of each position."""

    def __init__(self, search: TreeSearch, visits: int | None = None) -> None:
        """So many visits a position."""
        self.evaluator = search.evaluator
        self._search = search
        self._goal = Goal(visits=visits or REVIEW_VISITS, is_for_move=False)

    def judge_start(self, game: Game) -> Judgement:
        """The position of a game."""
        color = game.to_play
        return _of_position(PASS, self._search.search(game, color, self._goal), color)

    def review_moves(self, game: Game) -> Iterator[ReviewedMove]:
        """Each move of a game, one after another."""
        replayed = before_first_move(game)
        for number, move in enumerate(game.moves, 1):
            yield self._review(replayed, number, move.color, move.point)
            replayed.play(move.color, move.point)

    def _review(self, game: Game, number: int, color: int, point: int) -> ReviewedMove:
        result = self._search.search(game, color, self._goal)
        tried = [move for move in result.moves if move.win_rate is not None]
        best = _of_move(tried[0], result, color) if tried else _of_position(point, result, color)
        found = [move.point for move in tried]
        enough = ENOUGH_SHARE * tried[0].visits if tried else 0.0
        if point in found and tried[found.index(point)].visits >= enough:
            played = _of_move(tried[found.index(point)], result, color)
        else:
            visits = tried[found.index(point)].visits if point in found else 0
            played = self._judge_after(game, color, point)._replace(visits=visits)
        rank = 1 + found.index(point) if point in found else 1 + len(found)
        loss = _loss(best, played, color)
        if loss == 0.0:
            best, rank = played, 1
        return ReviewedMove(number, color, played, best, loss, rank, max(len(found), rank))

    def _judge_after(self, game: Game, color: int, point: int) -> Judgement:
        """The position after a move, by a search of its own."""
        after = game.copy()
        after.play(color, point)
        mover = opponent(color)
        return _of_position(point, self._search.search(after, mover, self._goal), mover)


def _of_move(move: TreeMove, result: TreeResult, color: int) -> Judgement:
    rate = result.win_rate if move.win_rate is None else move.win_rate
    knows_owners = result.lead is not None
    judged = Judgement(
        move.point,
        rate,
        move.lead if knows_owners else None,
        move.visits,
        move.line,
        move.ownership if knows_owners else None,
    )
    return _as_black_sees(judged, color)


def _of_position(point: int, result: TreeResult, color: int) -> Judgement:
    tried = [move for move in result.moves if move.visits]
    line = (tried[0].point, *tried[0].line) if tried else ()
    judged = Judgement(point, result.win_rate, result.lead, result.visits, line, result.ownership)
    return _as_black_sees(judged, color)


def _as_black_sees(judged: Judgement, color: int) -> Judgement:
    """From the side of `color`."""
    if color == BLACK:
        return judged
    lead = None if judged.lead is None else -judged.lead
    return judged._replace(win_rate=1.0 - judged.win_rate, lead=lead)


def _loss(best: Judgement, played: Judgement, color: int) -> float:
    """What the mover lost, never below 0."""
    sign = 1.0 if color == BLACK else -1.0
    if best.lead is not None and played.lead is not None:
        return max(0.0, sign * (best.lead - played.lead))
    return max(0.0, sign * (best.win_rate - played.win_rate))
