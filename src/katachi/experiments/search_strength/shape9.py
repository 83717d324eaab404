"""X-shape9: the best that local shape alone can do, by three searches with the same time.

No net takes part: values, and playouts where there are any, are by the shipped shape weights.
"""

from katachi.experiments.claims import gap, judge_above, number_of
from katachi.experiments.protocol import Claim, Table
from katachi.experiments.search_strength.pairings import (
    SCORE,
    Pairing,
    PairingSettings,
    experiment_of,
)

GNUGO = "gnugo:10"
TREE = "tree:shape"
SEARCHES = {"dyna": 20, TREE: 200, "search:shape": 20}
"""Games of each at equal time: most by the strongest of them."""
SETTINGS = PairingSettings(
    pairings=tuple(Pairing(name, GNUGO, games, share=1.0) for name, games in SEARCHES.items()),
    block=4,
)
QUICK = PairingSettings(
    size=5, block=2, pairings=tuple(Pairing(name, "alp", 2, share=1.0) for name in SEARCHES)
)


def judge(table: Table) -> list[Claim]:
    """Whether tree search by local shape wins most games, and more than the other searches with the
    same time."""
    return [claim for time in table.values("time") for claim in _judge_time(table, str(time))]


def _judge_time(table: Table, time: str) -> list[Claim]:
    scores = {str(row.key["player"]): row for row in table.rows_of(SCORE, time=time)}
    best = scores.pop(TREE, None)
    if best is None:
        return []
    against = best.key["opponent"]
    words = f"beyond the paper: {TREE} beats {against} ({time})", f"{best.ours:.1f} %"
    claims = [judge_above(words, number_of(best, 1, " %"), 50.0)]
    for name, other in scores.items():
        paper = f"beyond the paper: {TREE} scores more against {against} than {name} ({time})"
        words = paper, f"{best.ours:.1f} %, {name} {other.ours:.1f} %"
        claims.append(judge_above(words, gap(best, other)))
    return claims


EXPERIMENT = experiment_of("X-shape9", SETTINGS, QUICK, judge)
