"""X-tree19: tree search at 19x19 by the net that knows owners and moves, against GNU Go."""

from katachi.experiments.search_strength.pairings import Pairing, PairingSettings, experiment_of

GNUGO = "gnugo:10"
SETTINGS = PairingSettings(
    size=19,
    opening_moves=0,
    block=2,
    pairings=(Pairing("tree:territory:owners19", GNUGO, 100, seconds=1.0),),
)
QUICK = PairingSettings(size=7, block=2, pairings=(Pairing("tree:10:alp", "gnugo:0", 2),))
EXPERIMENT = experiment_of("X-tree19", SETTINGS, QUICK)
