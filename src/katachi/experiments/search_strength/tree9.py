"""X-tree9: tree search by a net against GNU Go, level 10, at 9x9, each with the same time."""

from katachi.experiments.search_strength.pairings import Pairing, PairingSettings, experiment_of

GNUGO = "gnugo:10"
TREE = "tree:territory:selfplay9"
SETTINGS = PairingSettings(pairings=(Pairing(TREE, GNUGO, 400, share=1.0),))
QUICK = PairingSettings(size=5, block=2, pairings=(Pairing("tree:10:alp", "alp", 2, share=1.0),))
EXPERIMENT = experiment_of("X-tree9", SETTINGS, QUICK)
