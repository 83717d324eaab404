"""X-gpu19: tree search at 19x19 against GNU Go, its net on a GPU.

On one core a game of five seconds a move takes ten minutes; a GPU makes more visits in a second
than a core, and many games share it.
"""

from katachi.experiments.search_strength.pairings import (
    GpuPairingSettings,
    Pairing,
    experiment_of,
)
from katachi.experiments.search_strength.tree19 import GNUGO

SETTINGS = GpuPairingSettings(
    size=19,
    opening_moves=0,
    block=2,
    pairings=(Pairing("tree:territory:owners19", GNUGO, 100, seconds=0.5),),
)
QUICK = GpuPairingSettings(
    size=7, block=2, uses_gpu=False, pairings=(Pairing("tree:10:alp", "gnugo:0", 2),)
)
EXPERIMENT = experiment_of("X-gpu19", SETTINGS, QUICK)
