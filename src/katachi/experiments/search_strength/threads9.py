"""X-threads9: what visits that two threads make on one tree are worth.

Threads know nothing of the leaves that others wait for, so their visits may be worth less than
those of one. The speed of two is measured elsewhere (`benchmarks/tree_search.py`); here fewer
visits by one thread are played against more by two.
"""

from katachi.experiments.bounds import Count
from katachi.experiments.claims import judge_above, number_of
from katachi.experiments.protocol import Claim, Table
from katachi.experiments.search_strength.pairings import (
    SCORE,
    Pairing,
    PairingSettings,
    experiment_of,
)
from katachi.search.tree_limits import TreeLimits

NET = "territory:selfplay9"


class ThreadSettings(PairingSettings, frozen=True, kw_only=True):
    """Pairings whose first player has several threads."""

    threads: Count = 2
    """That grow the tree of the first player."""

    @property
    def limits(self) -> TreeLimits:
        """Of the tree that the first player grows."""
        return TreeLimits(threads=self.threads)


SETTINGS = ThreadSettings(pairings=(Pairing(f"tree:400:{NET}", f"tree:340:{NET}", 200),))
QUICK = ThreadSettings(size=5, block=2, pairings=(Pairing("tree:20:alp", "tree:10:alp", 2),))


def judge(table: Table) -> list[Claim]:
    """Whether the visits of two threads are worth more than those fewer of one."""
    claims = []
    for row in table.rows_of(SCORE):
        words = (
            f"beyond the paper: {row.key['player']} by two threads beats {row.key['opponent']} by "
            "one",
            f"{row.ours:.1f} %",
        )
        claims.append(judge_above(words, number_of(row, 1, " %"), 50.0))
    return claims


EXPERIMENT = experiment_of("X-threads9", SETTINGS, QUICK, judge)
