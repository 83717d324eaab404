"""Positions are shown the same way whichever way round they are."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from katachi.errors import KatachiError
from katachi.features.board_views import fold_views, show_views
from katachi.features.territory_inputs import InputSettings, plan_inputs, planes_of
from katachi.rules.color import BLACK
from katachi.rules.game import Game
from katachi.rules.positions import positions_of_stones
from katachi.rules.state import NEWEST, RECENT, colors_of, recent_moves
from katachi.rules.symmetry import INVERTED_COLORS, SYMMETRIES, index_tables, point_tables
from katachi.search.afterstates import afterstates, sensible_moves
from tests.features.recorded_games import RecordedGame

EVERYTHING = InputSettings(("stones", "influence:strict", "weakest", "placing", "recent:3"))


def turned(game: Game, symmetry: int, *, is_swapped: bool = False) -> Game:
    """The same game on a board moved by a symmetry, by the other colours or not."""
    played = Game(game.size)
    table = point_tables(game.size)[symmetry]
    for color, point in game.moves:
        played.play(3 - color if is_swapped else color, int(table[point]))
    return played


@pytest.mark.kernel
@given(
    st.builds(RecordedGame, st.integers(3, 7), st.integers(0, 99), st.integers(0, 40)),
    st.integers(0, SYMMETRIES - 1),
)
def test_all_turns_of_a_position_have_the_same_views(recorded: RecordedGame, turn: int) -> None:
    game = recorded.game
    shown = show_views(game.words[None], 3).words
    again = show_views(turned(game, turn).words[None], 3).words
    swapped = show_views(turned(game, turn, is_swapped=True).words[None], 3).words
    for other in (again, swapped[::-1]):
        np.testing.assert_array_equal(colors_of(other), colors_of(shown))
        np.testing.assert_array_equal(recent_moves(other)[:, :3], recent_moves(shown)[:, :3])


@given(st.builds(RecordedGame, st.integers(3, 7), st.integers(0, 99), st.integers(0, 40)))
def test_inputs_of_the_views_are_those_of_the_turned_game(recorded: RecordedGame) -> None:
    game = recorded.game
    views = show_views(game.words[None], 3)
    plan = plan_inputs(EVERYTHING, game.size)
    shown = positions_of_stones(views.words)
    planes = planes_of(shown, plan, recent_moves(views.words))
    for index, mask in enumerate(views.masks.tolist()):
        first = (mask & -mask).bit_length() - 1
        played = turned(game, first, is_swapped=index == 1)
        expected = planes_of(played.states, plan, recent_moves(played.words[None]))
        np.testing.assert_array_equal(planes[index], expected[0])


def test_answers_are_turned_back() -> None:
    game = RecordedGame(5, 3, 17).game
    views = show_views(game.words[None], 1)
    values = colors_of(views.words).astype(np.float32)
    plain, swapped = fold_views(values, views)
    np.testing.assert_array_equal(plain[0], game.colors)
    np.testing.assert_array_equal(swapped[0], INVERTED_COLORS[game.colors])


def test_the_answer_for_a_position_with_a_symmetry_has_it_too() -> None:
    views = show_views(Game(4).words[None], 1)
    values = np.random.default_rng(1).random((2, 16)).astype(np.float32)
    assert views.masks.tolist() == [255, 255]
    for found, value in zip(fold_views(values, views)[:, 0], values, strict=True):
        np.testing.assert_allclose(found, value[index_tables(4)].mean(axis=0), atol=1e-7)


def test_the_last_moves_are_part_of_a_symmetry_where_they_are_seen() -> None:
    game = Game(3)
    for color, point in ((BLACK, 66), (3 - BLACK, 33), (BLACK, 99)):
        game.play(color, point)
    game.words[RECENT + game.words[NEWEST]] = 66
    seen, unseen = (int(show_views(game.words[None], moves).masks[0]) for moves in (2, 0))
    assert (seen.bit_count(), unseen.bit_count()) == (2, 2)
    game.words[RECENT + game.words[NEWEST]] = 34
    assert int(show_views(game.words[None], 2).masks[0]).bit_count() == 1


@pytest.mark.parametrize("seed", [0, 1, 2, 4])
def test_all_moves_of_a_position_are_seen_from_one_side(seed: int) -> None:
    game = RecordedGame(9, seed, 60).game
    after = afterstates(game, game.to_play, sensible_moves(game, game.to_play)).states
    stones = (colors_of(after.words) != 0).sum(axis=1)
    assert stones.min() < stones.max()  # some of the moves capture
    assert len(np.unique(show_views(after.words, 1).masks)) == 1


def test_moves_that_are_no_points_are_refused() -> None:
    words = Game(5).words[None].copy()
    words[0, RECENT] = 60_000
    with pytest.raises(KatachiError, match="must be points of its board"):
        show_views(words, 1)
