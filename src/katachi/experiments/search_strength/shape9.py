"""X-shape9: the best that local shape alone can do, by three searches with the same time.

No net takes part: values, and playouts where there are any, are by the shipped shape weights.
"""

from katachi.experiments.search_strength.pairings import Pairing, PairingSettings, experiment_of

GNUGO = "gnugo:10"
SEARCHES = {"dyna": 20, "tree:shape": 200, "search:shape": 20}
"""Games of each at equal time: most by the strongest of them."""
SETTINGS = PairingSettings(
    pairings=tuple(Pairing(name, GNUGO, games, share=1.0) for name, games in SEARCHES.items()),
    block=4,
)
QUICK = PairingSettings(
    size=5, block=2, pairings=tuple(Pairing(name, "alp", 2, share=1.0) for name in SEARCHES)
)
EXPERIMENT = experiment_of("X-shape9", SETTINGS, QUICK)
