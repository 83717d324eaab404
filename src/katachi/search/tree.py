# pyright: reportArgumentType=false, reportReturnType=false, reportCallIssue=false
"""The tree of a best-first search, as arrays.

A node is a position with a player to move; an edge is a move there. Positions that meet again are
one node, so the tree is a graph in which every edge still counts its own visits. Values are Black's
chances, 0 to 1, and leads are Black's. `tree_walk` has the kernels that walk through it.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from katachi._jit import inlined, kernel
from katachi.rules.point import CELLS, PASS, STRIDE
from katachi.rules.random_play import list_sensible_moves
from katachi.rules.ruleset import KoRule
from katachi.rules.state import PASSES, SIZE, BoardState, Hashes, Words
from katachi.search.transpositions import key_of

Integers = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float64]
Priors = npt.NDArray[np.float32]
Bytes = npt.NDArray[np.uint8]
Numbers = npt.NDArray[np.int64]

NODES, EDGES, ROOT, OWNERS = range(4)
"""Places of `Tree.counts`."""
WAITING, OPEN, ENDED = range(3)
"""States of a node: not judged yet, expanded, the end of a game."""
NO_NODE = -1
SLOTS_A_NODE = 2
BYTES_A_NODE, BYTES_AN_EDGE = 62, 18
"""Of a node without its owners."""
CERTAIN = 255
"""What an owner is written as that is surely Black."""
_OVER_BIT = 1 << 12
"""Of a key: both players have passed. `key_of` knows a pass, not whether it is the second one."""
_SIMPLE = int(KoRule.SIMPLE)
_PASS_PRIOR, _ANSWERING_PASS = 0.01, 0.2
"""The share of a pass: of any, and of one that would end the game."""


class Tree(NamedTuple):
    """Room for so many nodes and edges."""

    counts: Numbers
    """[4]: nodes and edges in use, the root, and whether anybody has said who owns what."""
    keys: Hashes
    """[nodes]: of `node_key`."""
    state: Bytes
    """[nodes]."""
    first: Integers
    """[nodes]: where the edges of a node begin, its likeliest move first."""
    width: Integers
    """[nodes]: how many there are."""
    reach: Integers
    """[nodes]: how many of its edges come before the last one that was tried, itself counted; all
    that follow have no visit."""
    visits: Integers
    """[nodes]: 1, when it was judged, and the visits of all its edges."""
    total: Floats
    """[nodes]: the sum of the values of these visits."""
    lead: Floats
    """[nodes]: the sum of the leads of these visits."""
    owned: Bytes
    """[nodes, points]: who owns each point, from 0 for White to CERTAIN for Black, as it was judged
    there; of the end of a game, as it is."""
    slots: Integers
    """[2 or more a node]: a table of nodes by key; NO_NODE where there is none."""
    move: Words
    """[edges]."""
    prior: Priors
    """[edges]: of a node they add up to 1."""
    taken: Integers
    """[edges]: visits."""
    pending: Integers
    """[edges]: visits under way."""
    child: Integers
    """[edges]: the node that it leads to, or NO_NODE."""


def new_tree(nodes: int, edges: int, points: int) -> Tree:
    """An empty tree of positions of boards with so many points."""
    slots = 1 << (SLOTS_A_NODE * nodes - 1).bit_length()
    return Tree(
        np.array([0, 0, NO_NODE, 0], np.int64),
        np.zeros(nodes, np.uint64),
        np.zeros(nodes, np.uint8),
        np.zeros(nodes, np.int32),
        np.zeros(nodes, np.int32),
        np.zeros(nodes, np.int32),
        np.zeros(nodes, np.int32),
        np.zeros(nodes),
        np.zeros(nodes),
        np.zeros((nodes, points), np.uint8),
        np.full(slots, NO_NODE, np.int32),
        np.zeros(edges, np.uint16),
        np.zeros(edges, np.float32),
        np.zeros(edges, np.int32),
        np.zeros(edges, np.int32),
        np.zeros(edges, np.int32),
    )


def clear_tree(tree: Tree) -> None:
    """Forgets everything."""
    tree.counts[:] = 0, 0, NO_NODE, 0
    tree.slots[:] = NO_NODE


@inlined
def _slot_of(tree: Tree, key: np.uint64) -> int:
    """The slot of a key: that of its node, or the empty one where it belongs."""
    mask = np.uint64(len(tree.slots) - 1)
    slot = np.int64((key ^ (key >> np.uint64(29))) & mask)
    while tree.slots[slot] != NO_NODE and tree.keys[tree.slots[slot]] != key:
        slot = (slot + 1) & np.int64(mask)
    return slot


@inlined
def node_key(state: BoardState, side: int) -> np.uint64:
    """The key of a position with `side` to move, which knows one pass from two."""
    key = key_of(state, side)
    return key ^ np.uint64(_OVER_BIT) if state.words[PASSES] >= 2 else key


@kernel
def find_node(tree: Tree, state: BoardState, side: int) -> int:
    """The node of a position with `side` to move, or NO_NODE."""
    return np.int64(tree.slots[_slot_of(tree, node_key(state, side))])


@kernel
def add_node(tree: Tree, state: BoardState, side: int) -> int:
    """A new node, waiting, for a position that has none. The caller sees to it that there is
    room."""
    node = tree.counts[NODES]
    key = node_key(state, side)
    tree.counts[NODES] = node + 1
    tree.slots[_slot_of(tree, key)] = node
    tree.keys[node] = key
    tree.state[node] = WAITING
    tree.first[node] = 0
    tree.width[node] = 0
    tree.reach[node] = 0
    tree.visits[node] = 0
    tree.total[node] = 0.0
    tree.lead[node] = 0.0
    return node


@inlined
def score_index(point: int, size: int) -> int:
    """Where a point's score is, row by row."""
    return (point // STRIDE - 1) * size + point % STRIDE - 1


@kernel
def list_moves(state: BoardState, side: int, moves: Words) -> int:
    """Writes the moves that a node has, but for the pass, into `moves` and returns how many. What
    superko forbids is among them: that depends on the way to a position."""
    return list_sensible_moves(state, side, _SIMPLE, moves)


def node_moves(state: BoardState, side: int) -> Words:
    """The moves that a node of this position has, but for the pass."""
    moves = np.zeros(CELLS, np.uint16)
    return moves[: list_moves(state, side, moves)]


@kernel
def expand(
    tree: Tree, node: int, state: BoardState, side: int, scores: Floats, moves: Words
) -> None:
    """Gives a waiting node its edges: the sensible moves, the likeliest first, and a pass. `scores`
    [size * size] are logits of how likely each is; `moves` is memory for a list of them. The caller
    sees to it that there is room."""
    size = np.int64(state.words[SIZE])
    count = list_moves(state, side, moves)
    first = tree.counts[EDGES]
    # Slices: counted from 0 the compiler need not ask whether an index is negative.
    prior, move = tree.prior[first : first + count + 1], tree.move[first : first + count + 1]
    for index in range(count):
        point = np.int64(moves[index])
        _insert(prior, move, index, np.float32(scores[score_index(point, size)]), point)
    _share_priors(prior, move, count, state.words[PASSES] > 0)
    for edge in range(first, first + count + 1):
        tree.taken[edge] = 0
        tree.pending[edge] = 0
        tree.child[edge] = NO_NODE
    tree.first[node] = first
    tree.width[node] = count + 1
    tree.counts[EDGES] = first + count + 1
    tree.state[node] = OPEN


@inlined
def _insert(prior: Priors, move: Words, count: int, value: float, point: int) -> None:
    """Puts a move among the first `count`, the likeliest first."""
    place = count
    while place > 0 and prior[place - 1] < value:
        prior[place] = prior[place - 1]
        move[place] = move[place - 1]
        place -= 1
    prior[place] = value
    move[place] = point


@inlined
def _share_priors(prior: Priors, move: Words, count: int, ends_game: bool) -> None:
    """Turns scores into shares, and puts a pass where its share belongs."""
    passing = _ANSWERING_PASS if ends_game else _PASS_PRIOR
    if count == 0:
        passing = 1.0
    total = np.float64(0.0)
    best = prior[0]
    for index in range(count):
        prior[index] = np.exp(prior[index] - best)
        total += prior[index]
    for index in range(count):
        prior[index] = np.float32((1.0 - passing) * prior[index] / total)
    _insert(prior, move, count, passing, PASS)


@kernel
def copy_below(tree: Tree, root: int, into: Tree, places: Integers) -> None:
    """Copies what can be reached from a node into an empty tree, as its root; `places` [nodes] is
    memory. Nothing may be pending."""
    for node in range(tree.counts[NODES]):
        places[node] = NO_NODE
    places[root] = _copy_node(tree, root, into)
    done = 0
    while done < into.counts[NODES]:
        first = into.first[done]
        for edge in range(first, first + into.width[done]):
            child = into.child[edge]
            if child == NO_NODE:
                continue
            if places[child] == NO_NODE:
                places[child] = _copy_node(tree, np.int64(child), into)
            into.child[edge] = places[child]
        done += 1
    into.counts[ROOT] = 0
    into.counts[OWNERS] = tree.counts[OWNERS]


@kernel
def _copy_node(tree: Tree, node: int, into: Tree) -> int:
    """Copies one node with its edges, which still lead to the old children."""
    place = into.counts[NODES]
    into.counts[NODES] = place + 1
    into.keys[place] = tree.keys[node]
    into.slots[_slot_of(into, tree.keys[node])] = place
    into.state[place] = tree.state[node]
    into.visits[place] = tree.visits[node]
    into.total[place] = tree.total[node]
    into.lead[place] = tree.lead[node]
    for point in range(tree.owned.shape[1]):
        into.owned[place, point] = tree.owned[node, point]
    into.width[place] = tree.width[node]
    into.reach[place] = tree.reach[node]
    first, old = into.counts[EDGES], np.int64(tree.first[node])
    into.first[place] = first
    for step in range(tree.width[node]):
        into.move[first + step] = tree.move[old + step]
        into.prior[first + step] = tree.prior[old + step]
        into.taken[first + step] = tree.taken[old + step]
        into.pending[first + step] = 0
        into.child[first + step] = tree.child[old + step]
    into.counts[EDGES] = first + np.int64(tree.width[node])
    return place
