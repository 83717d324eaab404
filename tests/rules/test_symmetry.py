"""The eight symmetries and the exchange of colours, as tables and on games."""

import random
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from katachi.rules.game import Game
from katachi.rules.point import PASS, points_of
from katachi.rules.ruleset import KoRule, Rules
from katachi.rules.symmetry import (
    INVERSE,
    INVERTED_COLORS,
    SYMMETRIES,
    apply_to_grid,
    index_tables,
    point_tables,
)
from tests.oracle.games import play_random_move, random_games, sizes

symmetries = st.integers(0, SYMMETRIES - 1)


def replay(game: Game, symmetry: int, *, inverted: bool) -> Game:
    """The same game seen in a mirror, with the colours exchanged where asked."""
    twin = Game(game.size, game.komi, game.rules)
    table = point_tables(game.size)[symmetry]
    for color, point in game.moves:
        twin.play(3 - color if inverted else color, int(table[point]))
    return twin


class Mirrored(NamedTuple):
    """A game and its image."""

    game: Game
    twin: Game
    symmetry: int
    inverted: bool


@st.composite
def mirrored_games(draw: st.DrawFn) -> Mirrored:
    """A random game and what a symmetry, and perhaps the exchange of colours, makes of it."""
    game, symmetry, inverted = draw(random_games()), draw(symmetries), draw(st.booleans())
    # Black is said to move in the first position of every game. Only where it can come again, by
    # a suicide, does the situational rule notice.
    assume(not inverted or game.rules != Rules(KoRule.SITUATIONAL, suicide=True))
    return Mirrored(game, replay(game, symmetry, inverted=inverted), symmetry, inverted)


@pytest.mark.parametrize("size", range(2, 26))
def test_the_eight_symmetries_differ(size: int) -> None:
    assert len({tuple(table) for table in index_tables(size).tolist()}) == SYMMETRIES


@pytest.mark.parametrize("size", range(2, 26))
def test_inverse_undoes_each_symmetry(size: int) -> None:
    tables = index_tables(size)
    for symmetry in range(SYMMETRIES):
        there_and_back = tables[symmetry][tables[INVERSE[symmetry]]]
        assert there_and_back.tolist() == list(range(size * size))


@pytest.mark.parametrize("size", range(2, 26))
def test_symmetries_keep_neighbors_together(size: int) -> None:
    rows, cols = np.divmod(index_tables(size).reshape(SYMMETRIES, size, size), size)
    for axis in (1, 2):
        steps = abs(np.diff(rows, axis=axis)) + abs(np.diff(cols, axis=axis))
        assert (steps == 1).all()


@pytest.mark.parametrize("size", range(2, 26))
def test_point_tables_agree_with_index_tables(size: int) -> None:
    points = points_of(size)
    colors = np.arange(size * size)
    for symmetry in range(SYMMETRIES):
        moved = colors[index_tables(size)[symmetry]]
        targets = point_tables(size)[symmetry, points].tolist()
        places = [points.tolist().index(target) for target in targets]
        assert moved[places].tolist() == colors.tolist()


def test_a_pass_is_a_pass_in_every_mirror() -> None:
    assert (point_tables(9)[:, PASS] == PASS).all()


def test_grids_are_moved_on_their_last_two_axes() -> None:
    grid = np.arange(2 * 3 * 3).reshape(2, 3, 3)
    for symmetry in range(SYMMETRIES):
        moved = apply_to_grid(grid, symmetry)
        expected = grid.reshape(2, 9)[:, index_tables(3)[symmetry]]
        assert moved.reshape(2, 9).tolist() == expected.tolist()


@pytest.mark.parametrize("tables", [index_tables(5), point_tables(5)], ids=["index", "point"])
def test_a_shared_table_cannot_be_written(tables: npt.NDArray[np.integer]) -> None:
    with pytest.raises(ValueError, match="read-only"):
        tables[0, 0] = 1


def test_exchanging_colors_twice_changes_nothing() -> None:
    assert INVERTED_COLORS[INVERTED_COLORS].tolist() == [0, 1, 2, 3]


@given(mirrored_games())
def test_mirrors_and_colors_commute_with_legality(mirrored: Mirrored) -> None:
    game, twin = mirrored.game, mirrored.twin
    table = point_tables(game.size)[mirrored.symmetry]
    for color in (1, 2):
        expected = sorted(int(table[point]) for point in game.legal_moves(color))
        other = 3 - color if mirrored.inverted else color
        assert twin.legal_moves(other).tolist() == expected


@given(mirrored_games())
def test_mirrors_and_colors_commute_with_positions(mirrored: Mirrored) -> None:
    game = mirrored.game
    moved = game.colors[index_tables(game.size)[mirrored.symmetry]]
    expected = INVERTED_COLORS[moved] if mirrored.inverted else moved
    assert mirrored.twin.colors.tolist() == expected.tolist()


@given(mirrored_games())
def test_mirrors_and_colors_commute_with_area(mirrored: Mirrored) -> None:
    game, twin = mirrored.game, mirrored.twin
    area, other = game.area_score() + game.komi, twin.area_score() + twin.komi
    assert other == (-area if mirrored.inverted else area)


@given(sizes, symmetries)
def test_an_undone_mirror_game_is_the_mirror_of_the_undone_game(size: int, symmetry: int) -> None:
    game = Game(size)
    source = random.Random(size)
    for _ in range(30):
        play_random_move(game, source)
    twin = replay(game, symmetry, inverted=False)
    for _ in range(15):
        game.undo()
        twin.undo()
    assert twin.colors.tolist() == game.colors[index_tables(size)[symmetry]].tolist()
