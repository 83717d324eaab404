"""Random games that answer: what they take, save and never do."""

import random

import numpy as np
import pytest

from katachi.evaluators.simple import AverageLiberties
from katachi.rules.board import Board
from katachi.rules.color import BLACK, EMPTY, WHITE
from katachi.rules.game import Game
from katachi.rules.legality import count_liberties
from katachi.rules.point import PASS, point_from_vertex, vertex_from_point
from katachi.rules.random_play import is_sensible, random_states
from katachi.rules.state import BLOCK, COLOR, EMPTIES, EMPTY_COUNT, Words
from katachi.search.guided_moves import (
    AROUND,
    ELSEWHERE,
    SURROUNDINGS,
    draw_guided_move,
    find_answer,
    only_liberty,
    play_guided_moves,
    surroundings_of,
)
from katachi.search.tree_leaves import Comparing, judge_by_random_games
from tests.oracle.games import play_random_move
from tests.search.test_tree_leaves import shape_model

EVEN = np.full((2, SURROUNDINGS), 32, np.uint8)


def roots_of(board: Words, size: int) -> set[int]:
    points = [32 * row + column for row in range(1, size + 1) for column in range(1, size + 1)]
    return {int(board[BLOCK + point]) for point in points if board[COLOR + point] in (BLACK, WHITE)}


@pytest.mark.kernel
def test_the_only_liberty_is_that_of_a_block_with_one() -> None:
    source, seen = random.Random(1), 0
    for _ in range(20):
        game = Game(5)
        for _ in range(60):
            play_random_move(game, source)
            for root in roots_of(game.words, 5):
                point = only_liberty(game.words, root)
                assert (point != PASS) == (count_liberties(game.words, root) == 1)
                seen += point != PASS
                if point != PASS:
                    beside = {int(game.words[BLOCK + point + step]) for step in (-32, -1, 1, 32)}
                    assert game.words[COLOR + point] == EMPTY
                    assert root in beside
    assert seen > 50


@pytest.mark.parametrize(
    ("diagram", "last", "answer"),
    [
        (".....\n..X..\n.XO..\n..X..\n.....", "C3", "D3"),  # left to be taken
        (".....\n..O..\n.OX..\n.....\n.....", "C4", None),  # two liberties are no danger
        (".....\n..O..\n.OX..\n..O..\n.....", "C4", "D3"),  # saved by going on
        (".....\n..OO.\n.OXXO\n..O.O\n...O.", "C4", None),  # going on leaves one liberty
        ("O.XO.\n.XOOX\n..XX.\n.....\n.....", "D5", "E5"),  # taking the block that was left
        (".....\n.OOO.\nOX.XO\n.OOO.\n.....", "A3", None),  # joining gains nothing
        (".OO..\nOX.X.\n.OOO.\n.....\n.....", "A4", "C4"),  # joining a stone that has room
        ("OX...\n.O...\nO....\n.....\n.....", "A5", "A4"),  # where it has no liberty but by taking
    ],
    ids=["take", "two liberties", "save", "no room", "last", "join", "join room", "take inside"],
)
def test_what_is_in_danger_beside_the_last_move_is_answered(
    diagram: str, last: str, answer: str | None
) -> None:
    board = Board.from_diagram(diagram)
    point = find_answer(board.words, point_from_vertex(last, 5), BLACK)
    assert (None if point == PASS else vertex_from_point(point, 5)) == answer


def test_moves_near_the_last_one_are_as_likely_as_the_guide_says() -> None:
    board = Board.from_diagram("\n".join(["." * 9] * 4 + ["....O...."] + ["." * 9] * 4))
    last, state = point_from_vertex("E5", 9), random_states(1, 0, 1)[0]
    guide = EVEN.copy()
    wanted = last + AROUND[1]
    guide[BLACK - 1, surroundings_of(board.words, wanted)] = 200
    drawn = []
    for _ in range(4000):
        point, state = draw_guided_move(board.words, last, BLACK, guide, np.uint64(state))
        drawn.append(point)
    near = [point for point in drawn if point - last in AROUND]
    # Of what is drawn from the whole board a tenth is near, too.
    weights = 7 * 32 + 200
    share = (weights + ELSEWHERE * 8 / 80) / (weights + ELSEWHERE)
    assert len(near) / len(drawn) == pytest.approx(share, abs=0.03)
    assert near.count(wanted) / len(near) == pytest.approx(200 / weights, abs=0.04)


def test_moves_elsewhere_are_equally_likely_on_the_whole_board() -> None:
    rows = ["." * 9] * 8 + ["O........"]
    board, state = Board.from_diagram("\n".join(rows)), random_states(1, 0, 1)[0]
    last = point_from_vertex("A1", 9)
    counts = np.zeros(9)
    for _ in range(6000):
        point, state = draw_guided_move(board.words, last, BLACK, EVEN, np.uint64(state))
        if point - last not in AROUND:
            counts[point // 32 - 1] += 1
    expected = counts.sum() * np.array([9] * 7 + [7, 7]) / 77
    assert np.abs(counts - expected).max() < 4 * np.sqrt(expected.max())


def test_trees_by_shapes_are_guided_and_others_are_not() -> None:
    judge = Comparing(shape_model("1x1-2x2:LI"), 7.5, 1, playouts=32)
    plain = Comparing(AverageLiberties(), 7.5, 1, playouts=32)
    random = judge_by_random_games(7.5, 1, playouts=32)
    game = Game(5)
    game.play(BLACK, point_from_vertex("C3", 5))
    said = [each(game.states, np.array([WHITE])).owned.tolist() for each in (judge, plain, random)]
    assert said[0] != said[1] == said[2]


@pytest.mark.kernel
def test_a_game_goes_on_until_nobody_has_a_sensible_move() -> None:
    for number in range(6):
        game = Game(5)
        play_guided_moves(game.words, BLACK, PASS, 400, EVEN, random_states(number, 0, 1)[0])
        for root in roots_of(game.words, 5):
            assert count_liberties(game.words, root) > 0
        empty = game.words[EMPTIES : EMPTIES + int(game.words[EMPTY_COUNT])]
        for point in empty.tolist():
            assert not any(is_sensible(game.words, point, color) for color in (BLACK, WHITE))


def test_equal_random_states_play_equal_games() -> None:
    boards = []
    for seed in (1, 1, 2):
        game = Game(9)
        play_guided_moves(game.words, WHITE, PASS, 400, EVEN, random_states(seed, 0, 1)[0])
        boards.append(game.words.tobytes())
    assert boards[0] == boards[1] != boards[2]
