"""Liberty shapes followed move by move are those read anew, and those of the oracle."""

import random
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from katachi.features.liberty_gains import liberty_gain
from katachi.features.liberty_moves import keep_staged, stage_move, use_changed
from katachi.features.liberty_tracker import (
    MEMBERS,
    LibertyTracker,
    new_liberties,
    read_liberties,
    use_liberties,
)
from katachi.features.masks import count_outside, next_bit, words_of
from katachi.features.shape_sets import TEMPLATES, Family, Location, ShapeSet, parse_sets
from katachi.features.shape_tables import count_weights, shape_tables
from katachi.features.shape_tracker import new_tracker, reset_view
from katachi.features.windows import windows_of
from katachi.rules.board import Board
from katachi.rules.color import BLACK, WHITE
from katachi.rules.game import Game
from katachi.rules.point import PASS
from katachi.rules.state import BLOCK, EMPTY_COUNT, Words
from tests.features.followers import VIEWS, random_weights
from tests.oracle.games import play_random_move, stones_of
from tests.oracle.go import Stones
from tests.oracle.shapes import class_of, liberty_shape_in

SMALL = "1x1-3x3:LI+LD:liberty"
LARGE = "2x2:LI:liberty,4x3:LI+LD:liberty,5x4:LD:liberty"


class Followed:
    """A game and the liberty shapes of its position."""

    def __init__(self, sets: str, size: int, bins: int = 5000) -> None:
        self.sets = parse_sets(sets)
        self.tables = shape_tables(self.sets, size, bins)
        self.theta = random_weights(count_weights(self.sets, size, bins))
        self.game = Game(size)
        self.tracker = self.read(self.game.words)
        self.captures = 0

    def read(self, words: Words) -> LibertyTracker:
        """The liberty shapes of a position, from nothing."""
        plain = new_tracker(self.tables)
        tracker = new_liberties(self.tables, plain)
        read_liberties(words, self.tables.liberty, tracker)
        for view in VIEWS:
            reset_view(self.tables, plain, view, self.theta)
            use_liberties(self.tables, tracker, view, self.theta)
        return tracker

    def play(self, source: random.Random) -> None:
        """A random move, followed by both views."""
        twin = self.game.copy()
        play_random_move(twin, source)
        color, point = twin.moves[-1]
        self.move(color, point)

    def move(self, color: int, point: int) -> None:
        """A given move, followed by both views."""
        if point != PASS:
            stage_move(self.game.words, self.tables.liberty, self.tracker, point, color)
        before = self.game.words[EMPTY_COUNT]
        self.game.play(color, point)
        if point != PASS:
            self.captures += int(self.game.words[EMPTY_COUNT] >= before)
            keep_staged(self.game.words, self.tables.liberty, self.tracker)
            for view in VIEWS:
                use_changed(self.tables, self.tracker, view, self.theta)

    def gain(self, color: int, point: int) -> int:
        """What a move adds to the sum of its mover's view."""
        words, view, move = self.game.words, color - 1, np.array([point, color, 0])
        return int(liberty_gain(words, self.tables, self.tracker, view, self.theta, move))


def contents_of(tracker: LibertyTracker) -> list[npt.NDArray[np.generic]]:
    """What is known of the shapes of a position."""
    keys = tracker.keys[: 2 * len(tracker.changed)]
    parts = (tracker.state, keys, tracker.used, tracker.value, tracker.totals)
    return [each.copy() for each in parts]


def blocks_of(tracker: LibertyTracker, board: Board) -> list[tuple[list[int], list[int], set[int]]]:
    """The liberties, the stones and the tight windows of each block."""
    stones = [block[0] for color in (BLACK, WHITE) for block in board.blocks(color)]
    found = []
    for root in (int(board.words[BLOCK + stone]) for stone in stones):
        tight = tracker.tight[root, 1 : 1 + int(tracker.tight[root, 0])].tolist()
        assert len(tight) == len(set(tight))
        masks = tracker.masks
        found.append((masks[root].tolist(), masks[MEMBERS + root].tolist(), set(tight)))
    return found


def assert_same(one: LibertyTracker, other: LibertyTracker, board: Board) -> None:
    assert blocks_of(one, board) == blocks_of(other, board)
    for here, there in zip(contents_of(one), contents_of(other), strict=True):
        np.testing.assert_array_equal(here, there)


def expected_states(stones: Stones, size: int, sets: tuple[ShapeSet, ...]) -> list[int]:
    """The states of all cells as Black sees them, by the oracle."""
    templates = dict.fromkeys(each.template for each in sets)
    states = []
    for template in templates:
        for window in windows_of(template, size):
            spots = [divmod(cell, size) for cell in window.cells]
            shape = dict(liberty_shape_in(stones, spots, BLACK, size))
            states += [shape[spot] for spot in spots]
    return states


@pytest.mark.kernel
@pytest.mark.parametrize(("sets", "size"), [(SMALL, 5), (LARGE, 6), (SMALL, 9)])
def test_cells_carry_the_liberties_outside_the_window(sets: str, size: int) -> None:
    followed = Followed(sets, size)
    source = random.Random(size)
    for _ in range(8):
        for _ in range(size):
            play_random_move(followed.game, source)
        tracker = followed.read(followed.game.words)
        states = expected_states(stones_of(followed.game), size, followed.sets)
        assert tracker.state.tolist() == states


LIBERTY_SETS = [
    ShapeSet(template, location, Family.LIBERTY) for template in TEMPLATES for location in Location
]


@pytest.mark.parametrize("each", LIBERTY_SETS, ids=[each.name for each in LIBERTY_SETS])
def test_each_window_uses_the_weight_of_its_class(each: ShapeSet) -> None:
    size = 6
    followed = Followed(each.name, size, bins=2**22)
    source = random.Random(each.name)
    weights: dict[object, int] = {}
    for _ in range(10):
        for _ in range(6):
            play_random_move(followed.game, source)
        tracker = followed.read(followed.game.words)
        stones = stones_of(followed.game)
        for slot, window in enumerate(windows_of(each.template, size)):
            spots = [divmod(cell, size) for cell in window.cells]
            for view in VIEWS:
                shape = liberty_shape_in(stones, spots, view + 1, size)
                depends = each.location is Location.DEPENDENT
                kind = class_of(shape, size, depends_on_location=depends)
                index = int(tracker.used[view, slot])
                assert weights.setdefault(kind, index) == index
    assert len(weights) - len(set(weights.values())) <= 1


@pytest.mark.kernel
@pytest.mark.parametrize(
    ("sets", "size", "moves"), [(SMALL, 5, 60), (LARGE, 6, 60), (SMALL, 9, 90), (SMALL, 2, 12)]
)
def test_a_followed_position_is_the_one_read_anew(sets: str, size: int, moves: int) -> None:
    if size == 2:
        sets = "1x1-2x2:LI:liberty"
    followed = Followed(sets, size)
    source = random.Random(size)
    for _ in range(moves):
        followed.play(source)
        assert_same(followed.tracker, followed.read(followed.game.words), followed.game.board)
    assert followed.captures > 0


@pytest.mark.kernel
@pytest.mark.parametrize(
    ("sets", "size", "moves"), [(SMALL, 4, 50), (LARGE, 5, 40), (SMALL, 7, 70)]
)
def test_a_gain_is_the_difference_that_the_move_makes(sets: str, size: int, moves: int) -> None:
    followed = Followed(sets, size)
    source = random.Random(size)
    for number in range(moves):
        followed.play(source)
        if number % 3 == 0:
            assert_gains(followed)
    assert followed.captures > 0


def assert_gains(followed: Followed) -> None:
    """Every legal move's gain, asked twice, is what the move adds; nothing changes by asking."""
    game = followed.game
    before, words = contents_of(followed.tracker), game.words.copy()
    blocks = blocks_of(followed.tracker, game.board)
    for color in (BLACK, WHITE):
        for point in game.legal_moves(color).tolist():
            gain = followed.gain(color, point)
            assert gain == followed.gain(color, point)
            twin = game.copy()
            twin.play(color, point)
            after = followed.read(twin.words)
            assert gain == int(after.totals[color - 1] - followed.tracker.totals[color - 1])
    for here, there in zip(contents_of(followed.tracker), before, strict=True):
        np.testing.assert_array_equal(here, there)
    assert blocks_of(followed.tracker, game.board) == blocks
    np.testing.assert_array_equal(game.words, words)


@dataclass
class Case:
    """A position in which a move changes liberties far away, or in an unusual way."""

    name: str
    diagram: str
    color: int
    vertex: str


CASES = [
    Case(
        "joins four blocks",
        """
        . O X O .
        O X . X O
        . O X O .
        . . . . .
        . . . . .
        """,
        BLACK,
        "C4",
    ),
    Case(
        "captures two blocks and frees a third",
        """
        X O . O X
        X O X O X
        . X X X .
        . . . . .
        . . . . .
        """,
        BLACK,
        "C5",
    ),
    Case(
        "takes the last liberty but one of a long block",
        """
        O O O O .
        X X X X .
        . . . . .
        . . . . .
        . . . . .
        """,
        BLACK,
        "E4",
    ),
    Case(
        "captures a long block and frees its jailers",
        """
        O O O O .
        X X X X .
        O O O . .
        X X X . .
        . . . . .
        """,
        BLACK,
        "E5",
    ),
    Case(
        "takes a ko",
        """
        . X O . .
        X . X O .
        . X O . .
        . . . . .
        . . . . .
        """,
        WHITE,
        "B4",
    ),
    Case(
        "connects out of atari",
        """
        . X O . .
        X O . O .
        . X O . .
        . . . . .
        . . . . .
        """,
        WHITE,
        "C4",
    ),
]


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_an_unusual_move_is_weighed_and_followed(case: Case) -> None:
    from katachi.rules.point import point_from_vertex

    followed = Followed(SMALL, 5)
    board = Board.from_diagram(case.diagram)
    for color in (BLACK, WHITE):
        for point in board.points_of_color(color):
            followed.move(color, point)
    assert_same(followed.tracker, followed.read(followed.game.words), followed.game.board)
    assert_gains(followed)
    followed.move(case.color, point_from_vertex(case.vertex, 5))
    assert_same(followed.tracker, followed.read(followed.game.words), followed.game.board)


@pytest.mark.kernel
@given(st.integers(1, 25), st.data())
def test_masks_count_and_find_their_points(size: int, data: st.DataObject) -> None:
    board = st.sets(st.integers(0, size * size - 1), max_size=12)
    one, other = data.draw(board), data.draw(board)
    masks = np.zeros((2, words_of(size)), np.uint64)
    for row, points in enumerate((one, other)):
        for point in points:
            masks[row, point // 64] |= np.uint64(1) << np.uint64(point % 64)
    assert count_outside(masks, 0, masks, 1) == min(2, len(one - other))
    first = data.draw(st.integers(0, size * size))
    assert next_bit(masks, 0, first) == min((p for p in one if p >= first), default=-1)
