"""Classes of moves: alike for what symmetries and colours carry onto each other."""

import random

import numpy as np
import pytest

from katachi.records.dataset import open_games
from katachi.rules.color import BLACK, WHITE
from katachi.rules.game import Game
from katachi.rules.point import PASS, point_from_row_col, points_of, row_col_from_point
from katachi.rules.state import TRACE_POINT, recent_moves
from katachi.search.guided_moves import SURROUNDINGS
from katachi.search.move_classes import (
    BEFORE,
    DISTANCES,
    EFFECTS,
    INSIDE,
    LINES,
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
from tests.oracle.games import play_random_move
from tests.oracle.go import Spot, Stones, liberties_of, neighbors_of, play_stone, region_of


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


def slow_classes(game: Game, color: int, spot: Spot) -> tuple[object, int, int, int, int]:
    """What stands around a move as its player sees it, its distance from the last move, what it
    does, its distance from the move before and its line, the slow way."""
    stones = {
        row_col_from_point(point): int(game.board.color_at(point))
        for point in points_of(game.size).tolist()
        if game.board.color_at(point) in (BLACK, WHITE)
    }
    recent = [*[move.point for move in game.moves][::-1][:2], PASS, PASS]
    last, before = (
        steps_between(spot, row_col_from_point(each)) if each != PASS else None
        for each in recent[:2]
    )
    near = DISTANCES - 1 if last is None else NEAR.get(last, min(DISTANCES - 1, 6 + last // 4 - 2))
    far = BEFORE - 1 if before is None else max(0, min(BEFORE - 1, before // 2 - 1))
    line = min(*spot, game.size - 1 - spot[0], game.size - 1 - spot[1], LINES - 1)
    return (
        slow_shape(game, stones, color, spot),
        near,
        slow_effect(game, stones, color, spot),
        far,
        line,
    )


def slow_shape(game: Game, stones: Stones, color: int, spot: Spot) -> object:
    def seen(row: int, column: int) -> int:
        if not (0 <= row < game.size and 0 <= column < game.size):
            return 3
        stone = stones.get((row, column), 0)
        return stone if stone == 0 or color == BLACK else BLACK + WHITE - stone

    grid = np.array([[seen(spot[0] + y, spot[1] + x) for x in (-1, 0, 1)] for y in (-1, 0, 1)])
    turned = [np.rot90(each, turns) for each in (grid, grid.T) for turns in range(4)]
    return min(tuple(each.ravel().tolist()) for each in turned)


def slow_effect(game: Game, stones: Stones, color: int, spot: Spot) -> int:
    if play_stone(stones, game.size, spot, color).captured:
        return TAKES
    beside = [each for each in neighbors_of(spot, game.size) if each in stones]
    blocks = [(stones[each], region_of(stones, game.size, each)) for each in beside]
    if any(
        own == color and len(liberties_of(stones, game.size, block)) == 1 for own, block in blocks
    ):
        return SAVES
    if len(beside) == len(neighbors_of(spot, game.size)):
        return INSIDE
    for own, block in blocks:
        around = [each for stone in block for each in neighbors_of(stone, game.size)]
        if own != color and sum(each not in stones for each in around) <= 3:
            return PRESSES
    return NOTHING


def steps_between(one: Spot, other: Spot) -> int:
    rows, columns = abs(one[0] - other[0]), abs(one[1] - other[1])
    return rows + columns + max(rows, columns)


NEAR = {0: 0, 1: 0, 2: 0, 3: 1, 4: 2, 5: 3, 6: 4, 7: 5}


@pytest.mark.kernel
def test_classes_are_those_of_the_slow_way() -> None:
    source = random.Random(5)
    names: dict[object, int] = {}
    effects = set()
    for size in (5, 9):
        game = Game(size)
        for _ in range(3 * size * size // 2):
            play_random_move(game, source)
            color = game.to_play
            points = game.legal_moves(color).tolist()
            for point, found in zip(points, classes_of(game, color, points).tolist(), strict=True):
                shape, near, effect, far, line = slow_classes(
                    game, color, row_col_from_point(point)
                )
                code, rest = divmod(found[0], EFFECTS)
                assert (code % DISTANCES, rest, found[1], found[2]) == (near, effect, far, line)
                assert names.setdefault(shape, code // DISTANCES) == code // DISTANCES
                effects.add(effect)
    assert len(set(names.values())) == len(names)
    assert effects == set(range(EFFECTS))


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
