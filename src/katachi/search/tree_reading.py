# pyright: reportArgumentType=false, reportReturnType=false, reportCallIssue=false
"""What a tree says in the end: moves with their visits, lines that are expected, owners."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from katachi._jit import kernel
from katachi.rules.color import BLACK
from katachi.rules.kernels import play_move
from katachi.rules.state import BoardState
from katachi.search.tree import (
    CERTAIN,
    ENDED,
    NO_NODE,
    NODES,
    OPEN,
    ROOT,
    WAITING,
    Floats,
    Integers,
    Tree,
)
from katachi.search.tree_walk import is_allowed

LONGEST_LINE = 60
"""Moves of a line that is expected to follow."""


class TreeMove(NamedTuple):
    """A move at the root and what was found of it; chance and lead are the mover's."""

    point: int
    visits: int
    prior: float
    win_rate: float | None
    """None of a move that was never tried."""
    lead: float | None
    """Points ahead, komi counted; None where it was never tried."""
    line: tuple[int, ...]
    """Moves that are expected to follow, by their visits."""
    ownership: npt.NDArray[np.float64] | None
    """[size * size] Black's chance of each point, the mean over all that follows; None where it was
    never tried."""


class Root(NamedTuple):
    """The position that a search begins with."""

    state: BoardState
    """With the history of the game and room for the longest descent."""
    color: int
    ko: int
    """The rule of repetition."""


def edges_of(tree: Tree, node: int) -> range:
    """The edges of a node."""
    first = int(tree.first[node])
    return range(first, first + int(tree.width[node]))


def root_moves(tree: Tree, root: Root, *, with_details: bool) -> list[TreeMove]:
    """The moves at the root that the rules allow, the most visited first; with lines and owners
    where details are wanted."""
    reader = _Reader(tree, root)
    edges = edges_of(tree, int(tree.counts[ROOT]))
    allowed = [edge for edge in edges if reader.is_legal(edge)]
    moves = [reader.move(edge, with_details=with_details) for edge in allowed]
    return sorted(moves, key=lambda move: (-move.visits, -(move.win_rate or 0.0), -move.prior))


class _Reader:
    """Reads one tree."""

    def __init__(self, tree: Tree, root: Root) -> None:
        self._tree, self._root = tree, root
        self._state = BoardState(root.state.words.copy(), root.state.hashes.copy(), root.state.keys)
        self._line = np.zeros(LONGEST_LINE, np.uint16)

    def is_legal(self, edge: int) -> bool:
        """Whether superko allows a move at the root."""
        root = self._root
        return bool(is_edge_allowed(self._tree, edge, root.state, root.color, root.ko))

    def move(self, edge: int, *, with_details: bool) -> TreeMove:
        """What was found of a move at the root."""
        tree, child = self._tree, int(self._tree.child[edge])
        point, visits, prior = int(tree.move[edge]), int(tree.taken[edge]), float(tree.prior[edge])
        if child == NO_NODE or tree.visits[child] == 0:
            return TreeMove(point, visits, prior, None, None, (), None)
        value, lead = means_of(tree, child, self._root.color)
        line = self._follow(edge) if with_details else ()
        owned = tree_ownership(tree, child) if with_details else None
        return TreeMove(point, visits, prior, value, lead, line, owned)

    def _follow(self, edge: int) -> tuple[int, ...]:
        root, state = self._root, self._state
        state.words[:] = root.state.words
        count = follow_line(self._tree, edge, state, root.color, root.ko, self._line)
        return tuple(self._line[:count].tolist())


def means_of(tree: Tree, node: int, color: int) -> tuple[float, float]:
    """(chance, lead) of `color` at a node that was visited."""
    value = float(tree.total[node] / tree.visits[node])
    lead = float(tree.lead[node] / tree.visits[node])
    return (value, lead) if color == BLACK else (1.0 - value, -lead)


def tree_ownership(tree: Tree, node: int) -> npt.NDArray[np.float64]:
    """[size * size] Black's chance of each point, the mean over the positions from a node on."""
    sums = np.zeros(tree.owned.shape[1])
    memory = np.zeros((2, int(tree.counts[NODES])), np.int32)
    weight = add_ownership(tree, node, sums, memory)
    return np.asarray(sums / (CERTAIN * max(1.0, weight)))


@kernel
def is_edge_allowed(tree: Tree, edge: int, state: BoardState, side: int, ko: int) -> bool:
    """Whether the rules allow an edge's move in this position."""
    return is_allowed(state, np.int64(tree.move[edge]), side, ko)


@kernel
def follow_line(
    tree: Tree, edge: int, state: BoardState, side: int, ko: int, line: Integers
) -> int:
    """Plays an edge and then the most visited moves that the rules allow, and writes those that
    follow it into `line`; returns how many they are."""
    count = 0
    while True:
        play_move(state, np.int64(tree.move[edge]), side)
        side = 3 - side
        node = tree.child[edge]
        if node == NO_NODE or tree.state[node] != OPEN or count == len(line):
            return count
        best, most = NO_NODE, np.int32(0)
        for following in range(tree.first[node], tree.first[node] + tree.width[node]):
            move = np.int64(tree.move[following])
            if tree.taken[following] > most and is_allowed(state, move, side, ko):
                best, most = following, tree.taken[following]
        if best == NO_NODE:
            return count
        edge = best
        line[count] = tree.move[edge]
        count += 1


@kernel
def add_ownership(tree: Tree, root: int, sums: Floats, memory: Integers) -> float:
    """Adds the owners of all positions that can be reached from a node to `sums` [points] and
    returns how many they are; the end of a game counts as often as it was visited. `memory`
    [2, nodes] is zeros."""
    found, done = 1, 0
    memory[0, 0] = root
    memory[1, root] = 1
    weight = 0.0
    while done < found:
        node = memory[0, done]
        done += 1
        if tree.state[node] == WAITING:
            continue
        share = np.float64(tree.visits[node]) if tree.state[node] == ENDED else 1.0
        weight += share
        for point in range(len(sums)):
            sums[point] += share * tree.owned[node, point]
        if tree.state[node] == ENDED:
            continue
        for edge in range(tree.first[node], tree.first[node] + tree.width[node]):
            child = tree.child[edge]
            if child != NO_NODE and tree.taken[edge] > 0 and memory[1, child] == 0:
                memory[1, child] = 1
                memory[0, found] = child
                found += 1
    return weight
