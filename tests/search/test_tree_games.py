"""Many games at once: they end, obey the rules, and what is kept of them adds up."""

import numpy as np
import pytest

from katachi.evaluators.simple import AverageLiberties
from katachi.rules.area import area_owners
from katachi.rules.game import Game
from katachi.rules.point import PASS
from katachi.search.tree_games import FinishedGame, GamePlan, TreeGames
from katachi.search.tree_leaves import judge_of

PLAN = GamePlan(size=4, komi=0.5, games=3, visits=12, quick_visits=4, full_share=0.5, batch=4)


def play(count: int, seed: int) -> list[FinishedGame]:
    games, finished = TreeGames(PLAN, seed), list[FinishedGame]()
    judge = judge_of(AverageLiberties(), PLAN.komi)
    while len(finished) < count:
        finished += games.step(judge)
    return finished


@pytest.fixture(scope="module")
def games() -> list[FinishedGame]:
    return play(4, seed=1)


def replayed(finished: FinishedGame) -> Game:
    game = Game(PLAN.size, PLAN.komi)
    for point in finished.moves:
        game.play(game.to_play, point)
    return game


def test_games_are_legal_under_superko_and_end(games: list[FinishedGame]) -> None:
    limit = int(PLAN.moves_a_point * PLAN.size**2)
    for finished in games:
        game = replayed(finished)
        assert game.is_over or len(game.moves) == limit
        assert np.array_equal(finished.owners, area_owners(game.words))


def test_what_is_kept_are_positions_of_the_game_and_shares_of_visits(
    games: list[FinishedGame],
) -> None:
    assert any(finished.searched for finished in games)
    for finished in games:
        game, boards = Game(PLAN.size, PLAN.komi), set()
        for point in finished.moves:
            boards.add((game.colors.tobytes(), game.to_play))
            game.play(game.to_play, point)
        for kept in finished.searched:
            position = Game(PLAN.size)
            position.words[:] = kept.words
            assert (position.colors.tobytes(), kept.color) in boards
            assert kept.policy.sum() == pytest.approx(1.0, abs=1e-6)
            assert (kept.policy >= 0).all()
            assert not kept.policy[:-1][position.colors != 0].any()
            assert 0.0 <= kept.value <= 1.0


def test_equal_seeds_play_equal_games() -> None:
    first, again, other = play(2, seed=3), play(2, seed=3), play(2, seed=4)
    assert [each.moves for each in first] == [each.moves for each in again]
    assert [each.moves for each in first] != [each.moves for each in other]
    assert all(each.moves[-1] == PASS or len(each.moves) == 32 for each in first)
