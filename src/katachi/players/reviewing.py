"""Who reviews games, by the name of a player."""

from katachi.players.kinds import TREE, split_name
from katachi.players.roster import make_evaluator, make_player
from katachi.players.tree import TreePlayer
from katachi.search.review import EvaluatorReviewer, Reviewer
from katachi.search.tree_limits import TreeLimits
from katachi.search.tree_review import TreeReviewer


def reviewer_named(name: str, limits: TreeLimits | None = None) -> Reviewer:
    """Who a player's name means: a tree searches every position, within these limits, others look
    one move ahead. Raises KatachiError for one that judges no positions."""
    if split_name(name)[0] != TREE:
        return EvaluatorReviewer(make_evaluator(name))
    player = make_player(name, limits=limits)
    assert isinstance(player, TreePlayer)
    return TreeReviewer(player.searcher, player.visits)
