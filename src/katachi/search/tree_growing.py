"""One thread's part of growing a tree: finding leaves, having them judged, and when to end."""

import math
import time
from typing import NamedTuple

import numpy as np

from katachi.rules.area import SCRATCH
from katachi.rules.point import CELLS, PASS, Points
from katachi.rules.state import BoardState
from katachi.search.tree import EDGES, NO_NODE, NODES, OWNERS, ROOT, Tree
from katachi.search.tree_leaves import Judge
from katachi.search.tree_reading import Root
from katachi.search.tree_walk import (
    LENGTH,
    SIDE_THERE,
    Leaves,
    Said,
    TreeSettings,
    collect,
    new_paths,
    settle,
)

DEEPEST = 200
"""Moves that a descent looks ahead at most."""
NOTED_AT_ONCE = 64
"""Visits of known value that are noted before the clock is looked at."""
WIDER_FROM = 64
"""Visits of the root, for each leaf of a batch and each thread, from which several threads have
twice as many leaves judged together: they wait for each other in Python between batches, and so
many leaves under way are few then."""
_UNLIKELY = 1e-6
"""The share of a move that a search is asked about and that is not sensible."""


class Growth(NamedTuple):
    """A tree that threads grow together."""

    tree: Tree
    settings: TreeSettings
    root: Root
    batch: int
    """Leaves that a thread has judged together, in a small tree."""
    threads: int

    @property
    def visits(self) -> int:
        """Of the root."""
        return int(self.tree.visits[self.tree.counts[ROOT]])

    @property
    def knows_owners(self) -> bool:
        """Whether anybody has said who owns what."""
        return bool(self.tree.counts[OWNERS])

    @property
    def most_leaves(self) -> int:
        """Leaves that a thread has judged together at most."""
        return most_leaves(self.batch, self.threads)

    @property
    def leaves_now(self) -> int:
        """The same in the tree as it is."""
        is_wide = self.visits >= WIDER_FROM * self.batch * self.threads
        return self.most_leaves if is_wide else self.batch

    def has_room(self) -> bool:
        """Whether a batch of every thread can still be added."""
        tree, leaves = self.tree, self.most_leaves * self.threads
        edges = leaves * (tree.owned.shape[1] + 1)
        counts: list[int] = tree.counts.tolist()
        has_nodes = counts[NODES] + leaves <= len(tree.keys)
        return has_nodes and counts[EDGES] + edges <= len(tree.move)

    def under_way(self) -> int:
        """Visits that other threads have under way."""
        if self.threads == 1:
            return 0
        tree = self.tree
        first = int(tree.first[tree.counts[ROOT]])
        return int(tree.pending[first : first + int(tree.width[tree.counts[ROOT]])].sum())


def most_leaves(batch: int, threads: int) -> int:
    """Leaves that each of so many threads has judged together at most, by a batch in a small
    tree."""
    return batch if threads == 1 else 2 * batch


class Pace:
    """How far a search may still go."""

    def __init__(
        self, begin: float, seconds: float | None, visits: int | None, *, is_for_move: bool
    ) -> None:
        """From a time of `time.perf_counter` on."""
        self._begin = begin
        self._end = math.inf if seconds is None else begin + seconds
        self._visits = visits
        self._is_for_move = is_for_move
        self._leaf = 0.0
        self._first: int | None = None

    def note(self, leaves: int, seconds: float) -> None:
        """So many leaves were judged in this time."""
        self._leaf = max(seconds / leaves, 0.9 * self._leaf)

    def visits_to_go(self, growth: Growth) -> int:
        """How many visits may be made before the next look; 0 when it is time to end."""
        done = growth.visits
        self._first = done if self._first is None else self._first
        now = time.perf_counter()
        left = self._end - now
        to_go = math.inf if self._visits is None else self._visits - done - growth.under_way()
        # A leaf that cannot be judged in time is not begun.
        most = min(to_go, NOTED_AT_ONCE, left / max(self._leaf, 1e-9))
        if most < 1:
            return 0
        if self._is_for_move:
            rate = (done - self._first) / max(now - self._begin, 1e-9)
            expected = min(to_go, left * rate if done > self._first else math.inf)
            if is_decided(growth.tree, expected):
                return 0
        return int(most)


def is_decided(tree: Tree, visits: float) -> bool:
    """Whether so many more visits leave the most visited move at the root where it is."""
    root = int(tree.counts[ROOT])
    first, width = int(tree.first[root]), int(tree.width[root])
    if width == 1:
        return True
    if tree.visits[root] <= visits:
        return False  # whatever each move has of them, and quicker to see
    second, best = np.partition(tree.taken[first : first + width], -2)[-2:]
    return bool(best - second > visits)


class Grower:
    """Finds leaves for one thread and has them judged."""

    def __init__(self, growth: Growth, judge: Judge) -> None:
        """The judge is this thread's own."""
        self.growth = growth
        self._judge = judge
        batch, root = growth.most_leaves, growth.root.state
        states = BoardState(
            np.tile(root.words, (batch, 1)), np.tile(root.hashes, (batch, 1)), root.keys
        )
        scratch = np.zeros(SCRATCH, np.uint16)
        moves = np.zeros(CELLS, np.uint16)
        self._leaves = Leaves(states, new_paths(batch, DEEPEST), scratch, moves)
        self._found = 0
        self._said: Said | None = None

    def judge_root(self, pace: Pace) -> None:
        """Has the root itself judged."""
        leaves, growth = self._leaves, self.growth
        leaves.paths.nodes[0, 0] = growth.tree.counts[ROOT]
        leaves.paths.ends[0, LENGTH] = 0
        leaves.paths.ends[0, SIDE_THERE] = growth.root.color
        self._found = 1
        self.judge(pace)
        self.settle()

    def collect(self, most: int) -> bool:
        """Finds leaves, and notes visits of known value, so many together at most; returns whether
        there are leaves to judge."""
        growth, leaves = self.growth, self._leaves
        root = growth.root
        if growth.threads > 1:
            words = leaves.states.words[: growth.leaves_now]
            leaves = leaves._replace(states=leaves.states._replace(words=words))
        found, _ = collect(growth.tree, growth.settings, root.state, root.color, leaves, most)
        self._found = int(found)
        return self._found > 0

    def judge(self, pace: Pace) -> None:
        """Has the leaves judged."""
        begin = time.perf_counter()
        count, leaves = self._found, self._leaves
        states = BoardState(
            leaves.states.words[:count], leaves.states.hashes[:count], leaves.states.keys
        )
        # One form for one leaf and for several: kernels are compiled for each.
        sides = np.ascontiguousarray(leaves.paths.ends[:count, SIDE_THERE])
        self._said = self._judge(states, sides)
        pace.note(count, time.perf_counter() - begin)

    def settle(self) -> None:
        """Puts what was said into the tree, once."""
        if self._said is not None:
            settle(self.growth.tree, self._leaves, self._said)
            self._said = None


def restrict_root(tree: Tree, points: Points) -> None:
    """Leaves the root of a tree without other nodes these moves only; without any, the pass."""
    root = tree.counts[ROOT]
    first, width = int(tree.first[root]), int(tree.width[root])
    old = dict(
        zip(
            tree.move[first : first + width].tolist(),
            tree.prior[first : first + width].tolist(),
            strict=True,
        )
    )
    wanted = dict.fromkeys(points.tolist() or [PASS])
    shares = sorted(((old.get(move, _UNLIKELY), -move) for move in wanted), reverse=True)
    total = sum(share for share, _ in shares)
    edges = slice(first, first + len(shares))
    tree.move[edges] = [-move for _, move in shares]
    tree.prior[edges] = [share / total for share, _ in shares]
    for counts, value in ((tree.taken, 0), (tree.pending, 0), (tree.child, NO_NODE)):
        counts[edges] = value
    tree.width[root] = len(shares)
    tree.counts[EDGES] = first + len(shares)
