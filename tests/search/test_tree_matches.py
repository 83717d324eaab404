"""Games between numbers of visits are those of the tree player."""

import numpy as np
import pytest

from katachi.arena.game import play_game
from katachi.arena.settings import GameSettings
from katachi.evaluators.simple import AverageLiberties
from katachi.players.protocol import Choice
from katachi.players.tree import TreePlayer
from katachi.rules.area import area_difference
from katachi.rules.color import BLACK
from katachi.rules.game import Game, Move
from katachi.rules.point import point_from_row_col
from katachi.search.tree_leaves import Comparing, Judge
from katachi.search.tree_limits import TreeLimits
from katachi.search.tree_matches import MatchGame, MatchPlan, play_match
from katachi.search.tree_search import TreeSearch

SIZE, KOMI = 5, 0.5
OPENINGS = [[point_from_row_col(2, 2)], [point_from_row_col(1, 1), point_from_row_col(3, 3)]]


def judge() -> Judge:
    """By average liberties alone: what it says of a position is always the same."""
    return Comparing(AverageLiberties(), KOMI, playouts=0)


class Forgetful(TreePlayer):
    """Searches each move from an empty tree."""

    def choose(self, game: Game, color: int, seconds: float | None = None) -> Choice:
        """The same, with nothing kept from the move before."""
        self.searcher.forget()
        return super().choose(game, color, seconds)


def by_players(visits: tuple[int, int], number: int, batch: int) -> list[int]:
    """The moves of game `number` of a match, played by players one after another."""
    first, second = (
        Forgetful(
            str(each),
            TreeSearch(AverageLiberties(), TreeLimits(batch=batch), lambda *_: judge()),
            visits=each,
        )
        for each in visits
    )
    black, white = (first, second) if number % 2 == 0 else (second, first)
    opening = [Move(BLACK + n % 2, point) for n, point in enumerate(OPENINGS[number // 2])]
    outcome = play_game(black, white, GameSettings(SIZE, KOMI), opening)
    return [int(move) for move in outcome.record.moves]


@pytest.mark.parametrize(("visits", "batch"), [((20, 5), 1), ((40, 9), 4)])
def test_games_are_those_of_players_that_begin_each_move_anew(
    visits: tuple[int, int], batch: int
) -> None:
    games = play_match(MatchPlan(SIZE, KOMI, visits, batch), OPENINGS, judge())
    assert [game.moves for game in games] == [by_players(visits, n, batch) for n in range(4)]


def replayed(finished: MatchGame) -> Game:
    game = Game(SIZE, KOMI)
    for point in finished.moves:
        game.play(game.to_play, point)
    return game


def test_the_lead_is_that_of_the_first_player() -> None:
    games = play_match(MatchPlan(SIZE, KOMI, (12, 3)), OPENINGS, judge())
    for number, finished in enumerate(games):
        black = area_difference(replayed(finished).words) - KOMI
        assert finished.lead == (black if number % 2 == 0 else -black)
        assert np.array_equal(finished.moves[: len(OPENINGS[number // 2])], OPENINGS[number // 2])


def test_a_game_that_comes_to_no_end_is_a_draw() -> None:
    plan = MatchPlan(SIZE, KOMI, (4, 4), moves_a_point=1)
    for game in play_match(plan._replace(moves_a_point=0), [[]], judge()):
        assert (game.moves, game.lead) == ([], 0.0)
    assert all(len(game.moves) <= plan.limit for game in play_match(plan, OPENINGS, judge()))
