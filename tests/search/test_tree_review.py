"""A game reviewed by tree search."""

import pytest

from katachi.evaluators.simple import AverageLiberties
from katachi.rules.color import BLACK, WHITE, opponent
from katachi.rules.game import Game
from katachi.rules.point import PASS, point_from_vertex
from katachi.search.tree_limits import TreeLimits
from katachi.search.tree_review import TreeReviewer
from katachi.search.tree_search import TreeSearch


def reviewer(visits: int) -> TreeReviewer:
    return TreeReviewer(TreeSearch(AverageLiberties(), TreeLimits(memory=8 << 20)), visits)


@pytest.mark.parametrize("visits", [1, 2, 60])
def test_every_move_is_beside_the_best_and_loses_no_less_than_nothing(visits: int) -> None:
    game = Game(5)
    for number, name in enumerate(("C3", "C4", "A1", "pass", "B2")):
        point = PASS if name == "pass" else point_from_vertex(name, 5)
        game.play((BLACK, WHITE)[number % 2], point)
    found = list(reviewer(visits).review_moves(game))
    assert [move.number for move in found] == [1, 2, 3, 4, 5]
    assert [move.played.point for move in found] == [move.point for move in game.moves]
    for move in found:
        assert move.loss >= 0.0
        assert 1 <= move.rank <= move.candidates
        assert 0.0 <= move.played.win_rate <= 1.0
        assert (move.loss == 0.0) == (move.best == move.played)


def test_a_blunder_loses_what_it_costs() -> None:
    """Black takes nine points by B2; after a pass White does."""
    game = Game(3, 0.5)
    game.play(BLACK, PASS)
    blunder = next(reviewer(400).review_moves(game))
    assert blunder.best.point == point_from_vertex("B2", 3)
    assert blunder.loss > 4.0


@pytest.mark.parametrize("visits", [2, 60])
def test_both_moves_carry_what_the_search_found_of_them(visits: int) -> None:
    game = Game(5, 0.5)
    game.play(BLACK, point_from_vertex("A1", 5))
    game.play(WHITE, point_from_vertex("C3", 5))
    replayed = Game(5, 0.5)
    for move in reviewer(visits).review_moves(game):
        for judged in (move.played, move.best):
            assert judged.visits is not None
            assert 0 <= judged.visits <= visits
            assert judged.ownership is not None
            owned = 2.0 * judged.ownership.sum() - 25 - 0.5
            assert judged.lead == pytest.approx(owned, abs=4.0)  # by visits, not by position
            after = replayed.copy()
            side = move.color
            for point in (judged.point, *judged.line):
                after.play(side, point)  # raises where it is not legal
                side = opponent(side)
        replayed.play(move.color, move.played.point)
