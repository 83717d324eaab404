"""Classes of moves: alike for what symmetries and colours carry onto each other."""

import numpy as np
import pytest

from katachi.records.dataset import open_games
from katachi.rules.color import BLACK, WHITE
from katachi.rules.game import Game
from katachi.rules.point import point_from_row_col, row_col_from_point
from katachi.rules.state import TRACE_POINT, recent_moves
from katachi.search.guided_moves import SURROUNDINGS
from katachi.search.move_classes import (
    DISTANCES,
    EFFECTS,
    NOTHING,
    PRESSES,
    SAVES,
    SHAPES,
    TAKES,
    Classes,
    Factors,
    _Positions,
    alike_surroundings,
    classify_moves,
    fill_classes,
)
from katachi.search.recorded_moves import MoveRange, recorded_positions
from tests.interfaces.test_cli import GAMES


def classes_of(game: Game, color: int, points: list[int]) -> Classes:
    words = game.words[None].copy()
    found = np.zeros((len(points), len(Factors())), np.int32)
    recent = recent_moves(words)[:, :2].astype(np.int64)
    positions = _Positions(words, np.array([color]), recent)
    owner = np.zeros(len(points), np.int64)
    fill_classes(positions, owner, np.array(points), alike_surroundings(), found)
    return found


def played(moves: list[tuple[int, int]], *, first: int = BLACK) -> Game:
    game, color = Game(9), first
    for row, column in moves:
        game.play(color, point_from_row_col(row, column))
        color = BLACK + WHITE - color
    return game


MOVES = [(2, 2), (2, 3), (3, 3), (1, 2), (4, 6), (3, 2), (8, 8)]


@pytest.mark.parametrize("flips", [(False, False), (True, False), (False, True), (True, True)])
@pytest.mark.parametrize("is_turned", [False, True])
def test_moves_that_symmetries_or_colours_carry_over_are_alike(
    flips: tuple[bool, bool], *, is_turned: bool
) -> None:
    def moved(row: int, column: int) -> tuple[int, int]:
        row, column = (column, row) if is_turned else (row, column)
        return 8 - row if flips[0] else row, 8 - column if flips[1] else column

    one = played(MOVES)
    other = played([moved(*each) for each in MOVES], first=WHITE)
    points = one.legal_moves(WHITE).tolist()
    carried = [point_from_row_col(*moved(*row_col_from_point(each))) for each in points]
    assert np.array_equal(classes_of(one, WHITE, points), classes_of(other, BLACK, carried))


def test_alike_surroundings_are_as_many_as_symmetries_leave() -> None:
    codes = np.arange(SURROUNDINGS)
    stones = np.all([(codes >> 2 * step & 3) < 3 for step in range(8)], axis=0)
    # Burnside's count of three colours on the eight points around one.
    assert len(np.unique(alike_surroundings()[0][stones])) == 954


@pytest.mark.parametrize(
    ("moves", "color", "move", "effect"),
    [
        ([(0, 0), (0, 1)], WHITE, (1, 0), TAKES),
        ([(0, 0), (0, 1)], BLACK, (1, 0), SAVES),
        ([(4, 4), (8, 8)], BLACK, (6, 6), NOTHING),
        ([(0, 4), (8, 8)], WHITE, (0, 5), PRESSES),
    ],
)
def test_effects_are_told(
    moves: list[tuple[int, int]], color: int, move: tuple[int, int], effect: int
) -> None:
    found = classes_of(played(moves), color, [point_from_row_col(*move)])
    assert found[0, 0] % EFFECTS == effect


def test_distances_grow_from_the_last_move() -> None:
    game = played([(8, 8), (4, 4)])
    points = [point_from_row_col(4, column) for column in (5, 6, 7)] + [point_from_row_col(0, 0)]
    near = classes_of(game, BLACK, points)[:, 0] // EFFECTS % DISTANCES
    assert (np.diff(near) > 0).all()
    assert near[0] == 0


def test_all_legal_moves_of_games_have_classes() -> None:
    group = next(iter(recorded_positions(open_games(GAMES)[:3], MoveRange())))
    found = classify_moves(group)
    assert len(found) == len(group.after.words[:, TRACE_POINT]) == group.starts[-1]
    assert (found >= 0).all()
    assert (found < np.array(Factors())).all()
    assert found[:, 0].max() < SHAPES
