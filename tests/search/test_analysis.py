"""An analysis tells the mover's side of what the evaluator says of each move."""

import numpy as np
import pytest
from hypothesis import given

from katachi.evaluators.chances import judged, logits_of
from katachi.evaluators.protocol import Evaluation, Evaluator
from katachi.evaluators.simple import AverageLiberties, ConstantEvaluator
from katachi.players.evaluating import EvaluatingPlayer
from katachi.rules.board import Board
from katachi.rules.color import BLACK, WHITE
from katachi.rules.game import Game
from katachi.rules.point import PASS, point_from_vertex, points_of
from katachi.rules.state import BoardState, colors_of
from katachi.search.afterstates import sensible_moves
from katachi.search.analysis import (
    FEWEST_VISITS,
    PSEUDO_VISITS,
    REPLY_SHARE,
    analyse,
    mover_values,
)
from tests.oracle.games import random_games


class StoneCounter:
    """Black's share of the stones, and each stone's point owned by its colour."""

    name = "stone counter"

    def evaluate(self, states: BoardState) -> Evaluation:
        colors = colors_of(states.words)
        black, white = (colors == BLACK).sum(axis=1), (colors == WHITE).sum(axis=1)
        ownership = np.choose(colors, [0.5, 1.0, 0.0]).astype(np.float32)
        return Evaluation((black + 1) / (black + white + 2), ownership)


class StoneShare(StoneCounter):
    """The same by an evaluator that knows no owners."""

    def evaluate(self, states: BoardState) -> Evaluation:
        return Evaluation(super().evaluate(states).value)


@given(random_games(max_size=7))
def test_candidates_are_the_sensible_moves_with_the_best_first(game: Game) -> None:
    color = game.to_play
    candidates = analyse(AverageLiberties(), game, color).candidates
    moves = sensible_moves(game, color).tolist() or [PASS]
    assert sorted(c.point for c in candidates) == moves
    rates = [c.win_rate for c in candidates]
    assert rates == sorted(rates, reverse=True)


@given(random_games(max_size=7))
def test_priors_sum_to_one_and_visits_follow_them(game: Game) -> None:
    candidates = analyse(AverageLiberties(), game, game.to_play).candidates
    assert sum(c.prior for c in candidates) == pytest.approx(1.0)
    for candidate in candidates:
        assert FEWEST_VISITS <= candidate.visits <= PSEUDO_VISITS + 1
    visits = [c.visits for c in candidates]
    assert visits == sorted(visits, reverse=True)


def capture_race() -> Game:
    game = Game(4)
    board = Board.from_diagram(
        """
        . . . .
        . X O .
        . O X .
        . . . .
        """
    )
    game.place_setup(board.points_of_color(BLACK), board.points_of_color(WHITE))
    return game


@pytest.mark.parametrize("color", [BLACK, WHITE])
def test_win_rates_are_the_movers(color: int) -> None:
    game = capture_race()
    points = sensible_moves(game, color)
    rates = mover_values(StoneShare(), game, color, points)
    assert rates.tolist() == pytest.approx([4 / 7] * len(points))


def test_ownership_is_the_movers_and_an_estimate_where_the_evaluator_has_one() -> None:
    game = capture_race()
    black = analyse(StoneCounter(), game, BLACK)
    white = analyse(StoneCounter(), game, WHITE)
    assert black.is_estimate
    assert black.ownership[5] == 1.0
    assert white.ownership.tolist() == (-black.ownership).tolist()


def test_without_an_estimate_ownership_is_that_of_random_continuations() -> None:
    game = Game(5, komi=0.5)
    game.place_setup([int(p) for p in points_of(5)[:15] if p != point_from_vertex("C5", 5)], [])
    game.play(WHITE, point_from_vertex("C1", 5))
    analysis = analyse(AverageLiberties(), game, BLACK)
    assert not analysis.is_estimate
    assert (abs(analysis.ownership) <= 1.0).all()
    assert analysis.ownership[:10].min() > 0.5
    assert analysis.lead is None
    assert {candidate.lead for candidate in analysis.candidates} == {None}
    assert analysis.owned_after == {}


@given(random_games(max_size=6, longest=40))
def test_two_analyses_of_a_position_are_the_same(game: Game) -> None:
    once, again = (analyse(AverageLiberties(), game, game.to_play) for _ in range(2))
    assert once.candidates == again.candidates
    assert once.ownership.tolist() == again.ownership.tolist()


def test_both_sides_see_one_position() -> None:
    game = capture_race()
    black = analyse(StoneCounter(), game, BLACK)
    white = analyse(StoneCounter(), game, WHITE)
    assert black.ownership.tolist() == (-white.ownership).tolist()
    # A stone is a point, and the answer takes some of it back.
    assert black.lead == pytest.approx(-7.5 + 1 - REPLY_SHARE)
    assert white.lead == pytest.approx(7.5 + 1 - REPLY_SHARE)


@pytest.mark.parametrize("evaluator", [AverageLiberties(), StoneCounter()])
def test_a_position_is_worth_its_best_move(evaluator: Evaluator) -> None:
    analysis = analyse(evaluator, capture_race(), WHITE)
    best = analysis.candidates[0]
    assert (analysis.win_rate, analysis.lead) == (best.win_rate, best.lead)


def test_a_pass_is_judged_where_owners_are_known() -> None:
    candidates = analyse(StoneCounter(), capture_race(), BLACK).candidates
    *moves, passing = candidates
    assert passing.point == PASS
    assert all(move.lead == pytest.approx(-7.5 + 1 - REPLY_SHARE) for move in moves)
    assert passing.lead == pytest.approx(-7.5 - REPLY_SHARE)


def test_a_pass_comes_first_where_nothing_is_left_to_gain() -> None:
    class Settled:
        name = "settled"

        def evaluate(self, states: BoardState) -> Evaluation:
            owned = np.full((len(states.words), 25), 0.9, np.float32)
            return Evaluation(np.full(len(states.words), 0.9), owned)

    analysis = analyse(Settled(), Game(5), BLACK)
    assert analysis.candidates[0].point == PASS
    assert analysis.policy[PASS] == 0.5
    assert analyse(StoneCounter(), Game(5), BLACK).candidates[0].point != PASS


@pytest.mark.parametrize("color", [BLACK, WHITE])
@pytest.mark.parametrize("komi", [60.5, 7.5, 0.5, 0.0, -60.5])
def test_who_leads_at_the_games_komi_is_the_likelier_winner(komi: float, color: int) -> None:
    game = capture_race()
    game.komi = komi
    analysis = analyse(StoneCounter(), game, color)
    black = -komi if color == BLACK else komi
    assert analysis.lead == pytest.approx(black + 1 - REPLY_SHARE)
    for win_rate, lead in [analysis[1:3], *((c.win_rate, c.lead) for c in analysis.candidates)]:
        assert lead is not None
        assert np.sign(win_rate - 0.5) == np.sign(lead)


def test_who_knows_no_owners_cannot_tell_what_komi_is_worth() -> None:
    low, high = Game(5, komi=0.5), Game(5, komi=20.5)
    one, other = (analyse(AverageLiberties(), game, BLACK) for game in (low, high))
    assert one.win_rate == other.win_rate


class Certain:
    """Counts stones, each so dear that chances are 0 and 1 for all that a number can hold."""

    name = "certain"

    def evaluate(self, states: BoardState) -> Evaluation:
        colors = colors_of(states.words).astype(int)
        places = np.arange(colors.shape[1])
        worth = ((colors == BLACK) * (50 + places)).sum(axis=1)
        return judged(worth - ((colors == WHITE) * (50 + places)).sum(axis=1).astype(float))


@pytest.mark.parametrize("color", [BLACK, WHITE])
def test_moves_that_are_all_won_or_lost_are_kept_apart(color: int) -> None:
    game = Game(4)
    for move in ("A1", "B3", "D2"):
        game.play(color, point_from_vertex(move, 4))
    for mover in (color, 3 - color):
        points = sensible_moves(game, mover).tolist()
        best = max(points)
        choices = {EvaluatingPlayer("", Certain(), n).choose(game, mover).point for n in range(9)}
        assert choices == {best}
        candidates = analyse(Certain(), game, mover).candidates
        assert [c.point for c in candidates] == points[::-1]
        assert [c.rank for c in candidates] == list(range(1, len(points) + 1))
        rates = mover_values(Certain(), game, mover, sensible_moves(game, mover))
        assert (rates > 0.0).all() if mover != color else (rates > 0.5).all()


def test_chances_without_logits_are_held_alike_at_both_ends() -> None:
    chances = np.array([0.0, 1e-300, 1e-3, 0.5, 0.999, 1.0])
    logits = logits_of(chances)
    assert np.isfinite(logits).all()
    np.testing.assert_allclose(logits, -logits_of(1.0 - chances), rtol=1e-12)


def test_given_points_are_the_only_candidates() -> None:
    game = Game(5)
    points = np.array([point_from_vertex(v, 5) for v in ("C3", "A1")], np.uint16)
    candidates = analyse(AverageLiberties(), game, BLACK, points).candidates
    assert [c.point for c in candidates] == points.tolist()


def test_an_analysis_does_not_change_the_game() -> None:
    game = capture_race()
    before = game.words.copy()
    analyse(StoneCounter(), game, BLACK)
    assert np.array_equal(game.words, before)
    assert game.moves == []


def test_moves_of_one_value_share_a_rank() -> None:
    candidates = analyse(ConstantEvaluator(), Game(3), BLACK).candidates
    assert {candidate.rank for candidate in candidates} == {1}
