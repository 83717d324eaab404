"""Trackers led through games, for tests."""

import random
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from katachi.evaluators.shape_moves import follow_stone, gain_of_move
from katachi.features.liberty_gains import liberty_gain
from katachi.features.liberty_moves import keep_staged, stage_move, use_changed
from katachi.features.liberty_tracker import (
    MEMBERS,
    LibertyTracker,
    new_liberties,
    read_liberties,
    use_liberties,
)
from katachi.features.shape_sets import parse_sets
from katachi.features.shape_tables import ShapeTables, count_weights, shape_tables
from katachi.features.shape_tracker import ShapeTracker, change_point, new_tracker, reset_view
from katachi.features.units import Weights
from katachi.rules.board import Board
from katachi.rules.color import BLACK, WHITE
from katachi.rules.game import Game
from katachi.rules.point import PASS
from katachi.rules.state import BLOCK, COLOR, EMPTY_COUNT, Words
from tests.oracle.games import play_random_move

VIEWS = (BLACK - 1, WHITE - 1)


def random_weights(count: int, seed: int = 7) -> Weights:
    """Weights that tell every shape from every other, large and small, of either sign."""
    source = np.random.default_rng(seed)
    return source.integers(-(2**29), 2**29, count, dtype=np.int32)


def fresh_tracker(tables: ShapeTables, game: Game, theta: Weights) -> ShapeTracker:
    """The plain shapes of a position, both views, from nothing."""
    tracker = new_tracker(tables)
    for view in VIEWS:
        reset_view(tables, tracker, view, theta)
        for point in map(
            int, game.board.points_of_color(BLACK) + game.board.points_of_color(WHITE)
        ):
            change_point(tables, tracker, view, theta, point, int(game.words[COLOR + point]))
    return tracker


@dataclass
class Follower:
    """A game of random moves and a tracker that follows it move by move."""

    sets: str
    size: int
    seed: int
    bins: int = 5000
    captures: int = 0
    theta: Weights = field(init=False)

    def __post_init__(self) -> None:
        sets = parse_sets(self.sets)
        self.tables = shape_tables(sets, self.size, self.bins)
        self.theta = random_weights(count_weights(sets, self.size, self.bins))
        self.game = Game(self.size)
        self.tracker = new_tracker(self.tables)
        self.random = random.Random(self.seed)
        self.move = np.zeros(3, np.int64)
        for view in VIEWS:
            reset_view(self.tables, self.tracker, view, self.theta)

    def play(self) -> None:
        """One random move, followed by both views."""
        before = int(self.game.words[EMPTY_COUNT])
        play_random_move(self.game, self.random)
        color, point = self.game.moves[-1]
        if point != PASS:
            self.captures += int(self.game.words[EMPTY_COUNT]) >= before
            self.move[:] = point, color, before
            for view in VIEWS:
                self.follow(view)

    def follow(self, view: int) -> None:
        """Lets one view follow the last move."""
        words = self.game.words
        follow_stone(words, self.tables, self.tracker, view, self.theta, self.move)

    def gain(self, color: int, point: int) -> int:
        """What a move of the view's own colour would add."""
        self.move[:] = point, color, 0
        words, view = self.game.words, color - 1
        return int(gain_of_move(words, self.tables, self.tracker, view, self.theta, self.move))

    def total(self, view: int) -> int:
        """The view's sum over all sets."""
        return int(self.tracker.totals[view])

    def sums_of_values(self) -> npt.NDArray[np.int64]:
        """[2]: the weights in use, summed again."""
        return np.asarray(self.theta[self.tracker.used].sum(axis=1, dtype=np.int64))


def copy_of(tracker: ShapeTracker) -> list[npt.NDArray[np.generic]]:
    """What a tracker holds of the position: everything but its memory of gains."""
    return [
        each.copy()
        for each in (tracker.rows, tracker.keys, tracker.used, tracker.value, tracker.totals)
    ]


def assert_equal(one: list[npt.NDArray[np.generic]], other: list[npt.NDArray[np.generic]]) -> None:
    for here, there in zip(one, other, strict=True):
        np.testing.assert_array_equal(here, there)


class LibertyFollower:
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
