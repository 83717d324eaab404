"""X-tree9-10x: tree search by a net with ten times the time that GNU Go takes, at 9x9."""

from katachi.experiments.search_strength.pairings import Pairing, PairingSettings, experiment_of
from katachi.experiments.search_strength.tree9 import GNUGO, QUICK, TREE

SETTINGS = PairingSettings(pairings=(Pairing(TREE, GNUGO, 200, share=10.0),), block=4)
EXPERIMENT = experiment_of("X-tree9-10x", SETTINGS, QUICK)
