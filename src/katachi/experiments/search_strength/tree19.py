"""X-tree19: against GNU Go at 19x19, the net that predicts moves at one look a move, and a tree
search by the net that knows owners, too."""

from katachi.experiments.search_strength.pairings import Pairing, PairingSettings, experiment_of

GNUGO = "gnugo:10"
SETTINGS = PairingSettings(
    size=19,
    opening_moves=0,
    block=2,
    pairings=(
        Pairing("territory:moves19", GNUGO, 54),
        Pairing("tree:territory:owners19", GNUGO, 22, seconds=1.0),
    ),
)
QUICK = PairingSettings(size=7, block=2, pairings=(Pairing("tree:10:alp", "gnugo:0", 2),))
EXPERIMENT = experiment_of("X-tree19", SETTINGS, QUICK)
