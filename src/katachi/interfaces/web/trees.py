"""Trees that grow for what a page shows: whose they are, how far they grow, and how many at once.

A tree lives as long as one answer. It grows some visits a step, so that others have their turn, and
what is asked of it on the way is what `kata-analyze` would say.
"""

import threading
import time
from collections.abc import Callable, Generator
from typing import Any, NamedTuple

from katachi.errors import KatachiError
from katachi.evaluators.protocol import Evaluator
from katachi.interfaces.web.offers import evaluator_named, library_name
from katachi.interfaces.web.operations import Context, Part, RequestError
from katachi.players.kinds import TREE, split_tree
from katachi.players.tree import TreePlayer
from katachi.rules.game import Game
from katachi.search.analysis import Analysis
from katachi.search.stopping import Stopped
from katachi.search.tree_leaves import judge_for_play
from katachi.search.tree_limits import Goal, TreeLimits
from katachi.search.tree_review import TreeReviewer
from katachi.search.tree_search import TreeSearch

VISITS = 400
"""Of a position, unless the name says how many."""
MOST_VISITS = 2000
REVIEW_VISITS = 100
"""Of each position of a reviewed game, at most."""
VISITS_A_STEP = 16
MEMORY = 32 << 20
"""Bytes of a tree: enough for the most visits on the largest board."""
SECONDS_A_PART = 0.25
"""What has been found so far is sent as often as that."""
TREES_OF_PAGE = 2
"""Answers by trees that grow for one page at once; the others wait."""
MOST_TREES = 32
"""For all pages."""

_lock = threading.Lock()


def is_tree(name: str) -> bool:
    """Whether an evaluator of this name is a tree search."""
    return name.partition(":")[0] == TREE


class Terms(NamedTuple):
    """What the name of a tree says."""

    visits: int | None
    player: str
    """Whose opinion stands at its leaves."""


def terms_of(name: str, context: Context) -> Terms:
    """What the name of a tree says; raises RequestError for one that the page may not ask for."""
    known = library_name(name, context.folder, "evaluator")
    terms = Terms(*split_tree(known.partition(":")[2]))
    if terms.visits is not None and terms.visits > MOST_VISITS:
        text = f"{name[:40]} would think too long: use at most {MOST_VISITS} visits"
        raise RequestError("evaluator", text)
    return terms


class PageTree:
    """A tree that grows for one answer."""

    def __init__(self, name: str, terms: Terms, evaluator: Evaluator) -> None:
        """A tree with its own memory; the evaluator is shared."""
        self.evaluator = evaluator
        self.visits = terms.visits or VISITS
        search = TreeSearch(evaluator, TreeLimits(memory=MEMORY), judge_for_play)
        self._player = TreePlayer(name, search)
        self.counted_in: tuple[set[PageTree], ...] = ()
        """Those of its page and those of all, while it grows."""

    def close(self) -> None:
        """Lets go of the tree and makes room for another."""
        with _lock:
            for trees in self.counted_in:
                trees.discard(self)
        self._player.close()

    @property
    def reviewer(self) -> TreeReviewer:
        """Who reviews games by this tree."""
        return TreeReviewer(self._player.searcher, min(self.visits, REVIEW_VISITS))

    def grow(
        self, game: Game, part: Callable[[Analysis], Part] | None = None
    ) -> Generator[Part | None, None, Analysis]:
        """Searches the present position in steps and returns what was found in the end; a `part`
        made of what is known so far is sent now and then. Raises RequestError where the evaluator
        is not for such a board."""
        told = 0.0
        for visits in range(VISITS_A_STEP, self.visits, VISITS_A_STEP):
            found = self._look(game, visits)
            now = time.monotonic()
            if part is None or now < told + SECONDS_A_PART:
                yield None
            else:
                told = now
                yield part(found)
        return self._look(game, self.visits)

    def _look(self, game: Game, visits: int) -> Analysis:
        goal = Goal(visits=visits, is_for_move=False)
        try:
            return self._player.analyse_to(goal, game, game.to_play)
        except Stopped:
            raise
        except KatachiError as error:
            raise RequestError("evaluator", error) from None


def tree_named(name: str, context: Context) -> Generator[None, None, PageTree]:
    """A tree of that name, once the page has room for one; who is done with it closes it. Raises
    RequestError for a wrong name, and where too many trees grow."""
    terms = terms_of(name, context)
    evaluator = evaluator_named(terms.player, context)
    own, every = (_growing(kept) for kept in (context.own, context.shared))
    yield None  # loading a model was a step
    # Trees of one page take turns in one lane: those that grow get on while this one waits.
    while len(own) >= TREES_OF_PAGE:
        yield None
    return _counted(PageTree(name, terms, evaluator), own, every)


def _growing(kept: dict[str, Any]) -> set[PageTree]:
    trees: set[PageTree] = kept.setdefault("trees", set())
    return trees


def _counted(tree: PageTree, own: set[PageTree], every: set[PageTree]) -> PageTree:
    """The tree, counted until it is closed; raises RequestError where too many grow."""
    with _lock:
        if len(every) >= MOST_TREES:
            raise RequestError("evaluator", "too many trees grow here already: ask again soon")
        for trees in (own, every):
            trees.add(tree)
    tree.counted_in = own, every
    return tree
