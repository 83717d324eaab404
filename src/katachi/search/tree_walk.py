# pyright: reportArgumentType=false, reportReturnType=false, reportCallIssue=false
"""Walks through the tree of a best-first search: choosing by PUCT, growing, noting what was found.

A leaf waits between `collect`, which finds it, and `settle`, which brings what an evaluator says of
it; edges on the way there count as visited meanwhile, and may count as lost, so that the next
descent goes elsewhere. Superko holds along every path.
"""

from typing import NamedTuple

import numpy as np

from katachi._jit import inlined, kernel
from katachi.rules.area import mark_area
from katachi.rules.color import BLACK, WHITE
from katachi.rules.kernels import play_move
from katachi.rules.legality import LEGAL, judge_move
from katachi.rules.point import STRIDE
from katachi.rules.random_play import copy_board
from katachi.rules.ruleset import KoRule
from katachi.rules.state import PASSES, SIZE, BoardState, Words
from katachi.search.tree import (
    CERTAIN,
    ENDED,
    NO_NODE,
    OWNERS,
    ROOT,
    WAITING,
    Bytes,
    Floats,
    Integers,
    Numbers,
    Tree,
    add_node,
    expand,
    find_node,
)

LEAF, KNOWN, MET = range(3)
"""How a descent ends: at a new node to judge, at one whose value is known (the end of a game, or as
deep as a descent goes), or at one that waits already."""


class TreeSettings(NamedTuple):
    """What a walk needs to know."""

    komi: float
    exploration: float = 0.55
    """How much priors weigh against values."""
    reduction: float = 0.1
    """How much worse than its position a move is taken to be that nobody has tried."""
    root_reduction: float = 0.1
    """The same at the root."""
    ko: int = KoRule.POSITIONAL.value
    """The rule of repetition."""
    lost: float = 1.0
    """The share of a visit under way that counts as lost, so that the next descent goes
    elsewhere; the rest counts as a visit of the value so far."""


@inlined
def is_allowed(state: BoardState, move: int, side: int, ko: int) -> bool:
    """Whether a move that a node has may be played on the way that led there."""
    return judge_move(state, move, side, ko, False) == LEGAL


@inlined
def _chance(tree: Tree, node: int, is_black: bool) -> float:
    """The mover's mean value of a node that has been visited."""
    mean = tree.total[node] / tree.visits[node]
    return mean if is_black else 1.0 - mean


@inlined
def _tried_value(tree: Tree, child: int, lost: float, is_black: bool) -> float:
    """What a move that was tried is taken to bring, so many visits lost."""
    if child == NO_NODE or tree.visits[child] == 0:
        return 0.0
    seen = tree.visits[child]
    return _chance(tree, child, is_black) * seen / (seen + lost)


@kernel
def choose_edge(tree: Tree, settings: TreeSettings, node: int, side: int, state: BoardState) -> int:
    """The edge that a descent takes: the best by PUCT of those that superko allows here."""
    is_black = side == BLACK
    first, width = np.int64(tree.first[node]), np.int64(tree.width[node])
    # Slices: counted from 0 the compiler need not ask whether an index is negative.
    taken, pending = tree.taken[first : first + width], tree.pending[first : first + width]
    prior, child = tree.prior[first : first + width], tree.child[first : first + width]
    tries = np.int64(0)
    seen = np.float64(0.0)
    reach = np.int64(tree.reach[node])
    for index in range(reach):
        count = taken[index] + pending[index]
        tries += count
        if count > 0:
            seen += prior[index]
    is_root = node == tree.counts[ROOT]
    reduction = settings.root_reduction if is_root else settings.reduction
    untried = _chance(tree, node, is_black) - reduction * np.sqrt(seen)
    scale = settings.exploration * np.sqrt(np.float64(max(tries, np.int64(1))))
    best = np.int64(NO_NODE)
    for is_checked in range(2):
        best, best_score = np.int64(NO_NODE), -np.inf
        has_untried = False
        # Of the moves that nobody has tried only the likeliest can be the best one.
        last = width if is_checked else min(reach + 1, width)
        for index in range(last):
            count = taken[index] + pending[index]
            value = untried
            if count > 0:
                lost = settings.lost * pending[index]
                value = _tried_value(tree, np.int64(child[index]), lost, is_black)
            elif has_untried and not is_checked:
                continue  # the one before it is likelier
            else:
                has_untried = True
            score = value + scale * prior[index] / (1.0 + count)
            if score > best_score:
                if is_checked and not is_allowed(
                    state, np.int64(tree.move[first + index]), side, settings.ko
                ):
                    continue
                best, best_score = first + index, score
        if is_checked or is_allowed(state, np.int64(tree.move[best]), side, settings.ko):
            return best
    return best


class Path(NamedTuple):
    """The way of a descent; of several, with one more axis in front."""

    nodes: Integers
    """[deepest + 1]: the nodes passed, the one where it ended last."""
    edges: Integers
    """[deepest]: the edge taken from each."""
    ends: Numbers
    """[2]: how many edges, and the colour to move at the end."""


LENGTH, SIDE_THERE = range(2)
"""Places of `Path.ends`."""


def new_paths(count: int, deepest: int) -> Path:
    """Room for so many ways."""
    return Path(
        np.zeros((count, deepest + 1), np.int32),
        np.zeros((count, deepest), np.int32),
        np.zeros((count, 2), np.int64),
    )


@kernel
def descend(tree: Tree, settings: TreeSettings, state: BoardState, side: int, path: Path) -> int:
    """Walks from the root, whose position with `side` to move `state` holds, to a node that must be
    judged, and plays the moves on the way; returns how it ended. Edges on the way are pending until
    `back_up` or `give_up`."""
    node = tree.counts[ROOT]
    length = 0
    ending = KNOWN
    path.nodes[0] = node
    while True:
        if tree.state[node] == WAITING:
            ending = MET
            break
        if tree.state[node] == ENDED or length == len(path.edges):
            break
        edge = choose_edge(tree, settings, node, side, state)
        play_move(state, np.int64(tree.move[edge]), side)
        side = 3 - side
        is_new = False
        if tree.child[edge] == NO_NODE:
            found = find_node(tree, state, side)
            is_new = found == NO_NODE
            tree.child[edge] = add_node(tree, state, side) if is_new else found
        tree.pending[edge] += 1
        tree.reach[node] = max(tree.reach[node], np.int32(edge - tree.first[node] + 1))
        path.edges[length] = edge
        length += 1
        node = np.int64(tree.child[edge])
        path.nodes[length] = node
        if is_new:
            ending = KNOWN if state.words[PASSES] >= 2 else LEAF
            break
    path.ends[LENGTH] = length
    path.ends[SIDE_THERE] = side
    return ending


@kernel
def give_up(tree: Tree, path: Path) -> None:
    """Takes back what a descent noted."""
    for step in range(path.ends[LENGTH]):
        tree.pending[path.edges[step]] -= 1


@kernel
def back_up(tree: Tree, path: Path, value: float, lead: float) -> None:
    """Notes a visit of this value and lead at the end of a way, and all along it."""
    length = path.ends[LENGTH]
    for step in range(length):
        edge = path.edges[step]
        tree.pending[edge] -= 1
        tree.taken[edge] += 1
    for step in range(length + 1):
        node = path.nodes[step]
        tree.visits[node] += 1
        tree.total[node] += value
        tree.lead[node] += lead


@kernel
def known_value(
    tree: Tree, komi: float, board: Words, node: int, scratch: Words
) -> tuple[float, float]:
    """(value, lead) of a node where a descent ended KNOWN: the result of a finished game, or what
    is known of a position so far."""
    if tree.state[node] != WAITING:
        return tree.total[node] / tree.visits[node], tree.lead[node] / tree.visits[node]
    lead = mark_area(board, scratch) - komi
    tree.state[node] = ENDED
    _keep_owners(tree, node, np.int64(board[SIZE]), scratch)
    return 1.0 if lead > 0 else 0.0 if lead < 0 else 0.5, lead


@inlined
def _keep_owners(tree: Tree, node: int, size: int, marks: Words) -> None:
    """Notes who owns what at the end of a game."""
    place = 0
    for row in range(1, size + 1):
        for point in range(row * STRIDE + 1, row * STRIDE + size + 1):
            owner = marks[point] & 3
            shade = CERTAIN if owner == BLACK else 0 if owner == WHITE else CERTAIN // 2
            tree.owned[node, place] = shade
            place += 1


class Leaves(NamedTuple):
    """Memory for descents that are under way together."""

    states: BoardState
    """[B]: their positions; the history of each begins with the root's."""
    paths: Path
    """[B]."""
    scratch: Words
    """[2 * CELLS]: for counting a finished game."""
    moves: Words
    """[CELLS]: for a list of moves."""


@kernel
def collect(
    tree: Tree, settings: TreeSettings, root: BoardState, side: int, leaves: Leaves, visits: int
) -> tuple[int, int]:
    """Descends until all of `leaves` is used, `visits` visits are under way, or a descent meets
    another; visits of known value are noted at once. Returns (leaves to judge, visits noted)."""
    found = 0
    noted = 0
    while found < len(leaves.states.words) and found + noted < visits:
        state = BoardState(
            leaves.states.words[found], leaves.states.hashes[found], leaves.states.keys
        )
        paths = leaves.paths
        path = Path(paths.nodes[found], paths.edges[found], paths.ends[found])
        copy_board(root.words, state.words)
        ending = descend(tree, settings, state, side, path)
        if ending == MET:
            give_up(tree, path)
            break
        if ending == LEAF:
            found += 1
            continue
        node = np.int64(path.nodes[path.ends[LENGTH]])
        value, lead = known_value(tree, settings.komi, state.words, node, leaves.scratch)
        back_up(tree, path, value, lead)
        noted += 1
    return found, noted


class Said(NamedTuple):
    """What is said of n leaves."""

    values: Floats
    """[n]: Black's chances."""
    leads: Floats
    """[n]: Black's leads."""
    scores: Floats
    """[n, size * size]: how likely the mover plays there, as a logit."""
    owned: Bytes
    """[n, size * size]: as `Tree.owned`, or [n, 0] where nobody says it."""


@kernel
def settle(tree: Tree, leaves: Leaves, said: Said) -> None:
    """Brings what is said of the first leaves into the tree."""
    if said.owned.shape[1] > 0:
        tree.counts[OWNERS] = 1
    for index in range(len(said.values)):
        state = BoardState(
            leaves.states.words[index], leaves.states.hashes[index], leaves.states.keys
        )
        paths = leaves.paths
        path = Path(paths.nodes[index], paths.edges[index], paths.ends[index])
        node, side = np.int64(path.nodes[path.ends[LENGTH]]), path.ends[SIDE_THERE]
        expand(tree, node, state, side, said.scores[index], leaves.moves)
        for point in range(said.owned.shape[1]):
            tree.owned[node, point] = said.owned[index, point]
        back_up(tree, path, said.values[index], said.leads[index])
