"""X-tree19: the net that predicts moves against GNU Go at 19x19, at one look a move."""

from katachi.experiments.search_strength.pairings import Pairing, PairingSettings, experiment_of

GNUGO = "gnugo:10"
SETTINGS = PairingSettings(
    size=19,
    opening_moves=0,
    block=2,
    pairings=(Pairing("territory:moves19", GNUGO, 44),),
)
QUICK = PairingSettings(size=7, block=2, pairings=(Pairing("tree:10:alp", "gnugo:0", 2),))
EXPERIMENT = experiment_of("X-tree19", SETTINGS, QUICK)
