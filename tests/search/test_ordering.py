"""Moves are listed and ranked as the oracle and the table of tiers say."""

import numpy as np
import pytest
from hypothesis import given

from katachi.rules.color import BLACK, WHITE
from katachi.rules.game import Game
from katachi.rules.point import PASS, point_from_vertex, points_of, vertex_from_point
from katachi.search.afterstates import sensible_moves
from katachi.search.frames import (
    COUNT,
    DEPTH,
    HAS_ORDER,
    KO_RULE,
    OPTIONS,
    SIDE,
    SORTED_FROM,
    SUICIDE,
    Search,
    new_search,
)
from katachi.search.ordering import (
    list_moves,
    note_refutation,
    rank_moves,
    take_best,
    touches_atari,
)
from katachi.search.transpositions import new_table
from tests.oracle.games import point_of, random_games, stones_of
from tests.oracle.go import Stones, liberties_of, neighbors_of, region_of, spots_of

pytestmark = pytest.mark.kernel


def search_of(game: Game, depth: int = 3) -> Search:
    """A search whose first frame has Black's moves."""
    options = np.zeros(OPTIONS, np.int64)
    options[[KO_RULE, SUICIDE]] = game.rules.ko.value, game.rules.suicide
    options[[HAS_ORDER, SORTED_FROM]] = 1, 3
    search = new_search(game.state, options, new_table(0))
    search.frames[0, [SIDE, DEPTH]] = BLACK, depth
    search.frames[0, COUNT] = list_moves(search, BLACK, search.moves[0])
    return search


@given(random_games(max_size=6, longest=60))
def test_the_moves_are_the_sensible_ones_or_a_pass(game: Game) -> None:
    search = search_of(game)
    for color in (BLACK, WHITE):
        count = list_moves(search, color, search.frontier)
        expected = sensible_moves(game, color).tolist() or [PASS]
        assert search.frontier[:count].tolist() == expected


def is_last_liberty(stones: Stones, size: int, spot: tuple[int, int]) -> bool:
    beside = [n for n in neighbors_of(spot, size) if n in stones]
    return any(liberties_of(stones, size, region_of(stones, size, n)) == {spot} for n in beside)


@given(random_games(max_size=6, longest=60))
def test_ataris_are_the_oracles(game: Game) -> None:
    stones = stones_of(game)
    for spot in spots_of(game.size):
        if spot not in stones:
            expected = is_last_liberty(stones, game.size, spot)
            assert bool(touches_atari(game.words, point_of(spot))) == expected


def order_of(search: Search, first: int = PASS) -> list[str]:
    """All moves of the first frame in the order in which they would be tried."""
    rank_moves(search, first)
    count = int(search.frames[0, COUNT])
    for index in range(count):
        take_best(search.moves[0], search.ranks[0], index, count)
    return [vertex_from_point(int(p), 3) for p in search.moves[0, :count]]


BOARD_ORDER = [vertex_from_point(int(p), 3) for p in points_of(3)]


def test_without_a_reason_moves_keep_the_order_of_the_board() -> None:
    assert order_of(search_of(Game(3))) == BOARD_ORDER
    search = search_of(Game(3))
    search.options[HAS_ORDER] = 0
    assert order_of(search, point_from_vertex("C1", 3)) == BOARD_ORDER


def test_the_order_is_table_killers_killers_below_ataris_history() -> None:
    game = Game(3)
    game.play(WHITE, point_from_vertex("A3", 3))
    game.play(BLACK, point_from_vertex("A2", 3))
    search = search_of(game)
    search.killers[0] = [point_from_vertex(v, 3) for v in ("C1", "B1", "A1")]
    search.killers[1] = [point_from_vertex(v, 3) for v in ("C3", "B1", "B2")]
    search.history[BLACK, point_from_vertex("C2", 3)] = 8
    order = order_of(search, point_from_vertex("A1", 3))
    assert order == ["A1", "C1", "B1", "C3", "B3", "C2", "B2"]


@pytest.mark.parametrize(("depth", "first"), [(3, "B2"), (2, "A3")])
def test_history_sorts_only_well_above_the_leaves(depth: int, first: str) -> None:
    search = search_of(Game(3), depth)
    search.history[BLACK, point_from_vertex("B2", 3)] = 8
    assert order_of(search)[0] == first


def test_a_refutation_is_remembered_as_killer_and_in_history() -> None:
    search = search_of(Game(3))
    for move in (70, 71, 72, 71, 73):
        note_refutation(search, 0, move)
    assert search.killers[0].tolist() == [73, 71, 72]
    assert search.history[BLACK, 70:74].tolist() == [8, 16, 8, 8]
    note_refutation(search, 0, PASS)
    assert search.killers[0].tolist() == [73, 71, 72]


def test_history_never_reaches_the_next_tier() -> None:
    search = search_of(Game(3))
    search.history[:] = (1 << 42) - 5
    note_refutation(search, 0, point_from_vertex("B2", 3))
    assert search.history.max() == (1 << 42) - 1
    assert order_of(search, point_from_vertex("C1", 3))[:2] == ["C1", "B2"]
