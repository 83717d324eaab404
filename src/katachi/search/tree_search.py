"""Best-first tree search over any evaluator: PUCT, leaves judged in batches, one tree a game.

Threads share one tree: walks are compiled and quick and go one at a time; what an evaluator says of
leaves is found side by side.
"""

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from katachi.errors import KatachiError
from katachi.evaluators.protocol import Evaluator
from katachi.rules.checking import check_color
from katachi.rules.color import BLACK, WHITE
from katachi.rules.game import Game
from katachi.rules.point import Points
from katachi.rules.state import PLY, BoardState
from katachi.search.stopping import Stopped, look_for_stop
from katachi.search.tree import (
    BYTES_A_NODE,
    BYTES_AN_EDGE,
    NO_NODE,
    OPEN,
    ROOT,
    Tree,
    add_node,
    clear_tree,
    copy_below,
    find_node,
    new_tree,
)
from katachi.search.tree_growing import DEEPEST, Grower, Growth, Pace, most_leaves, restrict_root
from katachi.search.tree_leaves import Judge, judge_of
from katachi.search.tree_limits import Goal, TreeLimits
from katachi.search.tree_reading import Root, TreeMove, means_of, root_moves, tree_ownership
from katachi.search.tree_walk import TreeSettings

LOST, LOST_BY_THREADS = 1.0, 0.0
"""`TreeSettings.lost` of one thread and of several, which have more leaves under way: counted as
lost, 16 of them among 300 visits made a search no better than one of 150 visits by one thread."""
EDGES_A_NODE = 0.75
"""Moves that a node has on average, as a share of the board's points."""
_EVERY_MOVE = -100.0
"""Of `TreeSettings.root_reduction`: each move is tried before any is tried twice."""

JudgeMaker = Callable[[Evaluator, float, int], Judge]
"""From an evaluator, the komi of a game and a seed."""


class TreeResult(NamedTuple):
    """What a search found, from the side of the player who moves."""

    moves: list[TreeMove]
    """The most visited first."""
    win_rate: float
    lead: float | None
    """Points ahead, komi counted; None where nobody says who owns what."""
    visits: int
    """Of the root, with those that earlier searches left."""
    new_visits: int
    ownership: npt.NDArray[np.float64] | None
    """[size * size] Black's chance of each point, the mean over the tree; None where nobody says
    it, or no details were wanted."""
    seconds: float


class TreeSearch:
    """A tree that goes on growing while a game goes on. A search is of one thread at a time."""

    def __init__(
        self,
        evaluator: Evaluator,
        limits: TreeLimits | None = None,
        judge: JudgeMaker = judge_of,
    ) -> None:
        """A searcher by an evaluator; `judge` says how leaves are judged."""
        self.limits = limits or TreeLimits()
        self.evaluator = evaluator
        self._make_judge = judge
        self._trees: tuple[Tree, Tree] | None = None
        self._terms: object = None
        self._only: tuple[int, ...] | None = None
        """The moves that the root of the tree was left, where it was not left all."""
        self._lock = threading.Lock()
        self._stop = threading.Event()

    def stop(self) -> None:
        """Ends a search that another thread has under way, after the leaves at hand; it returns
        what it has found."""
        self._stop.set()

    def forget(self) -> None:
        """Lets go of the tree."""
        self._trees = None

    def prepare(self, game: Game) -> None:
        """Loads kernels and makes room for games like this one, so that no search waits for that.
        Raises KatachiError as `search` does."""
        empty = Game(game.size, game.komi, game.rules)
        goal = Goal(visits=1 + self.limits.batch, is_for_move=False)
        empty.play(BLACK, self.search(empty, BLACK, goal).moves[0].point)
        self.search(empty, WHITE, goal)
        for tree in self._trees or ():
            clear_tree(tree)

    def search(
        self,
        game: Game,
        color: int,
        goal: Goal | None = None,
        random: np.random.Generator | None = None,
        points: Points | None = None,
    ) -> TreeResult:
        """The best moves of `color`, or of these `points` only; the game is not changed. What
        earlier searches found is kept; of points, as long as the same are asked about.

        With one thread and a number of visits equal seeds find equal results. Raises KatachiError
        on a board the evaluator is not for, and where the tree has no room; `Stopped` as
        `search.stopping` says.
        """
        begin = time.perf_counter()
        check_color(color)
        goal = (goal or Goal()).checked()
        self._stop.clear()
        seed = int((random or np.random.default_rng(0)).integers(1 << 62))
        pace = Pace(begin, goal.seconds, goal.visits, is_for_move=goal.is_for_move)
        only = None if points is None else tuple(sorted(points.tolist()))
        growth = self._begin(game, color, only)
        growth = growth._replace(batch=self.limits.batch_of(goal.visits))
        try:
            before = self._grow_all(growth, pace, seed, points)
        except Stopped:
            raise
        except BaseException:
            self.forget()
            raise
        return self._result(growth, begin, before, with_details=not goal.is_for_move)

    def _begin(self, game: Game, color: int, only: tuple[int, ...] | None) -> Growth:
        """Makes the game's position the root, with what is known of it if these same moves were
        left there."""
        tree = self._tree_for(game)
        root = Root(_root_state(game), color, game.rules.ko.value)
        node = find_node(tree, root.state, color)
        is_known = node != NO_NODE and tree.state[node] == OPEN and self._only == only
        if only is not None:
            is_known &= node == tree.counts[ROOT]
        self._only = only
        if not is_known:
            clear_tree(tree)
            tree.counts[ROOT] = add_node(tree, root.state, color)
        else:
            tree = self._keep_below(tree, node)
        limits = self.limits
        first = limits.reduction if only is None else _EVERY_MOVE
        lost = LOST if limits.threads == 1 else LOST_BY_THREADS
        settings = TreeSettings(
            game.komi, limits.exploration, limits.reduction, first, root.ko, lost
        )
        return Growth(tree, settings, root, limits.batch, limits.threads)

    def _tree_for(self, game: Game) -> Tree:
        """The tree that is in use, emptied where the game is another one."""
        terms = (game.size, game.komi, game.rules, tuple(game.setup))
        if self._trees is None or self._terms != terms:
            points = game.size * game.size
            self._trees = self._new_trees(*self._room_for(points), points)
            self._terms = terms
        return self._trees[0]

    def _new_trees(self, nodes: int, edges: int, points: int) -> tuple[Tree, Tree]:
        try:
            return new_tree(nodes, edges, points), new_tree(nodes, edges, points)
        except MemoryError:
            raise KatachiError(
                f"there is no memory for a tree of {self.limits.memory >> 20} MiB: use less"
            ) from None

    def _room_for(self, points: int) -> tuple[int, int]:
        """(nodes, edges) of each of two trees; raises KatachiError where that is too few."""
        limits, edges = self.limits, EDGES_A_NODE * points
        size = BYTES_A_NODE + points + edges * BYTES_AN_EDGE
        nodes = int(limits.memory / 2 / size)
        least = 4 * most_leaves(limits.batch, limits.threads) * limits.threads
        if nodes < least or nodes * edges < least * (points + 1):
            need = int(2 * size * least * (points + 1) / edges) + (1 << 20)
            raise KatachiError(
                f"{limits.memory / (1 << 20):g} MiB are too little for a tree on this board: use "
                f"{need >> 20} MiB or more"
            )
        return nodes, int(nodes * edges)

    def _keep_below(self, tree: Tree, node: int) -> Tree:
        """The part of the tree that can be reached from a node, in the other tree."""
        assert self._trees is not None
        if node == tree.counts[ROOT]:
            return tree
        other = self._trees[1]
        clear_tree(other)
        copy_below(tree, node, other, np.zeros(len(tree.keys), np.int32))
        self._trees = other, tree
        return other

    def _grow_all(self, growth: Growth, pace: Pace, seed: int, points: Points | None) -> int:
        """Grows the tree to its goal; returns the visits that the root had before."""
        growers = [
            Grower(growth, self._make_judge(self.evaluator, growth.settings.komi, seed + number))
            for number in range(growth.threads)
        ]
        before = growth.visits
        if before == 0:
            growers[0].judge_root(pace)
            if points is not None:
                restrict_root(growth.tree, points)
        others = growers[1:]
        if not others:
            self._grow(growers[0], pace)
            return before
        with ThreadPoolExecutor(len(others), "tree") as pool:
            under_way = [pool.submit(self._grow, each, pace) for each in others]
            self._grow(growers[0], pace)
        for each in under_way:
            each.result()
        return before

    def _grow(self, grower: Grower, pace: Pace) -> None:
        """Grows the tree until its goal, a stop, or until there is no room."""
        try:
            most = 1
            while most > 0:
                with self._lock:
                    grower.settle()
                    most = self._visits_to_go(grower.growth, pace)
                    is_found = most > 0 and grower.collect(most)
                if is_found:
                    grower.judge(pace)
                elif grower.growth.threads > 1:
                    time.sleep(0)  # another thread may judge the leaf that all ways lead to
        except BaseException:
            self._stop.set()  # what this thread leaves waiting, the others would wait for
            raise

    def _visits_to_go(self, growth: Growth, pace: Pace) -> int:
        """How many visits may be made before the next look; 0 when it is time to end."""
        look_for_stop()
        if self._stop.is_set() or not growth.has_room():
            return 0
        return pace.visits_to_go(growth)

    def _result(
        self, growth: Growth, begin: float, before: int, *, with_details: bool
    ) -> TreeResult:
        tree, root = growth.tree, int(growth.tree.counts[ROOT])
        value, lead = means_of(tree, root, growth.root.color)
        return TreeResult(
            root_moves(tree, growth.root, with_details=with_details),
            value,
            lead if growth.knows_owners else None,
            growth.visits,
            growth.visits - before,
            tree_ownership(tree, root) if with_details and growth.knows_owners else None,
            time.perf_counter() - begin,
        )


def _root_state(game: Game) -> BoardState:
    """The game's position with its history and room for the deepest descent."""
    ply = int(game.words[PLY])
    hashes = np.zeros(ply + DEEPEST + 2, np.uint64)
    hashes[: ply + 1] = game.state.hashes[: ply + 1]
    return BoardState(game.words.copy(), hashes, game.state.keys)
