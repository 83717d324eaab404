"""A game reviewed by tree search."""

import pytest

from katachi.evaluators.simple import AverageLiberties
from katachi.rules.color import BLACK, WHITE
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
