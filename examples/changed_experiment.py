"""A paper's experiment with other settings: python examples/changed_experiment.py [FOLDER].

The same on the command line: katachi experiment run S1-F4 --set templates=2x2 alpha=0.3 ...
What can be changed: katachi experiment run S1-F4 --list-settings
"""

import sys
from pathlib import Path

from katachi.experiments.curves import curves_of
from katachi.experiments.running import Order, carry_out

folder = Path(sys.argv[1] if len(sys.argv) > 1 else "changed")
small = ("runs=2", "templates=2x2", "games=1000", "test_every=250", "final_games=100")
for alpha in (0.03, 0.1, 0.3):
    order = Order("S1-F4", out=folder, work=folder, changes=(*small, f"alpha={alpha}"))
    result = carry_out(order, observe=lambda _: None, tell=lambda _: None)
    curve = curves_of(result)[0]
    wins = ", ".join(f"{percent:.0f} %" for percent in curve.ours)
    print(f"step size {alpha}: 2x2:LI wins {wins} against ALP, tested every 250 games")
