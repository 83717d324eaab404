"""Positions to search, and results to compare."""

import random
from collections.abc import Iterator, Sequence

from katachi.rules.board import Board
from katachi.rules.color import BLACK, WHITE
from katachi.rules.game import Game
from katachi.rules.ruleset import Rules
from katachi.rules.state import EMPTY_COUNT
from katachi.search.alphabeta import SearchResult
from tests.oracle.games import EVERY_RULES, play_random_move

KOMIS = (7.5, 0.5, 0.0, -3.0, 2.0)


def positions(
    size: int, count: int, seed: int, empties: int, rules: Sequence[Rules] = EVERY_RULES
) -> Iterator[Game]:
    """Positions of random games of any length with at most so many empty points."""
    source = random.Random(seed)
    while count > 0:
        game = Game(size, source.choice(KOMIS), source.choice(rules))
        for _ in range(source.randrange(4 * size * size)):
            play_random_move(game, source)
        if game.words[EMPTY_COUNT] <= empties:
            count -= 1
            yield game


def game_from(diagram: str, komi: float) -> Game:
    board = Board.from_diagram(diagram)
    game = Game(board.size, komi)
    game.place_setup(board.points_of_color(BLACK), board.points_of_color(WHITE))
    return game


def without_time(result: SearchResult) -> SearchResult:
    """A result without what no two searches have in common."""
    return result._replace(seconds=0.0)
