"""X-clock9: tree search on a short clock of the arena."""

from katachi.experiments.search_strength.pairings import Pairing, PairingSettings, experiment_of

SETTINGS = PairingSettings(clock=10.0, block=10, pairings=(Pairing("tree", "gnugo:0", 500),))
QUICK = PairingSettings(size=5, block=2, clock=0.5, pairings=(Pairing("tree:alp", "alp", 2),))
EXPERIMENT = experiment_of("X-clock9", SETTINGS, QUICK)
