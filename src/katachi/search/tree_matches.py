"""Games between two numbers of visits by one judge, many at once: what more of them are worth.

Each move is searched from an empty tree, so that a number of visits means what it says.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from katachi.rules.area import area_difference
from katachi.rules.color import BLACK, WHITE
from katachi.rules.kernels import play_move
from katachi.rules.state import PASSES
from katachi.search.tree_growing import DEEPEST, is_decided
from katachi.search.tree_leaves import Judge
from katachi.search.tree_limits import VISITS_A_LEAF, TreeLimits
from katachi.search.tree_many import TreeSizes
from katachi.search.tree_reading import Root, root_moves
from katachi.search.tree_slots import Slot, TreeSlots
from katachi.search.tree_walk import TreeSettings


class MatchPlan(NamedTuple):
    """How games are played."""

    size: int
    komi: float
    visits: tuple[int, int]
    """A move of the first player, and of the second."""
    batch: int = 8
    """Leaves of a game that are judged together at most."""
    visits_a_leaf: int = VISITS_A_LEAF
    """Fewer are where a search has fewer visits than so many for each."""
    moves_a_point: int = 4
    """When a game ends at the latest, as a draw."""

    @property
    def limit(self) -> int:
        """Moves of a game at most."""
        return self.moves_a_point * self.size**2

    def sizes(self, games: int) -> TreeSizes:
        """The room that so many games at once take."""
        nodes = max(self.visits) + 2 * self.batch
        return TreeSizes(self.size, games, self.batch, nodes, self.limit + DEEPEST + 4, DEEPEST)


@dataclass
class _Played:
    """One game under way."""

    slot: Slot
    first: int
    """The colour of the first player."""
    moves: list[int]

    @property
    def color(self) -> int:
        """Who moves."""
        return BLACK if len(self.moves) % 2 == 0 else WHITE


class MatchGame(NamedTuple):
    """A game that is over."""

    moves: list[int]
    lead: float
    """Of the first player, komi counted; 0 where the game came to no end."""


def play_match(plan: MatchPlan, openings: Sequence[Sequence[int]], judge: Judge) -> list[MatchGame]:
    """Two games from each opening, the first player Black in the one and White in the other."""
    match = _Match(plan, openings)
    while match.is_under_way:
        match.step(judge)
    return match.games


class _Match:
    """All games at once."""

    def __init__(self, plan: MatchPlan, openings: Sequence[Sequence[int]]) -> None:
        self._plan = plan
        count, limits = 2 * len(openings), TreeLimits(batch=plan.batch)
        sizes = plan.sizes(count)
        reduction = limits.reduction
        self._settings = TreeSettings(plan.komi, limits.exploration, reduction, reduction)
        self._limits, self._slots = limits, TreeSlots(sizes, self._settings)
        self._playing: dict[int, _Played] = {}
        self._over: dict[int, MatchGame] = {}
        for number in range(count):
            self._start(number, openings[number // 2])

    @property
    def is_under_way(self) -> bool:
        """Whether a game is."""
        return bool(self._playing)

    @property
    def games(self) -> list[MatchGame]:
        """Those that are over, in order."""
        return [self._over[number] for number in sorted(self._over)]

    def _start(self, number: int, opening: Sequence[int]) -> None:
        slot = self._slots.new_board(number)
        self._playing[number] = game = _Played(slot, BLACK if number % 2 == 0 else WHITE, [])
        for move in opening:
            self._play(game, move)
        self._go_on(game)

    def step(self, judge: Judge) -> None:
        """Has one batch of every game judged, and moves where a search has come to its end."""
        slots = self._slots
        slots.judge(judge)
        left = slots.targets - slots.visits()
        # Before half of them are made nothing is decided, but where there is one move only.
        for number in np.flatnonzero((slots.targets > 0) & (left < slots.visits())).tolist():
            game = self._playing[number]
            tree = game.slot.tree
            if left[number] <= 0 or is_decided(tree, float(left[number])):
                root = Root(game.slot.state, game.color, self._settings.ko)
                self._play(game, root_moves(tree, root, with_details=False)[0].point)
                self._go_on(game)

    def _play(self, game: _Played, move: int) -> None:
        play_move(game.slot.state, move, game.color)
        game.moves.append(move)

    def _go_on(self, game: _Played) -> None:
        """Begins the search of the next move, or ends the game."""
        words = game.slot.state.words
        if words[PASSES] < 2 and len(game.moves) < self._plan.limit:
            visits = self._plan.visits[int(game.color != game.first)]
            leaves = self._limits.batch_of(visits, self._plan.visits_a_leaf)
            self._slots.begin(game.slot, game.color, visits, leaves)
            return
        self._slots.end(game.slot)
        lead = area_difference(words) - self._plan.komi if words[PASSES] >= 2 else 0.0
        sign = 1 if game.first == BLACK else -1
        del self._playing[game.slot.number]
        self._over[game.slot.number] = MatchGame(game.moves, sign * lead)
