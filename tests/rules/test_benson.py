"""Unconditional life is what the oracle says it is."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from katachi.rules.benson import settled_owners
from katachi.rules.board import Board
from katachi.rules.color import BLACK
from katachi.rules.game import Game
from katachi.rules.random_play import play_random_moves, random_states
from katachi.rules.state import Words
from tests.oracle.benson import settled_owners as oracle_settled_owners
from tests.oracle.games import random_games, stones_of
from tests.oracle.go import Stones, spots_of


def stones_on(words: Words) -> Stones:
    board = Board(words)
    spots = zip(spots_of(board.size), board.colors.tolist(), strict=True)
    return {spot: color for spot, color in spots if color}


def assert_same(words: Words) -> int:
    """Compares with the oracle; the number of settled points."""
    size = Board(words).size
    expected = oracle_settled_owners(stones_on(words), size)
    owners = settled_owners(words)
    assert owners.tolist() == [expected[spot] for spot in spots_of(size)]
    return int(np.count_nonzero(owners))


@pytest.mark.kernel
@given(st.integers(2, 7), st.integers(0, 2**32 - 1), st.integers(0, 60))
def test_settled_points_of_random_positions_are_the_oracles(
    size: int, seed: int, plies: int
) -> None:
    words = Game(size).words
    play_random_moves(words, BLACK, plies, random_states(seed, 0, 1)[0])
    assert_same(words)


@given(random_games(max_size=6))
def test_settled_points_are_the_oracles_also_where_eyes_are_filled(game: Game) -> None:
    assert stones_of(game) == stones_on(game.words)
    assert_same(game.words)


@pytest.mark.parametrize(("size", "games"), [(5, 60), (7, 25), (9, 12), (13, 2)])
def test_settled_points_of_finished_random_games_are_the_oracles(size: int, games: int) -> None:
    settled = 0
    for seed in random_states(size, 0, games):
        words = Game(size).words
        play_random_moves(words, BLACK, 3 * size * size, seed)
        settled += assert_same(words)
    assert settled > games * size * size // 2
