"""X-net9: the best net alone, one look a move, against GNU Go, level 10, at 9x9."""

from katachi.experiments.search_strength.pairings import Pairing, PairingSettings, experiment_of
from katachi.experiments.search_strength.tree9 import GNUGO

SETTINGS = PairingSettings(pairings=(Pairing("territory:selfplay9", GNUGO, 400),))
QUICK = PairingSettings(size=5, block=2, pairings=(Pairing("alp", "gnugo:0", 2),))
EXPERIMENT = experiment_of("X-net9", SETTINGS, QUICK)
