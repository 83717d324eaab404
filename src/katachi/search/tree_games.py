"""Many games at once by tree search: their leaves are judged together, in large batches.

Games are played for learning: moves early in a game are sampled, priors at the root carry noise,
and only a share of the moves is searched in full and kept to learn from (as KataGo does); the
others are quick, so that there are more games.
"""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from katachi.rules.area import SCRATCH, area_owners
from katachi.rules.color import BLACK, WHITE
from katachi.rules.kernels import play_move
from katachi.rules.point import CELLS, PASS, index_of_points
from katachi.rules.state import PASSES, PLY, BoardState, Words, new_states
from katachi.search.tree import OPEN, ROOT, Tree, add_node, clear_tree, new_tree
from katachi.search.tree_leaves import Judge
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

DEEPEST = 60


@dataclass(frozen=True)
class GamePlan:
    """How games are played."""

    size: int = 9
    komi: float = 7.0
    games: int = 64
    """At once."""
    visits: int = 200
    """Of a move that is kept."""
    quick_visits: int = 40
    full_share: float = 0.25
    batch: int = 8
    """Leaves of a game that are judged together."""
    noise: float = 0.25
    """Share of the root's priors."""
    noise_total: float = 10.0
    """The smaller, the more of it is on a few moves."""
    sampled_moves: int = 12
    """Moves at the beginning that are sampled by visits."""
    random_moves: int = 2
    """Of them, the most that are sampled by priors alone."""
    random_temperature: float = 1.0
    """Of these; the higher, the more alike all moves are."""
    exploration: float = 0.55
    reduction: float = 0.1
    moves_a_point: float = 2.0


class SearchedPosition(NamedTuple):
    """One position that was searched in full."""

    words: Words
    """[WORDS]."""
    color: int
    policy: npt.NDArray[np.float32]
    """[size * size + 1]: shares of the visits, the pass last."""
    value: float
    """Black's chance, by the search."""


@dataclass
class _Played:
    """One game under way."""

    tree: Tree
    state: BoardState
    leaves: Leaves
    first: int
    random: np.random.Generator
    color: int = BLACK
    target: int = 0
    is_full: bool = False
    opening: int = 0
    found: int = 0
    searched: list[SearchedPosition] = field(default_factory=list)
    moves: list[int] = field(default_factory=list)


class FinishedGame(NamedTuple):
    """A game that is over."""

    moves: list[int]
    searched: list[SearchedPosition]
    owners: npt.NDArray[np.uint8]
    """[size * size] at the end: BLACK, WHITE, or EMPTY for neutral."""


class TreeGames:
    """Plays on and on, or so many games."""

    def __init__(self, plan: GamePlan, seed: int, total: int | None = None) -> None:
        """Games at their beginnings; `total` is how many are begun in all, each of which is played
        to its end."""
        self.plan = plan
        self._left = total
        self._random = np.random.default_rng(seed)
        points = plan.size**2
        self._limit = int(plan.moves_a_point * points)
        count = plan.games * plan.batch
        history = self._limit + DEEPEST + 4
        self._states = new_states(count, plan.size, history)
        self._judged = new_states(count, plan.size, history)
        self._paths = new_paths(count, DEEPEST)
        reduction = plan.reduction
        self._settings = TreeSettings(plan.komi, plan.exploration, reduction, reduction)
        nodes = plan.visits + 2 * plan.batch
        self._games = [
            self._new_game(number, new_tree(nodes, nodes * (points + 1), points))
            for number in range(plan.games if total is None else min(plan.games, total))
        ]

    @property
    def is_over(self) -> bool:
        """Whether all games have ended."""
        return not self._games

    def _new_game(self, number: int, tree: Tree) -> _Played:
        plan, first = self.plan, number * self.plan.batch
        self._left = None if self._left is None else self._left - 1
        rows = slice(first, first + plan.batch)
        states, paths = self._states, self._paths
        history = states.hashes.shape[1]
        fresh = new_states(1, plan.size, history)
        game = _Played(
            tree,
            BoardState(fresh.words[0], fresh.hashes[0], fresh.keys),
            Leaves(
                BoardState(states.words[rows], states.hashes[rows], states.keys),
                Path(paths.nodes[rows], paths.edges[rows], paths.ends[rows]),
                np.zeros(SCRATCH, np.uint16),
                np.zeros(CELLS, np.uint16),
            ),
            first,
            np.random.default_rng(int(self._random.integers(1 << 62))),
        )
        game.opening = int(game.random.integers(plan.random_moves + 1))
        self._begin_move(game)
        return game

    def _begin_move(self, game: _Played) -> None:
        """Makes the present position the root of an empty tree."""
        plan = self.plan
        clear_tree(game.tree)
        game.tree.counts[ROOT] = add_node(game.tree, game.state, game.color)
        game.is_full = len(game.moves) >= game.opening and game.random.random() < plan.full_share
        game.target = plan.visits if game.is_full else plan.quick_visits
        if len(game.moves) < game.opening:
            game.target = 1
        ply = int(game.state.words[PLY])
        game.leaves.states.hashes[:, : ply + 1] = game.state.hashes[: ply + 1]

    def step(self, judge: Judge) -> list[FinishedGame]:
        """Judges one batch of every game; returns the games that ended."""
        for game in self._games:
            game.found = self._collect(game)
        self._judge(judge)
        finished, going = [], []
        for game in self._games:
            tree = game.tree
            visits = tree.visits[tree.counts[ROOT]]
            if visits == 1 and game.is_full:
                self._add_noise(game)
            if visits >= game.target:
                self._play(game)
            if self._is_over(game):
                owners = area_owners(game.state.words)
                finished.append(FinishedGame(game.moves, game.searched, owners))
                if self._left == 0:
                    continue
                game = self._new_game(game.first // self.plan.batch, tree)  # noqa: PLW2901
            going.append(game)
        self._games = going
        return finished

    def _judge(self, judge: Judge) -> None:
        """Has the leaves of all games judged together."""
        chosen = np.concatenate(
            [np.arange(game.first, game.first + game.found) for game in self._games]
        )
        if len(chosen) == 0:
            return
        said = judge(self._gathered(chosen), self._paths.ends[chosen, SIDE_THERE])
        at = 0
        for game in self._games:
            part = slice(at, at + game.found)
            at += game.found
            if game.found:
                values, leads = said.values[part], said.leads[part]
                own = Said(values, leads, said.scores[part], said.owned[part])
                settle(game.tree, game.leaves, own)

    def _gathered(self, chosen: npt.NDArray[np.int64]) -> BoardState:
        """These leaves side by side, in memory that is used again: fresh pages take long."""
        states, into, count = self._states, self._judged, len(chosen)
        words, hashes = into.words[:count], into.hashes[:count]
        np.take(states.words, chosen, axis=0, out=words, mode="clip")
        np.take(states.hashes, chosen, axis=0, out=hashes, mode="clip")
        return BoardState(words, hashes, states.keys)

    def _collect(self, game: _Played) -> int:
        tree = game.tree
        root = tree.counts[ROOT]
        if tree.state[root] != OPEN:
            leaves = game.leaves
            leaves.states.words[0] = game.state.words
            leaves.paths.nodes[0, 0] = root
            leaves.paths.ends[0, LENGTH] = 0
            leaves.paths.ends[0, SIDE_THERE] = game.color
            return 1
        left = game.target - int(tree.visits[root])
        found, _ = collect(tree, self._settings, game.state, game.color, game.leaves, max(left, 1))
        return int(found)

    def _add_noise(self, game: _Played) -> None:
        plan, tree = self.plan, game.tree
        first = int(tree.first[tree.counts[ROOT]])
        edges = slice(first, first + int(tree.width[tree.counts[ROOT]]))
        count = edges.stop - edges.start
        noise = game.random.dirichlet(np.full(count, plan.noise_total / count))
        priors = (1 - plan.noise) * tree.prior[edges] + plan.noise * noise
        order = np.argsort(-priors, kind="stable")
        tree.prior[edges], tree.move[edges] = priors[order], tree.move[edges][order]

    def _play(self, game: _Played) -> None:
        """Chooses and plays a move."""
        plan, tree = self.plan, game.tree
        root = int(tree.counts[ROOT])
        edges = slice(int(tree.first[root]), int(tree.first[root]) + int(tree.width[root]))
        moves = tree.move[edges].astype(np.int64)
        weights = tree.taken[edges].astype(np.float64)
        if game.target == 1:
            weights = tree.prior[edges].astype(np.float64) ** (1.0 / plan.random_temperature)
            weights[moves == PASS] = 0.0 if len(weights) > 1 else 1.0
        elif game.is_full:
            self._keep(game, moves, weights)
        if len(game.moves) < plan.sampled_moves:
            chosen = int(game.random.choice(moves, p=weights / weights.sum()))
        else:
            chosen = int(moves[int(np.argmax(weights))])
        play_move(game.state, chosen, game.color)
        game.moves.append(chosen)
        game.color = BLACK + WHITE - game.color
        if not self._is_over(game):
            self._begin_move(game)

    def _keep(
        self, game: _Played, moves: npt.NDArray[np.int64], visits: npt.NDArray[np.float64]
    ) -> None:
        tree, size = game.tree, self.plan.size
        policy = np.zeros(size * size + 1, np.float32)
        places = np.where(
            moves == PASS, size * size, index_of_points(moves.astype(np.uint16), size)
        )
        policy[places] = visits / visits.sum()
        root = tree.counts[ROOT]
        value = float(tree.total[root] / tree.visits[root])
        game.searched.append(SearchedPosition(game.state.words.copy(), game.color, policy, value))

    def _is_over(self, game: _Played) -> bool:
        return bool(game.state.words[PASSES] >= 2) or len(game.moves) >= self._limit
