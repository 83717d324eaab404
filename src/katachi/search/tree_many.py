# pyright: reportArgumentType=false, reportReturnType=false, reportCallIssue=false
"""One step of many games with a tree each: a call for all of them, not one for each."""

from typing import NamedTuple

import numpy as np

from katachi._jit import inlined, kernel
from katachi.rules.area import SCRATCH
from katachi.rules.point import CELLS
from katachi.rules.random_play import copy_board
from katachi.rules.state import PLY, WORDS, BoardState, Words, new_states
from katachi.search.tree import (
    BYTES_A_NODE,
    BYTES_AN_EDGE,
    OPEN,
    ROOT,
    Numbers,
    Tree,
    new_tree,
)
from katachi.search.tree_walk import (
    LENGTH,
    SIDE_THERE,
    Leaves,
    Path,
    Said,
    TreeSettings,
    collect,
    new_paths,
    settle,
)


class ManyTrees(NamedTuple):
    """G games, the leaves that each of them looks at, and memory."""

    trees: Tree
    """Every array has one more axis in front: [G]."""
    states: BoardState
    """[G]: the positions of the games."""
    sides: Numbers
    """[G]: who moves there."""
    targets: Numbers
    """[G]: visits after which a move is chosen; 0 where there is no game."""
    widths: Numbers
    """[G]: how many leaves a game looks at together."""
    found: Numbers
    """[G]: how many leaves wait."""
    leaves: BoardState
    """[G * batch]: their positions, those of a game side by side."""
    paths: Path
    """[G * batch]: the ways there."""
    scratch: Words
    """As `Leaves.scratch`."""
    moves: Words
    """As `Leaves.moves`."""


class TreeSizes(NamedTuple):
    """What there is room for."""

    size: int
    """Of the boards."""
    games: int
    batch: int
    """Leaves of a game."""
    nodes: int
    """Of a tree."""
    moves: int
    """Of a game, those that a descent looks ahead included."""
    deepest: int
    """Of these, those of a descent."""


def bytes_of(sizes: TreeSizes) -> int:
    """About how much memory they take: trees, games, and leaves, of which there are two copies."""
    points = sizes.size**2
    tree = sizes.nodes * (BYTES_A_NODE + points + BYTES_AN_EDGE * (points + 1))
    board = 2 * WORDS + 8 * sizes.moves
    return sizes.games * (tree + (2 * sizes.batch + 1) * board)


def new_trees(sizes: TreeSizes) -> ManyTrees:
    """Room for games, of which there are none yet."""
    games, points = sizes.games, sizes.size**2
    one = new_tree(sizes.nodes, sizes.nodes * (points + 1), points)
    return ManyTrees(
        Tree._make(np.repeat(each[None], games, axis=0) for each in one),
        new_states(games, sizes.size, sizes.moves),
        np.zeros(games, np.int64),
        np.zeros(games, np.int64),
        np.full(games, sizes.batch, np.int64),
        np.zeros(games, np.int64),
        new_states(games * sizes.batch, sizes.size, sizes.moves),
        new_paths(games * sizes.batch, sizes.deepest),
        np.zeros(SCRATCH, np.uint16),
        np.zeros(CELLS, np.uint16),
    )


@inlined
def _tree_of(trees: Tree, game: int) -> Tree:
    return Tree(
        trees.counts[game],
        trees.keys[game],
        trees.state[game],
        trees.first[game],
        trees.width[game],
        trees.reach[game],
        trees.visits[game],
        trees.total[game],
        trees.lead[game],
        trees.owned[game],
        trees.slots[game],
        trees.move[game],
        trees.prior[game],
        trees.taken[game],
        trees.pending[game],
        trees.child[game],
    )


@inlined
def _leaves_of(many: ManyTrees, game: int) -> Leaves:
    batch = len(many.leaves.words) // len(many.targets)
    first = game * batch
    last = first + many.widths[game]
    states, paths = many.leaves, many.paths
    return Leaves(
        BoardState(states.words[first:last], states.hashes[first:last], states.keys),
        Path(paths.nodes[first:last], paths.edges[first:last], paths.ends[first:last]),
        many.scratch,
        many.moves,
    )


@kernel
def _collect_one(many: ManyTrees, settings: TreeSettings, game: int) -> int:
    """How many leaves of a game wait now: its root where nobody has judged that."""
    tree, leaves, side = _tree_of(many.trees, game), _leaves_of(many, game), many.sides[game]
    state = BoardState(many.states.words[game], many.states.hashes[game], many.states.keys)
    root = tree.counts[ROOT]
    if tree.state[root] != OPEN:
        copy_board(state.words, leaves.states.words[0])
        leaves.paths.nodes[0, 0] = root
        leaves.paths.ends[0, LENGTH] = 0
        leaves.paths.ends[0, SIDE_THERE] = side
        return 1
    left = max(many.targets[game] - np.int64(tree.visits[root]), np.int64(1))
    found, _ = collect(tree, settings, state, side, leaves, left)
    return found


@kernel
def collect_all(many: ManyTrees, settings: TreeSettings, judged: BoardState, sides: Numbers) -> int:
    """Finds the next leaves of every game and writes them side by side into `judged` and who moves
    there into `sides`, both [G * batch]; returns how many there are."""
    batch = len(many.leaves.words) // len(many.targets)
    count = 0
    for game in range(len(many.targets)):
        many.found[game] = 0
        if many.targets[game] == 0:
            continue
        many.found[game] = _collect_one(many, settings, game)
        for row in range(game * batch, game * batch + many.found[game]):
            board = many.leaves.words[row]
            copy_board(board, judged.words[count])
            for ply in range(np.int64(board[PLY]) + 1):
                judged.hashes[count, ply] = many.leaves.hashes[row, ply]
            sides[count] = many.paths.ends[row, SIDE_THERE]
            count += 1
    return count


@kernel
def settle_all(many: ManyTrees, said: Said) -> None:
    """Brings what is said of these leaves into the trees."""
    first = 0
    for game in range(len(many.targets)):
        last = first + many.found[game]
        if last > first:
            own = Said(
                said.values[first:last],
                said.leads[first:last],
                said.scores[first:last],
                said.owned[first:last],
            )
            settle(_tree_of(many.trees, game), _leaves_of(many, game), own)
        first = last
