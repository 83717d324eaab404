"""Writes the table by which `rated:R` plays from the results of the experiment X-levels9.

    python scripts/write_ratings.py [--check]

Ratings of levels that draw their moves are smoothed: at each stands the parabola through it and its
neighbours, over the logarithm of the temperature and weighted by their information. Then all are
made to rise, by pooling neighbours that do not (isotonic regression). With --check nothing is
written, and the exit status says whether the table is what the results say.
"""

import json
import sys
from pathlib import Path

import numpy as np

from katachi.experiments.protocol import Row
from katachi.experiments.results import read_result
from katachi.players.rating_table import TABLE_FILE

RESULT = Path(__file__).resolve().parents[1] / "results" / "X-levels9.json"
NEAR = 5
"""Levels that a parabola goes through."""
GAP = 1300.0
"""Where opponents change from simple players, all below 900, to learned ones, all above 1700: a
small step of the temperature is many points there, and each side is smoothed by itself."""
LEAST_STEP = 1.0
"""Points between neighbours that were pooled, so that one rating has one way to play."""


def weights_of(rows: list[Row]) -> list[float]:
    """The information of each rating."""
    return [1.0 / ((row.high or 1.0) - (row.low or 0.0)) ** 2 for row in rows]


def smoothed(rows: list[Row]) -> list[float]:
    """The ratings of levels that draw their moves, by parabolas through near ones."""
    heat = np.log([float(row.key["temperature"]) for row in rows])
    ratings = np.array([row.ours for row in rows])
    weights = np.sqrt(weights_of(rows))
    found = []
    for at in range(len(rows)):
        first = min(max(0, at - NEAR // 2), max(0, len(rows) - NEAR))
        near = slice(first, first + NEAR)
        parabola = np.polyfit(heat[near], ratings[near], 2, w=weights[near])
        found.append(float(np.polyval(parabola, heat[at])))
    return found


def rising(values: list[float], weights: list[float]) -> list[float]:
    """The nearest values that do not fall, by pooling neighbours."""
    pools: list[tuple[float, float, int]] = []
    for value, weight in zip(values, weights, strict=True):
        pools.append((value, weight, 1))
        while len(pools) > 1 and pools[-2][0] >= pools[-1][0]:
            (one, first, count), (other, second, more) = pools[-2:]
            both = first + second
            pools[-2:] = [((one * first + other * second) / both, both, count + more)]
    return [value for value, _, count in pools for _ in range(count)]


def table_of(rows: list[Row]) -> str:
    """The text of the table."""
    drawing = [row for row in rows if not row.key["searched"]]
    weak = [row for row in drawing if (row.ours or 0.0) < GAP]
    strong = [row for row in drawing if (row.ours or 0.0) >= GAP]
    searching = [row for row in rows if row.key["searched"]]
    known = smoothed(weak) + smoothed(strong) + [row.ours or 0.0 for row in searching]
    ratings = rising(known, weights_of(rows))
    spread = [rating + LEAST_STEP * ratings[:at].count(rating) for at, rating in enumerate(ratings)]
    found = [
        {"rating": round(rating, 1), **row.key} for rating, row in zip(spread, rows, strict=True)
    ]
    lines = ",\n  ".join(json.dumps(row) for row in found)
    return f'{{\n "from": "X-levels9",\n "rows": [\n  {lines}\n ]\n}}\n'


def main() -> None:
    """Writes the table, or compares it."""
    text = table_of(read_result(RESULT).rows)
    if "--check" not in sys.argv[1:]:
        TABLE_FILE.write_text(text, encoding="utf-8")
    elif TABLE_FILE.read_text(encoding="utf-8") != text:
        sys.exit(f"{TABLE_FILE.name} is not what results/X-levels9.json says: run without --check")


if __name__ == "__main__":
    main()
