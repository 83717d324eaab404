"""Propensity of large squares, counted and read, is the oracle's."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from katachi.errors import KatachiError
from katachi.features.game_ends import Ending
from katachi.features.large_propensity import (
    LargeTable,
    check_table,
    empty_table,
    hash_squares,
    new_hashes,
    read_large,
    square_keys,
)
from katachi.features.large_propensity_fit import LargeSettings, fit_large
from katachi.records.dataset import set_of_records
from katachi.records.stones import ragged_from_parts
from katachi.rules.point import CELLS, points_of
from katachi.rules.state import Words
from tests.features.recorded_games import RecordedGame
from tests.oracle.go import spots_of
from tests.oracle.squares import OracleSquares

pytestmark = pytest.mark.slow

SIGNS = {1: 1, 2: -1}
games_of = st.builds(RecordedGame, st.integers(2, 7), st.integers(0, 2**32 - 1), st.integers(0, 30))


def read(words: Words, size: int, table: LargeTable) -> list[float]:
    said = np.full(CELLS, 7, np.float32)
    read_large(words, square_keys(), table, new_hashes(), said)
    return [float(each) for each in said[points_of(size)]]


def small(fewest: int, ending: Ending = Ending.STONES, plies: int = 60) -> LargeSettings:
    return LargeSettings(
        fewest=fewest, ending=ending, plies=plies, bin_bits=20, table_bits=16, prior=1
    )


@given(st.lists(games_of, min_size=1, max_size=2), games_of, st.integers(1, 3))
@settings(max_examples=15)
def test_fitted_and_read_it_is_the_oracles(
    games: list[RecordedGame], other: RecordedGame, fewest: int
) -> None:
    table = fit_large(set_of_records(game.record for game in games), small(fewest))
    oracle = OracleSquares(1, fewest)
    for game in games:
        final = {spot: SIGNS[color] for spot, color in game.positions[-1].items()}
        oracle.add_game(game.positions, game.size, final)
    for shown in (games[0], other):
        expected = [
            oracle.score(shown.positions[-1], shown.size, spot) for spot in spots_of(shown.size)
        ]
        found = read(shown.game.words, shown.size, table)
        np.testing.assert_allclose(found, expected, atol=1e-6)


def test_what_all_own_is_learned() -> None:
    game = RecordedGame(7, 3, 12)
    owners = ragged_from_parts([np.ones(49)], np.int8)
    table = fit_large(set_of_records([game.record]), small(1, Ending.OWNERS), owners)
    assert set(read(game.game.words, 7, table)) == {0.5}


def test_positions_after_many_moves_are_not_looked_at() -> None:
    game = RecordedGame(7, 3, 12)
    owners = ragged_from_parts([np.ones(49)], np.int8)
    table = fit_large(set_of_records([game.record]), small(1, Ending.OWNERS, plies=2), owners)
    assert 0.0 in read(game.game.words, 7, table)


@pytest.mark.kernel
def test_hashes_do_not_depend_on_what_was_hashed_before() -> None:
    game = RecordedGame(5, 3, 8)
    fresh, used = new_hashes(), new_hashes()
    used[:] = 7
    for hashes in (fresh, used):
        hash_squares(game.game.words, square_keys(), hashes)
    np.testing.assert_array_equal(fresh, used)
    assert read(game.game.words, 5, empty_table()) == [0.0] * 25


def test_a_full_table_remembers_no_more() -> None:
    game = RecordedGame(7, 3, 30)
    narrow = LargeSettings(fewest=1, bin_bits=10, table_bits=6)
    table = fit_large(set_of_records([game.record]), narrow)
    assert np.count_nonzero(table.key) == 32


def test_arrays_that_are_no_table_are_refused() -> None:
    for key, score in (((3,), (3,)), ((4,), (2,)), ((2, 2), (2, 2))):
        with pytest.raises(KatachiError, match="no table of large patterns"):
            check_table(LargeTable(np.zeros(key, np.uint64), np.zeros(score, np.float32)))
