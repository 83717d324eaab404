"""Propensity, counted and read, is the oracle's."""

import dataclasses

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from katachi.errors import KatachiError
from katachi.features import propensity
from katachi.features.game_ends import Ending
from katachi.features.propensity import (
    CLASSES,
    PATTERNS,
    PropensityTable,
    blank_table,
    check_table,
    class_symmetries,
    new_scratch,
    read_mean_propensity,
    read_propensity,
    window_tables,
)
from katachi.features.propensity_fit import Counting, PropensitySettings, fit_propensity
from katachi.records.dataset import set_of_records
from katachi.records.stones import ragged_from_parts
from katachi.rules.point import PASS, points_of
from katachi.rules.state import Words
from katachi.rules.symmetry import SYMMETRIES, point_tables
from tests.features.recorded_games import RecordedGame
from tests.oracle.go import Spot, spots_of
from tests.oracle.territory import OraclePropensity, spells_of

SIGNS = {0: 0, 1: 1, 2: -1}

games_of = st.builds(RecordedGame, st.integers(3, 9), st.integers(0, 2**32 - 1), st.integers(0, 70))


def final_of(game: RecordedGame, *, is_owner: bool) -> dict[Spot, int]:
    """Who holds each spot; owners are drawn at random, for the test only."""
    if is_owner:
        drawn = np.random.default_rng(game.seed).integers(-1, 2, game.size**2).tolist()
        return dict(zip(spots_of(game.size), drawn, strict=True))
    return {spot: SIGNS[color] for spot, color in game.positions[-1].items()}


def fit(games: list[RecordedGame], choice: PropensitySettings) -> PropensityTable:
    finals = [final_of(game, is_owner=True) for game in games]
    parts = [np.array([f[s] for s in spots_of(g.size)]) for g, f in zip(games, finals, strict=True)]
    owners = ragged_from_parts(parts, np.int8)
    return fit_propensity(set_of_records(g.record for g in games), choice, owners)


def fit_oracle(games: list[RecordedGame], choice: PropensitySettings) -> OraclePropensity:
    is_every = choice.counting is Counting.POSITIONS
    spells = []
    for game in games:
        final = final_of(game, is_owner=choice.ending is Ending.OWNERS)
        spells += spells_of(game.positions, game.size, final, is_every_position=is_every)
    return OraclePropensity(spells)


def windows_read(words: Words, size: int, table: PropensityTable) -> propensity.PropensityScratch:
    scratch = new_scratch()
    for each in scratch:
        each[:] = 7
    read_propensity(words, window_tables(size), table, scratch)
    return scratch


choices = st.builds(
    PropensitySettings,
    prior=st.sampled_from([1.0, 0.5, 10.0]),
    counting=st.sampled_from(Counting),
    ending=st.sampled_from(Ending),
    doubt=st.sampled_from([3.0, 100.0]),
)


@given(st.lists(games_of, min_size=1, max_size=3), games_of, choices)
@settings(max_examples=15)
def test_fitted_and_read_it_is_the_oracles(
    games: list[RecordedGame], other: RecordedGame, choice: PropensitySettings
) -> None:
    table, oracle = fit(games, choice), fit_oracle(games, choice)
    for shown in (games[0], other):
        check_reading(shown, table, oracle, choice)


def check_reading(
    shown: RecordedGame,
    table: PropensityTable,
    oracle: OraclePropensity,
    choice: PropensitySettings,
) -> None:
    size = shown.size
    scratch = windows_read(shown.game.words, size, table)
    said = oracle.windows(shown.positions[-1], size, choice.prior, choice.doubt)
    for spot, point in zip(spots_of(size), points_of(size).tolist(), strict=True):
        values = [value for value, _ in said[spot].values()]
        trusts = [trust for _, trust in said[spot].values()]
        assert scratch.mean[point] == pytest.approx(np.mean(values), rel=1e-4, abs=1e-5)
        assert scratch.deviation[point] == pytest.approx(np.std(values), rel=1e-3, abs=1e-4)
        weighted = np.average(values, weights=trusts) if sum(trusts) else 0
        assert scratch.weighted[point] == pytest.approx(weighted, rel=1e-4, abs=1e-5)
        for place in range(9):
            value = said[spot].get(place, (0.0, 0.0))[0]
            assert scratch.windows[place, point] == pytest.approx(value, rel=1e-4, abs=1e-5)


@given(games_of)
@settings(max_examples=12)
def test_the_mean_alone_is_the_same(game: RecordedGame) -> None:
    table = random_table()
    whole, mean = windows_read(game.game.words, game.size, table), new_scratch()
    read_mean_propensity(game.game.words, window_tables(game.size), table, mean)
    np.testing.assert_array_equal(mean.mean, whole.mean)


def random_table() -> PropensityTable:
    source = np.random.default_rng(5)
    shapes = [each.shape for each in blank_table()]
    score, trust = (source.random(shape, np.float32) for shape in shapes)
    return PropensityTable(2 * score - 1, trust)


@given(games_of, st.integers(0, SYMMETRIES - 1), st.booleans())
@settings(max_examples=10)
def test_games_turned_and_swapped_teach_the_same(
    game: RecordedGame, symmetry: int, is_swapped: bool
) -> None:
    record = game.record
    moved = point_tables(game.size)[symmetry][record.moves]
    colors = 3 - record.colors if is_swapped else record.colors
    assert np.array_equal(moved == PASS, record.moves == PASS)
    turned = set_of_records([dataclasses.replace(record, moves=moved, colors=colors)])
    expected = fit_propensity(set_of_records([record]), PropensitySettings())
    found = fit_propensity(turned, PropensitySettings())
    for one, other in zip(expected, found, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-6)


def test_a_board_of_nine_has_ten_classes_and_larger_boards_no_others() -> None:
    assert CLASSES == 10
    for size in (9, 13, 19):
        assert sorted(set((window_tables(size).base // PATTERNS).tolist())) == list(range(10))


def test_only_the_middle_of_the_board_is_the_same_from_all_sides() -> None:
    assert [len(class_symmetries(number)) for number in range(CLASSES)] == [
        2, 1, 1, 2, 2, 1, 2, 2, 2, 8,
    ]  # fmt: skip


def test_windows_in_the_middle_of_a_small_board_are_read_from_every_side() -> None:
    lengths = np.diff(window_tables(5).starts).reshape(3, 3)
    assert lengths.tolist() == [[1, 2, 1], [2, 4, 2], [1, 2, 1]]
    assert len(window_tables(9).turn) == 49


@pytest.mark.kernel
@pytest.mark.parametrize("ending", list(Ending))
def test_a_stone_that_stays_makes_its_window_black(ending: Ending) -> None:
    game = RecordedGame(5, 1, 1)
    owners = ragged_from_parts([np.ones(25, np.int8)], np.int8)
    table = fit_propensity(set_of_records([game.record]), PropensitySettings(ending=ending), owners)
    scores: npt.NDArray[np.float32] = table.score
    assert scores.max() >= 0.5
    assert scores.min() == -scores.max()
    assert not scores[:, 0].any()


def test_owners_are_those_marked_in_the_records_when_none_are_given() -> None:
    game = RecordedGame(5, 1, 9)
    marked = ragged_from_parts([np.ones(25, np.int8)], np.int8)
    record = game.record
    ones = np.ones(25, np.int8)
    games = set_of_records([dataclasses.replace(record, ownership=ones)])
    choice = PropensitySettings(ending=Ending.OWNERS)
    expected = fit_propensity(set_of_records([record]), choice, marked)
    np.testing.assert_array_equal(fit_propensity(games, choice).score, expected.score)


def test_games_without_owners_are_left_out() -> None:
    games = [RecordedGame(5, 1, 20), RecordedGame(5, 2, 20)]
    owners = ragged_from_parts([np.ones(25, np.int8), np.zeros(0, np.int8)], np.int8)
    choice = PropensitySettings(ending=Ending.OWNERS)
    both = fit_propensity(set_of_records(g.record for g in games), choice, owners)
    first = ragged_from_parts([np.ones(25, np.int8)], np.int8)
    one = fit_propensity(set_of_records([games[0].record]), choice, first)
    np.testing.assert_array_equal(both.score, one.score)


def test_what_cannot_be_learned_from_is_refused_in_one_line() -> None:
    games = set_of_records([RecordedGame(5, 1, 5).record])
    choice = PropensitySettings(ending=Ending.OWNERS)
    with pytest.raises(KatachiError, match="none has a final ownership"):
        fit_propensity(games, choice)
    with pytest.raises(KatachiError, match="owners of 2 games for a set of 1"):
        fit_propensity(games, choice, ragged_from_parts([np.ones(25), np.ones(25)], np.int8))
    with pytest.raises(KatachiError, match="another size"):
        fit_propensity(games, choice, ragged_from_parts([np.ones(24)], np.int8))
    with pytest.raises(KatachiError, match="3x3 or more, not 2x2"):
        fit_propensity(set_of_records([RecordedGame(2, 1, 3).record]), PropensitySettings())
    with pytest.raises(KatachiError, match="no propensity table"):
        check_table(PropensityTable(np.zeros(3, np.float32), np.zeros(3, np.float32)))
