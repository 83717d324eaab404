"""A player that grows a tree of the positions ahead."""

import contextlib
from dataclasses import replace

import numpy as np

from katachi.errors import KatachiError
from katachi.evaluators.protocol import abilities_of
from katachi.evaluators.simple import ConstantEvaluator
from katachi.players.protocol import Choice
from katachi.players.searching import place_of
from katachi.rules.color import BLACK
from katachi.rules.game import Game
from katachi.rules.point import Points
from katachi.search.analysis import Analysis, Candidate, black_ownership
from katachi.search.tree_limits import Goal
from katachi.search.tree_reading import TreeMove
from katachi.search.tree_search import TreeResult, TreeSearch


class TreePlayer:
    """Plays the move that its search visits most.

    With a fixed number of visits equal seeds play equal games, unless a clock stops the search
    earlier; without one it thinks as long as it may. It never resigns.
    """

    def __init__(
        self, name: str, searcher: TreeSearch, seed: int = 0, visits: int | None = None
    ) -> None:
        """A player; `visits` ends a search before the time does. Kernels are compiled or loaded
        here, not while a clock runs."""
        self.name = name
        self.searcher = searcher
        self.visits = visits
        self._random = np.random.default_rng(seed % (1 << 64))
        self._ready: set[int] = set()
        self._latest: object = None
        self.start(Game(9))

    def choose(self, game: Game, color: int, seconds: float | None = None) -> Choice:
        """The best move found within `seconds`."""
        goal = Goal(seconds, self.visits)
        result = self.searcher.search(game, color, goal, self._random)
        self._latest = place_of(game, color)
        best = result.moves[0]
        return Choice(best.point, result.win_rate if best.win_rate is None else best.win_rate)

    def start(self, game: Game) -> None:
        """Loads kernels and makes room for boards of this size, so that no move waits for that."""
        if game.size not in self._ready:
            with contextlib.suppress(KatachiError):  # which shows in the move that follows
                self.searcher.prepare(game)
            self._ready.add(game.size)
            self._latest = None  # for the tree is another one

    def analyse(self, game: Game, color: int, points: Points | None = None) -> Analysis:
        """What the search finds of each move that it tries; of all of these, where given. What was
        found for a move just chosen is not searched again."""
        is_known = points is None and self._latest == place_of(game, color)
        goal = Goal(visits=1 if is_known else self.visits, is_for_move=False)
        return self.analyse_to(goal, game, color, points)

    def think(
        self, game: Game, color: int, seconds: float, points: Points | None = None
    ) -> Analysis:
        """The same after so many more seconds; what was found before is kept, of some moves only
        while the same are asked about."""
        return self.analyse_to(Goal(seconds, is_for_move=False), game, color, points)

    def analyse_to(
        self, goal: Goal, game: Game, color: int, points: Points | None = None
    ) -> Analysis:
        """The same at the end of a search with this goal."""
        if points is not None or self._latest != place_of(game, color):
            self._latest = None  # the tree begins elsewhere from now on
        result = self.searcher.search(game, color, goal, self._random, points)
        return self._analysis(result, game, color)

    def use_threads(self, count: int) -> None:
        """Searches by so many threads from now on; raises KatachiError for a number that makes no
        sense."""
        self.searcher.limits = replace(self.searcher.limits, threads=count)

    def close(self) -> None:
        """Lets go of its tree."""
        self.searcher.forget()

    def _analysis(self, result: TreeResult, game: Game, color: int) -> Analysis:
        sign = 1 if color == BLACK else -1
        best = result.moves[0]._replace(win_rate=result.win_rate, lead=result.lead)
        tried = [move for move in result.moves if move.win_rate is not None] or [best]
        knows = result.ownership is not None
        owned = result.ownership
        if owned is None:
            owned = black_ownership(game.states, ConstantEvaluator().evaluate(game.states))[0]
        after = {each.point: each.ownership for each in tried if each.ownership is not None}
        return Analysis(
            [_candidate(move, rank, knows=knows) for rank, move in enumerate(tried, 1)],
            result.win_rate,
            result.lead,
            sign * (2.0 * owned - 1.0),
            abilities_of(self.searcher.evaluator).look is not None,
            {move.point: move.prior for move in result.moves},
            {point: sign * (2.0 * each - 1.0) for point, each in after.items()} if knows else {},
        )


def _candidate(move: TreeMove, rank: int, *, knows: bool) -> Candidate:
    assert move.win_rate is not None
    lead = move.lead if knows else None
    return Candidate(move.point, move.win_rate, lead, move.prior, move.visits, rank, move.line)
