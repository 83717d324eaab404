"""Tree search equals exhaustive search where that can be done."""

import contextlib
import random

import numpy as np
import pytest

from katachi.evaluators.simple import ConstantEvaluator
from katachi.rules.color import BLACK, opponent
from katachi.rules.game import Game
from katachi.rules.point import PASS, point_from_vertex
from katachi.rules.state import EMPTY_COUNT
from katachi.search.afterstates import sensible_moves
from katachi.search.tree_search import Goal, TreeLimits, TreeSearch
from tests.oracle.games import play_random_move
from tests.search.tree_judges import by_nobody

MOST_POSITIONS = 250


class TooLarge(Exception):
    pass


class Reader:
    """Reads a game to its end, every sensible move and the pass."""

    def __init__(self) -> None:
        self.left = MOST_POSITIONS

    def wins(self, game: Game, color: int) -> bool:
        """Whether `color`, who moves, wins."""
        return any(self.move_wins(game, color, move) for move in moves_of(game, color))

    def move_wins(self, game: Game, color: int, move: int) -> bool:
        self.left -= 1
        if self.left < 0:
            raise TooLarge
        twin = game.copy()
        twin.play(color, move)
        if twin.is_over:
            return (twin.area_score() > 0) == (color == BLACK)
        return not self.wins(twin, opponent(color))


def moves_of(game: Game, color: int) -> list[int]:
    return [*sensible_moves(game, color).tolist(), PASS]


def late_positions(size: int, seed: int) -> list[tuple[Game, set[int]]]:
    """Late positions of random games that can be read, and the moves that win there."""
    source = random.Random(seed)
    found: list[tuple[Game, set[int]]] = []
    for _ in range(60):
        game = Game(size, source.choice((0.5, 1.5, 4.5)))
        for _ in range(source.randrange(2 * size * size, 4 * size * size)):
            play_random_move(game, source)
        if game.words[EMPTY_COUNT] > 4 or game.is_over:
            continue
        color, reader = game.to_play, Reader()
        with contextlib.suppress(TooLarge):
            winning = {m for m in moves_of(game, color) if reader.move_wins(game, color, m)}
            found.append((game, winning))
    return found


@pytest.mark.parametrize("size", [3, 4, 5])
def test_it_finds_what_can_be_read_to_the_end(size: int) -> None:
    positions = late_positions(size, 20 + size)
    assert len(positions) >= 3
    for game, winning in positions:
        search = TreeSearch(ConstantEvaluator(), TreeLimits(batch=1, memory=8 << 20), by_nobody)
        found = search.search(game, game.to_play, Goal(visits=1500, is_for_move=False))
        assert (found.moves[0].point in winning) == bool(winning)
        assert (found.win_rate > 0.5) == bool(winning)


@pytest.mark.parametrize(("komi", "is_won"), [(8.5, True), (9.5, False)])
def test_black_wins_an_empty_3x3_board_by_nine(komi: float, is_won: bool) -> None:
    search = TreeSearch(ConstantEvaluator(), TreeLimits(batch=1, memory=64 << 20))
    found = search.search(
        Game(3, komi), BLACK, Goal(visits=6000, is_for_move=False), np.random.default_rng(1)
    )
    assert (found.win_rate > 0.5) == is_won
    if is_won:
        assert found.moves[0].point == point_from_vertex("B2", 3)
        assert found.win_rate > 0.8
        assert found.lead is not None
