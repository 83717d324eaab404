"""X-shape9-2s: what local shape alone can do with two seconds a move, by the search that makes most
of it in X-shape9."""

from katachi.experiments.search_strength.pairings import Pairing, PairingSettings, experiment_of
from katachi.experiments.search_strength.shape9 import GNUGO, QUICK, TREE, judge

SETTINGS = PairingSettings(pairings=(Pairing(TREE, GNUGO, 200, seconds=2.0),), block=4)
EXPERIMENT = experiment_of("X-shape9-2s", SETTINGS, QUICK, judge)
