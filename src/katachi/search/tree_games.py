"""Many games at once by tree search: their leaves are judged together, in large batches.

Games are played for learning: moves early in a game are sampled, priors at the root carry noise,
and only a share of the moves is searched in full and kept to learn from (as KataGo does); the
others are quick, so that there are more games.
"""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from katachi.rules.area import area_owners
from katachi.rules.color import BLACK, WHITE
from katachi.rules.kernels import play_move
from katachi.rules.point import PASS, index_of_points
from katachi.rules.state import PASSES, Words
from katachi.search.tree import ROOT, Tree
from katachi.search.tree_leaves import Judge
from katachi.search.tree_many import TreeSizes
from katachi.search.tree_reading import edges_of
from katachi.search.tree_slots import Slot, TreeSlots
from katachi.search.tree_walk import TreeSettings

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

    @property
    def limit(self) -> int:
        """Moves of a game at most."""
        return int(self.moves_a_point * self.size**2)

    def sizes(self, games: int) -> TreeSizes:
        """The room that so many games at once take."""
        nodes = self.visits + 2 * self.batch
        return TreeSizes(self.size, games, self.batch, nodes, self.limit + DEEPEST + 4, DEEPEST)


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

    slot: Slot
    """Its place among the games."""
    random: np.random.Generator
    color: int = BLACK
    target: int = 0
    is_full: bool = False
    opening: int = 0
    searched: list[SearchedPosition] = field(default_factory=list)
    moves: list[int] = field(default_factory=list)


class FinishedGame(NamedTuple):
    """A game that is over."""

    moves: list[int]
    searched: list[SearchedPosition]
    owners: npt.NDArray[np.uint8]
    """[size * size] at the end: BLACK, WHITE, or EMPTY for neutral."""


class _RootMoves(NamedTuple):
    """The moves of a root, the likeliest first."""

    moves: npt.NDArray[np.int64]
    visits: npt.NDArray[np.float64]
    priors: npt.NDArray[np.float64]


def _root_edges(tree: Tree) -> slice:
    edges = edges_of(tree, int(tree.counts[ROOT]))
    return slice(edges.start, edges.stop)


def _root_moves(tree: Tree) -> _RootMoves:
    edges = _root_edges(tree)
    return _RootMoves(
        tree.move[edges].astype(np.int64),
        tree.taken[edges].astype(np.float64),
        tree.prior[edges].astype(np.float64),
    )


class TreeGames:
    """Plays on and on, or so many games."""

    def __init__(self, plan: GamePlan, seed: int, total: int | None = None) -> None:
        """Games at their beginnings; `total` is how many are begun in all, each of which is played
        to its end."""
        self.plan = plan
        self._left = total
        self._random = np.random.default_rng(seed)
        count = plan.games if total is None else min(plan.games, total)
        reduction = plan.reduction
        settings = TreeSettings(plan.komi, plan.exploration, reduction, reduction)
        self._slots = TreeSlots(plan.sizes(max(count, 1)), settings)
        self._games = {number: self._new_game(number) for number in range(count)}

    @property
    def is_over(self) -> bool:
        """Whether all games have ended."""
        return not self._games

    def _new_game(self, number: int) -> _Played:
        self._left = None if self._left is None else self._left - 1
        random = np.random.default_rng(int(self._random.integers(1 << 62)))
        game = _Played(self._slots.new_board(number), random)
        game.opening = int(game.random.integers(self.plan.random_moves + 1))
        self._begin_move(game)
        return game

    def _begin_move(self, game: _Played) -> None:
        """Says how the present position is searched."""
        plan = self.plan
        game.is_full = len(game.moves) >= game.opening and game.random.random() < plan.full_share
        game.target = plan.visits if game.is_full else plan.quick_visits
        if len(game.moves) < game.opening:
            game.target = 1
        self._slots.begin(game.slot, game.color, game.target)

    def step(self, judge: Judge) -> list[FinishedGame]:
        """Judges one batch of every game; returns the games that ended."""
        slots, finished = self._slots, []
        slots.judge(judge)
        visits = slots.visits()
        for number in np.flatnonzero((visits == 1) | (visits >= slots.targets)).tolist():
            game = self._games.get(number)
            if game is None:
                continue
            if visits[number] == 1 and game.is_full:
                self._add_noise(game)
            if visits[number] >= game.target:
                self._play(game)
            if self._is_over(game):
                owners = area_owners(game.slot.state.words)
                finished.append(FinishedGame(game.moves, game.searched, owners))
                self._replace(game.slot)
        return finished

    def _replace(self, slot: Slot) -> None:
        """Begins another game in the place of one that has ended, where one is left."""
        if self._left == 0:
            del self._games[slot.number]
            self._slots.end(slot)
        else:
            self._games[slot.number] = self._new_game(slot.number)

    def _add_noise(self, game: _Played) -> None:
        plan, tree = self.plan, game.slot.tree
        edges = _root_edges(tree)
        count = edges.stop - edges.start
        noise = game.random.dirichlet(np.full(count, plan.noise_total / count))
        priors = (1 - plan.noise) * tree.prior[edges] + plan.noise * noise
        order = np.argsort(-priors, kind="stable")
        tree.prior[edges], tree.move[edges] = priors[order], tree.move[edges][order]

    def _play(self, game: _Played) -> None:
        """Chooses and plays a move."""
        plan = self.plan
        found = _root_moves(game.slot.tree)
        moves, weights = found.moves, found.visits
        if game.target == 1:
            weights = found.priors ** (1.0 / plan.random_temperature)
            weights[moves == PASS] = 0.0 if len(weights) > 1 else 1.0
        elif game.is_full:
            self._keep(game, found)
        if len(game.moves) < plan.sampled_moves:
            chosen = int(game.random.choice(moves, p=weights / weights.sum()))
        else:
            chosen = int(moves[int(np.argmax(weights))])
        play_move(game.slot.state, chosen, game.color)
        game.moves.append(chosen)
        game.color = BLACK + WHITE - game.color
        if not self._is_over(game):
            self._begin_move(game)

    def _keep(self, game: _Played, found: _RootMoves) -> None:
        tree, size, moves = game.slot.tree, self.plan.size, found.moves
        policy = np.zeros(size * size + 1, np.float32)
        places = np.where(
            moves == PASS, size * size, index_of_points(moves.astype(np.uint16), size)
        )
        policy[places] = found.visits / found.visits.sum()
        root = tree.counts[ROOT]
        value = float(tree.total[root] / tree.visits[root])
        words = game.slot.state.words.copy()
        game.searched.append(SearchedPosition(words, game.color, policy, value))

    def _is_over(self, game: _Played) -> bool:
        return bool(game.slot.state.words[PASSES] >= 2) or len(game.moves) >= self.plan.limit
