"""Speed of one variant of shape learning on a card (for a trial)."""

import os
import sys
import time
import traceback

import shape_cuda as bench


def main() -> None:
    names = ("KATACHI_CARD_REGISTERS", "KATACHI_CARD_WARPS")
    label = " ".join(f"{name[13:]}={os.environ.get(name, '-')}" for name in names)
    cases = [(bench.SETS, 1800, 300), ("2x2:LI", 1800, 300), ("all 18 sets", 50, 300)]
    for sets, runs, games in cases:
        try:
            case = bench.Case(sets)
            begin = time.perf_counter()
            took = case.learn(case.on_card(runs), bench.randoms_of(runs, 2 * games))
            whole = time.perf_counter() - begin
            text = f"{label} {sets} {runs} runs: {runs * games / took:,.0f} games/s"
            print(f"{text}, {1e3 * took / games:.3f} ms a game ({whole:.0f} s)", flush=True)
        except Exception:
            traceback.print_exc()
    sys.stdout.flush()


if __name__ == "__main__":
    main()
