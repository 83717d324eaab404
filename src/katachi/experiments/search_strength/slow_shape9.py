"""X-shape9-2s: what local shape alone can do with two seconds a move, by the same three searches as
X-shape9: most games by the strongest of them."""

from katachi.experiments.search_strength.pairings import Pairing, PairingSettings, experiment_of
from katachi.experiments.search_strength.shape9 import GNUGO, QUICK, TREE, judge

SECONDS = 2.0
SEARCHES = {TREE: 200, "dyna": 4, "search:shape": 4}
"""Games of each."""
SETTINGS = PairingSettings(
    pairings=tuple(
        Pairing(name, GNUGO, games, seconds=SECONDS) for name, games in SEARCHES.items()
    ),
    block=4,
)
EXPERIMENT = experiment_of("X-shape9-2s", SETTINGS, QUICK, judge)
