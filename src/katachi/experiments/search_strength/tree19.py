"""X-tree19: against GNU Go at 19x19, a tree search by the net that knows owners.

Games of the net that predicts moves at one look a move are on the ladder at 19x19, where others
can be added to them.
"""

from katachi.experiments.search_strength.pairings import Pairing, PairingSettings, experiment_of

GNUGO = "gnugo:10"
SETTINGS = PairingSettings(
    size=19,
    opening_moves=0,
    block=2,
    pairings=(Pairing("tree:territory:owners19", GNUGO, 100, seconds=5.0, sure=0.95),),
)
QUICK = PairingSettings(size=7, block=2, pairings=(Pairing("tree:10:alp", "gnugo:0", 2),))
EXPERIMENT = experiment_of("X-tree19", SETTINGS, QUICK)
