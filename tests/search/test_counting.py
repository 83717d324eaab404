"""A finished position is counted, whatever small doubts are left in it."""

import numpy as np
import numpy.typing as npt
import pytest

from katachi.evaluators.chances import OPEN, SETTLED, chances_of, counted_share, winning_logits
from katachi.rules.board import Board
from katachi.rules.color import BLACK, WHITE
from katachi.rules.game import Game
from katachi.rules.point import PASS
from katachi.search.counting import (
    count_position,
    counted_difference,
    even_playouts,
    two_views,
)

WALLS = """
    . . X O . .
    . . X O . .
    . . X O . .
    . . X . O .
    . . X O . .
    . O X O . .
"""
"""White's stone on Black's side is dead, and a point in the middle is nobody's."""


def walls() -> Game:
    game = Game(6, komi=0.5)
    board = Board.from_diagram(WALLS)
    game.place_setup(board.points_of_color(BLACK), board.points_of_color(WHITE))
    game.play(BLACK, PASS)
    return game


def nearly_sure(doubt: float) -> npt.NDArray[np.float32]:
    """[1, 36] the owners of `walls`, each in doubt like this."""
    is_black = np.tile([True, True, True, False, False, False], 6)
    return np.where(is_black, 1.0 - doubt, doubt)[None].astype(np.float32)


def difference(game: Game, owners: npt.NDArray[np.float32]) -> npt.NDArray[np.float64]:
    """What counting adds, [36]."""
    counting = count_position(game, owners)
    assert counting is not None
    return np.asarray(counted_difference(counting, game.words[None], owners)[0])


def variance_of(doubt: float) -> float:
    return 4.0 * doubt * (1.0 - doubt)


def test_a_finished_position_is_counted() -> None:
    owners = nearly_sure(0.01)
    owned = 2.0 * owners[0] - 1.0 + difference(walls(), owners)
    assert owned.sum() == pytest.approx(18 - 17)
    assert owned[21] == pytest.approx(0.0, abs=1e-6)
    assert owned[31] == pytest.approx(1.0)


def test_the_share_that_is_counted_falls_with_what_is_open() -> None:
    doubts = np.linspace(0.0, 0.5, 30)
    shares = [float(counted_share(nearly_sure(doubt))[0]) for doubt in doubts]
    assert shares == sorted(shares, reverse=True)
    for doubt, share in zip(doubts, shares, strict=True):
        assert (share == 1.0) == (variance_of(doubt) <= SETTLED)
        assert (share == 0.0) == (variance_of(doubt) >= OPEN)


def test_an_open_position_is_not_counted() -> None:
    assert count_position(walls(), nearly_sure(0.1)) is None


def test_a_game_that_goes_on_is_not_counted() -> None:
    game = walls()
    game.undo()
    assert count_position(game, nearly_sure(0.01)) is None


def test_counting_favours_no_colour() -> None:
    game, swapped = walls(), Game(6, komi=0.5)
    board = Board.from_diagram(WALLS)
    swapped.place_setup(board.points_of_color(WHITE), board.points_of_color(BLACK))
    swapped.play(BLACK, PASS)
    owners = nearly_sure(0.04)
    there = difference(game, owners)
    back = difference(swapped, (1.0 - owners).astype(np.float32))
    np.testing.assert_allclose(there, -back, atol=1e-6)
    playouts = [even_playouts(two_views(each.colors, 6), 6) for each in (game, swapped)]
    np.testing.assert_array_equal(playouts[0], -playouts[1])


@pytest.mark.parametrize("points", [81, 169, 361])
def test_a_lead_that_was_counted_is_nearly_certain(points: int) -> None:
    owners, lead = np.full((1, points), 0.95, np.float32), np.array([8.5])
    counted, guessed = (chances_of(winning_logits(owners, lead, each))[0] for each in (1.0, 0.0))
    assert counted > 0.95
    assert 0.5 < guessed < counted
