"""Tree search equals exhaustive search where that can be done, and finds the known results of empty
boards."""

import contextlib
import itertools
import random
from collections.abc import Iterator

import numpy as np
import pytest

from katachi.evaluators.protocol import Evaluator
from katachi.evaluators.shipped import ShapeOfEverySize
from katachi.evaluators.simple import ConstantEvaluator
from katachi.rules.color import BLACK
from katachi.rules.game import Game
from katachi.rules.point import PASS, vertex_from_point
from katachi.search.tree_leaves import Comparing, Judge
from katachi.search.tree_limits import Goal, TreeLimits
from katachi.search.tree_search import TreeResult, TreeSearch
from tests.oracle.score_minimax import Minimax, TooLarge, moves_of
from tests.search.tree_judges import by_nobody

MOST_POSITIONS = 1000
LATE_VISITS = 2500


def late_game(size: int, source: random.Random) -> Game:
    """A few moves before the end of a random game in which nobody fills eyes."""
    game = Game(size, 0.0)
    while not game.is_over and len(game.moves) < 4 * size * size:
        game.play(game.to_play, source.choice(moves_of(game, game.to_play)[:-1] or [PASS]))
    for _ in range(min(len(game.moves), source.randrange(3, 3 + size))):
        game.undo()
    return game


def read_games(size: int, seed: int) -> Iterator[tuple[Game, float, set[int]]]:
    """Late positions that can be read to the end and in which moves differ, with the score of who
    moves and the best moves."""
    source = random.Random(seed)
    while True:
        game = late_game(size, source)
        with contextlib.suppress(TooLarge):
            score, best = Minimax(MOST_POSITIONS).best(game)
            if len(best) < len(moves_of(game, game.to_play)):
                yield game, score, best


def search_at(game: Game, margin: float) -> TreeResult:
    """What the tree finds where who moves must get so many points to win."""
    twin = game.copy()
    twin.komi = margin if game.to_play == BLACK else -margin
    search = TreeSearch(ConstantEvaluator(), TreeLimits(batch=1, memory=8 << 20), by_nobody)
    return search.search(twin, twin.to_play, Goal(visits=LATE_VISITS, is_for_move=False))


def check_against_reading(game: Game, score: float, best: set[int]) -> None:
    """A win where half a point less is needed, by one of the best moves; else a loss."""
    found = search_at(game, score - 0.5)
    assert found.win_rate > 0.5
    assert found.moves[0].point in best
    assert search_at(game, score + 0.5).win_rate < 0.5


@pytest.mark.parametrize(("size", "is_shared"), [(3, False), (4, False), (5, False), (5, True)])
def test_score_and_move_are_those_of_reading_to_the_end(size: int, is_shared: bool) -> None:
    """Also where both colours live."""
    games = read_games(size, 40 + size)
    wanted = (each for each in games if not is_shared or abs(each[1]) < size * size)
    for game, score, best in itertools.islice(wanted, 6):
        check_against_reading(game, score, best)


def by_random_games(evaluator: Evaluator, komi: float, seed: int) -> Judge:
    """Leaves judged by one random game each; the evaluator says which moves are likely."""
    return Comparing(evaluator, komi, seed, playouts=1, share=1.0)


def search_empty(size: int, komi: float, visits: int) -> TreeResult:
    """The first move on an empty board, with moves by local shape."""
    limits = TreeLimits(memory=1 << 30, exploration=1.2)
    search = TreeSearch(ShapeOfEverySize(), limits, by_random_games)
    goal = Goal(visits=visits, is_for_move=False)
    return search.search(Game(size, komi), BLACK, goal, np.random.default_rng(1))


def check_empty(size: int, score: int, visits: int) -> None:
    """Black wins by this score and by no more; on a board with a centre by playing there."""
    found = search_empty(size, score - 0.5, visits)
    assert found.win_rate > 0.55
    if size % 2:
        middle = (size + 1) // 2
        assert vertex_from_point(found.moves[0].point, size) == f"{'ABC'[middle - 1]}{middle}"
    assert search_empty(size, score + 0.5, visits).win_rate < 0.45


def test_black_wins_an_empty_3x3_board_by_nine() -> None:
    check_empty(3, 9, 3000)


def test_black_wins_an_empty_5x5_board_by_all_of_it() -> None:
    check_empty(5, 25, 5000)


@pytest.mark.slow
@pytest.mark.parametrize(("size", "score"), [(4, 2), (5, 25)])
def test_with_more_visits_empty_boards_are_surer(size: int, score: int) -> None:
    check_empty(size, score, 200_000)
